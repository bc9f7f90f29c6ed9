"""Does a score tell documents from corrupted ones? Does a trace find the sentence that is wrong?

``shuffle_test``   originals against versions with blocks or windows of sentences shuffled
``intruder_test``  one inner sentence replaced by a sentence of another document

Nothing is trained on corrupted documents. Versions are scored a few at a time.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from timecontrol.coherence import Ragged
from timecontrol.errors import TimeControlError
from timecontrol.experiments.scorers import Rows, Scorer, Scores
from timecontrol.metrics.comparison import accuracy, mixed_accuracy
from timecontrol.metrics.intruders import draw, found_by, rank
from timecontrol.metrics.shuffles import Orders, block_orders, random_state, window_orders
from timecontrol.progress import Progress, silent

ROWS = 32768
"""Sentences of versions that are scored at once."""

Results = dict[str, dict[str, dict[str, float]]]
"""Row, column, and the numbers of a cell."""


def shuffle_test(
    ids: Sequence[str],
    layout: Ragged,
    scorers: Sequence[Scorer],
    *,
    blocks: Sequence[int] = (1, 2, 5, 10),
    windows: Sequence[int] = (1, 2, 3),
    shuffles: int = 20,
    seed: int = 0,
    progress: Progress = silent,
) -> Results:
    """Return how often originals score higher, by score and kind of shuffle.

    Args:
        ids: Of the documents, (n,); draws depend on them.
        layout: Of the documents, three sentences each or more.
        scorers: What to ask.
        blocks: Sizes of blocks: columns ``block b`` and ``mixed b``.
        windows: Numbers of windows: columns ``windows w``.
        shuffles: Of each document and kind.
        seed: Of the draws and of the resamples over documents.
        progress: Shows how far it is, kind by kind.
    """
    rows = np.arange(int(layout.lengths.sum()))
    whole = [rows[s : s + n] for s, n in zip(layout.starts, layout.lengths, strict=True)]
    originals = [scored(scorer, whole) for scorer in scorers]
    found: Results = {name: {} for scores in originals for name in scores}
    draws: dict[str, Callable[..., Orders]] = {
        **{f"block {b}": partial(block_orders, block=b, count=shuffles) for b in blocks},
        **{f"windows {w}": partial(window_orders, windows=w, count=shuffles) for w in windows},
    }
    for kind, drawn in draws.items():
        orders = [
            drawn(len(own), state=random_state(seed, name, kind))
            for name, own in zip(ids, whole, strict=True)
        ]
        for scorer, original in zip(scorers, originals, strict=True):
            most = shuffles if scorer.shuffles is None else min(shuffles, scorer.shuffles)
            versions = [
                own[o] for own, some in zip(whole, orders, strict=True) for o in some[:most]
            ]
            owner = np.repeat(np.arange(len(ids)), [len(some[:most]) for some in orders])
            for name, scores in scored(scorer, versions, kind, progress).items():
                columns = {kind: accuracy(original[name], scores, owner, seed)}
                if kind.startswith("block"):
                    mixed = mixed_accuracy(original[name], scores, owner, seed)
                    columns[kind.replace("block", "mixed")] = mixed
                for column, cell in columns.items():
                    if cell is not None:
                        found[name][column] = {**cell.as_dict(), "versions": len(versions)}
    return found


def intruder_test(
    ids: Sequence[str],
    texts: Sequence[str],
    layout: Ragged,
    tracers: Sequence[Callable[[Rows, Ragged], Scores]],
    *,
    draws: int = 10,
    seed: int = 0,
    progress: Progress = silent,
) -> Results:
    """Return how well traces find intruders: columns ``top-1`` and ``MRR``.

    The row ``chance`` is what a trace of random numbers is expected to reach.

    Args:
        ids: Of the documents, (n,); draws depend on them.
        texts: Of all sentences, (N,).
        layout: Of the documents, three sentences each or more.
        tracers: Rows and layout of versions to numbers of each sentence, low where it breaks.
        draws: Of each document.
        seed: Of the draws and of the resamples over documents.
        progress: Shows how far it is.
    """
    drawn = draw(ids, layout, texts, draws, seed)
    if not len(drawn.row):
        raise TimeControlError("No intruder could be drawn: the documents are all alike.")
    starts, lengths = layout.starts[drawn.document], layout.lengths[drawn.document]
    versions = [np.arange(s, s + n) for s, n in zip(starts, lengths, strict=True)]
    for rows, place, row in zip(versions, drawn.place, drawn.row, strict=True):
        rows[place] = row
    placed: dict[str, list[tuple[float, float]]] = {}
    with progress("intruders", len(versions), 0, "versions") as advance:
        for part in parts(versions):
            rows, places = np.concatenate(versions[part]), drawn.place[part]
            some = Ragged.of([len(v) for v in versions[part]])
            for tracer in tracers:
                for name, trace in tracer(rows, some).items():
                    each = zip(some.split(trace), places, strict=True)
                    placed.setdefault(name, []).extend(rank(own, int(p)) for own, p in each)
            advance(len(places))
    found = {}
    for name, pairs in placed.items():
        ranks, top = np.array(pairs).T
        found[name] = found_by(ranks, top, drawn.document, seed)
    inner = lengths - 2
    harmonic = np.cumsum(1 / np.arange(1, inner.max() + 1))  # expected 1/rank is H_n / n
    found["chance"] = found_by(inner / harmonic[inner - 1], 1 / inner, drawn.document, seed)
    return {
        name: {column: {**e.as_dict(), "versions": len(versions)} for column, e in cells.items()}
        for name, cells in found.items()
    }


def scored(
    scorer: Scorer, versions: Sequence[Rows], what: str = "", progress: Progress = silent
) -> Scores:
    """Return the scores of versions, each a list of rows, some at a time; (n,) each."""
    found: dict[str, list[np.ndarray]] = {}
    told = silent if scorer.shows else progress
    with told(what, len(versions), 0, "versions") as advance:
        for part in parts(versions):
            layout = Ragged.of([len(v) for v in versions[part]])
            for name, scores in scorer.score(np.concatenate(versions[part]), layout).items():
                found.setdefault(name, []).append(scores)
            advance(len(layout.lengths))
    return {name: np.concatenate(scores) for name, scores in found.items()}


def parts(versions: Sequence[Rows]) -> Iterator[slice]:
    """Yield stretches of versions of at most ``ROWS`` sentences together, or of one version."""
    start = size = 0
    for number, version in enumerate(versions):
        if size and size + len(version) > ROWS:
            yield slice(start, number)
            start, size = number, 0
        size += len(version)
    if size:
        yield slice(start, len(versions))
