"""The published files themselves; skipped where they are not."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, make_tokenizer
from timecontrol.bases import load_tokenizer
from timecontrol.corpora import open_corpus
from timecontrol.tokens import Codec

COUNTS = {
    "wikisection:wikisection": {"train": 500, "val": 36, "test": 431},
    "wikisection:wikisection/wikisection_withSections.test.txt": {"test": 658},
    "wikisection:wikisection/wikisection_withSections.val.txt": {"val": 309},
    "wikisection:wikisection/HGD_en_city_validation.json.gz": {"val": 309},
    "taskmaster:taskmaster/TM-4-2024_data_00.json.gz": {"all": 500},
    "taskmaster:taskmaster/TM-4-2024_data_07.json.gz": {"all": 210},
    "tickettalk:taskmaster": {"train": 1062, "val": 100, "test": 300},
    "tickettalk:taskmaster/TM-3-2020_train-bc.tsv.gz": {"all": 1462},
    "sgd:sgd/sgd-restaurants": {"train": 1572, "val": 224, "test": 257},
    "sgd:sgd/sgd-movies": {"train": 1128, "val": 141, "test": 379},
    "sgd:sgd/original-format-sample": {"all": 128},
    "recipenlg:recipes": {"train": 2603, "val": 103, "test": 702},
    "recipes:recipes": {"train": 4000, "test": 1000},
    "wikihow:wikihow": {"train": 1058, "val": 100, "test": 243},
    "wikihow:wikihow/wikihow_by_method.jsonl.gz": {"all": 150},
    "stories:stories": {"train": 232, "val": 23, "test": 23},
}


@pytest.mark.parametrize("spec", COUNTS)
def test_documents_are_counted_as_published(
    spec: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIMECONTROL_DATA", str(data))
    documents = list(open_corpus(spec).documents())
    wanted = COUNTS[spec]
    if "all" in wanted:
        assert len(documents) == wanted["all"]
    else:
        assert Counter(d.split for d in documents) == wanted
    assert len({d.id for d in documents}) == len(documents)


def test_the_original_and_the_processed_wikisection_agree_section_by_section(data: Path) -> None:
    folder = data / "wikisection"
    text = open_corpus(f"wikisection:{folder / 'wikisection_withSections.val.txt'}")
    original = open_corpus(f"wikisection:{folder / 'HGD_en_city_validation.json.gz'}")
    pairs = list(zip(text.documents(), original.documents(), strict=True))
    assert len(pairs) == 309
    for a, b in pairs:
        assert a.sections == b.sections


def test_the_paper_s_test_set_and_section_lengths_come_out(data: Path) -> None:
    folder = data / "wikisection"
    tokenizer = load_tokenizer(str(data / "gpt2-tokenizer"))
    corpus = open_corpus(
        f"wikisection:{folder / 'wikisection_withSections.test.txt'}", splitter_name="legacy"
    )
    codec = Codec(tokenizer, corpus.layout, "released")
    kept, lengths = [], []
    for document in corpus.documents("test"):
        encoded = codec.encode(document)
        if len(encoded.ids) < 1024:
            kept.append(document.source.index)
            lengths.append([n for _, n in codec.lengths(encoded)])
    assert kept == json.loads((folder / "kept_lt1024.test.json").read_text())
    assert len(kept) == 431
    means = [sum(column) / 431 for column in zip(*lengths, strict=True)]
    assert [f"{m:.1f}" for m in means] == ["73.5", "180.2", "85.2", "332.5"]


def test_the_tsv_of_tickettalk_gives_the_same_dialogues_as_its_json_lines(data: Path) -> None:
    folder = data / "taskmaster"
    rows = open_corpus(f"tickettalk:{folder / 'TM-3-2020_train-bc.tsv.gz'}").documents()
    lines = open_corpus(f"tickettalk:{folder / 'tickettalk_prefixes.jsonl.gz'}").documents()
    for a, b in zip(rows, lines, strict=True):
        assert (a.id, a.sections) == (b.id, b.sections)


def test_turns_alternate_as_the_corpora_say(data: Path) -> None:
    sgd = open_corpus(f"sgd:{data / 'sgd' / 'sgd-movies'}")
    assert all(not sgd.layout.faults(d.tags) for d in sgd.documents())
    talk = open_corpus(f"tickettalk:{data / 'taskmaster'}")
    faults = Counter(f for d in talk.documents() for f in talk.layout.faults(d.tags))
    assert faults["the same tag twice in a row"] == 71


def test_titles_lose_their_stray_mark_and_nothing_else(data: Path) -> None:
    titles = [d.sections[0].text for d in open_corpus(f"wikihow:{data / 'wikihow'}").documents()]
    assert sum(t[-1].isdigit() for t in titles) == 5  # 699 before; 694 stray marks
    assert len(titles) == 1401


def test_real_text_survives_tokens(data: Path) -> None:
    for spec in ("wikisection", "sgd/sgd-movies", "wikihow", "stories"):
        name = spec.split("/")[0]
        corpus = open_corpus(f"{name}:{data / spec}")
        codec = Codec(make_tokenizer(), corpus.layout)
        for _, document in zip(range(40), corpus.documents("test"), strict=False):
            assert codec.decode(codec.encode(document).ids) == document.sections


def test_processing_changed_this_many_sections_of_the_original(data: Path) -> None:
    path = data / "wikisection" / "HGD_en_city_validation.json.gz"
    whole = [s for d in open_corpus(f"wikisection-whole:{path}").documents() for s in d.sections]
    known = [s for d in open_corpus(f"wikisection:{path}").documents() for s in d.sections]
    pairs = [(a.text, b.text) for a, b in zip(whole, known, strict=True)]
    assert len(pairs) == 1236
    assert sum("".join(a.split()) != "".join(b.split()) for a, b in pairs) == 25


@pytest.mark.parametrize("from_index", [True, False])
def test_the_command_of_the_readme_prints_the_paper_s_numbers(
    from_index: bool, data: Path, tmp_path: Path, timecontrol: Callable[..., Ran]
) -> None:
    folder = data / "wikisection"
    if not from_index:
        folder = tmp_path / "wikisection"
        folder.mkdir()
        for file in (data / "wikisection").glob("*.txt"):
            (folder / file.name).write_bytes(file.read_bytes())
    ran = timecontrol(
        "corpus", f"wikisection:{folder}", "--split", "test", "--preset", "released",
        "--tokenizer", str(data / "gpt2-tokenizer"), "--max-tokens", "1024", "--json",
    )  # fmt: skip
    report = json.loads(ran.out)
    assert report["documents"] == 431
    assert report["too_long"] == (0 if from_index else 227)
    found = [f"{s['mean']:.1f} ± {s['se']:.1f}" for s in report["sections"].values()]
    assert found == ["73.5 ± 2.6", "180.2 ± 6.2", "85.2 ± 2.7", "332.5 ± 8.6"]
