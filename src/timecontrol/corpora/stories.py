"""Stories: ROCStories as published (Mostafazadeh et al., 2016) and story JSON lines.

ROCStories is a CSV with ``storyid``, ``storytitle`` and ``sentence1`` to ``sentence5``: the five
sentences are the document, as given. The JSON lines have ``id`` and ``sections``, a list of
episodes with hard line breaks, which are split into sentences; where there are no sections,
``sentences`` are taken as they are.
"""

from timecontrol.corpora.documents import Document, Section
from timecontrol.corpora.files import BadRecord, Record, csv_table, json_lines
from timecontrol.corpora.reading import Format, Reading, document, list_of, name_of, text_of
from timecontrol.sentences import clean, paragraphs

COLUMNS = tuple(f"sentence{i}" for i in range(1, 6))


def build_five(record: Record, reading: Reading) -> Document:
    """Build the document of a ROCStories row."""
    sentences = tuple(clean(text_of(record.value, column)) for column in COLUMNS)
    if not all(sentences):
        raise BadRecord(f"'sentence{sentences.index('') + 1}' is empty")
    return document(record, name_of(record.value, "storyid"), [Section(None, sentences)])


def build_story(record: Record, reading: Reading) -> Document:
    """Build the document of a story of several episodes."""
    story = record.value
    episodes = list_of(story, "sections", str) if "sections" in story else []
    if any(e.strip() for e in episodes):
        sections = [reading.section("EPISODE", paragraphs(e)) for e in episodes]
    else:
        given = tuple(s for x in list_of(story, "sentences", str) if (s := clean(x)))
        sections = [Section("EPISODE", given)]
    return document(record, name_of(story, "id"), sections)


ROC = Format("ROCStories CSV", ("*.csv",), csv_table, build_five)
EPISODIC = Format("story JSON lines", ("*.jsonl",), json_lines, build_story)
