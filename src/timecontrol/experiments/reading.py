"""How well do written texts read? Their perplexity under a base that did not write them.

    nats = sum -log p / tokens,   perplexity = exp(nats)       over all tokens of a file

Texts are plain: without tags and marks, sentences joined by spaces, sections by newlines. Real
validation documents, cut to as many tokens as texts have on average, stand beside them. Texts that
repeat themselves or say the usual are well predicted too: lower than real ones is not better.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.bases import resolve
from timecontrol.bases.checksum import checksum
from timecontrol.corpora import Corpus
from timecontrol.encoder.documents import choose_from
from timecontrol.errors import TimeControlError
from timecontrol.experiments.decoders import Found, result
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.texts import as_document, read_texts
from timecontrol.features.batches import by_length
from timecontrol.metrics.intervals import ratio
from timecontrol.metrics.likelihood import Judge, open_judge
from timecontrol.metrics.perplexity import perplexity
from timecontrol.progress import Progress, silent

Array = NDArray[np.float64]

REAL = "real, validation"

NOTE = (
    "perplexity: exp of the mean nats a token, over all tokens of a row, with the 95 % bootstrap "
    "interval over documents; tokens: mean of a document, by the base that reads; the real "
    "documents are cut to the mean of all texts. Lower is not better than real: repetition is well "
    "predicted."
)


@dataclass(frozen=True)
class Writers:
    """What wrote the documents of a file, as its lines tell."""

    labels: frozenset[str]
    """Of the decoders' bases, as they are called in results."""
    sums: frozenset[str]
    """The beginnings of their checksums."""

    @classmethod
    def of(cls, file: Path) -> "Writers":
        """Return the bases of all decoders of a file that ``read_texts`` could read."""
        labels, sums = set(), set()
        for line in file.read_text(encoding="utf-8").splitlines():
            made = (json.loads(line).get("decoder") or {}) if line.strip() else {}
            if label := made.get("base"):
                labels.add(str(label))
            if named := (made.get("recipe") or {}).get("base"):  # label and eight digits
                sums.add(str(named).rpartition(" ")[2])
        return cls(frozenset(labels), frozenset(sums))

    def refuse(self, file: Path, base: str, found: str | None = None) -> None:
        """Refuse to have texts read by the base that their decoder was made of.

        Args:
            file: Of the texts.
            base: That shall read.
            found: Its checksum; ``None`` where it is not known yet.
        """
        same = found is not None and any(found.startswith(part) for part in self.sums if part)
        if same or resolve(base).label in self.labels:
            raise TimeControlError(
                f"{file}: written by a decoder made of {resolve(base).label!r}; give another base "
                "than that to read it (--base)."
            )


def readings(
    corpus: Corpus,
    *,
    files: Sequence[Path],
    base: str,
    most: int | None = None,
    batch: int = 4,
    place: Place | None = None,
) -> Found:
    """Return the perplexity of texts under a base that did not write them.

    Args:
        corpus: Whose validation documents are the row for comparison.
        files: JSON lines of ``timecontrol generate``.
        base: A causal one: a known name, a folder, or a hub id.
        most: Only the first so many documents of each.
        batch: Windows at once.
        place: Where to compute.
    """
    place = place or Place()
    if not files:
        raise TimeControlError("No texts: give --texts FILE, the output of generate as jsonl.")
    known = resolve(base).base
    if known is not None and known.role != "decoder":
        raise TimeControlError(f"{base!r} reads sentences, it does not predict tokens: no --base.")
    given = [read_texts(file) for file in files]
    writers = [Writers.of(file) for file in files]
    for file, who in zip(files, writers, strict=True):
        who.refuse(file, base)
    judge = open_judge(base, place.device, place.dtype)
    found = checksum(base)
    for file, who in zip(files, writers, strict=True):
        who.refuse(file, base, found)
    rows: list[Found] = []
    for texts, who in zip(given, writers, strict=True):
        plain = [as_document(sections).text for sections in texts.sections[:most]]
        about = {"label": f"{texts.label}, {texts.length}", "run": texts.run}
        about["writer"] = ", ".join(sorted(who.labels))
        rows.append({**about, **read(judge, plain, batch, place.progress)})
    mean = sum(r["tokens"] for r in rows) / sum(r["documents"] for r in rows)
    real = [document.text for document in choose_from(corpus).val[:most]]
    if real:
        plain = [cut(judge, text, round(mean)) for text in real]
        about = {"label": REAL, "run": corpus.name, "writer": ""}
        rows.append({**about, **read(judge, plain, batch, place.progress)})
    made = {
        "title": f"Perplexity under {judge.label}",
        "columns": ["", "texts", "n", "tokens", "nats a token", "perplexity"],
        "rows": [_row(r) for r in rows],
    }
    settings = {
        "base": f"{judge.label}, checksum {found[:12]}, window {judge.window}, "
        f"{str(judge.model.dtype).removeprefix('torch.')}",
        "texts": [file.name for file in files],
        "written by decoders of": sorted({label for who in writers for label in who.labels}),
        "not known what wrote": [
            file.name for file, who in zip(files, writers, strict=True) if not who.labels
        ],
        "real documents cut to": f"{round(mean)} tokens",
    }
    whole = result("reading", corpus, [], settings, rows, place)
    return {**whole, "split": "val", "documents": len(real), "tables": [made], "note": NOTE}


def cut(judge: Judge, text: str, tokens: int) -> str:
    """Return the beginning of a text, so many tokens of the base that reads."""
    coded = judge.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False)
    return text if len(coded.ids) <= tokens else text[: coded.offsets[tokens - 1][1]]


def surprises(
    judge: Judge, texts: Sequence[str], batch: int, progress: Progress = silent
) -> tuple[Array, Array]:
    """Return the sum of -log p, and the number of tokens, of each text: two of (n,).

    A text longer than the window is read in successive windows, and every token counts once.
    """
    windows, owner = judge.windows(texts)
    sums, counts = np.zeros(len(texts)), np.zeros(len(texts))
    order = by_length(windows.lengths)
    with progress("reading", len(order), 0, "windows") as advance:
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            np.add.at(sums, owner[rows], -judge.log_likelihood(windows, rows))
            np.add.at(counts, owner[rows], windows.lengths[rows] - 1)
            advance(len(rows))
    if not np.isfinite(sums).all():
        raise TimeControlError(
            f"The likelihood of a document is not finite with base {judge.label!r}: "
            "try --dtype float32."
        )
    return sums, counts


def read(judge: Judge, texts: Sequence[str], batch: int, progress: Progress = silent) -> Found:
    """Return nats a token and perplexity of texts; empty ones are left out and counted."""
    sums, counts = surprises(judge, texts, batch, progress)
    kept = counts > 0
    if not kept.any():
        raise TimeControlError("The texts are empty: there is nothing to read.")
    top, bottom = sums[kept], counts[kept]
    return {
        "documents": int(kept.sum()),
        "empty": int((~kept).sum()),
        "tokens": int(bottom.sum()),
        "nats": ratio(top, bottom).as_dict(),
        "perplexity": perplexity(top, bottom).as_dict(),
    }


def _row(r: dict[str, Any]) -> list[str]:
    ends = "{value:.3f} [{low:.3f}, {high:.3f}]", "{value:.2f} [{low:.2f}, {high:.2f}]"
    return [
        r["label"],
        r["run"],
        str(r["documents"]),
        f"{r['tokens'] / r['documents']:.0f}",
        ends[0].format(**r["nats"]),
        ends[1].format(**r["perplexity"]),
    ]
