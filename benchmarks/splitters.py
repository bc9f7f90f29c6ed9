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
from contextlib import suppress
from functools import cache
from pathlib import Path

from timecontrol.sentences import SPLITTERS

Split = Callable[[str, str], Iterable[str]]
"""Text and language to sentences."""
MARK = " ‖ "


def passages() -> list[tuple[str, str]]:
    """Return (category, labelled text) of each passage; ``other-de`` is a category in German."""
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


def counts(split: Split, category: str, text: str) -> tuple[int, int, int]:
    """Return (right, found, true) boundaries of one labelled passage."""
    language = category.partition("-")[2] or "en"
    true = boundaries(text.split(MARK))
    found = boundaries(split(text.replace(MARK, " "), language))
    return len(true & found), len(found), len(true)


def f1(rows: Iterable[tuple[int, int, int]]) -> tuple[float, float, float]:
    """Return precision, recall and F1 in percent."""
    right, found, true = (sum(c) for c in zip(*rows, strict=True))
    p, r = right / max(found, 1), right / max(true, 1)
    return 100 * p, 100 * r, 100 * 2 * p * r / max(p + r, 1e-9)


def candidates() -> dict[str, Split]:
    """Return the splitters that can be had here, by name."""
    import sentencex

    found: dict[str, Split] = {
        "legacy ('. ')": SPLITTERS["legacy"],
        "rules (ours: sentencex + list items)": SPLITTERS["rules"],
        "sentencex": lambda text, language: list(sentencex.segment(language, text)),
    }
    with suppress(ImportError):
        import pysbd

        segmenter = cache(
            lambda language: pysbd.Segmenter(
                language=language if language in pysbd.languages.LANGUAGE_CODES else "en"
            )
        )
        found["pysbd"] = lambda text, language: segmenter(language).segment(text)
    with suppress(ImportError):
        from syntok import segmenter as syntok

        found["syntok"] = lambda text, language: [
            "".join(t.spacing + t.value for t in s) for p in syntok.process(text) for s in p
        ]
    with suppress(ImportError):
        import blingfire

        found["blingfire"] = lambda text, language: blingfire.text_to_sentences(text).split("\n")
    with suppress(ImportError):
        import nupunkt

        found["nupunkt"] = lambda text, language: nupunkt.sent_tokenize(text)
    with suppress(ImportError):
        import spacy

        nlp = spacy.blank("xx")
        nlp.add_pipe("sentencizer")
        found["spacy sentencizer"] = lambda text, language: [s.text for s in nlp(text).sents]
    return found


def main() -> None:
    labelled = passages()
    english = [p for p in labelled if not p[0].startswith("other")]
    other = [p for p in labelled if p[0].startswith("other")]
    rng = random.Random(0)
    print(f"{len(english)} English passages, {sum(t.count(MARK) for _, t in english)} boundaries;")
    print(
        f"{len(other)} in 14 other languages, {sum(t.count(MARK) for _, t in other)} boundaries\n"
    )
    print("| splitter | P | R | F1 (95 %) | exact | F1 other languages | s for 4 MB |")
    print("|---|---|---|---|---|---|---|")
    wrong: dict[str, dict[str, int]] = {}
    article = " ".join(text.replace(MARK, " ") for _, text in english)
    repeated = [article] * (4_000_000 // len(article))
    for name, split in candidates().items():
        rows = [counts(split, *passage) for passage in english]
        p, r, f = f1(rows)
        draws = sorted(f1(rng.choices(rows, k=len(rows)))[2] for _ in range(2000))
        exact = 100 * sum(a == b == c for a, b, c in rows) / len(rows)
        elsewhere = f1([counts(split, *passage) for passage in other])[2]
        n = 2 if name in ("pysbd", "syntok", "spacy sentencizer") else len(repeated)
        start = time.perf_counter()
        for text in repeated[:n]:
            list(split(text, "en"))
        seconds = (time.perf_counter() - start) * len(repeated) / n
        print(
            f"| {name} | {p:.1f} | {r:.1f} | {f:.1f} ({draws[50]:.1f}-{draws[1949]:.1f}) "
            f"| {exact:.0f} % | {elsewhere:.1f} | {seconds:.2f} |"
        )
        errors: dict[str, int] = defaultdict(int)
        for category, text in labelled:
            right, found, true = counts(split, category, text)
            errors[category.partition("-")[0]] += found + true - 2 * right
        wrong[name] = errors
    print("\nWrong boundaries by category:\n")
    names = list(dict.fromkeys(category.partition("-")[0] for category, _ in labelled))
    print("| splitter | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for name, errors in wrong.items():
        print(f"| {name} | " + " | ".join(str(errors[c]) for c in names) + " |")


if __name__ == "__main__":
    main()
