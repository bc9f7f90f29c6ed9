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
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.devices import choose_device, choose_dtype
from timecontrol.errors import TimeControlError
from timecontrol.metrics.repetition import distinct, longest_cycle, words_of
from timecontrol.quiet import quiet

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


def bert_score(
    found: Sequence[str],
    true: Sequence[str],
    folder: str,
    batch: int = 32,
    device: str = "cpu",
    dtype: str = "float32",
) -> Array:
    """Return precision, recall and F1 of BERTScore of each, (n, 3).

    The model reads many sentences at once; they are compared pair by pair. Given many pairs,
    torchmetrics 1.9 sorts both sides by length and applies the order a second time instead of
    undoing it (its pull request 2347), so that pairs are mixed up.

    Args:
        found: Fillings; an empty one has 0.
        true: The sentences that stood there.
        folder: Of the base, or its hub id.
        batch: Sentences that are read at once.
        device: Where it reads.
        dtype: Of its weights; likenesses are computed in float32 all the same.
    """
    try:
        from torchmetrics.functional.text.bert import bert_score as theirs
    except ImportError:
        raise missing("torchmetrics") from None
    tokenizer, model, known = _reader(folder, device, dtype)
    new = [text for text in dict.fromkeys(true) if text not in known]
    known |= _last_layers(model, tokenizer, new, batch)
    others = [text for text in dict.fromkeys(found) if text not in known]
    read = dict((known | _last_layers(model, tokenizer, others, batch)).values())
    rows = np.zeros((len(found), 3))
    for i, (mine, other) in enumerate(zip(found, true, strict=True)):
        if mine.strip():
            one: Any = theirs(
                [mine],
                [other],
                model=model,
                user_tokenizer=tokenizer,
                user_forward_fn=lambda _, own: read[  # a copy: it is changed in place
                    _key(own["input_ids"], own["attention_mask"])
                ].clone(),
                max_length=LONGEST,
                truncation=True,
            )
            rows[i] = [float(one[name]) for name in ("precision", "recall", "f1")]
    return rows


@lru_cache(maxsize=1)
def _reader(folder: str, device: str, dtype: str) -> tuple[Any, Any, dict[str, Any]]:
    """Return a base with its tokenizer, and room for what it has read of true sentences."""
    from transformers import AutoModel, AutoTokenizer

    place = choose_device(device)
    with quiet():
        tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        model: Any = AutoModel.from_pretrained(folder).eval()
    model.to(place, choose_dtype(dtype, place))
    return tokenizer, model, {}


def _last_layers(model: Any, tokenizer: Any, texts: Sequence[str], batch: int) -> dict[str, Any]:
    """Return what a model reads in each text: its tokens, and a row of each, (1, n, width)."""
    import torch

    known: dict[str, Any] = {}
    order = sorted(texts, key=len)
    with torch.no_grad():
        for start in range(0, len(order), batch):
            some = order[start : start + batch]
            own = tokenizer(
                some, padding=True, truncation=True, max_length=LONGEST, return_tensors="pt"
            )
            ids_, masks = own["input_ids"], own["attention_mask"]
            out = model(ids_.to(model.device), masks.to(model.device)).last_hidden_state
            rows = zip(some, ids_, masks, out.float().cpu(), strict=True)
            for text, ids, mask, row in rows:
                known[text] = _key(ids[None], mask[None]), row[mask.bool()].clone()[None]
    return known


def _key(ids: Any, mask: Any) -> tuple[int, ...]:
    return tuple(ids[mask.bool()].tolist())


def bleurt_score(found: Sequence[str], true: Sequence[str], folder: str, batch: int = 64) -> Array:
    """Return BLEURT of each, (n,): a model that was trained to rate reads both.

    Args:
        found: Fillings.
        true: The sentences that stood there, which are read first.
        folder: Of a checkpoint with one output, as safetensors, or its hub id.
        batch: Pairs at once.
    """
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(folder)
            model = AutoModelForSequenceClassification.from_pretrained(folder, use_safetensors=True)
    except (OSError, ValueError) as error:
        told = str(error).strip().splitlines()
        raise TimeControlError(
            f"{folder} is no BLEURT that can be loaded ({told[0] if told else 'no reason'}): give "
            "a folder or hub id with safetensors."
        ) from None
    if model.config.num_labels != 1:
        raise TimeControlError(
            f"{folder} has {model.config.num_labels} outputs: BLEURT has one. Is it another model?"
        )
    model.eval()
    rows: list[float] = []
    with torch.inference_mode():
        for start in range(0, len(found), batch):
            pairs = true[start : start + batch], found[start : start + batch]
            read = tokenizer(
                *map(list, pairs),
                padding=True,
                truncation=True,
                max_length=LONGEST,
                return_tensors="pt",
            )
            rows += model(**read).logits[:, 0].float().tolist()
    return np.array(rows, np.float64)


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
        bleurt: str | None = None,
        device: str = "cpu",
        dtype: str = "float32",
    ) -> "Fillings":
        """Measure fillings; ``base``: the folder of BERTScore's base, if it is to be measured.

        ``bleurt``: a checkpoint of BLEURT, likewise. ``device``, ``dtype``: of BERTScore's base.
        """
        columns = list(rouge(found, true).T)
        if base is not None:
            columns += list(bert_score(found, true, base, device=device, dtype=dtype).T)
        means = dict(zip(MEANS, columns, strict=False))
        if bleurt is not None:
            means["bleurt"] = bleurt_score(found, true, bleurt)
        return cls(tuple(stories), tuple(found), bleu_parts(found, true), means)

    @classmethod
    def together(cls, parts: Sequence["Fillings"]) -> "Fillings":
        """Return several fillings of the same gaps, one after the other."""
        return cls(
            tuple(story for part in parts for story in part.stories),
            tuple(text for part in parts for text in part.texts),
            np.concatenate([part.parts for part in parts]),
            {k: np.concatenate([part.means[k] for part in parts]) for k in parts[0].means},
        )

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
        other: Of the same gaps, each as many times as every other; perhaps not as often as there.
        seed: Of the resamples.
    """
    a, b = first.by_story(), other.by_story()
    same = list(dict.fromkeys(first.stories)) == list(dict.fromkeys(other.stories))
    if not same or not np.array_equal(a[2] * b[2].sum(), b[2] * a[2].sum()):
        raise TimeControlError("Two ways of filling gaps are compared on the same gaps.")
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
            mine, theirs = ([float(w @ x[1][name] / (w @ x[2])) for w in drawn] for x in (b, a))
            values[name] = [y - x for y, x in zip(mine, theirs, strict=True)]
    return {name: _interval(own) for name, own in values.items()}


def _interval(values: Sequence[float]) -> dict[str, float]:
    """Return the first value, with the middle 95 % of the others."""
    low, high = np.percentile(values[1:], [2.5, 97.5])
    return {"value": float(values[0]), "low": float(low), "high": float(high)}


def better(found: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> list[str]:
    """Return by which of the measures the interval lies above 0."""
    return [name for name in names if name in found and found[name]["low"] > 0]
