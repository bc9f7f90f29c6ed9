"""What the structure of written documents is measured from: their tags, numbers and lengths.

A document of any length is then one line, and nothing of its text is in it::

    0,1,2,3|0:72,1:180,2:85,3:331       tags by their place in the layout | tokens of each section
    0,2#1,2#2|0:9,2:55,2:61             with the running numbers of those that have them
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from timecontrol.corpora.layout import Layout
from timecontrol.experiments.texts import Texts, lengths_of
from timecontrol.metrics.lengths import (
    Sections,
    deviation_of_means,
    lengths,
    mean_lengths,
    released_lengths,
)
from timecontrol.metrics.ordering import ordering, two_speakers
from timecontrol.reproduction.records import Value
from timecontrol.tokens import Codec

Line = str
NO_TAG = "-"


@dataclass(frozen=True)
class Outline:
    """The structure of one document."""

    tags: list[tuple[str | None, int | None]]
    """Every tag with its running number, also of sections that are empty."""
    lengths: list[tuple[str | None, float]]
    """Tokens of each section."""

    def line(self, layout: Layout) -> Line:
        """Return it in one line."""
        places = {tag: str(i) for i, tag in enumerate(layout.tags)} | {None: NO_TAG}
        left = [places.get(t, NO_TAG) + ("" if n is None else f"#{n}") for t, n in self.tags]
        right = [f"{places.get(tag, NO_TAG)}:{n:g}" for tag, n in self.lengths]
        return f"{','.join(left)}|{','.join(right)}"

    @classmethod
    def of(cls, line: Line, layout: Layout) -> "Outline":
        """Return the outline of a line."""

        def tag(word: str) -> str | None:
            return None if word == NO_TAG else layout.tags[int(word)]

        left, right = (part.split(",") if part else [] for part in line.split("|"))
        tags = [(tag(w), int(n) if n else None) for w, _, n in (x.partition("#") for x in left)]
        sizes = [(tag(w), float(n)) for w, _, n in (x.partition(":") for x in right)]
        return cls(tags, sizes)


def outlines_of(texts: Texts, codec: Codec) -> list[Outline]:
    """Return the outlines of written documents."""
    numbers = texts.numbers or [[None] * len(tags) for tags in texts.tags]
    both = zip(texts.tags, numbers, texts.sections, strict=True)
    return [
        Outline(list(zip(tags, own, strict=True)), lengths_of(sections, codec))
        for tags, own, sections in both
    ]


def references(training: Sequence[Sections], layout: Layout) -> dict[str, dict[str, float]]:
    """Return mean section lengths of training documents, by each way of counting."""
    found = {
        "mean": mean_lengths(training),
        "released": released_lengths(training, layout),
        "turns": mean_lengths([joined(document) for document in training]),
    }
    return found if two_speakers(layout) else {k: v for k, v in found.items() if k != "turns"}


def joined(document: Sections) -> list[tuple[str | None, float]]:
    """Return a document with neighbouring turns of one speaker as one, the last counted too.

    A monologue, at the end as well, is then as long as it is.
    """
    return [(tag, sum(n for _, n in own)) for tag, own in groupby(document, key=lambda s: s[0])]


def structure(
    outlines: Sequence[Outline],
    layout: Layout,
    reference: Mapping[str, Mapping[str, float]],
    budget: float | None = None,
) -> dict[str, Value]:
    """Return order and lengths of documents by the paper's definitions and the released ones.

    Args:
        outlines: Of the documents.
        layout: What they should look like.
        reference: As ``references`` gives.
        budget: The tokens they had to fill, where they had to.

    Returns:
        In percent: ``order``, ``order released``, ``all tags``; ``MM`` (deviation of mean lengths
        from those of training documents), ``MM released``, ``MM turns`` (monologues counted
        whole), ``MM stretched`` (from the means stretched to the budget), ``mean deviation``. In
        tokens: ``length TAG`` and ``off TAG``.
    """
    n = len(outlines)
    found: dict[str, Value] = {}
    if layout.tags:
        numbers = [[x for _, x in o.tags] for o in outlines] if layout.numbered else None
        shares = ordering([[t for t, _ in o.tags] for o in outlines], layout, numbers)
        names = {"order": "ordered", "order released": "released", "all tags": "all_present"}
        for name, share in names.items():
            own = shares[share]
            found[name] = Value(100 * own["value"], 100 * own["error"], n)
    if not reference.get("mean"):
        return found
    documents = [o.lengths for o in outlines]
    sizes = lengths(documents, reference["mean"], budget)
    found["MM"] = Value(sizes["MM"]["value"], sizes["MM"]["error"], n)
    own = sizes["mean_of_deviations"]
    found["mean deviation"] = Value(own["value"], own["error"], n)
    if budget is not None and not layout.repeats:
        own = sizes["stretched"]["MM"]
        found["MM stretched"] = Value(own["value"], own["error"], n)
    means = released_lengths(documents, layout)
    found["MM released"] = Value(deviation_of_means(means, reference["released"])[0], None, n)
    if "turns" in reference:
        own = lengths([joined(d) for d in documents], reference["turns"])["MM"]
        found["MM turns"] = Value(own["value"], own["error"], n)
    for tag, goal in reference["mean"].items():
        mean = sizes["means"].get(tag, {"value": 0.0, "error": None})
        found[f"length {tag}"] = Value(mean["value"], mean["error"], n)
        found[f"off {tag}"] = Value(abs(mean["value"] - goal), mean["error"], n)
    return found
