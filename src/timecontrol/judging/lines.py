"""What one line of outputs holds: a text whose ending is judged, or fill-ins with what is about.

Read are the lines of ``timecontrol generate --format jsonl`` (``sections``, ``number``,
``decoder``), what ``timecontrol infill --json`` prints (``gaps``), and plain ones::

    ending    {"system": ..., "id": ..., "text": ...}    or "sentences": [...] instead of the text
    infill    {"system": ..., "id": ..., "left": ..., "fill": ..., "right": ...}

``id`` names the example: outputs of several systems with one id are answers to the same. A text is
taken apart by its lines, where it has several, or else by its sentences; a fill-in can be a text or
a list of sentences.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from timecontrol.corpora.files import BadRecord, check
from timecontrol.corpora.reading import list_of, name_of, text_of
from timecontrol.sentences import clean, splitter

SENTENCES = splitter("rules", "en")
HIDDEN = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that are no white space and are not shown as they are: models may write any."""
ROW = ("dataset", "method", "latent_dim")
"""What says for which cell of the paper's tables a system stands."""
MADE = ("identity", "method", "preset", "seed", "base", "corpus")
"""What is kept of the decoder that wrote a line."""
NUMBERS = ("seed", "latent_dim")
"""Those that are numbers; the others are words."""


@dataclass(frozen=True)
class Told:
    """One output, as its line tells it."""

    example: str | None
    """``None``: the line does not say."""
    shown: dict[str, Any]
    """What is seen of it."""
    about: dict[str, Any] = field(default_factory=dict)
    """What is known of the system."""


def told(value: dict[str, Any], task: str, most: int) -> Iterator[Told]:
    """Yield the outputs of a line.

    Args:
        value: The line.
        task: A key of ``TASKS``.
        most: So many lines or sentences of a text are shown: its last ones, or on each side of a
            gap.

    Raises:
        BadRecord: It is no such line.
    """
    if task == "ending":
        yield _ending(value, most)
    elif "gaps" in value:
        yield from _filled(value, most)
    else:
        fill = _joined(value, "fill")
        if not fill:
            raise BadRecord("'fill' is empty: there is nothing to judge; leave the line out")
        yield gap_of(_joined(value, "left"), fill, _joined(value, "right"), most, value)


def gap_of(
    left: str, fill: str, right: str, most: int, value: dict[str, Any], example: str = ""
) -> Told:
    """Return a fill-in with what is about it, as it is shown.

    Args:
        left: All that comes before.
        fill: What stands in the gap.
        right: All that comes after.
        most: Sentences that are shown on each side.
        value: The line it is from.
        example: What names the gap where the line has no id; otherwise a hash of what is about it.
    """
    if not left and not right:
        raise BadRecord("'left' and 'right' are empty: a fill-in is judged by what is about it")
    named = check(name_of(value, "id")) if "id" in value else example or digest([left, right])
    before, after = SENTENCES(left), SENTENCES(right)
    left = " ".join(before[-most:]) if len(before) > most else left
    right = " ".join(after[:most]) if len(after) > most else right
    return Told(named, {"left": left, "fill": fill, "right": right}, about(value))


def plain(text: str) -> str:
    """Return a text with a mark for each character that steers what shows it, or is none."""
    return HIDDEN.sub("\ufffd", text)


