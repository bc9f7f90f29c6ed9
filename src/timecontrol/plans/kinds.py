"""The kinds of plans: from start, goal and waypoints to the points a decoder follows.

A plan has n points z_0 .. z_T, T = n - 1, and a sentence is a unit of time. m is the mean path of
training documents, Sigma the noise of the law, xi ~ N(0, I).

The noise of a plan does not grow with its length: in the middle of long documents latents stray no
further than in the middle of short ones. With S the mean number of sentences of the documents that
Sigma was fitted to, the noise of a plan's step is::

    s Sigma,    s = (S - 1) / (n - 1)

so that at a share u = t/T of the way a bridge has the variance (S - 1) u (1 - u) Sigma, whatever n;
for n = S it is the bridge of the documents. The kinds of the paper and of the released code have
noise of their own, which is left as it is. All noise can be multiplied (``noise``): 0 is none.

Whatever is drawn depends on the seed and the number of the document alone: document 5 of seed 0
has the same plan whether one or a thousand are drawn, and the same start and goal for every kind
that draws them. A start or goal that is not pinned is drawn from the Gaussian of the first or last
training sentences, each for itself.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from timecontrol.errors import TimeControlError, pick
from timecontrol.latents.fit import Gaussian, at
from timecontrol.plans.law import Law
from timecontrol.plans.stretching import nearest, stretched
from timecontrol.plans.timing import Timetable, begins
from timecontrol.plans.track import Track

Array = NDArray[np.float64]

RELEASED_DT = 0.05
"""The released code's step, whatever the length of its plan."""


@dataclass(frozen=True)
class Pin:
    """A point the plan has to pass, at the sentence nearest to its share of the document."""

    share: float
    """0 is the start, 1 the goal, between them are waypoints."""
    point: Array
    """(d,)"""


@dataclass(frozen=True)
class Task:
    """What a kind makes a plan from."""

    law: Law
    n: int
    pins: dict[int, Array]
    """What was pinned, by sentence."""
    start: Array
    """As pinned, or drawn, (d,)."""
    goal: Array
    """The same."""
    state: np.random.Generator
    """Of the way between."""
    clock: np.random.Generator
    """Of the timetable."""
    amount: float = 1.0
    """What the noise is multiplied by."""

    @property
    def mean_path(self) -> Array:
        """The mean path at the plan's sentences, (n, d)."""
        return at(self.law.fit.mean_path, np.linspace(0, 1, self.n))

    @property
    def anchors(self) -> dict[int, Array]:
        """Start, waypoints and goal by sentence; one sentence is a start."""
        return {self.n - 1: self.goal, 0: self.start} | self.pins

    @property
    def pace(self) -> float:
        """S = (S - 1) / (n - 1): the noise of a step beside that of the law's documents."""
        return (self.law.fit.sentences - 1) / max(self.n - 1, 1)

    def noise(self, steps: int) -> Array:
        """Return xi for some steps, multiplied, (steps, d)."""
        return self.amount * self.state.standard_normal((max(steps, 0), self.law.dim))


@dataclass(frozen=True)
class Drawn:
    """What a kind makes."""

    points: Array
    """(n, d)"""
    starts: tuple[int, ...] = ()
    """The sentence at which each stage with a tag begins, where the kind knows."""
    pace: tuple[float, ...] = ()
    """Tokens that its sentences are likely to have, where the kind knows."""
    track: Track | None = None
    """What it was drawn from, where the rest of it can be drawn again."""


def draw(law: Law, kind: str, n: int, *, seed: int, number: int, pins: Sequence[Pin] = ()) -> Array:
    """Return the points of a plan, (n, d): those of ``sketch``."""
    return sketch(law, kind, n, seed=seed, number=number, pins=pins).points


def sketch(
    law: Law,
    kind: str,
    n: int,
    *,
    seed: int,
    number: int,
    pins: Sequence[Pin] = (),
    noise: float = 1.0,
) -> Drawn:
    """Return the points of a plan, and where its sections begin.

    Args:
        law: What it is drawn from.
        kind: Key of ``KINDS``.
        n: Sentences, at least 1.
        seed: Of all the randomness, with
        number: which document of that seed it is.
        pins: Start, goal and waypoints, as far as they are given, in any order.
        noise: What the noise of the way is multiplied by; the ends are drawn as they are.

    Raises:
        TimeControlError: The kind is unknown or cannot take these pins, or they have no place.
    """
    if not 0 <= noise < math.inf:
        raise TimeControlError(f"noise is {noise:g}: 0 or more.")
    make = pick(KINDS, kind, "kind of plan")
    if n < 1:
        raise TimeControlError(f"A plan has at least 1 sentence, not {n}.")
    check_stream(seed, number)
    taken = placed(pins, n, law.dim)
    refuse(kind, pins)
    ends, way, clock = (stream(seed, number, which) for which in range(3))
    start, goal = sampled(law.fit.start, ends), sampled(law.fit.end, ends)  # both, pinned or not
    first, last = taken.get(0, start), taken.get(n - 1, goal)
    found = make(Task(law, n, taken, first, last, way, clock, noise))
    return found if isinstance(found, Drawn) else Drawn(found)


