"""Speed and memory of reading: ``python benchmarks/reading.py``.

Speed: the published Wikisection texts (967 documents) where ``TIMECONTROL_DATA`` names a folder
that has them, else made city articles of the same number. Documents with their sentences,
against reading the file's lines and cutting them at ". ", in the same run, best of five.

Memory: peak of Python's allocations while a corpus is streamed, for 1,000 and for 16,000 documents
in each format. The ratio is 1 where memory does not grow with the corpus. TicketTalk's TSV is the
exception by design: rows of a conversation may stand anywhere, so the longest of each is kept.

Long documents: one document of 10 MB, and one full of the quotes that sentencex is slow at.
"""

import os
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.formats import SAMPLES, Sample

from timecontrol.corpora import open_corpus, synthetic

DOCUMENTS = 967


def best_of(n: int, work: Callable[[], object]) -> float:
    """Return the least of n times, in seconds."""
    times = []
    for _ in range(n):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def made_cities(folder: Path) -> Path:
    """Write made city articles in the processed format."""
    path = folder / "cities.test.txt"
    with path.open("w", encoding="utf-8") as stream:
        for document in synthetic.documents(synthetic.Spec("cities", DOCUMENTS)):
            parts = (f"[ {s.tag} ] {s.text}" for s in document.sections)
            stream.write(" ".join(parts) + "\n")
    return path


def speed(folder: Path) -> None:
    data = Path(os.environ.get("TIMECONTROL_DATA", "-")) / "wikisection"
    real = data.is_dir()
    place = data if real else made_cities(folder)
    spec = f"wikisection:{place}"
    corpus = open_corpus(spec)

    def lines() -> int:
        pieces = 0
        for path in corpus.files:
            with path.open(encoding="utf-8") as stream:
                pieces += sum(len(line.split(". ")) for line in stream)
        return pieces

    def documents(splitter: str) -> Callable[[], int]:
        return lambda: sum(
            len(d.sentences) for d in open_corpus(spec, splitter_name=splitter).documents()
        )

    n = sum(1 for _ in corpus.documents())
    name = "Wikisection (published)" if real else "made cities"
    base = best_of(5, lines)
    print(f"{name}: {n} documents, {sum(f.stat().st_size for f in corpus.files) / 1e6:.1f} MB\n")
    print("| reading | s | ratio to cutting lines |\n|---|---|---|")
    print(f"| lines cut at '. ' | {base:.3f} | 1 |")
    for splitter in ("legacy", "rules"):
        seconds = best_of(5, documents(splitter))
        print(f"| documents, splitter {splitter} | {seconds:.3f} | {seconds / base:.1f} |")


def long_texts(folder: Path) -> None:
    """Print the time and peak memory of single long documents."""
    prose = "The town lies on the river Mell. It has 4,512 residents and a market. "
    talk = "「もう帰ろう。」と兄は言った。"
    documents = {
        "10 MB of prose, .txt": ("a.txt", prose * (10_000_000 // len(prose))),
        "10 MB of prose, .md, a heading every two sentences": (
            "a.md",
            f"## Part\n\n{prose}\n\n" * (10_000_000 // (len(prose) + 11)),
        ),
        "a million characters of Japanese dialogue, .txt": ("a.txt", talk * (10**6 // len(talk))),
    }
    print("\n| one document | s | peak MiB |\n|---|---|---|")
    for name, (file, text) in documents.items():
        path = folder / file
        path.write_text(text, encoding="utf-8")
        seconds = best_of(1, lambda path=path: list(open_corpus(f"text:{path}").documents()))  # type: ignore[misc]
        print(f"| {name} | {seconds:.1f} | {peak(f'text:{path}'):.0f} |", flush=True)
        path.unlink()


def write(path: Path, sample: Sample, n: int) -> None:
    """Write n documents of about 1 kB without holding them."""
    text = "The town lies on the river Mell. It has 4,512 residents and a market. " * 14
    with path.open("w", encoding="utf-8") as stream:
        stream.write(sample.before)
        for i in range(n):
            stream.write((sample.between if i else "") + sample.record(i, f"{text}No. {i} ends."))
        stream.write(sample.after)


def peak(spec: str) -> float:
    """Return the peak of allocations while a corpus is streamed, in MiB."""
    tracemalloc.start()
    sum(1 for _ in open_corpus(spec).documents())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 2**20


def memory(folder: Path) -> Iterator[tuple[str, float, float]]:
    """Yield (format, peak for 1,000 documents, peak for 16,000), in MiB."""
    for name, sample in SAMPLES.items():
        peaks = []
        for n in (1_000, 16_000):
            path = folder / sample.file
            write(path, sample, n)
            peaks.append(peak(f"{sample.corpus}:{path}"))
            path.unlink()
        yield name, peaks[0], peaks[1]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        speed(folder)
        print("\n| format | MiB at 1,000 | MiB at 16,000 | ratio |\n|---|---|---|---|")
        for form, few, many in memory(folder):
            print(f"| {form} | {few:.2f} | {many:.2f} | {many / few:.2f} |", flush=True)
        long_texts(folder)


if __name__ == "__main__":
    main()
