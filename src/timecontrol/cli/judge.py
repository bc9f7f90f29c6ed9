"""``timecontrol judge``: studies of people's ratings made, reported and exported."""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from timecontrol.cli.console import note, plural, print_json, say, shown, table
from timecontrol.cli.options import AsJson
from timecontrol.errors import TimeControlError, pick

if TYPE_CHECKING:
    from timecontrol.judging import Study

app = typer.Typer(
    help="Let people judge what systems wrote, blind, and say what came out.",
    epilog="Example: timecontrol judge report endings.sqlite",
    no_args_is_help=True,
)

REPORT = "report"

Dataset = Annotated[str | None, typer.Option(help="The paper's name of a corpus, for reproduce.")]
Row = Annotated[
    list[str] | None,
    typer.Option(help="SYSTEM=ROW of the paper, for reproduce: tc=TC-8; may be repeated."),
]
StudyFile = Annotated[Path, typer.Argument(metavar="STUDY", help="The file of a study, .sqlite.")]


@app.command(
    "create",
    epilog="Example: timecontrol judge create endings.sqlite tc.jsonl gpt2.jsonl --task ending",
)
def create(
    study: StudyFile,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Outputs as JSON lines; a file for each system."),
    ],
    task: Annotated[
        str, typer.Option(help="ending: of a text or dialogue; infill: what was put into a gap.")
    ],
    tail: Annotated[
        int, typer.Option(help="Lines of a text that are shown, or sentences beside a gap.")
    ] = 5,
    per_item: Annotated[
        int | None, typer.Option(help="Ratings wanted of each item; otherwise everybody rates all.")
    ] = None,
    examples: Annotated[
        int | None, typer.Option(help="Only so many, drawn from those that all systems have.")
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(help="The system of each file, in their order; the files' names otherwise."),
    ] = None,
    corpus: Annotated[
        str | None, typer.Option(help="Of the gaps, for what evaluate infilling keeps.")
    ] = None,
    dataset: Dataset = None,
    row: Row = None,
    introduction: Annotated[str, typer.Option(help="What those who rate are told first.")] = "",
    seed: Annotated[int, typer.Option(help="Of the orders, and of --examples.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Make a study of what several systems wrote; those who rate are not told which is whose.

    Read are lines of generate --format jsonl, of infill --json, what evaluate infilling keeps, and
    plain ones: system, id, text; or system, id, left, fill, right.
    """
    from timecontrol.judging import create_study, read_outputs
    from timecontrol.judging.items import only, placed

    found = read_outputs(files, task, tail=tail, systems=system or (), corpus=corpus)
    found = placed(found, _rows(row or [], dataset, found.systems))
    if examples is not None:
        found = only(found, examples, seed)
    made = create_study(study, found, seed=seed, wanted=per_item, introduction=introduction)
    many = {name: sum(o.system == name for o in made.outputs) for name in made.systems}
    if as_json:
        told = {"file": str(study), "task": made.task.name, "digest": made.digest}
        counts = {"items": len(found.items), "shared": found.shared, "systems": many}
        print_json({**told, **counts})
        return
    say(shown(f"{study}: {plural(len(found.items), 'item')} to judge, {made.task.question}"))
    for name, count in many.items():
        say(shown(f"  {name}: {plural(count, 'output')}"))
    if found.shared:
        again = "is the same as another one" if found.shared == 1 else "are the same as others"
        say(f"  {plural(found.shared, 'output')} {again}: judged once, counted for each")
    say(shown(f"Next: timecontrol app --study {study}"))


@app.command(
    "report", epilog="Example: timecontrol judge report endings.sqlite --out endings-report"
)
def report(
    study: StudyFile,
    out: Annotated[
        Path | None, typer.Option(help="A folder for report.md and report.json.")
    ] = None,
    dataset: Dataset = None,
    row: Row = None,
    as_json: AsJson = False,
) -> None:
    """Say what people judged: means with their errors, differences, agreement."""
    from timecontrol.judging import open_study
    from timecontrol.judging.report import (
        agreement_line,
        annotators_table,
        differences_table,
        markdown,
        report_of,
        systems_table,
    )
    from timecontrol.runs import write_json, write_text

    if out is not None and out.exists() and not out.is_dir():
        raise TimeControlError(f"--out is {out}: a file; give a folder.")
    own = open_study(study)
    rows = _rows(row or [], dataset, own.systems)
    found = report_of(own, shlex.join(["timecontrol", *sys.argv[1:]]), rows)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_text(out / f"{REPORT}.md", markdown(found))
        write_json(out / f"{REPORT}.json", found)
        note(f"Written to {out / REPORT}.md and .json.")
    if as_json:
        print_json(found)
        return
    say(shown(found["study"]["question"]))
    table(*systems_table(found))
    if found["differences"]:
        say()
        table(*differences_table(found))
    say(shown(f"\n{agreement_line(found)}"))
    columns, people = annotators_table(found)
    if noticed := [line for line in people if line[-1]]:
        say()
        table(columns, noticed, numbers=False)


@app.command(
    "export", epilog="Example: timecontrol judge export endings.sqlite --out ratings.jsonl"
)
def export(
    study: StudyFile,
    out: Annotated[
        Path | None, typer.Option(help="A file of JSON lines; otherwise they are printed.")
    ] = None,
) -> None:
    """Give every rating as a line of JSON: who, what of which system, how, when.

    A rating of words that two systems wrote is a line for each.
    """
    from timecontrol.judging import open_study

    if out is not None and (out.is_dir() or not out.parent.is_dir()):
        raise TimeControlError(f"--out is {out}: give a file in a folder that is there.")
    lines = list(_lines(open_study(study)))
    if out is None:
        for line in lines:
            print_json(line, line=True)
        return
    from timecontrol.runs import write_text

    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_text(out, text)
    say(shown(f"Written to {out}: {plural(len(lines), 'line')}."))


def _lines(study: "Study") -> list[dict[str, Any]]:
    """Return every rating as plain data."""
    whose: dict[str, list[tuple[str, str]]] = {}
    for output in study.outputs:
        whose.setdefault(output.item, []).append((output.system, output.example))
    ratings, texts = study.ratings(), study.texts()
    number = {name: i for i, name in enumerate(dict.fromkeys(r.annotator for r in ratings), 1)}
    return [
        {
            "study": study.digest,
            "task": study.task.name,
            "item": r.item,
            "system": system,
            "example": example,
            "annotator": number[r.annotator],
            "name": r.annotator,
            "rating": r.rating,
            "seconds": r.seconds,
            "time": r.time,
            "revised": r.revised,
            **texts[r.item],
        }
        for r in ratings
        for system, example in whose[r.item]
    ]


def _rows(
    texts: list[str], dataset: str | None, systems: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return for which cells of the paper's tables systems stand, from ``SYSTEM=ROW``."""
    from timecontrol.reproduction.scales import DATASETS
    from timecontrol.reproduction.works import METHODS

    if dataset is not None:
        pick(dict.fromkeys(DATASETS), dataset, "dataset")
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, sign, row = text.rpartition("=")
        method, _, dim = row.partition("-")
        if not sign or method not in METHODS or (dim and not dim.isdecimal()):
            raise TimeControlError(
                f"--row {text}: SYSTEM=ROW, as in tc=TC-8 or gpt2=GPT2; rows: "
                f"{', '.join(METHODS)}, with -8, -16 or -32 where they have latents."
            )
        pick(systems, name, "system")
        found[name] = {"method": method, **({"latent_dim": int(dim)} if dim else {})}
    if dataset is not None:
        found = {name: {**found.get(name, {}), "dataset": dataset} for name in systems}
    return found
