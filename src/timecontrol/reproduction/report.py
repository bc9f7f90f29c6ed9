"""Lines to a report: for every experiment, corpus and column a table, ours beside the paper's.

The same sections become Markdown here and a page in ``page.py``.
"""

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from timecontrol.reproduction.cells import experiments
from timecontrol.reproduction.lines import Line, Ours
from timecontrol.reproduction.printed import Printed
from timecontrol.reproduction.records import Record

DIGITS = {
    "percent": 1,
    "percent, adherence as it is": 1,
    "tokens": 1,
    "GPT-2 tokens": 1,
    "documents": 0,
    "sentences": 1,
}
"""Places after the point, by unit; 2 for what is not named."""

ABOUT = (
    "Every number that the paper prints is here, and every cell without a run of ours is blank. "
    "**Paper**: the corrected version; **original**: the camera-ready one, as its appendix "
    "reprints it, without a word on how it was decoded; it stands beside STATIC, as the paper says "
    "that its first code did not go towards the goal. What follows ± there is the standard "
    "deviation of three runs, called a standard error. **Ours**: mean ± standard error over "
    "*seeds*, each a training of its own; over documents where there is one seed (°). Preset "
    "`best` unless the row says another; STATIC of `best` and `paper` is a plan that is truly "
    "constant, of `released` the authors' noisy one. **n**: documents of each run, or pairs of "
    "sentences (order of sentences). **Difference**: ours less the paper's; where base and corpus "
    "are stand-ins, it is no measure of success. **Released rule**: the same latents or texts by "
    "the definition of the authors' code. **Run**: ids; the file of each in `records/` has the "
    "hash of its documents, its recipe and its command."
)


