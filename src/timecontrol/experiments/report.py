"""A result as tables: the same for the terminal and for Markdown."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

TITLES = {
    "block": "Original against its own shuffles, blocks of b sentences: accuracy in percent",
    "windows": "Original against w windows of 3 sentences shuffled: accuracy in percent",
    "mixed": "Original against shuffles of other documents: accuracy in percent",
    "top-1": "Intruder among the inner sentences",
    "k": "Which of two sentences, k apart, comes first: accuracy in percent",
}
"""By the first word of the columns."""


@dataclass(frozen=True)
class Table:
    """Columns and rows of text."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def tables(found: Mapping[str, Any]) -> list[Table]:
    """Return the rows of a result, columns of one kind together."""
    if "tables" in found:
        return [Table(t["title"], t["columns"], t["rows"]) for t in found["tables"]]
    rows: Mapping[str, Mapping[str, Any]] = found["rows"]
    columns = list(dict.fromkeys(column for cells in rows.values() for column in cells))
    kinds: dict[str, list[str]] = {}
    for column in columns:
        kinds.setdefault("top-1" if column == "MRR" else column.split()[0], []).append(column)
    show: Callable[[str, Any], str] = spread if found["task"] == "discourse" else interval
    return [
        Table(
            TITLES[kind],
            ["", *own],
            [
                [name, *(show(column, cells.get(column)) for column in own)]
                for name, cells in rows.items()
                if any(column in cells for column in own)
            ],
        )
        for kind, own in kinds.items()
    ]


def interval(column: str, cell: Mapping[str, float] | None) -> str:
    """Return ``99.0 [98.5, 99.4]``: value and 95 % interval over documents."""
    if cell is None:
        return "-"
    scale, digits = (1, 3) if column == "MRR" else (100, 1)
    value, low, high = (f"{scale * cell[name]:.{digits}f}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def spread(column: str, cell: Mapping[str, Any] | None) -> str:
    """Return ``71.7 ± 0.3``: mean and standard error over runs, or the mean alone."""
    if cell is None:
        return "-"
    error = "" if cell["error"] is None else f" ± {100 * cell['error']:.1f}"
    return f"{100 * cell['value']:.1f}{error}"


def facts(found: Mapping[str, Any]) -> list[str]:
    """Return what was measured, on what and how, a line each."""
    n, short = found["documents"], found["too_short"]
    left = f" ({short} under 3 sentences left out)" if short else ""
    lines = [f"{found['corpus']}, split {found['split']}: {n} documents{left}"]
    lines += [f"encoder {about(one)}" for one in found["encoders"]]
    lines += [f"decoder {about_decoder(one)}" for one in found.get("decoders", [])]
    lines += [f"{name}: {value}" for name, value in found["settings"].items()]
    lines.append(f"timecontrol {found['timecontrol']}")
    return lines


def about(encoder: Mapping[str, Any]) -> str:
    """Return an encoder in words."""
    s = encoder["settings"]
    tags = "with tags" if s["tags"] else "without tags"
    return (
        f"{encoder['name']}: {s['objective']}, d = {s['latent_dim']}, preset {s['preset']}, seed "
        f"{s['seed']}, {tags}, base {encoder['base']}, trained on {encoder['corpus']}, identity "
        f"{encoder['identity'][:12]}"
    )


def about_decoder(decoder: Mapping[str, Any]) -> str:
    """Return a decoder in words."""
    s, encoder = decoder["settings"], decoder["encoder"]
    trained = f"LoRA {s['lora']}" if s["lora"] else "all weights"
    words = f"{decoder['name']}: {s['method']}, preset {s['preset']}, seed {s['seed']}, {trained}, "
    words += f"base {decoder['base']}, trained on {decoder['corpus']}"
    if encoder:
        words += f", encoder {encoder['objective']} d = {encoder['latent_dim']} ({encoder['base']})"
    return f"{words}, identity {decoder['identity'][:12]}"


def markdown(found: Mapping[str, Any]) -> str:
    """Return a result as a page."""
    parts = [f"# {found['task'].capitalize()}: {found['corpus']}", f"    {found['command']}"]
    parts.append("\n".join(f"- {line}" for line in facts(found)))
    shown = [Table(t["title"], t["columns"], t["rows"]) for t in found.get("examples", [])]
    for table in [*tables(found), *shown]:
        rule = "|---" + "|---:" * (len(table.columns) - 1) + "|"
        lines = [_row(table.columns), rule, *map(_row, table.rows)]
        parts += [f"## {table.title}", "\n".join(lines)]
    parts.append(found.get("note") or NOTES.get(found["task"], NOTES["others"]))
    return "\n\n".join(parts) + "\n"


NOTES = {
    "discourse": "Mean ± standard error over the runs named above; every run is in the JSON file.",
    "others": "In brackets: 95 % percentile bootstrap interval over documents.",
}


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(re.sub(r"\|", r"\\|", cell) for cell in cells) + " |"
