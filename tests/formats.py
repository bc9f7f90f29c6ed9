"""A small file in every format, so that one law can be tried on all of them."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass

CITY = "[ ABSTRACT ] {} [ HISTORY ] It is old. [ GEOGRAPHY ] It is flat. [ DEMOGRAPHICS ] It grew."


@dataclass(frozen=True)
class Sample:
    """How documents with given texts are written in a format."""

    corpus: str
    file: str
    record: Callable[[int, str], str]
    """Number and text of a document to its record."""
    broken: tuple[str, ...]
    """Records that parse or not, but are not documents."""
    before: str = ""
    between: str = "\n"
    after: str = "\n"

    def content(self, *texts: str) -> str:
        """Return a file of documents with these texts."""
        return self.join(*(self.record(i, t) for i, t in enumerate(texts)))

    def join(self, *records: str) -> str:
        """Return a file of these records."""
        return self.before + self.between.join(records) + self.after

    def line(self, index: int) -> int:
        """Return the line of a record, where each takes one line."""
        return 1 + self.before.count("\n") + index


def _row(*cells: str, delimiter: str = ",") -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator="").writerow(cells)
    return stream.getvalue()


def _article(i: int, text: str) -> str:
    rest = "It is old.\nIt is flat.\nIt grew.\nIt trades."
    notes = [
        {"sectionHeading": h, "begin": b, "length": n}
        for h, b, n in [
            ("History", 0, 11),
            ("Geography", 11, 12),
            ("Demographics", 23, 9),
            ("Economy", 32, 10),
        ]
    ]
    return json.dumps(
        {"id": f"city/{i}", "abstract": text + "\n", "text": rest, "annotations": notes}
    )


def _taskmaster(i: int, text: str) -> str:
    turns = [
        {"speaker": "USER", "text": text, "segments": []},
        {"speaker": "ASSISTANT", "text": "Sure."},
    ]
    return json.dumps({"conversation_id": f"dlg-{i}", "utterances": turns})


def _sgd(i: int, text: str) -> str:
    turns = [
        {"speaker": "USER", "utterance": text, "frames": []},
        {"speaker": "SYSTEM", "utterance": "Sure."},
    ]
    return json.dumps({"dialogue_id": f"1_{i}", "services": ["A"], "turns": turns})


ARRAY = {"before": "[\n", "between": ",\n", "after": "\n]\n"}
NOT_JSON = ('{"id": 1', "[1, 2]", "12", "null", "{}")
NOT_ITEMS = ('{"a": }', "[1, 2]", "12", "null", "{}")

SAMPLES = {
    "wikisection text": Sample(
        "wikisection",
        "cities.txt",
        lambda i, t: CITY.format(t),
        (
            "no tags at all",
            "x [ ABSTRACT ] a. [ HISTORY ] b. [ GEOGRAPHY ] c. [ DEMOGRAPHICS ] d.",
            "[ HISTORY ] b. [ ABSTRACT ] a. [ GEOGRAPHY ] c. [ DEMOGRAPHICS ] d.",
            "[ ABSTRACT ] a. [ HISTORY ] b.",
        ),
    ),
    "wikisection JSON": Sample(
        "wikisection",
        "cities.json",
        _article,
        (
            *NOT_ITEMS,
            '{"id": 1, "abstract": "A.", "text": "B.", "annotations": []}',
            '{"id": 1, "abstract": "A.", "text": "B.", "annotations": '
            '[{"sectionHeading": "History", "begin": 0, "length": 99}]}',
        ),
        **ARRAY,
    ),
    "taskmaster": Sample(
        "taskmaster",
        "talk.json",
        _taskmaster,
        (
            *NOT_ITEMS,
            '{"conversation_id": "a", "utterances": [{"speaker": "BOT", "text": "x"}]}',
            '{"conversation_id": "a", "utterances": []}',
        ),
        **ARRAY,
    ),
    "tickettalk TSV": Sample(
        "tickettalk",
        "talk.tsv",
        lambda i, t: _row(
            f"<U>thanks<C><U>{t}<A>Sure.", "[A]Bye.[PN]end", f"dlg-{i}", delimiter="\t"
        ),
        ("one column", "two\tcolumns", '"unclosed "quote"\tx\ty', "<PN>a\t[PN]b\tc"),
    ),
    "tickettalk JSON lines": Sample(
        "tickettalk",
        "talk.jsonl",
        lambda i, t: json.dumps({"conversation_id": f"d{i}", "turns": [["user", t]]}),
        (
            *NOT_JSON,
            '{"conversation_id": "a", "turns": [["user"]]}',
            '{"conversation_id": "a", "turns": [["robot", "x"]]}',
        ),
    ),
    "sgd JSON": Sample(
        "sgd",
        "dialogues_001.json",
        _sgd,
        (*NOT_ITEMS, '{"dialogue_id": "a", "turns": [{"speaker": "USER"}]}'),
        **ARRAY,
    ),
    "sgd JSON lines": Sample(
        "sgd",
        "train.jsonl",
        _sgd,
        (*NOT_JSON, '{"dialogue_id": "", "turns": [{"speaker": "USER", "utterance": "x"}]}'),
    ),
    "recipenlg": Sample(
        "recipenlg",
        "recipes.csv",
        lambda i, t: _row("Soup", '["1 leek"]', json.dumps([t]), '["leek"]'),
        ("too,few", "a,b,c,d", 'Soup,"[""x""]","[]","[""x""]"', 'Soup,"[""x""]","[1]","[""x""]"'),
        before="title,ingredients,directions,NER\n",
    ),
    "recipenlg with link": Sample(
        "recipenlg",
        "recipes.csv",
        lambda i, t: _row(
            str(i), "Soup", '["1 leek"]', json.dumps([t]), "www.example.org", "Gathered", '["leek"]'
        ),
        ("too,few", '0,,"[""x""]","[""y""]",l,s,"[""x""]"'),
        before=",title,ingredients,directions,link,source,NER\n",
    ),
    "recipe JSON lines": Sample(
        "recipes",
        "recipes.jsonl",
        lambda i, t: json.dumps(
            {"id": i, "title": "Soup", "ingredients": ["1 leek"], "directions": [t]}
        ),
        (*NOT_JSON, '{"id": 1, "title": "Soup", "ingredients": [], "directions": ["x"]}'),
    ),
    "wikihow": Sample(
        "wikihow",
        "howto.jsonl",
        lambda i, t: json.dumps(
            {
                "id": str(i),
                "title": "How to Rest1",
                "steps": [{"headline": "Sit.", "text": [t]}, {"headline": "Lie.", "text": []}],
            }
        ),
        (
            *NOT_JSON,
            '{"id": "1", "title": "x", "steps": []}',
            '{"id": "1", "title": " ", "steps": [{"headline": "a", "text": []}]}',
        ),
    ),
    "wikihow by method": Sample(
        "wikihow",
        "howto_by_method.jsonl",
        lambda i, t: json.dumps(
            {
                "doc_id": f"u###{i}",
                "url": "https://x.org/Rest-Well",
                "section_id": i,
                "step_texts": [{"text": t, "offset": 0}],
            }
        ),
        (*NOT_JSON, '{"doc_id": "1", "url": "https://x.org", "step_texts": [{"text": "a"}]}'),
    ),
    "rocstories": Sample(
        "rocstories",
        "roc.csv",
        lambda i, t: _row(str(i), "Title", t, "It rained.", "He ran.", "He slept.", "He woke."),
        ("1,Title,One.", "1,Title,One.,Two.,,Four.,Five."),
        before="storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\n",
    ),
    "stories": Sample(
        "stories",
        "tales.jsonl",
        lambda i, t: json.dumps(
            {"id": f"t{i}", "title": "T", "sections": [t, "The\nend."], "sentences": []}
        ),
        (*NOT_JSON, '{"id": "a", "sections": [1]}', '{"id": "a", "sections": [], "sentences": []}'),
    ),
    "jsonl": Sample(
        "jsonl",
        "own.jsonl",
        lambda i, t: json.dumps({"id": f"own-{i}", "text": t}),
        (
            *NOT_JSON,
            '{"text": 3}',
            '{"text": "  "}',
            '{"text": "a", "split": "later"}',
            '{"turns": [1]}',
            '{"sections": [{"heading": 1, "text": "a"}]}',
        ),
    ),
}
"""A sample of every format that holds many documents in a file."""
