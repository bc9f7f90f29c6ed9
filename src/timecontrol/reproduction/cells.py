"""The cells of the paper's tables, and of a few of our own: what the paper has, what we run for it.

Every number of ``printed`` is in exactly one cell. A cell whose works have no record is blank.
The original rows of the paper's generation tables do not say how they were decoded; the paper says
not towards the goal, so they stand beside the corrected STATIC rows.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from timecontrol.judging.tasks import TASKS
from timecontrol.reproduction.printed import About, Printed, printed, tables
from timecontrol.reproduction.works import FEATURES, OBJECTIVES, Work

NOT_BUILT = {
    "infilling_bleu": "infilling is not built yet",
    "infilling_similarity": "infilling is not built yet",
}
"""Tables that nothing can be run for, and why."""

RATED = {task.table: name for name, task in TASKS.items()}
"""Tables of what people say: nothing is run for them, their ratings are taken in (``judged``)."""

SETS = {
    "first set of three seeds": (0, 1, 2),
    "second set of three seeds": (3, 4, 5),
    "one machine": (0, 1, 2),
    "another machine": (3, 4, 5),
}
"""Which of our seeds stand for the paper's sets of runs."""

OWN = {
    "header_order": About(
        "plain fine-tuning: sections in order, normal and forced long", "percent", True
    ),
    "fixed_distance": About(
        "share of the latents' variance that a sentence's place explains, in the coordinate where "
        "it is most; contrasted sentences k apart",
        "percent",
        True,
    ),
    "trajectories": About(
        "documents whose path is less like a bridge when their sentences are shuffled",
        "percent",
        True,
    ),
    "latent_spread": About(
        "recipes: standard deviation of latents over documents at one place, beside that of the "
        "mean over places",
        "ratio",
        None,
    ),
    "static": About(
        "is a constant plan as good as a bridge? Plans of one decoder, their noise multiplied",
        "percent, adherence as it is",
        None,
    ),
    "plans": About(
        "plans that matter: the arms of the headline, forced long",
        "percent, adherence as it is",
        None,
    ),
}
"""Experiments of ours, and those of the paper that print no number."""


