import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Ran
from timecontrol import scoring
from timecontrol.corpora import open_corpus, texts
from timecontrol.encoder import Encoder
from timecontrol.encoder.evaluations import count
from timecontrol.scoring import Report, TimeControl

CORPUS = "synthetic:cities,documents=40"
DOCUMENTS = [d.sentences for d in open_corpus(CORPUS).documents()]
PROSE = " ".join(DOCUMENTS[0])
OTHER = " ".join(DOCUMENTS[1])
N = len(DOCUMENTS[0])

Command = Callable[..., Ran]


@pytest.fixture(scope="module")
def encoder(bases: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The run folder of a small encoder of made articles."""
    folder = tmp_path_factory.mktemp("encoder")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMECONTROL_CACHE", str(folder / "cache"))
        out = folder / "run"
        Encoder.fit(CORPUS, base=bases["bert"], epochs=2, latent_dim=3, out=out, device="cpu")
    return str(out)


@pytest.fixture
def score(
    timecontrol: Command, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Run the verb in a folder of texts."""
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(PROSE, encoding="utf-8")
    Path("short.txt").write_text("Only one.", encoding="utf-8")
    Path("docs").mkdir()
    Path("docs/b.md").write_text(f"# Title\n\n{OTHER}\n", encoding="utf-8")
    lines = [json.dumps({"id": f"d{i}", "sentences": s}) for i, s in enumerate(DOCUMENTS[:3])]
    Path("docs/c.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return lambda *arguments: timecontrol("score", *arguments, "--encoder", encoder)


def pipe(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_one_file_is_shown_sentence_by_sentence(score: Command, encoder: str) -> None:
    ran = score("a.txt")
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"a.txt  {N} sentences\n")
    expected = TimeControl.from_pretrained(encoder).score(PROSE)
    assert f"{expected.score:+.2f}  95 % interval" in ran.out
    shown = re.findall(r"^ *(\d+) [█·]{10} +\d+  ", ran.out, re.MULTILINE)
    assert shown == [str(i + 1) for i in range(N)]
    assert ran.err == ""


def test_standard_input_is_one_text(score: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, PROSE)
    ran = score("-")
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"standard input  {N} sentences\n")


def test_several_documents_are_rows_and_a_summary(score: Command) -> None:
    ran = score("docs", "a.txt", "short.txt")
    assert ran.code == 0, ran.err
    head, *rows, blank, summary = ran.out.splitlines()
    assert head.startswith("document ")
    names = ["docs/b.md", "d0", "d1", "d2", "a.txt", "short.txt"]
    assert [row.split()[0] for row in rows] == names
    assert blank == ""
    assert summary == "6 documents: 5 scored, 1 too short"


def test_a_corpus_is_scored_by_split_and_looks_at_test_are_counted(
    score: Command, encoder: str
) -> None:
    before = count(Path(encoder))
    ran = score(CORPUS, "--split", "val")
    assert ran.out.endswith("4 documents: 4 scored, 0 too short\n")
    assert count(Path(encoder)) == before
    assert score(CORPUS, "--split", "test").code == 0
    assert count(Path(encoder)) == before + 1


def test_every_sentence_of_several_is_shown_when_asked(score: Command) -> None:
    ran = score("docs", "-v")
    assert ran.out.count("95 % interval") == 4
    assert "4 documents: 4 scored" in ran.out


def test_a_short_document_is_no_mistake(score: Command) -> None:
    ran = score("short.txt")
    assert ran.code == 0
    assert "Too short: 1 of at least 3 sentences" in ran.out
    found = json.loads(score("short.txt", "--json").out)
    assert found["score"] is None
    assert found["reason"] == "too short: 1 of at least 3 sentences"


def test_json_is_one_object_for_one_document_and_lines_for_several(score: Command) -> None:
    found = json.loads(score("a.txt", "--json").out)
    assert found["id"] == "a.txt"
    assert len(found["trace"]) == N
    ran = score("docs", "short.txt", "--json")
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["id"] for line in lines] == ["docs/b.md", "d0", "d1", "d2", "short.txt"]
    assert ran.err == "5 documents: 4 scored, 1 too short\n"


