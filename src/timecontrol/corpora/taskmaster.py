"""Taskmaster conversations (Byrne et al.), as published: a JSON array of conversations.

TM-2 writes speakers ``USER`` / ``ASSISTANT``; TM-3 (TicketTalk) and TM-4 write them in lower case.
All have ``conversation_id`` and ``utterances[{speaker, text}]``; the rest is not needed.
"""

from timecontrol.corpora.documents import Document
from timecontrol.corpora.files import Record, json_array
from timecontrol.corpora.reading import (
    Format,
    Reading,
    document,
    list_of,
    name_of,
    speaker_tag,
    text_of,
    turn,
)


def build(record: Record, reading: Reading) -> Document:
    """Build the document of a conversation, a section a turn."""
    utterances = list_of(record.value, "utterances")
    turns = [turn(speaker_tag(u.get("speaker")), text_of(u, "text")) for u in utterances]
    return document(record, name_of(record.value, "conversation_id"), turns)


CONVERSATIONS = Format("Taskmaster JSON", ("*.json",), json_array, build)
