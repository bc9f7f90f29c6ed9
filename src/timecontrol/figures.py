"""Figures of latent paths, as in the paper's appendix: by coordinate, as a band, and in a plane.

Every function takes paths, each (sentences, d), and returns a matplotlib figure; ``flow`` is of one
document.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timecontrol.errors import TimeControlError
from timecontrol.latents.fit import GRID, Fit, at

Array = NDArray[np.float64]

MOST = 8
"""Coordinates shown."""
COHERENT, SHUFFLED, QUIET = "#1f5fa8", "#c2542d", "#8a8f98"

STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "legend.frameon": False,
    "svg.hashsalt": "timecontrol",
}


def trajectories(
    paths: list[Array], fit: Fit, seed: int = 0, most: int = 6, coordinates: int = MOST
) -> Any:
    """Draw each coordinate over relative time: documents above, the same shuffled below."""
    plt = pyplot()
    chosen = paths[:most]
    order, shares = by_time(paths, fit)
    order = order[:coordinates]
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(
            2, len(order), figsize=(1.9 * len(order) + 0.6, 4.2), sharex=True, sharey="col",
            squeeze=False, layout="constrained",
        )  # fmt: skip
        for row, (name, colour) in enumerate([("coherent", COHERENT), ("shuffled", SHUFFLED)]):
            for column, coordinate in enumerate(order):
                axis = axes[row, column]
                for number, path in enumerate(chosen):
                    shown = path if row == 0 else shuffle(path, seed, number)
                    times = np.linspace(0, 1, len(path))
                    axis.plot(times, shown[:, coordinate], color=colour, alpha=0.55, linewidth=0.9)
                if row == 0:
                    axis.set_title(_title(coordinate, shares))
            axes[row, 0].set_ylabel(name)
        figure.supxlabel("position in the document, t / T")
        figure.suptitle(f"Latents of {len(chosen)} documents and of the same documents shuffled")
    return figure


def band(paths: list[Array], fit: Fit, seed: int = 0, coordinates: int = MOST) -> Any:
    """Draw mean and standard deviation of each coordinate over relative time."""
    plt = pyplot()
    order, shares = by_time(paths, fit)
    order = order[:coordinates]
    columns = min(4, len(order))
    rows = -(-len(order) // columns)
    mixed = [shuffle(path, seed, number) for number, path in enumerate(paths)]
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(
            rows, columns, figsize=(2.6 * columns, 2.1 * rows + 0.5), sharex=True, squeeze=False,
            layout="constrained",
        )  # fmt: skip
        for axis in axes.flat[len(order) :]:
            axis.set_visible(False)
        for name, colour, some in (("shuffled", SHUFFLED, mixed), ("coherent", COHERENT, paths)):
            whole = np.stack([at(path, GRID) for path in some])  # (documents, 33, d)
            mean, sd = whole.mean(0), whole.std(0)
            for axis, k in zip(axes.flat, order, strict=False):
                axis.fill_between(
                    GRID, mean[:, k] - sd[:, k], mean[:, k] + sd[:, k], color=colour, alpha=0.18,
                    linewidth=0,
                )  # fmt: skip
                axis.plot(GRID, mean[:, k], color=colour, linewidth=1.6, label=name)
                axis.set_title(_title(k, shares))
        handles, labels = axes.flat[0].get_legend_handles_labels()
        figure.legend(handles[::-1], labels[::-1], loc="outside upper right", ncols=2)
        figure.suptitle(f"Mean ± sd of {len(paths)} documents", x=0.02, ha="left")
        figure.supxlabel("position in the document, t / T")
    return figure


def plane(paths: list[Array], fit: Fit, most: int = 4) -> Any:
    """Draw paths in the plane of start-to-end and the widest direction across it.

    The envelope is the bridge between mean start and mean end: the line, and two standard
    deviations of the noise about it, at the mean length.
    """
    plt = pyplot()
    axes = plane_axes(paths, fit)  # (2, d)
    flat = [path @ axes.T for path in paths]
    start, end = axes @ fit.start.mean, axes @ fit.end.mean
    T = fit.sentences - 1
    share = np.linspace(0, 1, 101)
    line = (1 - share[:, None]) * start + share[:, None] * end
    width = 2 * fit.line_sigma * np.sqrt(share * (1 - share) * T)
    with plt.rc_context(STYLE):
        figure, axis = plt.subplots(figsize=(7, 5), layout="constrained")
        axis.fill_between(
            line[:, 0], line[:, 1] - width, line[:, 1] + width, color=COHERENT, alpha=0.12,
            linewidth=0, label="bridge, ± 2 sd",
        )  # fmt: skip
        axis.plot(*line.T, color=COHERENT, linestyle="--", linewidth=1, label="line of the bridge")
        for number, path in enumerate(flat[:most]):
            axis.plot(*path.T, color=QUIET, alpha=0.7, linewidth=0.8, marker=".", markersize=3,
                      label="documents" if number == 0 else None)  # fmt: skip
        axis.plot(*(fit.mean_path @ axes.T).T, color="black", linewidth=2, label="mean path")
        for name, gaussian, colour in (("start", fit.start, "#2a7f4f"), ("end", fit.end, SHUFFLED)):
            ring = ellipse(axes @ gaussian.mean, axes @ gaussian.covariance @ axes.T)
            axis.plot(*ring.T, color=colour, linewidth=1.4, label=f"{name}, 1 sd")
        axis.set_xlabel("from mean start to mean end")
        axis.set_ylabel("widest direction across")
        axis.legend(loc="best", fontsize=8)
        axis.set_title(f"{len(flat[:most])} of {len(paths)} documents and the bridge of the corpus")
    return figure


def flow(fits: Array, path: Array, low: Sequence[int] = (), title: str = "") -> Any:
    """Draw one document: how well each sentence fits, and its path.

    Args:
        fits: Of each sentence, (sentences,); low breaks the thread.
        path: The latents, (sentences, d).
        low: Numbers of the sentences to point at, from 0.
        title: Over both.
    """
    plt = pyplot()
    numbers = np.arange(1, len(fits) + 1)
    colours = [SHUFFLED if i in low else COHERENT for i in range(len(fits))]
    flat = own_plane(path)  # (sentences, 2)
    with plt.rc_context(STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
        left.bar(numbers, fits, color=colours)
        left.axhline(0, color=QUIET, linewidth=0.8)
        left.set_xlabel("sentence")
        left.set_ylabel("fit, in standard deviations")
        right.plot(*flat.T, color=QUIET, linewidth=1)
        right.scatter(*flat.T, color=colours, s=24, zorder=2)
        for number, place in zip(numbers, flat, strict=True):
            right.annotate(str(number), place, (4, 4), textcoords="offset points", fontsize=8)
        right.set_xlabel("first direction of the path")
        right.set_ylabel("second direction")
        figure.suptitle(title.replace("$", r"\$"))
    return figure


def own_plane(path: Array) -> Array:
    """Return a path in its own two widest directions, (sentences, 2), from left to right.

    Args:
        path: The latents of one document, (sentences, d).
    """
    centred = np.asarray(path, np.float64) - np.mean(path, 0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)  # (min(sentences, d), d)
    flat = np.zeros((len(centred), 2))
    for k, direction in enumerate(directions[:2]):
        along = centred @ direction
        ahead = along[-1] - along[0]
        flat[:, k] = -along if ahead < 0 else along  # else a sign would be left to chance
    return flat


def save(figure: Any, file: Path, dpi: int = 150) -> None:
    """Write a figure, and close it."""
    figure.savefig(file, dpi=dpi, metadata={"Software": None} if file.suffix == ".png" else None)
    pyplot().close(figure)


def by_time(paths: list[Array], fit: Fit) -> tuple[list[int], Array]:
    """Return the coordinates that time explains best, best first, and by how much each.

    Args:
        paths: Each (sentences, d).
        fit: Whose mean path is what time explains.
    """
    whole = np.concatenate(paths)
    times = np.concatenate([np.linspace(0, 1, len(p)) for p in paths])
    left = ((whole - at(fit.mean_path, times)) ** 2).mean(0)
    total = whole.var(0)
    shares = 1 - left / np.where(total > 0, total, 1.0)
    return [int(k) for k in np.argsort(-shares)[:MOST]], shares


def plane_axes(paths: list[Array], fit: Fit) -> Array:
    """Return two orthonormal directions, (2, d): start to end, and the widest across it."""
    first = fit.end.mean - fit.start.mean
    norm = np.linalg.norm(first)
    first = first / norm if norm > 0 else np.eye(len(first))[0]
    whole = np.concatenate(paths)
    centred = whole - whole.mean(0)
    centred = centred - np.outer(centred @ first, first)
    if len(first) == 1:
        return np.stack([first, np.zeros(1)])
    second = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    return np.stack([first, second])


def shuffle(path: Array, seed: int, number: int) -> Array:
    """Return a path in another order, always the same for the seed and the document's number."""
    return path[np.random.default_rng((seed, number)).permutation(len(path))]


def ellipse(mean: Array, covariance: Array) -> Array:
    """Return the points of one standard deviation, (101, 2)."""
    values, vectors = np.linalg.eigh(covariance)
    angle = np.linspace(0, 2 * np.pi, 101)
    circle = np.stack([np.cos(angle), np.sin(angle)], -1)
    return np.asarray(mean + circle * np.sqrt(np.maximum(values, 0)) @ vectors.T)


def _title(coordinate: int, shares: Array) -> str:
    return f"$z_{{{coordinate + 1}}}$ (time {100 * max(0.0, shares[coordinate]):.0f} %)"


def pyplot() -> Any:
    """Return matplotlib's pyplot, drawing to files alone."""
    try:
        import matplotlib
    except ImportError:
        raise TimeControlError(
            "Figures need matplotlib: pip install 'time-control[plots]'"
        ) from None
    matplotlib.use("Agg")
    from matplotlib import pyplot as found

    return found