def test_tables_are_written_or_printed(score: Command) -> None:
    ran = score("docs", "short.txt", "--csv", "a.csv", "--trace-csv", "t.csv")
    assert ran.code == 0, ran.err
    rows = list(csv.DictReader(Path("a.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["id"] for row in rows] == ["docs/b.md", "d0", "d1", "d2", "short.txt"]
    trace = list(csv.DictReader(Path("t.csv").read_text(encoding="utf-8").splitlines()))
    assert len(trace) == sum(int(row["sentences"]) for row in rows) - 1
    printed = score("docs", "short.txt", "--csv", "-")
    assert printed.out == Path("a.csv").read_text(encoding="utf-8")
    assert not Path("-").exists()


def test_a_page_is_written(score: Command) -> None:
    evil = "<script>alert(1)</script>"
    line = {"id": evil, "sentences": [*DOCUMENTS[0], evil]}
    Path("evil.jsonl").write_text(json.dumps(line), encoding="utf-8")
    ran = score("docs", "short.txt", "evil.jsonl", "--html", "a.html")
    assert ran.code == 0, ran.err
    page = Path("a.html").read_text(encoding="utf-8")
    assert page.count("<section id=") == 6
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_two_versions_are_compared(score: Command) -> None:
    changed = [*DOCUMENTS[0][:2], "Something new.", *DOCUMENTS[0][3:]]
    Path("new.txt").write_text("\n\n".join(changed), encoding="utf-8")
    ran = score("--compare", "a.txt", "new.txt", "--html", "c.html")
    assert ran.code == 0, ran.err
    assert "difference" in ran.out
    assert re.search(r"^- removed +3 .*", ran.out, re.MULTILINE)
    assert re.search(r"^\+ added +3 .*Something new\.", ran.out, re.MULTILINE)
    assert "Two versions compared" in Path("c.html").read_text(encoding="utf-8")
    found = json.loads(score("--compare", "a.txt", "new.txt", "--json").out)
    assert found["difference"] == pytest.approx(found["new"]["score"] - found["old"]["score"])
    kinds = [change["kind"] for change in found["changes"]]
    assert kinds == ["kept", "kept", "removed", "added", *["kept"] * (N - 3)]


def test_limits_are_for_the_new_version(score: Command) -> None:
    ran = score("--compare", "a.txt", "docs/b.md", "--min-score", "99")
    assert ran.code == 1
    assert ran.err.startswith("docs/b.md: score ")


def test_a_version_that_is_too_short_is_said_to_be(score: Command) -> None:
    ran = score("--compare", "short.txt", "a.txt")
    assert ran.code == 0
    assert "The old version is too short" in ran.out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 0),
        (["--min-score", "-99"], 0),
        (["--min-score", "99"], 1),
        (["--min-percentile", "0"], 0),
        (["--fail-short"], 1),
    ],
)
def test_the_exit_code_says_whether_all_are_good_enough(
    score: Command, options: list[str], code: int
) -> None:
    ran = score("a.txt", "short.txt", *options)
    assert ran.code == code
    assert bool(ran.err) == bool(code)
    assert ("a.txt: " in ran.err) == (code == 1 and "--fail-short" not in options)
    assert ("short.txt: too short" in ran.err) == ("--fail-short" in options)


def test_a_percentile_can_be_asked_for(score: Command) -> None:
    given = ("synthetic:recipes,documents=20", "a.txt", "--min-percentile", "50", "--json")
    ran = score(*given)
    low = [r for line in ran.out.splitlines() if (r := json.loads(line))["percentile"] < 50]
    assert 0 < len(low) < 21
    assert ran.code == 1
    assert f"{len(low)} below the limit" in ran.err
    assert f"{low[0]['id']}: percentile " in ran.err


def test_a_text_of_another_kind_gets_a_warning(
    score: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Report, "far", property(lambda self: True))
    ran = score("a.txt", "--html", "a.html")
    assert "unlike those the encoder knows" in ran.out
    assert "unlike those the encoder knows" in Path("a.html").read_text(encoding="utf-8")


