import json
from collections.abc import Callable
from pathlib import Path

import pytest
from transformers import PreTrainedTokenizerFast

from tests.conftest import Ran
from tests.formats import SAMPLES


def test_counts_lengths_and_a_document_are_shown(timecontrol: Callable[..., Ran]) -> None:
    ran = timecontrol("corpus", "synthetic:cities,documents=20")
    assert ran.code == 0
    for word in ("train", "16", "DEMOGRAPHICS", "±", "[ ABSTRACT ]", "words", "the generator"):
        assert word in ran.out


def test_json_has_the_same_and_more(timecontrol: Callable[..., Ran]) -> None:
    ran = timecontrol("corpus", "synthetic:recipes,documents=20", "--json", "--show", "1")
    report = json.loads(ran.out)
    assert report["documents"] == 20
    assert report["splits"]["train"]["documents"] == 16
    assert report["splits"]["train"]["sections"]["TITLE"]["n"] == 16
    assert report["splits_by"] == "the generator"
    assert report["shown"][0]["sections"][0]["tag"] == "TITLE"


def test_one_split_alone_stands_at_the_top(timecontrol: Callable[..., Ran]) -> None:
    report = json.loads(
        timecontrol("corpus", "synthetic:cities,documents=20", "--split", "test", "--json").out
    )
    assert report["documents"] == 2
    assert report["sections"] == report["splits"]["test"]["sections"]


def test_tokens_are_counted_and_long_documents_left_out(
    timecontrol: Callable[..., Ran], tmp_path: Path, tokenizer: PreTrainedTokenizerFast
) -> None:
    tokenizer.save_pretrained(tmp_path)
    arguments = ("corpus", "synthetic:cities,documents=20", "--tokenizer", str(tmp_path), "--json")
    whole = json.loads(timecontrol(*arguments).out)
    longest = max(s["tokens_per_document"]["max"] for s in whole["splits"].values())
    cut = json.loads(timecontrol(*arguments, "--max-tokens", str(longest)).out)
    assert cut["documents"] + cut["too_long"] == 20
    assert cut["too_long"] >= 1
    assert all(s["tokens_per_document"]["max"] < longest for s in cut["splits"].values())


