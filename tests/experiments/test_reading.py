"""Texts read by a base that did not write them, end to end."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Ran
from tests.experiments.results import HERE, OPTIONS, checked
from timecontrol.corpora import Corpus
from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError
from timecontrol.experiments.reading import Writers, cut, read, readings, surprises
from timecontrol.experiments.texts import read_texts
from timecontrol.experiments.ways import Ways, written
from timecontrol.metrics.likelihood import Judge, open_judge

TEXTS = ["A town on a river. It is old.\nIt has a mill.", "", "Mix the flour. " * 40]


@pytest.fixture(scope="module")
def texts(decoder_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents of the shared decoder, whose base is the writer."""
    folder = tmp_path_factory.mktemp("texts")
    ways = Ways(["bridge"], ["50"], 3, OPTIONS, folder=folder)
    written(str(decoder_run), Decoder.load(decoder_run, "cpu"), ways, HERE)
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def judge(bases: dict[str, str]) -> Judge:
    """A base with a window of 64 tokens."""
    return open_judge(bases["gpt2"], "cpu")


def test_end_to_end(
    corpus: Corpus, texts: Path, bases: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    windows = Judge.windows

    def spy(self: Judge, given: list[str]) -> Any:
        seen.append(list(given))
        return windows(self, given)

    monkeypatch.setattr(Judge, "windows", spy)
    found = readings(corpus, files=[texts], base=bases["author"], batch=2, place=HERE)
    checked(found, "reading", [])
    own, real = found["rows"]
    assert (own["label"], own["run"]) == ("planned, bridge, forced", texts.stem)
    assert (own["writer"], real["writer"]) == (bases["writer"], "")
    assert (real["label"], real["documents"]) == ("real, validation", 4)
    assert (found["split"], found["documents"]) == ("val", 4)
    for row in found["rows"]:
        for end in ("value", "low", "high"):
            assert row["perplexity"][end] == pytest.approx(np.exp(row["nats"][end]))
    # plain text: sentences joined by spaces, sections by newlines, no tags
    plain = ["\n".join(" ".join(s.sentences) for s in d) for d in read_texts(texts).sections]
    assert seen[0] == plain
    whole = [d.text for d in corpus.documents("val")]
    for text, document in zip(seen[1], whole, strict=True):
        assert document.startswith(text)
    assert not any(f"[ {tag} ]" in text for some in seen for text in some for tag in
                   corpus.layout.tags)  # fmt: skip
    mean = own["tokens"] / own["documents"]
    assert real["tokens"] / real["documents"] <= mean + 1
    assert f"{round(mean)} tokens" in found["settings"]["real documents cut to"]
    assert found["settings"]["written by decoders of"] == [bases["writer"]]
    assert "not known what wrote" not in found["settings"]


def test_every_token_counts_once_in_any_batch(judge: Judge) -> None:
    sums, counts = surprises(judge, TEXTS, 1)
    core = judge.tokenizer.backend_tokenizer
    tokens = [len(core.encode(text, add_special_tokens=False).ids) for text in TEXTS]
    assert counts.tolist() == tokens
    assert tokens[1] == 0 < judge.window < tokens[2]
    np.testing.assert_allclose(sums, -judge(TEXTS) * counts, rtol=1e-5)
    for batch in (2, 100):
        np.testing.assert_allclose(surprises(judge, TEXTS, batch)[0], sums, rtol=1e-5)


def test_the_mean_is_over_tokens_and_empty_texts_are_left_out(judge: Judge) -> None:
    sums, counts = surprises(judge, TEXTS, 4)
    found = read(judge, TEXTS, 4)
    assert (found["documents"], found["empty"]) == (2, 1)
    assert found["tokens"] == counts.sum()
    assert found["nats"]["value"] == pytest.approx(sums.sum() / counts.sum())
    with pytest.raises(TimeControlError, match="The texts are empty"):
        read(judge, ["", ""], 4)


def test_a_number_that_is_none_is_refused(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(self: Judge, windows: Any, rows: Any) -> Any:
        return np.full(len(rows), np.nan)

    monkeypatch.setattr(Judge, "log_likelihood", none)
    with pytest.raises(TimeControlError, match=r"not finite .*: try --dtype float32"):
        read(judge, TEXTS, 4)


def test_documents_are_cut_to_so_many_tokens(judge: Judge) -> None:
    core = judge.tokenizer.backend_tokenizer
    ids = core.encode(TEXTS[2], add_special_tokens=False).ids
    for n in (1, 7, 100):
        part = cut(judge, TEXTS[2], n)
        assert TEXTS[2].startswith(part)
        assert core.encode(part, add_special_tokens=False).ids == ids[:n]
    assert cut(judge, TEXTS[2], len(ids)) == TEXTS[2]
    assert cut(judge, "", 3) == ""


def test_the_writers_of_a_file(texts: Path, bases: dict[str, str], tmp_path: Path) -> None:
    who = Writers.of(texts)
    assert who.labels == {bases["writer"]}
    (digits,) = who.sums
    assert len(digits) == 8
    lines = [json.loads(line) for line in texts.read_text().splitlines()]
    lines[0].pop("decoder")
    lines[1]["decoder"] = {"base": "another", "recipe": {"base": "another 01234567"}}
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text("\n\n".join(map(json.dumps, lines)) + "\n")
    assert Writers.of(mixed) == Writers(
        frozenset({bases["writer"], "another"}), frozenset({digits, "01234567"})
    )


def test_a_base_that_wrote_is_refused(
    corpus: Corpus, texts: Path, bases: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(TimeControlError, match=r"jsonl: written by a decoder made of '.*writer'"):
        readings(corpus, files=[texts], base=bases["writer"], place=HERE)
    copy = shutil.copytree(bases["writer"], tmp_path / "copy")  # by another name, the same weights
    with pytest.raises(TimeControlError, match=r"written by a decoder made of '.*copy'; give"):
        readings(corpus, files=[texts], base=str(copy), place=HERE)


def test_texts_of_unknown_writers_are_read(
    corpus: Corpus, bases: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "mine.jsonl"
    line = {"sections": [{"tag": None, "sentences": ["A town.", "It is old."]}]}
    file.write_text(json.dumps({**line, "tokens": 9, "ended": True}))
    found = readings(corpus, files=[file], base=bases["gpt2"], most=2, place=HERE)
    assert [r["documents"] for r in found["rows"]] == [1, 2]
    assert "written by decoders of" not in found["settings"]
    assert found["settings"]["not known what wrote"] == ["mine.jsonl"]


def test_as_it_is_typed(
    timecontrol: Callable[..., Ran],
    corpus: Corpus,
    texts: Path,
    bases: dict[str, str],
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    asked = ("evaluate", "reading", corpus.name, "--device", "cpu", "--base")
    ran = timecontrol(
        *asked, bases["author"], "--texts", str(texts), "--max-documents", "2", "--batch-size",
        "1", "--dtype", "float32", "--out", str(out),
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    found = json.loads((out / "reading.json").read_text())
    assert [r["documents"] for r in found["rows"]] == [2, 2]
    assert "| real, validation | " in (out / "reading.md").read_text()
    assert "real, validation" in ran.out
    for options, message in (
        ([bases["author"]], "No texts: give --texts FILE"),
        ([bases["writer"], "--texts", str(texts)], "give another base than that to read it"),
        (["minilm", "--texts", str(texts)], "'minilm'"),  # reads sentences, or is not installed
        (["smolm", "--texts", str(texts)], "No base named 'smolm'"),
    ):
        wrong = timecontrol(*asked, *options)
        assert (wrong.code, wrong.out) == (2, "")
        assert message in wrong.err
        assert len(wrong.err.strip().splitlines()) == 1