def test_results_appear_before_all_is_read(
    score: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown_at: list[bool] = []
    monkeypatch.setattr(scoring, "DOCUMENTS", 4)

    def endless(self: texts.Texts) -> Iterator[texts.Text]:
        for i in range(20):
            if i == 12:
                shown_at.append("d3 " in capsys.readouterr().out)
            yield texts.Text(f"d{i}", DOCUMENTS[i])

    monkeypatch.setattr(texts.Texts, "__iter__", endless)
    ran = score("a.txt", "--shuffles", "0")
    assert ran.code == 0, ran.err
    assert shown_at == [True]


def test_only_a_few_reports_are_held_at_a_time(
    score: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive, most = 0, 0
    monkeypatch.setattr(scoring, "DOCUMENTS", 4)

    class Counted(Report):
        def __init__(self, *given: object, **named: object) -> None:
            nonlocal alive, most
            alive += 1
            most = max(most, alive)
            super().__init__(*given, **named)  # type: ignore[arg-type]

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    monkeypatch.setattr(scoring, "Report", Counted)
    lines = [json.dumps({"sentences": DOCUMENTS[i % 40]}) for i in range(100)]
    Path("many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    ran = score("many.jsonl", "--shuffles", "0", "--csv", "a.csv")
    assert ran.code == 0, ran.err
    assert ran.out.endswith("100 documents: 100 scored, 0 too short\n")
    assert most <= 4 + 2


def test_an_order_is_suggested(score: Command, encoder: str) -> None:
    Path("mixed.txt").write_text("\n\n".join(reversed(DOCUMENTS[0][:7])), encoding="utf-8")
    ran = score("mixed.txt", "--suggest")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("mixed.txt  7 sentences\n")
    assert "looked at: the likeliest path between each two ends" in ran.out
    found = json.loads(score("mixed.txt", "--suggest", "--json", "--shuffles", "0").out)
    assert sorted(found["order"]) == list(range(7))
    assert found["report"]["score"] >= found["now"]["score"]
    assert found["now"]["score"] == pytest.approx(
        TimeControl.from_pretrained(encoder).score(DOCUMENTS[0][:7][::-1]).score, abs=1e-4
    )
    told = [row["sentence"] for row in found["report"]["trace"]]
    assert told == [DOCUMENTS[0][6 - i] for i in found["order"]]
    assert score("mixed.txt", "--suggest", "--min-score", "99").code == 1


def test_bad_records_are_skipped_when_asked(score: Command) -> None:
    Path("bad.jsonl").write_text('{"text": "One. Two. Three."}\nbroken\n', encoding="utf-8")
    ran = score("bad.jsonl")
    assert ran.code == 2
    assert "bad.jsonl:2: not a JSON object" in ran.err
    assert "--skip-bad" in ran.err
    ran = score("bad.jsonl", "--skip-bad")
    assert ran.code == 0
    assert "1 malformed record skipped" in ran.err


def test_nothing_is_written_where_something_cannot_be_read(score: Command) -> None:
    Path("bad.jsonl").write_text('{"text": "One. Two. Three."}\nbroken\n', encoding="utf-8")
    files = ["--csv", "a.csv", "--trace-csv", "t.csv", "--html", "a.html"]
    assert score("bad.jsonl", *files).code == 2
    assert not [p for p in Path().iterdir() if "csv" in p.name or "html" in p.name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Nothing to score"),
        (["a.txt", "--compare", "a.txt", "short.txt"], "not both"),
        (["-", "-"], "Standard input"),
        (["nowhere.txt"], "No such file or folder: nowhere.txt"),
        (["binary.txt"], "NUL character"),
        (["none"], "no readable data here"),
        (["a.txt", "--split", "test"], "--split is for a corpus"),
        (["a.txt", "--split", "dev2"], "No split named 'dev2'"),
        (["a.txt", "--html", "docs"], "a folder; name a file in it"),
        (["a.txt", "--html", "gone/a.html"], "there is no folder gone"),
        (["a.txt", "--csv", "a.txt"], "an input already"),
        (["a.txt", "--json", "--csv", "-"], "would both print"),
        (["--compare", "a.txt", "docs"], "docs holds several"),
        (["--compare", "a.txt", "short.txt", "--csv", "x.csv"], "do not go with --compare"),
        (["a.txt", "--min-percentile", "101"], "--min-percentile"),
        (["a.txt", "--splitter", "magic"], "No splitter named 'magic'"),
        (["a.txt", "--min-score", "nan"], "--min-score is nan"),
        (["docs", "--suggest"], "--suggest takes one document; docs holds several"),
        (["short.txt", "--suggest"], "1 sentences cannot be put in order: from 3 to 60"),
        (["a.txt", "--suggest", "--csv", "a.csv"], "not with --compare, --csv"),
        (["a.txt", "--trace-csv", "-"], "only --csv can be printed"),
    ],
)
def test_mistakes_get_one_line(score: Command, arguments: list[str], message: str) -> None:
    Path("empty.txt").write_text("")
    Path("binary.txt").write_bytes(b"a\0b")
    Path("none").mkdir()
    before = sorted(Path().rglob("*"))
    ran = score(*arguments)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert sorted(Path().rglob("*")) == before


def test_an_unknown_encoder_is_named(timecontrol: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(PROSE)
    ran = timecontrol("score", str(tmp_path / "a.txt"), "--encoder", "generall")
    assert ran.code == 2
    assert "Did you mean 'general'?" in ran.err


def test_a_missing_base_says_what_to_do(
    score: Command, encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from timecontrol.bases import packages

    monkeypatch.setattr(packages, "missing", lambda base: list(base.packages))
    config = Path(encoder) / "config.json"
    whole = config.read_text(encoding="utf-8")
    changed = json.loads(whole)
    changed["base"]["name"] = "minilm"
    try:
        config.write_text(json.dumps(changed), encoding="utf-8")
        ran = score("a.txt")
    finally:
        config.write_text(whole, encoding="utf-8")
    assert ran.code == 2
    assert "timecontrol bases install minilm" in ran.err
    assert len(ran.err.strip().splitlines()) == 1
