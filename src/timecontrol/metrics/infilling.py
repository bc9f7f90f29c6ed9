"""How like a filling is to the sentence that stood there, and whether it is a sentence at all.

Likeness by libraries: BLEU (sacrebleu), ROUGE F1 (rouge-score, stemmed), BERTScore (torchmetrics,
last layer of a base that is named, not rescaled). BLEU belongs to many sentences together: of each
the matching and all n-grams and both lengths are kept, and these are added up, as sacrebleu does.

Differences are over stories: whole stories are drawn again, with all gaps in them, and everything
is computed anew::

    difference  T(y) - T(x),     interval: the middle 95 % of 2,000 resamples

A filling is stuck where a stretch of one word or of a short cycle of words, said over and over,
takes up a fifth of it, or where it says a run of four words twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.errors import TimeControlError
from timecontrol.metrics.repetition import distinct, longest_cycle, words_of

Array = NDArray[np.float64]

RESAMPLES = 2000
STUCK = 0.2
"""Share of a filling in one cycle from which on it is stuck."""
ROUGES = ("rouge1", "rouge2", "rougeL")
MEANS = ("rouge_1", "rouge_2", "rouge_l", "bertscore_p", "bertscore_r", "bertscore_f1")
LONGEST = 256
"""Tokens of a filling that BERTScore reads."""
ORDER = 4
"""Words of BLEU's longest n-grams."""


def bleu_parts(found: Sequence[str], true: Sequence[str]) -> Array:
    """Return what BLEU adds up: matches and n-grams of 1 to 4 words, both lengths, (n, 10)."""
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise missing("sacrebleu") from None
    metric = BLEU(effective_order=True)
    rows = []
    for mine, theirs in zip(found, true, strict=True):
        one = metric.sentence_score(mine, [theirs])
        rows.append([*one.counts, *one.totals, one.sys_len, one.ref_len])
    return np.array(rows, np.float64).reshape(len(rows), 2 * ORDER + 2)


def bleu(parts: Array) -> float:
    """Return the BLEU of many sentences together, 0 to 100, from the sum of their parts, (10,)."""
    from sacrebleu.metrics.bleu import BLEU

    whole = [round(value) for value in parts.tolist()]
    score = BLEU.compute_bleu(
        correct=whole[:ORDER],
        total=whole[ORDER : 2 * ORDER],
        sys_len=whole[-2],
        ref_len=whole[-1],
        smooth_method="exp",  # sacrebleu's own; its default elsewhere
    )
    return float(score.score)


def rouge(found: Sequence[str], true: Sequence[str]) -> Array:
    """Return F1 of ROUGE-1, -2 and -L of each, 0 to 100, (n, 3)."""
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError:
        raise missing("rouge-score") from None
    scorer = RougeScorer(list(ROUGES), use_stemmer=True)
    rows = []
    for mine, theirs in zip(found, true, strict=True):
        one = scorer.score(theirs, mine)
        rows.append([100 * one[name].fmeasure for name in ROUGES])
    return np.array(rows, np.float64).reshape(len(rows), len(ROUGES))


def bert_score(found: Sequence[str], true: Sequence[str], folder: str, batch: int = 64) -> Array:
    """Return precision, recall and F1 of BERTScore of each, (n, 3).

    Args:
        found: Fillings; an empty one has 0.
        true: The sentences that stood there.
        folder: Of the base, or its hub id.
        batch: Sentences at once.
    """
    try:
        from torchmetrics.functional.text.bert import bert_score as theirs
    except ImportError:
        raise missing("torchmetrics") from None
    kept = [i for i, text in enumerate(found) if text.strip()]
    rows = np.zeros((len(found), 3))
    if kept:
        one: Any = theirs(
            [found[i] for i in kept],
            [true[i] for i in kept],
            model_name_or_path=folder,
            batch_size=batch,
            max_length=LONGEST,
            truncation=True,
        )
        values = [np.atleast_1d(np.asarray(one[k])) for k in ("precision", "recall", "f1")]
        rows[kept] = np.stack(values, -1)
    return rows


