"""Schema-Guided Dialogue (Rastogi et al., AAAI 2020).

Published: folders ``train``, ``dev``, ``test`` of ``dialogues_*.json``, each a JSON array.
Reduced: one dialogue a line in ``train.jsonl``, ``dev.jsonl``, ``test.jsonl``. Both have
``dialogue_id`` and ``turns[{speaker, utterance}]``; ``SYSTEM`` is the assistant.
An id is unique only within its split.
"""

from timecontrol.corpora.documents import Document
from timecontrol.corpora.files import Record, json_array, json_lines
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
    """Build the document of a dialogue, a section a turn."""
    turns = [
        turn(speaker_tag(t.get("speaker")), text_of(t, "utterance"))
        for t in list_of(record.value, "turns")
    ]
    return document(record, name_of(record.value, "dialogue_id"), turns)


REDUCED = Format("SGD JSON lines", ("*.jsonl",), json_lines, build)
PUBLISHED = Format("SGD JSON", ("*dialogues_*.json",), json_array, build)