@dataclass(frozen=True)
class Table:
    """Columns and rows of text, and what is to be said of them."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)
    command: str = ""


@dataclass(frozen=True)
class Section:
    """One experiment."""

    name: str
    about: str
    tables: list[Table]
    figures: list[str] = field(default_factory=list)
    """Files, seen from the report."""


@dataclass(frozen=True)
class Example:
    """The end of a written text."""

    title: str
    rows: list[tuple[str, str]]
    """Which way of writing, and the text."""


def sections(
    lines: Sequence[Line], figures: Mapping[str, Sequence[str]], scale: str
) -> list[Section]:
    """Return the experiments of a report, each with its tables.

    Args:
        lines: Of all cells that are wanted.
        figures: Files of each experiment.
        scale: Its name, for the commands.
    """
    found = []
    for name in experiments():
        own = [line for line in lines if line.cell.experiment == name]
        if not own:
            continue
        groups: dict[tuple[str, str], list[Line]] = {}
        printed = any(line.paper is not None for line in own)
        for line in own:
            column = line.cell.column if printed and line.cell.label else ""
            groups.setdefault((line.cell.dataset, column), []).append(line)
        make = _table if printed else _side_by_side
        tables = [make(*key, some, scale) for key, some in groups.items()]
        about = own[0].cell.about
        unit = f"In {about.unit}" if about.unit else ""
        better = {True: "more is better", False: "less is better", None: ""}[about.larger]
        told = "; ".join(part for part in (unit, better) if part)
        found.append(Section(name, f"{about.what}. {told}.", tables, list(figures.get(name, ()))))
    return found


def _table(dataset: str, column: str, own: Sequence[Line], scale: str) -> Table:
    """Return one table; columns in which nothing stands are left out."""
    digits = digits_of(own[0])
    printed = [line for line in own if line.paper is not None]
    ours = [line.ours for line in own if line.ours is not None]
    columns = ["", *(["paper"] if printed else [])]
    original = any(line.cell.original for line in own)
    released = any(o.released is not None for o in ours)
    columns += ["original"] if original else []
    columns += ["ours"]
    columns += ["difference"] if printed else []
    columns += ["released rule"] if released else []
    columns += ["seeds", "n", "base", "run"]
    rows = []
    for line in own:
        cells = [line.cell.label or line.cell.column]
        if printed:
            cells.append(theirs(line.cell.corrected, digits))
        if original:
            cells.append(theirs(line.cell.original, digits))
        cells.append(told(line.ours, digits))
        if printed:
            apart = line.difference
            cells.append("" if apart is None else f"{apart:+.{digits}f}")
        o = line.ours
        if released:
            value = None if o is None else o.released
            cells.append("" if value is None else f"{value:.{digits}f}")
        cells += [""] * 4 if o is None else [str(len(o.seeds)), f"{o.n:,}", o.base, ids(o)]
        rows.append(cells)
    title = f"{dataset}, {column}" if column else dataset
    return Table(title, columns, rows, _notes(own), _command(own, scale))


def _side_by_side(dataset: str, column: str, own: Sequence[Line], scale: str) -> Table:
    """Return the cells of one experiment and corpus in one table, a column for each measure."""
    del column
    columns = list(dict.fromkeys(line.cell.column for line in own))
    labels = dict.fromkeys(line.cell.label for line in own)
    by_place = {(line.cell.label, line.cell.column): line for line in own}
    rows = []
    for label in labels:
        here = [by_place.get((label, name)) for name in columns]
        cells = [told(line.ours, digits_of(line)) if line else "" for line in here]
        ours = [line.ours for line in here if line is not None and line.ours is not None]
        counts = ((len(o.seeds) for o in ours), (o.n for o in ours))
        many = [", ".join(f"{x:,}" for x in dict.fromkeys(some)) for some in counts]
        runs = " ".join(dict.fromkeys(map(ids, ours)))
        rows.append([label, *cells, *many, runs])
    names = [name or own[0].cell.about.unit for name in columns]
    heads = ["", *names, "seeds", "n", "run"]
    return Table(dataset, heads, rows, _notes(own, True), _command(own, scale))


def ids(ours: Ours) -> str:
    """Return the runs of a number, each by the first letters of its id."""
    return " ".join(own[:6] for own in ours.ids)


def digits_of(line: Line | None) -> int:
    """Return how many places after the point a number has."""
    if line is None or line.cell.column.lower().find("r2") >= 0:
        return 2
    return DIGITS.get(line.cell.about.unit, 2)


def _notes(own: Sequence[Line], bases: bool = False) -> list[str]:
    """Return what is to be said of some lines: corpus, decoders, what is blank and why."""
    ours = [line.ours for line in own if line.ours is not None]
    corpora, names, given = (
        list(dict.fromkeys(getattr(o, what) for o in ours if getattr(o, what)))
        for what in ("corpus", "base", "given")
    )
    notes = [f"Ours on {'; '.join(corpora)}."] if corpora else []
    if bases and names:
        notes.append(f"Base: {'; '.join(names)}.")
    if given:
        notes.append(f"Written by a decoder that was there already: {', '.join(given)}.")
    if left := sum(o.others for o in ours):
        notes.append(f"Left out, as more than their seeds differs: {left} runs.")
    blank = Counter(line.why for line in own if line.ours is None)
    notes += [f"Blank ({count}): {why}." for why, count in blank.items()]
    both = (p for line in own for p in (line.cell.corrected, line.cell.original))
    notes += [f"Paper: {note}." for note in sorted({p.note for p in both if p and p.note})]
    return notes


def _command(own: Sequence[Line], scale: str) -> str:
    """Return what makes some lines again, as their first run was made; nothing where none was."""
    ours = next((line.ours for line in own if line.ours), None)
    if ours is None:
        return ""
    words = shlex.split(ours.commands[0])
    at = words.index("--only") if "--only" in words else len(words)
    rest = words[4:at] + words[at + 2 :]
    cell = own[0].cell
    head = ["timecontrol", "reproduce", cell.experiment, "--scale", scale]
    return shlex.join([*head, "--dataset", cell.dataset, *rest])


def theirs(p: Printed | None, digits: int) -> str:
    """Return a printed number as it is printed."""
    if p is None:
        return ""
    places = max(digits, 1 if p.value != round(p.value) else 0)
    spread = "" if p.spread is None else f" ± {p.spread:g}"
    return f"{p.value:.{places}f}{spread}"


def told(ours: Ours | None, digits: int) -> str:
    """Return our number with its error; the error of a single run is marked."""
    if ours is None:
        return ""
    error = "" if ours.error is None else f" ± {ours.error:.{digits}f}"
    mark = "°" if error and ours.over != "seeds" else ""
    return f"{ours.value:.{digits}f}{error}{mark}"


def shown_texts(found: Mapping[str, Record]) -> list[Example]:
    """Return the ends of texts that may be shown, by corpus and length."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for record in found.values():
        work = record.work
        for example in record.each.get("examples", ())[:1]:
            way = ", ".join(part for part in (work.row, work.plan, f"seed {work.seed}") if part)
            if work.noise != 1:
                way += f", {work.noise:g} x noise"
            title = f"{record.corpus}, {work.length}"
            known = f"{example['known 8-grams']:g} % of its 8-grams in training documents"
            groups.setdefault(title, []).append((f"{way} ({known})", example["tail"]))
    return [Example(title, rows) for title, rows in groups.items()]