@dataclass(frozen=True)
class Cell:
    """One cell: what it is, what the paper prints, and what gives ours."""

    experiment: str
    dataset: str
    label: str
    """The row: method, size, decoding."""
    column: str
    """What else tells cells of a row apart: ``k = 5``, ``test, abstract``."""
    corrected: Printed | None
    original: Printed | None
    works: tuple[Work, ...]
    """One a seed; none where nothing can be run."""
    measure: str
    """Which of a run's values."""
    beside: str = ""
    """The same by the released definition, where it differs."""
    reason: str = ""
    """Why nothing can be run."""

    @property
    def about(self) -> About:
        """What the experiment measures."""
        return {**tables(), **OWN}[self.experiment]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells cells apart."""
        return self.experiment, self.dataset, self.label, self.column


def experiments() -> list[str]:
    """Return the names of all experiments."""
    return [*tables(), *OWN]


def cells(seeds: int = 3, presets: Iterable[str] = ("best",)) -> list[Cell]:
    """Return every cell: those the paper prints, in its order, then ours.

    Args:
        seeds: Runs of each.
        presets: Of our runs; more than one makes a cell of each, where a preset decides anything.
    """
    found: list[Cell] = []
    for preset in presets:
        many = [_printed_cell(pair, seeds, preset) for pair in _pairs()]
        many += own_cells(seeds, preset)
        before = {work for cell in found for work in cell.works}
        found += [c for c in many if not found or (c.works and not before.issuperset(c.works))]
    return found


def _pairs() -> list[tuple[Printed | None, Printed | None]]:
    """Return corrected and original numbers of one cell together."""
    found: dict[tuple[object, ...], list[Printed | None]] = {}
    for p in printed():
        key = (p.table, p.dataset, p.method, p.latent_dim, _decoding(p), p.k, p.metric)
        pair = found.setdefault((*key, p.split, p.section, p.run), [None, None])
        place = ("corrected", "original").index(p.version)
        assert pair[place] is None, f"printed twice: {p}"
        pair[place] = p
    return [(pair[0], pair[1]) for pair in found.values()]


def _decoding(p: Printed) -> str:
    generated = p.table in ("length_mismatch", "forced_long_section_length", "forced_long_ordering")
    if generated and p.version == "original" and p.method in OBJECTIVES:
        return "static"
    return p.decoding


def _printed_cell(pair: tuple[Printed | None, Printed | None], seeds: int, preset: str) -> Cell:
    corrected, original = pair
    p = corrected or original
    assert p is not None
    decoding = _decoding(p)
    label = p.method if p.latent_dim is None else f"{p.method} ({p.latent_dim})"
    if decoding:
        label = f"{label} STATIC" if decoding == "static" else label
    if preset != "best" and label:
        label = f"{label} [{preset}]"
    parts = [f"k = {p.k}" if p.k else "", p.metric, p.split, p.section, p.run]
    column = ", ".join(part for part in parts if part)
    works, measure, beside = _ours(p, decoding, seeds, preset)
    return Cell(
        p.table,
        p.dataset,
        label,
        column,
        corrected,
        original,
        works,
        measure,
        beside,
        NOT_BUILT.get(p.table, ""),
    )


def _ours(p: Printed, decoding: str, seeds: int, preset: str) -> tuple[tuple[Work, ...], str, str]:
    """Return the works of a printed cell, which value of theirs it is, and the released one."""
    some = SETS.get(p.run, tuple(range(seeds)))
    if p.table in NOT_BUILT:
        return (), "", ""
    if p.table in ("discourse_coherence", "discourse_coherence_k1"):
        fixed = p.method in FEATURES  # features are what they are: only probes have seeds
        work = Work("probe", p.dataset, p.method, p.latent_dim, "best" if fixed else preset)
        many = (work,) if fixed else tuple(work.seeded(seed) for seed in some)
        return many, f"paper k={p.k}", f"released k={p.k}"
    if p.table == "perplexity":
        work = Work("perplexity", p.dataset, p.method, p.latent_dim, preset)
        return tuple(work.seeded(seed) for seed in some), "own", ""
    if p.table in ("dataset_documents", "section_tokens", "sentences_per_document"):
        split = p.split or "test"
        what = {
            "dataset_documents": f"{split} documents",
            "section_tokens": f"{split} {p.section}",
            "sentences_per_document": f"{split} sentences",
        }[p.table]
        return (Work("counts", p.dataset),), what, ""
    if p.table in RATED:
        work = Work(RATED[p.table], p.dataset, p.method, p.latent_dim, preset)
        return tuple(work.seeded(seed) for seed in some), "rating", ""
    length = "forced" if p.table.startswith("forced_long") else "normal"
    plan = "" if p.method not in OBJECTIVES else "static" if decoding == "static" else "own"
    work = Work("texts", p.dataset, p.method, p.latent_dim, preset, plan=plan, length=length)
    measure, beside = {
        "length_mismatch": ("MM", "MM released"),
        "length_mismatch_by_machine": ("MM", "MM released"),
        "history_mismatch_tokens": ("off HISTORY", ""),
        "forced_long_section_length": ("MM", "MM released"),
        "forced_long_ordering": ("order", "order released"),
        "section_header_ordering": ("order", "order released"),
    }[p.table]
    return tuple(work.seeded(seed) for seed in some), measure, beside


DISTANCES = (1, 5, 10)
NOISES = (0.0, 0.5, 1.0, 2.0)
TEXTS = ("order", "order released", "MM", "MM stretched", "tail")
JUDGED = {"adherence R2": "R2", "adherence r2": "r2", "r2 of permuted plans": "r2 permuted"}
"""What stands beside each other where plans are compared: of texts, and by another encoder."""


def compared(work: Work) -> dict[str, tuple[Work, str]]:
    """Return what gives each column of plans that are compared, and which of its values."""
    found = {name: (work, name) for name in TEXTS}
    if work.plans:
        found |= {name: (replace(work, kind="adherence"), own) for name, own in JUDGED.items()}
    return found


def own_cells(seeds: int, preset: str) -> list[Cell]:
    """Return the cells of experiments for which the paper prints no number."""
    some, found = range(seeds), []

    def add(experiment: str, label: str, column: str, work: Work, measure: str, many: int) -> None:
        works = tuple(work.seeded(seed) for seed in some[:many])
        told = label if preset == "best" else f"{label} [{preset}]"
        found.append(Cell(experiment, work.dataset, told, column, None, None, works, measure))

    for length in ("normal", "forced"):
        for dataset in ("wikisection", "wikihow", "recipe", "tm2", "tickettalk"):
            work = Work("texts", dataset, "GPT2", preset=preset, length=length)
            add("header_order", "GPT2", length, work, "order", seeds)
    for distance in (0, *DISTANCES):
        work = Work("paths", "wikisection", "TC", 8, preset, distance=distance)
        name = f"k = {distance}" if distance else "any distance"
        add("fixed_distance", f"TC (8), {name}", "", work, "time", 1)
    for method in OBJECTIVES:
        for dim in (8, 16, 32):
            work = Work("paths", "wikisection", method, dim, preset)
            add("trajectories", f"{method} ({dim})", "", work, "shuffled", 1)
    for method in ("TC", "VAE"):
        work = Work("paths", "recipe", method, 8, preset)
        add("latent_spread", f"{method} (8)", "", work, "spread", 1)
    asked = {"true constant": ("static", 1.0), "constant, noise of the bridge": ("hovering", 1.0)}
    asked |= {
        "STATIC as released": ("released-static", 1.0),
        "bridge as released": ("released", 1.0),
    }
    asked |= {f"bridge, {noise:g} x noise": ("bridge", noise) for noise in NOISES}
    for label, (plan, noise) in asked.items():
        work = Work("texts", "wikisection", "TC", 8, preset, 0, plan, "forced", noise)
        for column, (own, measure) in compared(work).items():
            add("static", label, column, own, measure, seeds)
    arms = {
        "plain": Work("texts", "", "GPT2"),
        "STATIC": Work("texts", "", "TC", 8, plan="static"),
        "clock only": Work("texts", "", "clock"),
        "mean path": Work("texts", "", "TC", 8, plan="mean"),
        "bridge": Work("texts", "", "TC", 8, plan="own"),
        "closed loop": Work("texts", "", "TC", 8, plan="own", loop=True),
    }
    for dataset in ("wikisection", "wikihow", "recipe", "tm2", "tickettalk"):
        for label, arm in arms.items():
            work = replace(arm, dataset=dataset, preset=preset, length="forced")
            for column, (own, measure) in compared(work).items():
                add("plans", label, column, own, measure, seeds)
    return found