def check_stream(seed: int, number: int) -> None:
    """Refuse numbers that nothing can be drawn with."""
    if seed < 0 or number < 0:
        raise TimeControlError(f"Seed and number must not be negative, got {seed} and {number}.")


def stream(seed: int, number: int, which: int) -> np.random.Generator:
    """Return where the draws of a document come from: 0 its ends, 1 its way, 2 its timetable."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number, which)))


def own_length(law: Law, kind: str, seed: int, number: int) -> int | None:
    """Return the sentences of the training document that a plan takes its timetable from.

    ``None`` for kinds that take none from any.
    """
    if kind not in DRAWN:
        return None
    check_stream(seed, number)
    counts = law.timing.totals.sum(1)
    return max(2, int(counts[stream(seed, number, 2).integers(len(counts))]))


def draw_many(
    law: Law,
    kind: str,
    n: int,
    count: int,
    seed: int,
    pins: Sequence[Pin] = (),
    first: int = 0,
) -> list[Array]:
    """Return the plans of documents ``first``, ``first`` + 1, ..., ``count`` of them."""
    numbers = range(first, first + count)
    return [draw(law, kind, n, seed=seed, number=number, pins=pins) for number in numbers]


def brownian_bridge(task: Task) -> Array:
    """m(t), moved to the anchors, + bridges: N(0, s Sigma t (T - t) / T) from anchor to anchor.

    A bridge is Markov: given a waypoint, what comes before it and what comes after are bridges of
    their own. So this is the exact law, given start, goal and waypoints.
    """
    return _bridge(task, task.mean_path, task.law.noise)


def bridge_line(task: Task) -> Array:
    """Straight from anchor to anchor + bridges: N(0, s Sigma t (T - t) / T).

    Sigma is about the line.
    """
    return _bridge(task, np.zeros((task.n, task.law.dim)), task.law.line_noise)


def euler(task: Task) -> Array:
    """x_{k+1} = x_k + (z_T - x_k) dt / (1 - k dt) + sqrt(dt) xi,  dt = 1/T; then z_T."""
    T = max(task.n - 1, 1)
    return _pulled(task, 1 / (T - np.arange(task.n - 2)), 1 / T)


def brownian(task: Task) -> Array:
    """z_0 + W(t),  W(t) ~ N(0, s Sigma t), Sigma about the line."""
    return task.start + _motion(task, task.law.line_noise)


def linear(task: Task) -> Array:
    """z_0 + (t/T) (z_T - z_0), and so from anchor to anchor."""
    return between(task.anchors, task.n)


def mean_in_time(task: Task) -> Array:
    """m(t), moved to what is pinned; an end that is not pinned stays, none is drawn."""
    return _kept(task, task.mean_path)


def static(task: Task) -> Array:
    """z_0, all along."""
    return np.repeat(task.start[None], task.n, 0)


def mean(task: Task) -> Drawn:
    """The mean path of the sections' own time, moved to what is pinned; their mean lengths."""
    return _tracked(task, task.law.timing.mean(task.n), 0)


def bridge(task: Task) -> Drawn:
    """A path of the Gaussian process in the sections' own time, given what is pinned.

    Sections are as long as those of a training document, stretched.
    """
    return _tracked(task, task.law.timing.drawn(task.n, task.clock), task.amount)


def pieced(task: Task) -> Drawn:
    """A path pieced together from documents, given what is pinned as ``bridge`` has it.

    With z of the pieces and m the mean, a sentence is m + noise (z - m). Sections are as long as
    those of a training document of about that length, stretched. Where it starts and ends is as the
    pieces do, unless it is pinned.

    Raises:
        TimeControlError: The law keeps no sentences of documents.
    """
    law = task.law
    if law.analogs is None:
        raise TimeControlError(
            "This decoder keeps no sentences that a 'pieced' plan could be made of: it was trained "
            "before there were such plans, or without latents. Train it anew, or use --plan bridge."
        )
    near = alike(law.timing.totals.sum(1).tolist(), task.n)
    table = law.timing.drawn(task.n, task.clock, near)
    centre = law.process.centre(table.times)
    strayed = law.analogs.drawn(table.times, task.state) - centre
    return _given(task, table, centre + task.amount * strayed)