def digest(value: Any) -> str:
    """Return a short hash of plain data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def about(value: dict[str, Any]) -> dict[str, Any]:
    """Return what a line says of its system, in short."""
    found: dict[str, Any] = {}
    for name in ROW:
        own = value.get(name)
        kind: type = int if name == "latent_dim" else str
        if own is not None and (not isinstance(own, kind) or isinstance(own, bool)):
            raise BadRecord(f"{name!r} must be {kind.__name__}, got {own!r:.40}")
        if own is not None:
            found[name] = own
    made = value.get("decoder")
    if isinstance(made, dict):
        recipe = made.get("recipe")
        recipe = recipe if isinstance(recipe, dict) else {}
        own = {name: made.get(name) for name in MADE}
        own |= {name: recipe.get(f"encoder {name}") for name in ("objective", "latent_dim")}
        whole = {k: v for k, v in own.items() if isinstance(v, int if k in NUMBERS else str)}
        found["decoder"] = whole
    settings, plan = value.get("settings"), value.get("plan")
    if isinstance(settings, dict) and isinstance(settings.get("length"), str):
        found["length"] = settings["length"]
    if isinstance(plan, dict) and isinstance(plan.get("kind"), str):
        found["plan"] = plan["kind"]
    return found


def _ending(value: dict[str, Any], most: int) -> Told:
    if "gaps" in value:
        raise BadRecord("a text with gaps that were filled: give --task infill")
    units = _units(value)
    if not units:
        raise BadRecord("the text is empty: there is nothing to judge; leave the line out")
    lines = [own if i else first for i, (first, own) in enumerate(units[-most:])]
    example = None
    if "id" in value:
        example = check(name_of(value, "id"))
    elif isinstance(value.get("number"), int):  # of documents that were written
        example = check(f"{value.get('seed', 0)}/{value['number']}")
    return Told(example, {"lines": lines, "whole": len(units) <= most}, about(value))


def _units(value: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the lines of a text, each as it stands first of all that is shown, and elsewhere.

    The two differ inside of a section: its tag is told once, or where its end alone is shown.
    """
    if "sections" in value:
        found = []
        for section in list_of(value, "sections"):
            tag = section.get("tag")
            if tag is not None and not isinstance(tag, str):
                raise BadRecord(f"a section's tag must be text, got {tag!r:.40}")
            own = [text for s in list_of(section, "sentences", str) if (text := clean(plain(s)))]
            name = f"{tag}: " if tag else ""
            found += [(name + text, ("" if i else name) + text) for i, text in enumerate(own)]
        return found
    if "sentences" in value:
        texts = [clean(plain(s)) for s in list_of(value, "sentences", str)]
    else:
        whole = plain(text_of(value, "text"))
        texts = [clean(line) for line in whole.splitlines()]
        if sum(map(bool, texts)) < 2:
            texts = SENTENCES(whole)
    return [(text, text) for text in texts if text]


def _joined(value: dict[str, Any], key: str) -> str:
    """Return a text, or sentences as one; empty where a side of a gap is missing."""
    if isinstance(value.get(key), list):
        return clean(plain(" ".join(list_of(value, key, str))))
    if key in ("left", "right") and value.get(key) is None:
        return ""
    return clean(plain(text_of(value, key)))


def _filled(value: dict[str, Any], most: int) -> Iterator[Told]:
    """Yield the gaps of a text that ``timecontrol infill`` has filled, with the best candidates.

    What is before a gap is the text with what was written there; what is after it ends where the
    next gap begins, which had not been filled.
    """
    text = plain(text_of(value, "text"))
    places: list[tuple[int, int]] = []
    for gap in list_of(value, "gaps"):
        candidates = list_of(gap, "candidates")
        fill = clean(plain(text_of(candidates[0], "text"))) if candidates else ""
        if not fill:
            raise BadRecord("nothing was found for a gap: there is nothing to judge")
        places.append(_place(text, fill, places[-1][1] if places else 0, gap.get("first")))
    if not places:
        raise BadRecord("'gaps' is empty: nothing was filled")
    edges = [0, *(edge for place in places for edge in place), len(text)]
    known = [clean(text[a:b]) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    name = name_of(value, "id") if "id" in value else digest(known)
    own = {k: v for k, v in value.items() if k != "id"}
    for number, (start, stop) in enumerate(places):
        left, fill = clean(text[:start]), clean(text[start:stop])
        yield gap_of(left, fill, known[number + 1], most, own, f"{name}/{number}")


def _place(text: str, fill: str, at: int, first: Any) -> tuple[int, int]:
    """Return where in a text a fill-in stands, from a place on.

    Where it is there more than once, it is the one before which there are about as many sentences
    as there should be.
    """
    between = r"\s+(?:\[ [^\]\n]* \]\s+)?"  # a tag may stand between two sentences of a gap
    pattern = re.compile(between.join(map(re.escape, fill.split())))
    found = [m.span() for m in pattern.finditer(text, at)]
    if not found:
        raise BadRecord(f"the text does not hold what was written into its gap: {fill[:40]!r}")
    if len(found) == 1 or not isinstance(first, int):
        return found[0]
    return min(found, key=lambda span: abs(len(SENTENCES(text[: span[0]])) - first))
