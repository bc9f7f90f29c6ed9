"""Does a score hold up on kinds of text its encoder never saw? Leave one kind out, and look.

    python benchmarks/transfer.py [--documents 150] [--draws 3] > results/transfer/transfer.md

Encoders are trained on all but one kind of text; documents of the kind that was left out, and of
two kinds that are never trained on, are spoilt in five ways, as stand-ins for human judgement:
sentences shuffled (blocks of 1 and 2), one inner sentence from another document (intruder), a third
of the sentences from others (strangers), the second half from another (drift), a quarter cut out of
the middle (gap). Each cell: how often an original scores higher than its own spoilt version /
than spoilt versions of other documents, percent, 95 % interval of the first over documents.
"score" is what ``timecontrol score`` gives; "trained" its three trained terms alone (full trust);
"nearness" its untrained term; "cosine" the mean cosine of neighbouring sentences. "found": how
often the sentence that the trace (or the term alone) gives the lowest value is the intruder.
Validation documents of the corpora that are trained on, training documents of the two that never
are.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from timecontrol.coherence import Coherence, Ragged
from timecontrol.coherence.points import Points, points_of
from timecontrol.coherence.trace import WEIGHTS as SENTENCE_WEIGHTS
from timecontrol.corpora import Document, open_corpus
from timecontrol.encoder import Encoder
from timecontrol.experiments.material import Material, read
from timecontrol.experiments.scorers import Scores, cosine_scorer, cosine_tracer
from timecontrol.metrics.comparison import accuracy, mixed_accuracy
from timecontrol.metrics.intruders import found_by, rank
from timecontrol.metrics.shuffles import block_orders, random_state

Rows = NDArray[np.int64]
KINDS = {
    "articles": ("wikisection",),
    "stories": ("episodes",),
    "dialogues": ("sgd:sgd/sgd-restaurants", "sgd:sgd/sgd-movies", "tickettalk"),
}
"""What is trained on; one of them is left out at a time."""
NEVER = {"how-to": "wikihow", "recipes": "recipes"}
"""What is never trained on."""
SPOILT = ("shuffle 1", "shuffle 2", "intruder", "strangers", "drift", "gap")


def spoil(kind: str, i: int, data: Material, state: np.random.Generator) -> Rows | None:
    """Return the rows of a spoilt version of document i."""
    lengths, starts = data.layout.lengths, data.layout.starts
    n, own = int(lengths[i]), np.arange(lengths[i]) + starts[i]

    def elsewhere() -> int:
        donor = int(state.integers(len(lengths) - 1))
        return donor + (donor >= i)

    if kind.startswith("shuffle"):
        orders = block_orders(n, int(kind.split()[1]), 1, state)
        return np.asarray(own[orders[0]]) if len(orders) else None
    if kind == "gap":
        cut = max(1, n // 4)
        start = int(state.integers(1, max(2, n - cut)))
        left = np.concatenate([own[:start], own[start + cut :]])
        return np.asarray(left) if len(left) >= 3 else None
    if kind == "drift":
        donor = elsewhere()
        rest = (np.arange(lengths[donor]) + starts[donor])[-(n - n // 2) :]
        return np.asarray(np.concatenate([own[: n // 2], rest]), np.int64)
    inner = np.arange(1, n - 1)
    count = 1 if kind == "intruder" else max(1, n // 3)
    rows = own.copy()
    for place in state.choice(inner, min(count, len(inner)), replace=False):
        donor = elsewhere()
        rows[place] = starts[donor] + state.integers(lengths[donor])
    return np.asarray(rows)


def scores(coherence: Coherence, points: Points, rows: Rows, layout: Ragged) -> Scores:
    """Return every score of versions, (n,) each."""
    found = coherence.judge_points(points.take(rows), layout)
    return {
        "score": found.score,
        "trained": found.standard[:, :3].sum(1),
        "nearness": found.standard[:, 3],
        "cosine": cosine_scorer(points.unit).score(rows, layout)["cosine of neighbours"],
    }


def traces(coherence: Coherence, points: Points, rows: Rows, layout: Ragged) -> Scores:
    """Return every trace of versions, (N,) each."""
    found = coherence.judge_points(points.take(rows), layout)
    return {
        "score": found.trace,
        "trained": found.sentence_terms[:, :3] @ SENTENCE_WEIGHTS[:3],
        "nearness": found.sentence_terms[:, 3],
        "cosine": cosine_tracer(points.unit)(rows, layout)["cosine to neighbours"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--documents", type=int, default=150)
    parser.add_argument("--draws", type=int, default=3)
    options = parser.parse_args()
    print((__doc__ or "").split("\n\n", 2)[2])
    for left_out in KINDS:
        known = [spec for kind, specs in KINDS.items() if kind != left_out for spec in specs]
        encoder = Encoder.fit("+".join(known), learned=0.3)  # as the shipped general one
        print(f"\n## Trained without {left_out}\n")
        columns = [*SPOILT[:3], "found", *SPOILT[3:]]
        print("| text | known | novelty | trust | score by | " + " | ".join(columns) + " |")
        print("|---" * (5 + len(columns)) + "|")
        tried = {kind: specs[0] for kind, specs in KINDS.items()} | NEVER
        for kind, spec in sorted(tried.items(), key=lambda x: x[0] not in (left_out, *NEVER)):
            split = "train" if kind in NEVER else "val"  # no validation split in recipes
            documents = [d for d in open_corpus(spec).documents(split) if len(d.sentences) >= 4]
            report(kind, kind not in (left_out, *NEVER), documents, encoder, options)


def report(
    kind: str,
    known: bool,
    documents: list[Document],
    encoder: Encoder,
    options: argparse.Namespace,
) -> None:
    """Print the rows of one kind of text."""
    step = max(1, len(documents) // options.documents)
    data = read(documents[::step][: options.documents], encoder.open())
    flow = encoder.coherence
    points = points_of(flow.context, data.features, encoder.latents(data.features))
    every = np.arange(len(data.features))
    original = scores(flow, points, every, data.layout)
    judged = flow.judge_points(points, data.layout)
    cells: dict[str, list[str]] = {name: [] for name in original}
    for spoilt in SPOILT:
        rows, owner, places = versions(spoilt, data, options.draws)
        layout = Ragged.of([len(r) for r in rows])
        for name, values in scores(flow, points, np.concatenate(rows), layout).items():
            own, mixed = (f(original[name], values, owner) for f in (accuracy, mixed_accuracy))
            assert own is not None
            assert mixed is not None
            span = f"({100 * own.low:.1f}-{100 * own.high:.1f})"
            cells[name].append(f"{100 * own.value:.1f} {span} / {100 * mixed.value:.1f}")
        if spoilt == "intruder":
            for name, trace in traces(flow, points, np.concatenate(rows), layout).items():
                ranked = [rank(t, p) for t, p in zip(layout.split(trace), places, strict=True)]
                ranks, top = np.array(ranked).T
                hit = found_by(ranks, top, owner)["top-1"]
                span = f"({100 * hit.low:.1f}-{100 * hit.high:.1f})"
                cells[name].append(f"{100 * hit.value:.1f} {span}")
    for name, row in cells.items():
        novelty, trust = f"{judged.novelty.mean():.1f}", f"{judged.trust.mean():.2f}"
        first = [f"{kind} ({len(data.ids)})", "yes" if known else "no", novelty, trust]
        print("| " + " | ".join([*(first if name == "score" else [""] * 4), name, *row]) + " |")


def versions(spoilt: str, data: Material, draws: int) -> tuple[list[Rows], Rows, list[int]]:
    """Return the rows of spoilt versions, their documents, and where the first change is."""
    rows, owner, places = [], [], []
    for i, name in enumerate(data.ids):
        state = random_state(0, name, spoilt)
        for _ in range(draws):
            found = spoil(spoilt, i, data, state)
            if found is not None:
                own = np.arange(len(found)) + data.layout.starts[i]
                rows.append(found)
                owner.append(i)
                places.append(int((found != own).argmax()))
    return rows, np.array(owner), places


if __name__ == "__main__":
    main()
