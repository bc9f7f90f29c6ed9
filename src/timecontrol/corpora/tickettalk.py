"""TicketTalk (TM-3) from its training file for dialogue models, a TSV, or from JSON lines.

The TSV has three columns: input, target, conversation id. The input is the *latest* event, then
``<C>``, then the earlier dialogue in order; ``<U>`` and ``<A>`` mark turns, ``<P...>`` calls of a
service and its answers, which are left out. A target that begins with ``[A]`` is a reply; a call
``[PN]`` may follow it. A conversation has one row or more, each cut at another turn: the longest
counts. So the documents are *prefixes* of dialogues.

The JSON lines have ``conversation_id`` and ``turns``, a list of [speaker, text].
"""

import re
from collections.abc import Iterator
from pathlib import Path

from timecontrol.corpora.documents import Document
from timecontrol.corpora.files import BadRecord, Malformed, Record, json_lines, tsv_rows
from timecontrol.corpora.reading import (
    Format,
    Reading,
    document,
    list_of,
    name_of,
    speaker_tag,
    turn,
)

EVENT = re.compile(r"<(U|A|PN|PAN|PAV|PR|PRAN|PRAV)>")
CALL = re.compile(r"\[P[A-Z]*\]")


def turns_of(source: str, target: str) -> list[tuple[str, str]]:
    """Return the (speaker, text) turns of a row in the order in which they were said."""
    latest, _, earlier = source.partition("<C>")
    turns = []
    for part in (earlier, latest):
        _, *events = EVENT.split(part)
        for mark, text in zip(events[0::2], events[1::2], strict=True):
            if mark in ("U", "A") and text.strip():
                turns.append(("user" if mark == "U" else "assistant", text))
    if target.startswith("[A]"):
        reply = CALL.split(target[3:])[0]
        if reply.strip():
            turns.append(("assistant", reply))
    return turns


def conversations(path: Path, encoding: str = "utf-8") -> Iterator[Record]:
    """Yield each conversation once, in the order of first rows, as its longest row's turns.

    The rows of a conversation need not stand together, so the turns of all are held. A record's
    number counts conversations; malformed rows have none.
    """
    found: dict[str, Record] = {}
    for row in tsv_rows(path, encoding):
        if isinstance(row.value, Malformed):
            yield row
            continue
        if len(row.value) != 3:
            reason = f"{len(row.value)} columns, wanted 3: input, target, conversation id"
            yield Record(path, row.line, row.index, Malformed(reason))
            continue
        source, target, name = row.value
        turns = turns_of(source, target)
        known = found.get(name)
        if known is None or len(turns) > len(known.value["turns"]):
            index = len(found) if known is None else known.index
            value = {"conversation_id": name, "turns": [list(t) for t in turns]}
            found[name] = Record(path, row.line, index, value)
    yield from found.values()


def build(record: Record, reading: Reading) -> Document:
    """Build the document of a conversation, a section a turn."""
    sections = []
    for item in list_of(record.value, "turns", list):
        if len(item) != 2 or not isinstance(item[1], str):
            raise BadRecord(f"a turn must be [speaker, text], got {item!r:.60}")
        sections.append(turn(speaker_tag(item[0]), item[1]))
    return document(record, name_of(record.value, "conversation_id"), sections)


ROWS = Format("TicketTalk TSV", ("*.tsv",), conversations, build)
PREFIXES = Format("dialogue JSON lines", ("*.jsonl",), json_lines, build)
