"""What people say, as a report of ``timecontrol judge``, to records of the paper's cells.

A system stands for a cell when the report says of which dataset, method and size of latents it is.
Its numbers are computed again from the ratings in the report, not taken from its tables.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from timecontrol.errors import TimeControlError
from timecontrol.judging.report import FORMAT
from timecontrol.judging.summary import Said, numbers
from timecontrol.judging.tasks import TASKS
from timecontrol.reproduction.cells import cells
from timecontrol.reproduction.records import Record, Value, identity
from timecontrol.reproduction.works import DECODERS, OBJECTIVES, Work

ALGORITHM = 1
"""Goes up when the same ratings would give other numbers."""
REPORT = "report.json"
PRESETS = ("best", "paper", "released")


def judged(file: Path, scale: str, command: str) -> list[Record]:
    """Return the records that a report of ratings gives, one for each system it tells the row of.

    Args:
        file: ``report.json``, or its folder.
        scale: Whose records they are.
        command: What takes them in again.

    Raises:
        TimeControlError: It is no such report, or tells of no system whose cell there is.
    """
    place = file / REPORT if file.is_dir() else file
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
        if found["kind"] != "judging" or found["format"] != FORMAT:
            raise ValueError
        task, study = TASKS[found["study"]["task"]], found["study"]
        said: list[Said] = [(str(i), str(who), int(x)) for i, who, x in found["ratings"]]
        systems = [(str(s["system"]), dict(s["about"]), dict(s["outputs"]))
                   for s in found["systems"]]  # fmt: skip
        digest, told = str(study["digest"]), dict(study)
    except FileNotFoundError:
        raise TimeControlError(f"No report of ratings at {place}.") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise TimeControlError(
            f"{place} is no report of ratings: timecontrol judge report STUDY --out FOLDER makes "
            "one."
        ) from None
    records: dict[Work, Record] = {}
    for name, about, outputs in systems:
        if "dataset" not in about or "method" not in about:
            continue
        work = work_of(task.name, name, about)
        own = [one for one in said if one[0] in set(outputs.values())]
        values = values_of(list(outputs.values()), own)
        if not values:
            continue
        if work in records:
            raise TimeControlError(
                f"{place}: two systems stand for {work.name}: one is to have another row or seed."
            )
        recipe = {
            "algorithm": ALGORITHM,
            "work": work.told(),
            "data": digest,
            "ratings": _hash(said),
            "shown": {k: told.get(k) for k in ("question", "tail", "introduction", "wanted")},
            "identity": _hash(outputs),
        }
        made = about.get("decoder", {})
        who = {one[1] for one in own}
        records[work] = Record(
            work,
            scale,
            str(made.get("corpus", work.dataset)),
            str(made.get("base", "not told")),
            recipe,
            digest,
            command,
            values,
            {"outputs": list(outputs.values()), "ratings": [list(one) for one in own]},
            {"system": name, "about": about, "annotators": len(who), "study": found.get("command")},
            identity(recipe),
        )
    if not records:
        raise TimeControlError(
            f"{place} has ratings of no system whose row is told: make it again with --dataset and "
            "--row, as in timecontrol judge report STUDY --dataset tickettalk --row tc=TC-8."
        )
    return list(records.values())


def values_of(outputs: Sequence[str], said: Sequence[Said]) -> dict[str, Value]:
    """Return what ratings come to, over items and one by one; nothing where there are none."""
    own = numbers(outputs, said)
    if own.mean is None or own.plain_mean is None:
        return {}
    return {
        "rating": Value(own.mean, own.error, own.items),
        "rating, one by one": Value(own.plain_mean, own.naive, own.ratings),
    }


def work_of(task: str, system: str, about: Mapping[str, Any]) -> Work:
    """Return the work that a system stands for.

    Raises:
        TimeControlError: The paper has no such cell, or what wrote its outputs is of another row.
    """
    made = about.get("decoder", {})
    method, dim = about["method"], about.get("latent_dim")
    preset, seed = made.get("preset", "best"), made.get("seed", 0)
    work = Work(task, about["dataset"], method, dim, preset, seed)
    table = TASKS[task].table
    there = [w for c in cells() if c.experiment == table for w in c.works]
    known = dict.fromkeys(f"{w.dataset}/{w.row}" for w in there)
    if f"{work.dataset}/{work.row}" not in known:
        raise TimeControlError(
            f"The paper's table {table} has no {work.dataset}/{work.row}, which {system!r} should "
            f"stand for: it has {', '.join(known)}."
        )
    wanted = {
        "objective": OBJECTIVES.get(method),
        "latent_dim": dim,
        "method": DECODERS.get(method, "planned" if method in OBJECTIVES else "plain"),
    }
    if not isinstance(seed, int) or preset not in PRESETS:
        raise TimeControlError(f"{system!r} has preset {preset!r} and seed {seed!r}: no such run.")
    for what, value in wanted.items():
        if made and made.get(what) != value:
            raise TimeControlError(
                f"{system!r} should stand for {work.row}, and was written by a decoder with {what} "
                f"{made.get(what)}, not {value}."
            )
    if task == "ending" and about.get("length", "forced") != "forced":
        raise TimeControlError(
            f"The paper's endings are of texts of forced length; {system!r} is of "
            f"{about['length']} length: timecontrol generate --length forced."
        )
    return work


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
