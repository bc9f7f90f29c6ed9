"""The report of a study: plain data, and the same as Markdown.

Annotators are told by number, in the order of their first ratings; their names stay in the study.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from timecontrol import __version__
from timecontrol.errors import TimeControlError
from timecontrol.judging.agreement import agreement
from timecontrol.judging.store import Study
from timecontrol.judging.summary import Said, annotators, compared, items_of, numbers

FORMAT = 1
NOTE = (
    "**Mean ± error**: over items, whose ratings are averaged first; the error is over items, for "
    "these annotators. **Naive**: all ratings one by one, as if they were independent. The paper "
    "prints a number after ± without saying what it is. **Differences**: over "
    "the examples that both systems have, with the 95 % interval of examples drawn again. "
    "**Alpha**: Krippendorff's; 1 is agreement, 0 no more than by chance."
)


def report_of(
    study: Study, command: str, rows: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Return what the ratings of a study say.

    Args:
        study: With ratings.
        command: What makes the report again.
        rows: For which cells of the paper's tables systems stand, beside what the study says.

    Raises:
        TimeControlError: Nothing has been rated yet.
    """
    ratings = study.ratings()
    if not ratings:
        raise TimeControlError(
            f"No ratings in {study.file} yet: timecontrol app --study {study.file} collects them."
        )
    number = {name: i for i, name in enumerate(dict.fromkeys(r.annotator for r in ratings), 1)}
    said: list[Said] = [(r.item, str(number[r.annotator]), r.rating) for r in ratings]
    seconds: dict[str, list[float]] = {}
    for r in ratings:
        if r.seconds is not None:
            seconds.setdefault(str(number[r.annotator]), []).append(r.seconds)
    outputs: dict[str, dict[str, str]] = {name: {} for name in study.systems}
    for output in study.outputs:
        outputs[output.system][output.example] = output.item
    systems = [
        {
            "system": name,
            "about": {**study.systems[name], **(rows or {}).get(name, {})},
            **numbers(list(own.values()), said).as_dict(),
            "outputs": own,
        }
        for name, own in outputs.items()
    ]
    return {
        "format": FORMAT,
        "kind": "judging",
        "command": command,
        "timecontrol": __version__,
        "study": {
            "task": study.task.name,
            "question": study.task.question,
            "digest": study.digest,
            "seed": study.seed,
            "wanted": study.wanted,
            "tail": study.tail,
            "introduction": study.introduction,
            "created": study.created,
            "items": len(study.examples),
        },
        "annotators": [asdict(one) for one in annotators(said, seconds)],
        "systems": systems,
        "differences": compared(outputs, said),
        "agreement": agreement(list(items_of(said).values())).as_dict(),
        "revised": sum(r.revised for r in ratings),
        "ratings": [list(one) for one in said],
    }


Table = tuple[list[str], list[list[str]]]
"""Columns and rows."""


def systems_table(found: Mapping[str, Any]) -> Table:
    """Return what was said of each system."""
    columns = ["system", "mean", "naive", "items", "ratings", "annotators", "1", "2", "3", "4", "5"]
    rows = [
        [
            s["system"],
            _with(s["mean"], s["error"]),
            _with(s["plain_mean"], s["naive"]),
            *(str(s[name]) for name in ("items", "ratings", "annotators")),
            *map(str, s["counts"]),
        ]
        for s in found["systems"]
    ]
    return columns, rows


def differences_table(found: Mapping[str, Any]) -> Table:
    """Return every two systems beside each other."""
    rows = []
    for row in found["differences"]:
        cells = [f"{row['other']} - {row['first']}"]
        if row["examples"]:
            value, low, high = (f"{row[name]:+.2f}" for name in ("value", "low", "high"))
            cells += [value, f"[{low}, {high}]", row["verdict"]]
        else:
            cells += ["", "", "no example rated for both"]
        rows.append([*cells, str(row["examples"])])
    return ["", "difference", "95 %", "", "examples"], rows


def annotators_table(found: Mapping[str, Any]) -> Table:
    """Return who rated, by number."""
    rows = [
        [
            one["name"],
            str(one["ratings"]),
            f"{one['mean']:.2f}",
            "" if one["seconds"] is None else f"{one['seconds']:.1f}",
            "; ".join(one["flags"]),
        ]
        for one in found["annotators"]
    ]
    return ["annotator", "ratings", "mean", "seconds", "noticed"], rows


def agreement_line(found: Mapping[str, Any]) -> str:
    """Return how far people agree, in a line."""
    own = found["agreement"]
    if not own["pairs"]:
        return "Agreement cannot be told: no item has two ratings."
    ordinal, interval = ("not defined" if own[name] is None else f"{own[name]:.2f}"
                         for name in ("ordinal", "interval"))  # fmt: skip
    return (
        f"Alpha {ordinal} (ordinal), {interval} (interval); two ratings of an item are the same in "
        f"{100 * own['same']:.0f} % and at most 1 apart in {100 * own['within_one']:.0f} % of "
        f"{own['pairs']:,} pairs ({own['items']:,} items)."
    )


def markdown(found: Mapping[str, Any]) -> str:
    """Return a report as Markdown."""
    study = found["study"]
    each = "all items each" if study["wanted"] is None else f"{study['wanted']} ratings an item"
    facts = [
        f"items: {study['items']}, of them without a rating: {_unrated(found)}",
        f"ratings: {len(found['ratings'])} by {len(found['annotators'])} people ({each} wanted), "
        f"changed: {found['revised']}",
        f"shown: at most {study['tail']} lines of a text, or sentences on each side of a gap",
        f"study: {study['digest']}, seed {study['seed']}, created {study['created']}",
        f"timecontrol {found['timecontrol']}",
    ]
    told = [f"{s['system']}: {about(s['about'])}" for s in found["systems"] if s["about"]]
    parts = [
        f"# Judged: {study['task']}",
        f"    {found['command']}",
        f"*{study['question']}* From 1 to 5. {study['introduction']}".strip(),
        "\n".join(f"- {line}" for line in [*facts, *told]),
        _markdown(systems_table(found)),
        NOTE,
    ]
    if found["differences"]:
        parts += ["## Differences", _markdown(differences_table(found))]
    parts += ["## Agreement", agreement_line(found)]
    parts += ["## Annotators", _markdown(annotators_table(found))]
    return "\n\n".join(parts) + "\n"


def about(own: Mapping[str, Any]) -> str:
    """Return what is known of a system, in a line."""
    row = own.get("method", "")
    if row and own.get("latent_dim") is not None:
        row += f" ({own['latent_dim']})"
    made = own.get("decoder", {})
    base, corpus = (f"{name} {made[name]}" if name in made else "" for name in ("base", "corpus"))
    identity = f"identity {made['identity'][:12]}" if "identity" in made else ""
    told = [row, own.get("dataset", ""), own.get("plan", ""), own.get("length", "")]
    return ", ".join(filter(None, [*told, base, corpus, identity]))


def _unrated(found: Mapping[str, Any]) -> int:
    return int(found["study"]["items"]) - len({item for item, _, _ in found["ratings"]})


def _with(value: float | None, error: float | None) -> str:
    """Return a number with its error."""
    if value is None:
        return "-"
    return f"{value:.2f}" if error is None else f"{value:.2f} ± {error:.2f}"


def _markdown(table: Table) -> str:
    columns, rows = table
    rule = "|---" + "|---:" * (len(columns) - 1) + "|"
    return "\n".join([_row(columns), rule, *map(_row, rows)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