def hovering(task: Task) -> Drawn:
    """z_0, then z_0 + x(t) - m(t): the noise of ``bridge``, not its way. A control of static."""
    table = task.law.timing.drawn(task.n, task.clock)
    free = replace(task, pins={})
    strayed = _tracked(free, table, task.amount).points - _tracked(free, table, 0).points
    strayed[0] = 0
    return Drawn(task.start + strayed)


def retrieved(task: Task) -> Drawn:
    """A training document's path at t/T, moved to what is pinned; no end is drawn.

    It is one of those of about that length, since stretching makes steps smaller. Straight between
    its sentences; one-hot points (sections) are taken from the nearest sentence.
    """
    near = alike([len(path) for path in task.law.paths], task.n)
    number = near[task.state.integers(len(near))]
    path, table = task.law.paths[number], task.law.sections_of(number)
    section = np.repeat(np.arange(len(table)), [count for _, count in table])
    own = section[nearest(len(path), task.n)]  # (n,)
    sizes = task.law.sizes_of(number)
    pace = [sizes[i] / table[i][1] for i in own]
    starts = begins([table[i][0] for i in own])
    return Drawn(_kept(task, stretched(path, task.n)), starts, tuple(pace))


def released(task: Task) -> Array:
    """x_{k+1} = (1 - a_k) x_k + a_k z_T + sqrt(dt) xi,  a_k = dt / (1 - k/n), dt = 0.05; then z_T.

    As the released code has it: right for 20 sentences, diverging for 200 and more.
    """
    return _pulled(task, _released_pull(task), RELEASED_DT)


def released_static(task: Task) -> Array:
    """(1 - a_k) z_0 + a_k z_T + sqrt(dt) xi,  a_k = dt / (1 - k/n), dt = 0.05; then z_T."""
    pull = _released_pull(task)[:, None]
    way = (1 - pull) * task.start + pull * task.goal
    return _closed(task, way + np.sqrt(RELEASED_DT) * task.noise(task.n - 2))


def released_brownian(task: Task) -> Array:
    """x_{k+1} = x_k + sqrt(dt) xi,  dt = 0.05; then z_T."""
    return _pulled(task, np.zeros(max(task.n - 2, 0)), RELEASED_DT)


KINDS: dict[str, Callable[[Task], Array | Drawn]] = {
    "bridge": bridge,
    "mean": mean,
    "retrieved": retrieved,
    "pieced": pieced,
    "bridge-brownian": brownian_bridge,
    "bridge-line": bridge_line,
    "mean-time": mean_in_time,
    "linear": linear,
    "static": static,
    "hovering": hovering,
    "brownian": brownian,
    "euler": euler,
    "released": released,
    "released-static": released_static,
    "released-brownian": released_brownian,
}

DRAWN = ("bridge", "retrieved", "pieced")
"""Kinds whose plans differ in length from one document to the next, as documents do."""

FEWEST, SHARE = 20, 0.1
"""Documents among which one is drawn: so many at least, and this share."""

NO_GOAL = ("brownian", "static", "hovering")
NO_WAYPOINT = (*NO_GOAL, "euler", "released", "released-static", "released-brownian")


def alike(lengths: Sequence[int], n: int) -> list[int]:
    """Return the documents whose lengths are nearest to n: a tenth of them, or 20, and ties."""
    apart = np.abs(np.asarray(lengths) - n)
    most = min(len(apart), max(FEWEST, round(SHARE * len(apart))))
    return np.flatnonzero(apart <= np.sort(apart)[most - 1]).tolist()


def refuse(kind: str, pins: Sequence[Pin]) -> None:
    """Raise an error where a kind of plan cannot take a pin."""
    shares = {pin.share for pin in pins}
    for what, found, never in (
        ("goal", 1 in shares, NO_GOAL),
        ("waypoint", bool(shares - {0, 1}), NO_WAYPOINT),
    ):
        if found and kind in never:
            others = ", ".join(k for k in KINDS if k not in never)
            raise TimeControlError(f"A {kind!r} plan takes no {what}. These do: {others}.")


