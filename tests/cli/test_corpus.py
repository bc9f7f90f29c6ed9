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
    report = json.loads(timecontrol("corpus", "synthetic:recipes,documents=20", "--json").out)
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
        (("synthetic:cities,documents=8", "--split", "val"), "no documents in split 'val'"),
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
    assert "1 malformed records skipped" in ran.err
    assert "a.jsonl:2: not JSON" in ran.err
