"""Compare sentence splitters on hand-labelled boundaries: ``python benchmarks/splitters.py``.

Each line of ``boundaries.tsv`` is a passage written for the purpose, with ' ‖ ' at its true
boundaries. A splitter's boundary is right when it falls on the same non-space character.
Precision, recall and F1 are over all boundaries inside passages; 'exact' is the share of
passages cut exactly as labelled; the interval is a bootstrap over passages (2,000 draws, seed 0).
Libraries that are not installed are left out: ``pip install pysbd syntok blingfire nupunkt spacy``.
Seconds are for the same text repeated to about 4 MB, all in one run.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from timecontrol.sentences import splitter

Split = Callable[[str], Iterable[str]]
MARK = " ‖ "


def passages() -> list[tuple[str, str]]:
    """Return (category, labelled text) of each passage."""
    file = Path(__file__).parent / "boundaries.tsv"
    rows = file.read_text(encoding="utf-8").splitlines()
    return [(a, b) for a, _, b in (r.partition("\t") for r in rows if not r.startswith("#"))]


def boundaries(sentences: Iterable[str]) -> set[int]:
    """Return the boundaries as counts of non-space characters before them."""
    places, n = set(), 0
    for sentence in sentences:
        n += len("".join(sentence.split()))
        places.add(n)
    places.discard(n)
    return places - {0}


def counts(split: Split, text: str) -> tuple[int, int, int]:
    """Return (right, found, true) boundaries of one labelled passage."""
    true = boundaries(text.split(MARK))
    found = boundaries(split(text.replace(MARK, " ")))
    return len(true & found), len(found), len(true)


def f1(rows: Iterable[tuple[int, int, int]]) -> tuple[float, float, float]:
    """Return precision, recall and F1 in percent."""
    right, found, true = (sum(c) for c in zip(*rows, strict=True))
    p, r = right / max(found, 1), right / max(true, 1)
    return 100 * p, 100 * r, 100 * 2 * p * r / max(p + r, 1e-9)


def candidates() -> dict[str, Split]:
    """Return the splitters that can be had here, by name."""
    found: dict[str, Split] = {
        "legacy ('. ')": splitter("legacy"),
        "rules (ours: sentencex + list items)": splitter("rules"),
    }
    import sentencex

    found["sentencex"] = lambda text: list(sentencex.segment("en", text))
    try:
        import pysbd

        segmenter = pysbd.Segmenter(language="en", clean=False)
        found["pysbd"] = lambda text: segmenter.segment(text)
    except ImportError:
        pass
    try:
        from syntok import segmenter as syntok

        found["syntok"] = lambda text: [
            "".join(t.spacing + t.value for t in s) for p in syntok.process(text) for s in p
        ]
    except ImportError:
        pass
    try:
        import blingfire

        found["blingfire"] = lambda text: blingfire.text_to_sentences(text).split("\n")
    except ImportError:
        pass
    try:
        import nupunkt

        found["nupunkt"] = lambda text: nupunkt.sent_tokenize(text)
    except ImportError:
        pass
    try:
        import spacy

        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        found["spacy sentencizer"] = lambda text: [s.text for s in nlp(text).sents]
    except ImportError:
        pass
    return found


def main() -> None:
    labelled = passages()
    english = [text for category, text in labelled if category != "other"]
    other = [text for category, text in labelled if category == "other"]
    rng = random.Random(0)
    print(f"{len(english)} English passages, {sum(t.count(MARK) for t in english)} boundaries; ")
    print(f"{len(other)} in other languages, {sum(t.count(MARK) for t in other)} boundaries\n")
    print("| splitter | P | R | F1 (95 %) | exact | F1 other languages | s for 4 MB |")
    print("|---|---|---|---|---|---|---|")
    wrong: dict[str, dict[str, int]] = {}
    article = " ".join(text.replace(MARK, " ") for text in english)
    repeated = [article] * (4_000_000 // len(article))
    for name, split in candidates().items():
        rows = [counts(split, text) for text in english]
        p, r, f = f1(rows)
        draws = sorted(f1(rng.choices(rows, k=len(rows)))[2] for _ in range(2000))
        exact = 100 * sum(a == b == c for a, b, c in rows) / len(rows)
        elsewhere = f1([counts(split, text) for text in other])[2]
        n = 2 if name in ("pysbd", "syntok", "spacy sentencizer") else len(repeated)
        start = time.perf_counter()
        for text in repeated[:n]:
            list(split(text))
        seconds = (time.perf_counter() - start) * len(repeated) / n
        print(
            f"| {name} | {p:.1f} | {r:.1f} | {f:.1f} ({draws[50]:.1f}-{draws[1949]:.1f}) "
            f"| {exact:.0f} % | {elsewhere:.1f} | {seconds:.2f} |"
        )
        errors: dict[str, int] = defaultdict(int)
        for category, text in labelled:
            right, found, true = counts(split, text)
            errors[category] += found + true - 2 * right
        wrong[name] = errors
    print("\nWrong boundaries by category:\n")
    names = list(dict.fromkeys(category for category, _ in labelled))
    print("| splitter | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for name, errors in wrong.items():
        print(f"| {name} | " + " | ".join(str(errors[c]) for c in names) + " |")


if __name__ == "__main__":
    main()