def placed(pins: Sequence[Pin], n: int, d: int) -> dict[int, Array]:
    """Return the points of pins, each (d,), by the sentence of n they fall on.

    Waypoints never fall on the first or last sentence.
    """
    found: dict[int, Array] = {}
    for pin in pins:
        point = np.asarray(pin.point, np.float64)
        if not 0 <= pin.share <= 1:
            raise TimeControlError(f"A pin is at 0 (the start) to 1 (the goal), not {pin.share}.")
        if point.shape != (d,):
            shape = " x ".join(map(str, point.shape)) or "1"
            raise TimeControlError(f"The pin at {pin.share:g} has {shape} numbers, not {d}.")
        if not np.isfinite(point).all():
            raise TimeControlError(f"The pin at {pin.share:g} holds NaN or infinity.")
        least = 1 if pin.share == 0 else 2 if pin.share == 1 else 3
        if n < least:
            raise TimeControlError(
                f"What is to be at {pin.share:g} has no place in {n} sentences: ask for at least "
                f"{least}."
            )
        sentence = int(np.floor(pin.share * (n - 1) + 0.5))
        if least == 3:
            sentence = min(max(sentence, 1), n - 2)
        if sentence in found:
            raise TimeControlError(
                f"Two waypoints (or start, or goal) fall on sentence {sentence + 1} of {n}: ask "
                "for more sentences, or move one of them."
            )
        found[sentence] = point
    return found


def sampled(law: Gaussian, state: np.random.Generator) -> Array:
    """Return mean + L xi, L L^T the covariance, (d,)."""
    root = np.linalg.cholesky(law.covariance)
    return np.asarray(law.mean + root @ state.standard_normal(len(root)))


def between(points: dict[int, Array], n: int) -> Array:
    """Return the line from point to point, by sentence, level beyond the first and last, (n, d)."""
    known = sorted(points)
    columns = np.stack([points[i] for i in known]).T  # (d, points)
    return np.stack([np.interp(np.arange(n), known, column) for column in columns], -1)


def moved(path: Array, points: dict[int, Array]) -> Array:
    """Return path(t) + the line through (point - path) at the points' sentences, (n, d)."""
    found = path + between({i: point - path[i] for i, point in points.items()}, len(path))
    for i, point in points.items():
        found[i] = point  # to the last bit
    return found


def _tracked(task: Task, table: Timetable, amount: float) -> Drawn:
    """Return a plan of the process, its residuals multiplied by ``amount``."""
    path, gain = task.law.process.path(table.times, task.state, amount)
    return _given(task, table, path, gain if amount else 1.0)


def _given(task: Task, table: Timetable, path: Array, gain: float = 1.0) -> Drawn:
    """Return a plan: a path of single sentences, (n, d), averaged, through what is pinned."""
    track = Track(task.law.process, table.times, path, task.pins, gain)
    points = track.plan()
    for row, point in task.pins.items():
        points[row] = point  # to the last bit
    return Drawn(points, table.starts, tuple(table.pace.tolist()), track)


def _motion(task: Task, covariance: Array) -> Array:
    """Return W(t) ~ N(0, s covariance t), zero at the start, (n, d)."""
    steps = np.sqrt(task.pace) * task.noise(task.n - 1) @ np.linalg.cholesky(covariance).T
    return np.concatenate([np.zeros((1, task.law.dim)), steps.cumsum(0)])


def _bridge(task: Task, path: Array, covariance: Array) -> Array:
    """Return a path moved to the anchors + W - the line through W at the anchors, (n, d)."""
    motion, anchors = _motion(task, covariance), task.anchors
    line = between({i: motion[i] for i in anchors}, task.n)
    return moved(path, anchors) + (motion - line)


def _kept(task: Task, path: Array) -> Array:
    """Return a path moved to what is pinned, its other end left where it is, (n, d)."""
    return moved(path, {0: path[0], task.n - 1: path[-1]} | task.pins)


def _released_pull(task: Task) -> Array:
    """Return a_k = dt / (1 - k/n) of the inner sentences, (n - 2,)."""
    return np.asarray(RELEASED_DT / (1 - np.arange(task.n - 2) / task.n))


def _pulled(task: Task, pull: Array, dt: float) -> Array:
    """Return x_{k+1} = x_k + a_k (z_T - x_k) + sqrt(dt) xi, closed, (n, d)."""
    noise = np.sqrt(dt) * task.noise(task.n - 2)
    way, x = np.empty_like(noise), task.start
    for k, a in enumerate(pull):
        way[k] = x = x + a * (task.goal - x) + noise[k]
    return _closed(task, way)


def _closed(task: Task, way: Array) -> Array:
    """Return start, the way, (n - 2, d), and goal; of one sentence the start, (n, d)."""
    return np.concatenate([task.start[None], way, task.goal[None]])[: task.n]