def summary(lines: Sequence[Line]) -> Table:
    """Return how many cells of each experiment are there."""
    rows = []
    for name in experiments():
        own = [line for line in lines if line.cell.experiment == name]
        if own:
            there = sum(line.ours is not None for line in own)
            both = (p for line in own for p in (line.cell.corrected, line.cell.original))
            printed = {p for p in both if p is not None}
            rows.append([name, str(len(printed)), str(len(own)), str(there)])
    return Table("What is there", ["experiment", "numbers of the paper", "cells", "ours"], rows)


def looks(found: Mapping[str, Record]) -> int:
    """Return how often test documents were looked at: once by each probe and each perplexity."""
    return sum(record.work.kind in ("probe", "perplexity") for record in found.values())


def markdown(
    whole: Sequence[Section], lines: Sequence[Line], found: Mapping[str, Record], command: str
) -> str:
    """Return the report as Markdown."""
    parts = ["# Reproduction", f"    {command}", ABOUT]
    parts.append(f"Looks at test documents: {looks(found)}, one by each probe and perplexity.")
    parts.append(_markdown(summary(lines)))
    for section in whole:
        parts += [f"## {section.name}", section.about]
        parts += [f"![{caption(file)}]({file})\n\n*{caption(file)}*" for file in section.figures]
        for table in section.tables:
            parts += [f"### {section.name}: {table.title}", _markdown(table)]
    if texts := shown_texts(found):
        parts += ["## Ends of texts", SHOWN]
        for example in texts:
            parts.append(f"### {example.title}")
            parts += [f"**{way}**: {_escaped(text)}" for way, text in example.rows]
    return "\n\n".join(parts) + "\n"


SHOWN = (
    "The last sentences of the first document of each way of writing of which little stands in the "
    "training documents, and only of corpora under open licences."
)


def caption(file: str) -> str:
    """Return what a figure shows, from the name of its file."""
    words = Path(file).stem.replace("_best_0", "").replace("_", " ").replace("=", " ")
    return words.replace("-trajectories", ": documents and the same shuffled").replace(
        "-band", ": mean and standard deviation"
    )


def _markdown(table: Table) -> str:
    rule = "|---" + "|---:" * (len(table.columns) - 1) + "|"
    rows = ["| " + " | ".join(map(_escaped, row)) + " |" for row in (table.columns, *table.rows)]
    text = "\n".join([rows[0], rule, *rows[1:]])
    notes = " ".join(map(_escaped, table.notes))
    command = f"    {table.command}" if table.command else ""
    return "\n\n".join(part for part in (text, notes, command) if part)


def _escaped(text: str) -> str:
    return re.sub(r"([|*_<\[\]])", r"\\\1", text)
