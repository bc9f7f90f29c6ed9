"""``timecontrol reproduce``: the paper's tables and figures, ours beside theirs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from timecontrol.cli.console import note, plural, print_json, progress, say, shown, table
from timecontrol.cli.options import AsJson, Device, Dtype
from timecontrol.errors import TimeControlError

if TYPE_CHECKING:
    from timecontrol.reproduction.grid import Grid
    from timecontrol.reproduction.records import Record
    from timecontrol.reproduction.works import Work
    from timecontrol.reproduction.workshop import Workshop

EPILOG = "Example: timecontrol reproduce discourse_coherence --scale small --dataset wikisection"

REASONS = 4
"""Why runs are not possible here: so many reasons of an experiment are shown."""


def run(
    experiment: Annotated[
        list[str] | None, typer.Argument(help="Which; all otherwise. --list names them.")
    ] = None,
    scale: Annotated[
        str, typer.Option(help="smoke (minutes, made documents), small (stand-ins) or full.")
    ] = "small",
    show: Annotated[
        bool, typer.Option("--list", help="Say what there is and what can run here; run nothing.")
    ] = False,
    report_only: Annotated[
        bool, typer.Option("--report", help="Make the report of what is there; run nothing.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Compute again what records tell; run nothing.")
    ] = False,
    dataset: Annotated[
        list[str] | None, typer.Option(help="The paper's name of a corpus; may be repeated.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="A row of the paper: TC, VAE, GPT2 ...; likewise.")
    ] = None,
    dim: Annotated[
        list[int] | None,
        typer.Option(help="A size of latents, where a method has any; likewise."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="counts, probe, paths, texts, adherence, perplexity ...; likewise."),
    ] = None,
    preset: Annotated[
        list[str] | None, typer.Option(help="best, paper or released; likewise.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="A pattern of runs' names; likewise.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="For records and report: reproduction/SCALE otherwise.")
    ] = None,
    work: Annotated[
        Path | None, typer.Option(help="For encoders, decoders and texts: OUT/work otherwise.")
    ] = None,
    corpus: Annotated[
        list[str] | None, typer.Option(help="DATASET=NAME:PATH, instead of the scale's.")
    ] = None,
    decoder: Annotated[
        list[str] | None,
        typer.Option(help="DATASET/ROW=RUN: one that is there, as wikisection/TC-8=wikisection."),
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(help="A report of judge, of what people say: taken in; nothing is run."),
    ] = None,
    encoder_base: Annotated[str | None, typer.Option(help="Instead of the scale's.")] = None,
    decoder_base: Annotated[str | None, typer.Option(help="Instead of the scale's.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Runs of each.")] = None,
    documents: Annotated[
        int | None, typer.Option(min=2, help="That each decoder writes in each way.")
    ] = None,
    judged: Annotated[
        int | None, typer.Option(min=2, help="Of those, whose adherence is looked at.")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="Documents written at once.")] = 64,
    compiled: Annotated[
        bool, typer.Option("--compile", help="Compile layers before training, on a GPU.")
    ] = False,
    limit: Annotated[
        float, typer.Option(min=0, help="Nothing is begun after so many minutes; 0: no limit.")
    ] = 0.0,
    device: Device = "auto",
    dtype: Dtype = "auto",
    as_json: AsJson = False,
) -> None:
    """Run the paper's experiments, and set ours beside the paper's numbers.

    What is finished is not run again; several processes with the same command share the work. A
    cell without a run is blank.
    """
    from timecontrol.errors import pick
    from timecontrol.reproduction.given import given_from
    from timecontrol.reproduction.grid import FIRST, Asked, Grid
    from timecontrol.reproduction.scales import DATASETS, DIMS, scale_named
    from timecontrol.reproduction.works import METHODS

    if show + report_only + check > 1:
        raise TimeControlError("One of --list, --report and --check at a time.")
    if ratings and (show or check):
        raise TimeControlError("--ratings takes ratings in: not with --list or --check.")
    report_only = report_only or bool(ratings)
    for number in dim or ():
        if number not in DIMS:
            raise TimeControlError(f"--dim {number}: the paper's sizes are 8, 16 and 32.")
    if not (show or report_only or check):
        from timecontrol.devices import choose_device, choose_dtype

        choose_dtype(dtype, choose_device(device))
    for values, known, what in (
        (dataset, DATASETS, "dataset"),
        (method, METHODS, "method"),
        (kind, FIRST, "kind"),
        (preset, ("best", "paper", "released"), "preset"),
    ):
        for value in values or ():
            pick(dict.fromkeys(known), value, what)
    settings = scale_named(
        scale,
        _pairs(corpus or ()),
        encoder_base=encoder_base,
        decoder_base=decoder_base,
        seeds=seeds,
        documents=documents,
        judged=judged,
    )
    asked = Asked(
        experiment or (),
        dataset or (),
        method or (),
        dim or (),
        kind or (),
        preset or ("best",),
        only or (),
    )
    given = given_from(decoder or [])
    grid = Grid(settings, asked, given)
    folder = out or Path("reproduction") / scale
    if folder.exists() and not folder.is_dir():
        raise TimeControlError(f"--out is {folder}: a file; give a folder.")
    if show:
        listed(grid, folder, as_json)
        return
    if check:
        checked(folder, as_json)
        return
    failed = 0
    if ratings:
        _take_in(ratings, folder, settings.name)
    if not report_only:
        from timecontrol.experiments.evaluate import Place
        from timecontrol.reproduction.workshop import Workshop

        place = Place(device, dtype, progress)
        made = work or folder / "work"
        shop = Workshop(settings, made, place, batch, compiled, given)
        failed = _run(grid, folder, shop, limit * 60)
    finish(grid, folder, as_json)
    if failed:
        note(f"timecontrol: {plural(failed, 'run')} failed, see above; the others are there.")
        raise typer.Exit(1)


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, sign, spec = text.partition("=")
        if not sign or not spec:
            raise TimeControlError(f"--corpus {text}: DATASET=NAME:PATH, as in tm2=sgd:FOLDER.")
        found[name] = spec
    return found


def _take_in(files: Sequence[Path], folder: Path, scale: str) -> None:
    """Keep what people say as records, and say what it is."""
    import shlex

    from timecontrol.reproduction.judged import judged
    from timecontrol.reproduction.records import keep

    for file in files:
        words = ["timecontrol", "reproduce", "--scale", scale, "--ratings", str(file)]
        for record in judged(file, scale, shlex.join(words)):
            keep(record, folder)
            own = record.values["rating"]
            note(f"{record.work.name}: {own.value:.2f} ({plural(own.n, 'item')})")


def _run(grid: "Grid", folder: Path, shop: "Workshop", limit: float) -> int:
    """Run what is not done, say what each run came to, and return how many failed."""
    from timecontrol.reproduction.commands import command_of
    from timecontrol.reproduction.grid import run_all

    works = grid.works
    if not works:
        why = grid.hindrances or ["no such runs"]
        said = why[0].rstrip(".")
        raise TimeControlError(f"Nothing of that can run here: {said}. See --list.")
    done = failed = 0

    def tell(work: "Work", record: "Record | None", why: str) -> None:
        nonlocal done, failed
        if record is None:
            failed += 1
            note(f"failed  {work.name}: {why}")
            return
        done += 1
        first = [f"{name} {value.value:.4g}" for name, value in list(record.values.items())[:3]]
        note(f"{done} of {len(works)} at most  {work.name}: {', '.join(first)}")

    def command(work: "Work") -> str:
        return command_of(work, grid.scale, grid.given)

    run_all(works, folder, shop, command, tell, limit or float("inf"))
    return failed


def listed(grid: "Grid", folder: Path, as_json: bool) -> None:
    """Say which experiments there are, how many cells, and what can run here."""
    from timecontrol.reproduction.cells import experiments
    from timecontrol.reproduction.records import records

    found = records(folder, grid.scale.name)
    rows: list[dict[str, Any]] = []
    for name in grid.asked.experiments or experiments():
        cells = [cell for cell in grid.cells if cell.experiment == name]
        runs = dict.fromkeys(w for cell in cells for w in cell.works if grid.asked.wants(w))
        hindered = [reason for work in runs if (reason := grid.hindrance(work))]
        why = dict.fromkeys([*filter(None, (cell.reason for cell in cells)), *hindered])
        rows.append(
            {
                "experiment": name,
                "what": cells[0].about.what,
                "cells": len(cells),
                "runs": len(runs),
                "can run": len(runs) - len(hindered),
                "records": sum(work.name in found for work in runs),
                "why not": list(why),
            }
        )
    if as_json:
        print_json({"scale": grid.scale.name, "experiments": rows})
        return
    columns = ["experiment", "cells", "runs", "can run", "records"]
    table(columns, [[str(row[c]) for c in columns] for row in rows])
    say()
    for row in rows:
        say(shown(f"{row['experiment']}: {row['what']}"))
        for why in row["why not"][:REASONS]:
            say(shown(f"  not: {why}"))
        if (more := len(row["why not"]) - REASONS) > 0:
            say(f"  not: {plural(more, 'other reason')} (--json)")


def checked(folder: Path, as_json: bool) -> None:
    """Say which records hold: their ids, and their numbers computed again from what they keep."""
    from timecontrol.reproduction.recompute import faults, recomputed
    from timecontrol.reproduction.records import FOLDER, read_record

    files = sorted((folder / FOLDER).glob("*.json"))
    if not files:
        raise TimeControlError(f"No records in {folder / FOLDER}.")
    wrong, numbers = [], 0
    for file in files:
        try:
            record = read_record(file)
        except TimeControlError as error:
            wrong.append(str(error))
            continue
        if found := faults(record):
            wrong += [f"{file.name}: {fault}" for fault in found]
        else:
            numbers += len(recomputed(record))
    if as_json:
        print_json({"records": len(files), "numbers": numbers, "wrong": wrong})
        raise typer.Exit(1 if wrong else 0)
    for line in wrong:
        say(shown(line))
    say(f"{plural(len(files), 'record')}, {numbers:,} numbers computed again, {len(wrong)} wrong.")
    if wrong:
        raise typer.Exit(1)


def finish(grid: "Grid", folder: Path, as_json: bool) -> None:
    """Write the report of what is there, and say what that is."""
    from timecontrol.reproduction.folder import REPORT, write_report
    from timecontrol.reproduction.report import summary

    lines = write_report(grid, folder)
    if as_json:
        print_json({"scale": grid.scale.name, "lines": [line.as_dict() for line in lines]})
        return
    told = summary(lines)
    table(told.columns, told.rows)
    say(shown(f"\nWritten to {folder / REPORT}.md, .html and .json."))