def test_presets_differ_in_how_a_section_is_counted(
    timecontrol: Callable[..., Ran], tmp_path: Path, tokenizer: PreTrainedTokenizerFast
) -> None:
    tokenizer.save_pretrained(tmp_path / "tokenizer")
    city = tmp_path / "c.txt"
    city.write_text(SAMPLES["wikisection text"].content("A town."))
    arguments = ("corpus", f"wikisection:{city}", "--tokenizer", str(tmp_path / "tokenizer"))
    best = json.loads(timecontrol(*arguments, "--json").out)
    paper = json.loads(timecontrol(*arguments, "--preset", "paper", "--json").out)
    assert (best["splitter"], paper["splitter"]) == ("rules", "legacy")
    assert best["tokens_per_document"] != paper["tokens_per_document"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("wikisecton:x",), "Did you mean 'wikisection'"),
        (("synthetic", "--preset", "bets"), "Did you mean 'best'"),
        (("synthetic", "--splitter", "rule"), "Did you mean 'rules'"),
        (("synthetic", "--split", "tset"), "No split named 'tset'"),
        (("synthetic", "--max-tokens", "5"), "needs --tokenizer"),
        (("synthetic", "--tokenizer", "smolm2-135m"), "Did you mean 'smollm2-135m'"),
        (("text:no/such/place",), "No such file or folder"),
        (("synthetic:cities,documents=8", "--split", "dev"), "no documents in split 'val'"),
        (("synthetic", "--language", "german"), "such as en or de"),
        (("synthetic", "--split-by", "hash"), "has no use"),
        (("synthetic", "--tokenizer", ""), "No base named ''"),
        (("no/such/file.txt",), "No such file or folder: no/such/file.txt"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...], words: str, timecontrol: Callable[..., Ran]
) -> None:
    ran = timecontrol("corpus", *arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


def test_text_that_looks_like_markup_is_shown_as_it_is(
    timecontrol: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("[bold]Not bold[/bold] [/] [red]x.")
    ran = timecontrol("corpus", f"text:{tmp_path}")
    assert "[bold]Not bold[/bold] [/] [red]x." in ran.out


def test_the_list_names_every_corpus(timecontrol: Callable[..., Ran]) -> None:
    out = timecontrol("corpus", "list").out
    for name in ("wikisection", "taskmaster", "jsonl", "synthetic"):
        assert name in out
    assert json.loads(timecontrol("corpus", "list", "--json").out)["sgd"]


def test_skipped_records_are_reported(timecontrol: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "One."}\n{\n{"text": "Two."}\n')
    ran = timecontrol("corpus", f"jsonl:{tmp_path / 'a.jsonl'}", "--skip-bad")
    assert ran.code == 0
    assert "1 malformed record skipped" in ran.out
    assert "a.jsonl:2: not a JSON object" in ran.out


def test_what_an_index_leaves_out_or_lists_in_vain_is_said(
    timecontrol: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "One."}\n{"text": "Two."}\n{"text": "Three."}\n')
    (tmp_path / "a_split.json").write_text('{"train": [0], "test": [1, 98, 99]}')
    ran = timecontrol("corpus", f"jsonl:{tmp_path / 'a.jsonl'}", "--split-by", "index")
    assert "1 document in no split of the index left out" in ran.out
    assert "the index lists 2 records not found here" in ran.out


def test_documents_that_are_not_as_the_layout_says_are_explained(
    timecontrol: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"conversation_id": "odd", "turns": [["user", "Hi."], ["user", "Yo."]]}\n'
    )
    out = timecontrol("corpus", f"tickettalk:{tmp_path}").out
    assert "the same tag twice in a row (1); the first is odd" in out


def test_a_long_document_is_cut_when_shown(timecontrol: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("It rained. " * 500 + "x" * 5000)
    out = timecontrol("corpus", f"text:{tmp_path}").out
    assert len(out) < 5000
    assert "... and 401 more" in out


def test_control_characters_do_not_reach_the_terminal(
    timecontrol: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("Red \x1b[31mtext\x07 here.")
    out = timecontrol("corpus", f"text:{tmp_path}").out
    assert "\x1b" not in out
    assert "\x07" not in out


def test_everything_too_long_is_said(
    timecontrol: Callable[..., Ran], tmp_path: Path, tokenizer: PreTrainedTokenizerFast
) -> None:
    tokenizer.save_pretrained(tmp_path)
    ran = timecontrol("corpus", "synthetic", "--tokenizer", str(tmp_path), "--max-tokens", "3")
    assert ran.code == 2
    assert "200 of 3 tokens or more left out" in ran.err


def test_a_malformed_record_is_told_how_to_go_on(
    timecontrol: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text("{\n")
    assert "--skip-bad" in timecontrol("corpus", f"jsonl:{tmp_path / 'a.jsonl'}").err


def test_the_encoding_and_the_language_are_handed_on(
    timecontrol: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_bytes("Er kam am 3. Oktober. Café zu.".encode("cp1252"))
    arguments = ("corpus", f"text:{tmp_path}", "--encoding", "cp1252")
    assert "Café zu." in timecontrol(*arguments).out
    counts = [
        json.loads(timecontrol(*arguments, "--language", code, "--json").out)["sentences"]
        for code in ("en", "de")
    ]
    assert counts == [3, 2]


def test_notes_go_to_stderr_and_what_is_left_out_to_stdout(
    timecontrol: Callable[..., Ran], tmp_path: Path, tokenizer: PreTrainedTokenizerFast
) -> None:
    tokenizer.save_pretrained(tmp_path / "tokenizer")
    (tmp_path / "a.txt").write_text("Short.")
    (tmp_path / "b.txt").write_text("Long, " * 50)
    ran = timecontrol("corpus", f"text:{tmp_path}", "--tokenizer", str(tmp_path / "tokenizer"),
                      "--max-tokens", "60")  # fmt: skip
    assert "1 document of 60 tokens or more left out" in ran.out
    assert "note: files of other kinds are not read" in ran.err


def test_sections_that_repeat_are_also_summed_by_document(timecontrol: Callable[..., Ran]) -> None:
    out = timecontrol("corpus", "synthetic:dialogues,documents=8").out
    [row] = [line for line in out.splitlines() if line.startswith("all USER of a document")]
    assert row.endswith("(8)")
