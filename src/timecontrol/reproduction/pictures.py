"""Ours beside the paper's as pictures: for each row of a table two points on one line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from timecontrol import figures
from timecontrol.reproduction.lines import Line

FEWEST = 3
"""Rows with both numbers that a picture needs."""
MOST = 12
"""Panels of a picture."""


def pictures(lines: Sequence[Line], folder: Path) -> dict[str, list[str]]:
    """Draw every experiment of which there is enough, and return its files by experiment.

    Args:
        lines: Of all experiments.
        folder: Where pictures go; the files are named by experiment.
    """
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(line.cell.experiment for line in lines):
        groups: dict[str, list[Line]] = {}
        for line in lines:
            if line.cell.experiment == name and line.difference is not None:
                assert line.ours is not None
                where = ", ".join(filter(None, (line.cell.dataset, line.cell.column)))
                where += f"\nours: {line.ours.corpus}"
                groups.setdefault(where, []).append(line)
        groups = {where: own for where, own in groups.items() if len(own) >= FEWEST}
        if groups:
            file = folder / f"{name}.png"
            folder.mkdir(parents=True, exist_ok=True)
            figures.save(beside(dict(list(groups.items())[:MOST])), file)
            found[name] = [f"{folder.name}/{file.name}"]
    return found


def beside(groups: dict[str, list[Line]]) -> Any:
    """Draw groups of lines, a panel each: hollow the paper's numbers, full ours.

    Args:
        groups: Lines that have both, by the title of their panel.
    """
    plt = figures.pyplot()
    rows = max(map(len, groups.values()))
    columns = min(3, len(groups))
    down = -(-len(groups) // columns)
    with plt.rc_context(figures.STYLE):
        figure, axes = plt.subplots(
            down, columns, figsize=(3.6 * columns + 0.6, (0.22 * rows + 0.9) * down + 0.4),
            squeeze=False, layout="constrained",
        )  # fmt: skip
        for axis in axes.flat[len(groups) :]:
            axis.set_visible(False)
        for axis, (title, own) in zip(axes.flat, groups.items(), strict=False):
            places = range(len(own), 0, -1)
            for place, line in zip(places, own, strict=True):
                assert line.paper is not None
                assert line.ours is not None
                pair = [line.paper.value, line.ours.value]
                axis.plot(pair, [place] * 2, color=figures.QUIET, linewidth=0.8, zorder=1)
                axis.errorbar(
                    line.ours.value, place, xerr=line.ours.error, color=figures.COHERENT,
                    fmt="o", markersize=4, linewidth=1, zorder=3,
                )  # fmt: skip
                axis.plot(
                    line.paper.value, place, "o", markersize=4.5, zorder=2,
                    markerfacecolor="white", markeredgecolor=figures.SHUFFLED,
                )  # fmt: skip
            axis.set_yticks(list(places), [line.cell.label for line in own])
            axis.set_title(title)
            axis.grid(axis="x", alpha=0.3)
        unit = next(iter(groups.values()))[0].cell.about.unit
        figure.supxlabel(f"{unit};  hollow: the paper, full: ours")
    return figure