def missing(package: str) -> TimeControlError:
    """Return the error where a library of metrics is not installed."""
    return TimeControlError(f"{package} is not installed: pip install 'time-control[metrics]'.")


def stuck(text: str) -> bool:
    """Return whether a filling says the same over and over."""
    words = words_of([text])
    cycle, four = longest_cycle(words), distinct(words, 4)
    return (cycle or 0.0) >= STUCK or (four is not None and four < 1)


@dataclass(frozen=True)
class Fillings:
    """What one way of filling gaps wrote: n gaps of stories."""

    stories: tuple[str, ...]
    """The story of each gap."""
    texts: tuple[str, ...]
    parts: Array
    """Of BLEU, (n, 10)."""
    means: dict[str, Array]
    """A number of each gap, (n,), by the names of ``MEANS``."""

    @classmethod
    def of(
        cls,
        stories: Sequence[str],
        found: Sequence[str],
        true: Sequence[str],
        base: str | None = None,
    ) -> "Fillings":
        """Measure fillings; ``base``: the folder of BERTScore's base, if it is to be measured."""
        columns = list(rouge(found, true).T)
        if base is not None:
            columns += list(bert_score(found, true, base).T)
        means = dict(zip(MEANS, columns, strict=False))
        return cls(tuple(stories), tuple(found), bleu_parts(found, true), means)

    def by_story(self) -> tuple[Array, dict[str, Array], Array]:
        """Return the sums of each story: BLEU's parts, the other numbers, and the gaps."""
        names = {name: i for i, name in enumerate(dict.fromkeys(self.stories))}
        where = np.array([names[s] for s in self.stories])
        parts = np.zeros((len(names), self.parts.shape[1]))
        np.add.at(parts, where, self.parts)
        sums = {k: np.asarray(np.bincount(where, v), np.float64) for k, v in self.means.items()}
        return parts, sums, np.bincount(where).astype(np.float64)

    def measures(self) -> dict[str, float]:
        """Return all numbers of these fillings together."""
        words = [words_of([text]) for text in self.texts]
        every = [word for own in words for word in own]
        found = {"bleu": bleu(self.parts.sum(0))}
        found |= {name: float(values.mean()) for name, values in self.means.items()}
        for n in (1, 2):
            pairs = [tuple(w[i : i + n]) for w in words for i in range(len(w) - n + 1)]
            found[f"distinct_{n}"] = len(set(pairs)) / max(len(pairs), 1)
        found["stuck"] = 100 * float(np.mean([stuck(text) for text in self.texts]))
        found["words"] = len(every) / max(len(words), 1)
        found["empty"] = 100 * float(np.mean([not own for own in words]))
        return found


def differences(first: Fillings, other: Fillings, seed: int = 0) -> dict[str, dict[str, float]]:
    """Return by how much another way is better, with 95 % intervals over stories.

    Args:
        first: What it is compared with.
        other: Of the same gaps, in the same order.
        seed: Of the resamples.
    """
    if first.stories != other.stories:
        raise TimeControlError("Two ways of filling gaps are compared on the same gaps.")
    a, b = first.by_story(), other.by_story()
    n = len(a[2])
    state = np.random.default_rng((seed, n))
    drawn = [np.ones(n)]
    drawn += [
        np.bincount(state.integers(0, n, n), minlength=n).astype(np.float64)
        for _ in range(RESAMPLES)
    ]
    values: dict[str, list[float]] = {"bleu": [bleu(w @ b[0]) - bleu(w @ a[0]) for w in drawn]}
    for name in a[1]:
        if name in b[1]:
            values[name] = [float((w @ b[1][name] - w @ a[1][name]) / (w @ a[2])) for w in drawn]
    return {name: _interval(own) for name, own in values.items()}


def _interval(values: Sequence[float]) -> dict[str, float]:
    """Return the first value, with the middle 95 % of the others."""
    low, high = np.percentile(values[1:], [2.5, 97.5])
    return {"value": float(values[0]), "low": float(low), "high": float(high)}


def better(found: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> list[str]:
    """Return by which of the measures the interval lies above 0."""
    return [name for name in names if name in found and found[name]["low"] > 0]
