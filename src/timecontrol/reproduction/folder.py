"""The folder of a reproduction: records in, report out.

records/       one a run
figures/       what runs drew, and ours beside the paper's
report.md      every cell; report.html the same as a page, report.json as data
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from timecontrol.errors import TimeControlError
from timecontrol.reproduction.cells import cells
from timecontrol.reproduction.grid import Grid
from timecontrol.reproduction.lines import Line, lines, ours_of
from timecontrol.reproduction.page import page
from timecontrol.reproduction.pictures import pictures
from timecontrol.reproduction.records import FIGURES, Record, records
from timecontrol.reproduction.report import markdown, sections
from timecontrol.runs import write_json, write_text

REPORT = "report"


def write_report(grid: Grid, folder: Path) -> list[Line]:
    """Write the report of all records of a folder, and return its lines.

    Every cell is in it, whatever was asked for. Rows of other presets are added where they have
    runs, and seeds. Records of other scales are not looked at.

    Raises:
        TimeControlError: There are no records, and a report that has been made of some.
    """
    found = records(folder, grid.scale.name)
    if not found and (folder / f"{REPORT}.json").is_file():
        raise TimeControlError(
            f"No records of scale {grid.scale.name} in {folder}: the report there is left as it is."
        )
    runs = [record.work for record in found.values()]
    presets = tuple(dict.fromkeys(["best", *(work.preset for work in runs)]))
    seeds = max([grid.scale.seeds, *(work.seed + 1 for work in runs)])
    first = cells(seeds)
    more = [cell for cell in cells(seeds, presets)[len(first) :] if ours_of(cell, found)]
    whole = lines([*first, *more], found, grid.hindrance)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = pictures(whole, folder / FIGURES)
    for name, files in figures_of(whole, found, folder).items():
        drawn.setdefault(name, []).extend(files)
    parts = sections(whole, drawn, grid.scale.name)
    command = f"timecontrol reproduce --scale {grid.scale.name} --report"
    write_text(folder / f"{REPORT}.md", markdown(parts, whole, found, command))
    write_text(folder / f"{REPORT}.html", page(parts, whole, found, command))
    data = {"command": command, "scale": grid.scale.name, "lines": [x.as_dict() for x in whole]}
    write_json(folder / f"{REPORT}.json", data)
    return whole


def figures_of(
    whole: Sequence[Line], found: Mapping[str, Record], folder: Path
) -> dict[str, list[str]]:
    """Return the figures that the runs of each experiment drew, as far as they are there."""
    drawn: dict[str, list[str]] = {}
    for line in whole:
        for work in line.cell.works:
            record = found.get(work.name)
            for name in record.made.get("figures", ()) if record else ():
                file = f"{FIGURES}/{name}"
                own = drawn.setdefault(line.cell.experiment, [])
                if (folder / file).is_file() and file not in own:
                    own.append(file)
    return drawn
