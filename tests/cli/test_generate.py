"""``timecontrol generate`` as it is typed."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Ran
from timecontrol import generation
from timecontrol.cli import generate
from timecontrol.decoder import Decoder
from timecontrol.encoder import Encoder
from timecontrol.generation import Written
from timecontrol.generation.request import default_writing, plans_for
from timecontrol.generation.write import write

SHORT = ("--length", "24", "--device", "cpu")
CORPUS = "synthetic:recipes,documents=20"


@pytest.fixture
def copied(decoder_run: Path, tmp_path: Path) -> Path:
    """A copy of a decoder's run, to be damaged."""
    return Path(shutil.copytree(decoder_run, tmp_path / "copy"))


def expected(folder: Path, count: int, length: str = "24", **how: Any) -> list[Written]:
    decoder = Decoder.load(folder, "cpu")
    writing = default_writing(decoder, length, **how)
    return list(write(decoder, plans_for(decoder, count, writing), writing))


def one_line(ran: Ran, message: str) -> None:
    assert ran.code == 2, ran.out
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert ran.out == ""


def plainly(text: str) -> str:
    """Return text as it is shown, control characters replaced."""
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "\ufffd", text)


def test_one_document_is_shown_as_text(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    ran = timecontrol("generate", "--model", str(decoder_run), *SHORT)
    assert ran.code == 0, ran.err
    assert ran.out == plainly(expected(decoder_run, 1)[0].text) + "\n"
    assert ran.err == ""


def test_several_documents_are_numbered(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    model = ("generate", "--model", str(decoder_run), *SHORT)
    ran = timecontrol(*model, "-n", "3", "--batch-size", "2", "--seed", "4")
    texts = [plainly(document.text) for document in expected(decoder_run, 3, seed=4)]
    assert ran.out == "".join(f"── {i} ──\n\n{text}\n\n" for i, text in enumerate(texts))
    other = timecontrol(*model, "-n", "1", "--first", "2", "--seed", "4")
    assert other.out == texts[2] + "\n"


def test_json_lines_hold_everything(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    ran = timecontrol(
        "generate", "--model", str(decoder_run), *SHORT, "-n", "2", "--format", "jsonl",
        "--top-p", "0.5", "--temperature", "0.7",
    )  # fmt: skip
    lines = [json.loads(line) for line in ran.out.splitlines()]
    documents = expected(decoder_run, 2, top_p=0.5, temperature=0.7)
    assert len(lines) == 2
    config = Decoder.load(decoder_run, "cpu").config
    for line, document in zip(lines, documents, strict=True):
        about = line.pop("decoder")
        assert line == json.loads(json.dumps(document.as_dict()))
        assert about["identity"] == config["identity"]
        assert about["encoder"] == config["encoder"]["identity"]
        assert (about["method"], about["preset"]) == ("planned", "best")
        assert line["settings"]["top_p"] == 0.5
        assert line["tokens"] == 24


def sectioned(folder: Path) -> Written:
    """Return a document of several sections: the small model does not always write them."""
    return next(d for d in expected(folder, 16, "120") if len(d.sections) > 1)


def test_markdown(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    document = sectioned(decoder_run)
    ran = timecontrol(
        "generate", "--model", str(decoder_run), "--length", "120", "--format", "markdown",
        "--first", str(document.number),
    )  # fmt: skip
    assert ran.out == plainly(document.markdown()) + "\n"
    assert "## " in ran.out


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.txt", "text"), ("a.md", "markdown"), ("a.jsonl", "jsonl"), ("a", "jsonl")],
)
def test_the_ending_of_a_file_says_what_goes_in(
    timecontrol: Callable[..., Ran], decoder_run: Path, tmp_path: Path, name: str, form: str
) -> None:
    out = tmp_path / name
    ran = timecontrol("generate", "--model", str(decoder_run), *SHORT, "-n", "2", "--out", str(out))
    assert ran.code == 0, ran.err
    assert ran.out == f"Written to {out}: 2 documents.\n"
    documents = expected(decoder_run, 2)
    found = out.read_text(encoding="utf-8")
    if form == "jsonl":
        assert [json.loads(line)["text"] for line in found.splitlines()] == [
            document.text for document in documents
        ]
    else:
        heads = ["── 0 ──", "── 1 ──"] if form == "text" else ["# 0", "# 1"]
        shown = [d.text if form == "text" else d.markdown() for d in documents]
        pairs = zip(heads, shown, strict=True)
        assert found == "\n".join(f"{head}\n\n{text}\n" for head, text in pairs)
    assert list(tmp_path.glob(".*")) == []


def test_a_format_may_be_asked_for_besides(
    timecontrol: Callable[..., Ran], decoder_run: Path, tmp_path: Path
) -> None:
    out = tmp_path / "a.txt"
    model = ("generate", "--model", str(decoder_run), *SHORT)
    ran = timecontrol(*model, "--out", str(out), "--format", "jsonl")
    assert ran.out == f"Written to {out}: 1 document.\n"
    assert json.loads(out.read_text())["number"] == 0


def test_a_write_that_fails_leaves_the_old_file(
    timecontrol: Callable[..., Ran],
    decoder_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "a.jsonl"
    out.write_text("what was there")
    done = [0]
    line = Written.as_dict

    def fail(self: Written) -> dict[str, Any]:
        if done[0] == 1:
            raise OSError(28, "No space left on device", str(out))
        done[0] += 1
        return line(self)

    monkeypatch.setattr(Written, "as_dict", fail)
    ran = timecontrol("generate", "--model", str(decoder_run), *SHORT, "-n", "3", "--out", str(out))
    one_line(ran, "No space left on device")
    assert done == [1]
    assert out.read_text() == "what was there"
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["a.jsonl"]


def test_a_document_is_streamed(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    document = sectioned(decoder_run)
    model = ["generate", "--model", str(decoder_run), "--length", "120", "--device", "cpu"]
    model += ["--first", str(document.number), "--stream"]
    ran = timecontrol(*model)
    assert ran.code == 0, ran.err
    assert words(ran.out) == words(plainly(document.text))
    marked = timecontrol(*model, "--format", "markdown")
    assert words(marked.out) == words(plainly(document.markdown()))


def words(text: str) -> list[str]:
    return text.split()


def test_several_documents_are_streamed(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    ran = timecontrol("generate", "--model", str(decoder_run), *SHORT, "-n", "2", "--stream")
    texts = [plainly(document.text) for document in expected(decoder_run, 2)]
    assert words(ran.out) == words(" ".join(texts))
    assert "\n\n" in ran.out


def test_plans_of_a_file_make_the_same_texts_again(
    timecontrol: Callable[..., Ran], decoder_run: Path, tmp_path: Path
) -> None:
    model = ("generate", "--model", str(decoder_run), *SHORT)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    asked = ("--plan", "linear", "--sentences", "2", "--start", "Mix the flour.")
    timecontrol(*model, *asked, "-n", "3", "--out", str(first))
    ran = timecontrol(*model, "--plan", str(first), "--out", str(second))
    assert ran.code == 0, ran.err
    assert "3 documents" in ran.out
    assert second.read_text() == first.read_text()
    assert json.loads(first.read_text().splitlines()[2])["plan"]["kind"] == "linear"


def test_plans_drawn_before_are_followed(
    timecontrol: Callable[..., Ran], decoder_run: Path, tmp_path: Path
) -> None:
    model, file = ("--model", str(decoder_run), *SHORT), str(tmp_path / "plans.json")
    assert timecontrol("plan", *model, "-n", "2", "--out", file).code == 0
    ran = timecontrol("generate", *model, "--plan", file)
    assert ran.out == timecontrol("generate", *model, "-n", "2").out
    assert "── 1 ──" in ran.out


def test_other_ways_of_writing(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    model = ("generate", "--model", str(decoder_run), *SHORT)
    plain = timecontrol(*model).out
    assert timecontrol(*model, "--fast").out == plain
    assert timecontrol(*model, "--beams", "2").out != plain
    assert timecontrol(*model, "--temperature", "0").out != plain


def test_plans_are_followed_by_the_budget_or_a_point_a_sentence(
    timecontrol: Callable[..., Ran], decoder_run: Path
) -> None:
    model = ("generate", "--model", str(decoder_run), "--device", "cpu", "--format", "jsonl")
    some = ("-n", "4", "--first", "4")  # the small model does not always end a sentence

    def found(length: str, *options: str) -> list[dict[str, Any]]:
        ran = timecontrol(*model, *some, "--length", length, *options)
        return [json.loads(line) for line in ran.out.splitlines()]

    for length in ("200", "normal"):
        plain, budget, sentences = (
            found(length, *how) for how in ((), ("--follow", "budget"), ("--follow", "sentences"))
        )
        assert plain == budget
        for documents, follow in ((plain, "budget"), (sentences, "sentences")):
            assert {d["settings"]["follow"] for d in documents} == {follow}
            assert all(len(d["plan"]["pace"]) == len(d["plan"]["points"]) for d in documents)
        assert [d["units"] for d in plain] != [d["units"] for d in sentences]


def test_plans_can_lead_further(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    model = ("generate", "--model", str(decoder_run), "--device", "cpu", "--format", "jsonl")
    plain, led = (
        json.loads(timecontrol(*model, "--length", "40", "--guidance", w).out) for w in ("0", "3")
    )
    assert (plain["settings"]["guidance"], led["settings"]["guidance"]) == (0, 3)
    assert plain["plan"] == led["plan"]
    assert plain["text"] != led["text"]
    for wrong in (("--guidance", "-1"), ("--guidance", "1", "--loop")):
        assert timecontrol(*model, *wrong).code == 2


def test_plans_without_noise(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    model = ("generate", "--model", str(decoder_run), "--device", "cpu", "--format", "jsonl")
    usual, none = (
        json.loads(timecontrol(*model, "--length", "40", *how).out)["plan"]
        for how in ((), ("--noise", "0"))
    )
    assert usual["points"] != none["points"]
    assert none["about"]["noise"] == 0
    assert timecontrol(*model, "--noise", "-1").code == 2


def test_what_is_asked_for_is_planned(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    ran = timecontrol(
        "generate", "--model", str(decoder_run), *SHORT, "--length", "60", "--format", "jsonl",
        "--sentences", "4", "--start", "Mix.", "--goal", "Serve it.", "--stop", "plan",
        "--waypoint", "0.4:Bake it: now.",
    )  # fmt: skip
    found = json.loads(ran.out)
    assert len(found["plan"]["points"]) == 4
    assert found["plan"]["about"] == {
        "rule": "best",
        "start": "Mix.",
        "goal": "Serve it.",
        "waypoints": [[0.4, "Bake it: now."]],
    }
    assert found["settings"]["stop"] == "plan"


def test_a_decoder_without_plans(
    timecontrol: Callable[..., Ran], plain_run: str, tmp_path: Path
) -> None:
    model = ("generate", "--model", plain_run, *SHORT)
    ran = timecontrol(*model, "--format", "jsonl")
    found = json.loads(ran.out)
    assert found["plan"] is None
    assert found["decoder"]["encoder"] is None
    assert found["tokens"] == 24
    assert timecontrol(*model, "--stream").code == 0
    for wanted in (["--plan", "bridge"], ["--start", "Mix."], ["--sentences", "3"]):
        one_line(timecontrol(*model, *wanted), "trained without plans")
    file = tmp_path / "plan.csv"
    file.write_text("1,2,3\n")
    one_line(timecontrol(*model, "--plan", str(file)), "trained without plans")
    one_line(timecontrol(*model, "--stop", "plan"), "no --stop plan")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--plan", "brigde"], "No plan named 'brigde'. Did you mean 'bridge'?"),
        (["--plan", "nowhere.json"], "nowhere.json: no such file"),
        (["--plan", "nowhere.parquet"], "nowhere.parquet: no such file"),
        (["--sentences", "1000"], "1000 sentences are asked for: from 1 to 20 in 256 tokens"),
        (
            ["--length", "513"],
            "513 tokens are asked for; the base of this decoder takes at most 512",
        ),
        (["--length", "long"], "length is 'long': normal, forced, or a number of tokens."),
        (["--follow", "sections"], "follow is 'sections': budget or sentences."),
        (["--length", "0"], "length is 0 tokens: 2 or more"),
        (["--waypoint", "Bake it."], "--waypoint is 'Bake it.': SHARE:TEXT, such as 0.5:TEXT."),
        (["--waypoint", "half:Bake it."], "SHARE:TEXT"),
        (["--waypoint", "5:Bake it."], "A waypoint at 5: its place is a share"),
        (["--start", ""], "The text at 0 is empty"),
        (["-n", "0"], "0 documents are asked for"),
        (["--first", "-1"], "not be negative"),
        (["--format", "pdf"], "No format named 'pdf'. Known: text, jsonl, markdown."),
        (["--out", "."], "--out is .: a folder; give a file."),
        (["--out", "none/a.txt"], "--out is none/a.txt: there is no folder none."),
        (["--stream", "--out", "a.txt"], "--stream shows text on the screen"),
        (["--stream", "--format", "jsonl"], "--stream shows text on the screen"),
        (["--stream", "--beams", "2"], "no --stream with --beams"),
        (["--fast", "--beams", "2"], "no --fast with --beams"),
        (["--top-p", "0"], "top-p is 0"),
        (["--temperature", "nan"], "temperature is nan"),
        (["--stop", "soon"], "stop is 'soon': end or plan."),
        (["--batch-size", "0"], "batch is 0: 1 or more."),
        (["--device", "gpu"], "No device named 'gpu'"),
        (["--dtype", "fp8"], "No dtype named 'fp8'"),
        (["--beams", "many"], "Invalid value for '--beams'"),
    ],
)
def test_mistakes_get_one_line(
    timecontrol: Callable[..., Ran],
    decoder_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = timecontrol("generate", "--model", str(decoder_run), "--device", "cpu", *options)
    one_line(ran, message)
    assert [p for p in tmp_path.iterdir() if p.is_file()] == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "1,2\n3,4\n", "points have 2 numbers; this model reads points of 3."),
        ("a.csv", "1,2,3\n1,nan,3\n", "a.csv:2: 'nan' is not a finite number"),
        ("a.json", '{"points": [[1, NaN, 3]]}', "Point 1 of the plan's 1 holds NaN, infinity"),
        ("a.jsonl", '{"plan": {"points": [[1, 2, 1e999]]}}', "a.jsonl:1: Point 1 of the plan's 1"),
        ("a.json", '{"points": []}', "The plan has no points: it needs at least 1."),
        ("a.csv", "z1,z2,z3\n", "The plan has no points"),
        ("a.json", '{"plans": []}', "holds no plan"),
        ("a.jsonl", "", "holds no plan"),
        ("a.jsonl", '{"plan": null}\n', 'A plan is an object with "points"'),
        ("a.csv", "1,2,3\n" * 21, "21 points; the window of 256 tokens allows about 20 sentences"),
        ("a.txt", "1,2,3\n", "not a file of plans"),
    ],
)
def test_a_bad_file_of_plans_gets_one_line(
    timecontrol: Callable[..., Ran],
    decoder_run: Path,
    tmp_path: Path,
    name: str,
    content: str,
    message: str,
) -> None:
    file = tmp_path / name
    file.write_text(content)
    model = ("generate", "--model", str(decoder_run), "--device", "cpu")
    one_line(timecontrol(*model, "--plan", str(file)), message)


def test_nan_in_numpy_s_own_format(
    timecontrol: Callable[..., Ran], decoder_run: Path, tmp_path: Path
) -> None:
    points = np.zeros((2, 4, 3))
    points[1, 2, 0] = np.nan
    np.save(tmp_path / "a.npy", points)
    model = ("generate", "--model", str(decoder_run), "--device", "cpu")
    ran = timecontrol(*model, "--plan", str(tmp_path / "a.npy"))
    one_line(ran, "plan 2: Point 3 of the plan's 4 holds NaN, infinity")


@pytest.mark.parametrize(
    "option",
    [
        ["--start", "Mix."],
        ["--goal", ""],
        ["--sentences", "0"],
        ["--waypoint", "0.5:Mix."],
        ["--noise", "0"],
    ],
)
def test_a_plan_from_a_file_is_not_changed(
    timecontrol: Callable[..., Ran], decoder_run: Path, tmp_path: Path, option: list[str]
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("1,2,3\n4,5,6\n")
    model = ("generate", "--model", str(decoder_run), *SHORT, "--plan", str(file))
    one_line(timecontrol(*model, *option), "A plan from a file is followed as it is")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("nobody", "No decoder "),
        ("./nowhere", "No decoder at nowhere: no such folder."),
        (".", "holds no finished decoder: no config.json in it."),
    ],
)
def test_an_unknown_model(
    timecontrol: Callable[..., Ran],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    one_line(timecontrol("generate", "--model", model), message)


def test_an_encoder_is_no_decoder(timecontrol: Callable[..., Ran], decoder_run: Path) -> None:
    ran = timecontrol("generate", "--model", str(decoder_run / "encoder"))
    one_line(ran, "holds a run of kind 'encoder', not 'decoder'.")


def test_an_encoder_whose_base_is_gone(timecontrol: Callable[..., Ran], copied: Path) -> None:
    """Only who gives a text needs it."""
    gone = str(copied.parent / "gone")
    rename_base(copied / "encoder", gone)
    model = ("generate", "--model", str(copied), *SHORT)
    assert timecontrol(*model).code == 0
    one_line(timecontrol(*model, "--start", "Mix."), f"No base named '{gone}'")


def test_adapters_whose_base_is_gone(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path
) -> None:
    base, run = tmp_path / "base", tmp_path / "run"
    shutil.copytree(bases["llama"], base)
    options: dict[str, Any] = {"epochs": 1, "window": 64, "batch": 16, "lora": 2}
    Decoder.fit(CORPUS, base=str(base), out=run, device="cpu", method="plain", **options)
    model = ("generate", "--model", str(run), *SHORT)
    assert timecontrol(*model).code == 0
    base.rename(tmp_path / "elsewhere")
    one_line(timecontrol(*model), f"No base named '{base}'")
    shutil.copytree(bases["gpt2"], base)
    one_line(timecontrol(*model), "is not the one this decoder was trained on")


def rename_base(run: Path, name: str) -> None:
    config = json.loads((run / "config.json").read_text())
    config["base"]["name"] = name
    (run / "config.json").write_text(json.dumps(config))


def test_an_encoder_of_another_run(
    timecontrol: Callable[..., Ran], copied: Path, bases: dict[str, str]
) -> None:
    shutil.rmtree(copied / "encoder")
    options: dict[str, Any] = {"epochs": 1, "latent_dim": 3, "seed": 1, "device": "cpu"}
    Encoder.fit(CORPUS, base=bases["bert"], out=copied / "encoder", **options)
    ran = timecontrol("generate", "--model", str(copied), *SHORT)
    one_line(ran, "the encoder there is not the one this decoder was trained with")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model", "is damaged: no model and no adapter in it."),
        ("encoder", "No encoder at"),
        ("law.safetensors", "is damaged: no law.safetensors in it."),
        ("metrics.json", "is damaged"),
    ],
)
def test_a_run_of_which_something_is_missing(
    timecontrol: Callable[..., Ran], copied: Path, name: str, message: str
) -> None:
    lost = copied / name
    shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
    one_line(timecontrol("generate", "--model", str(copied), *SHORT), message)


def test_what_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not generate.is_file(None)
    assert not generate.is_file("bridge")
    assert not generate.is_file("bridge-line")
    assert all(map(generate.is_file, ("a.json", "a.JSONL", "x/a.npy", "a.csv", "a.parquet")))
    Path("plan").write_text("")
    assert generate.is_file("plan")


def test_waypoints_as_they_are_typed() -> None:
    assert generate.waypoints_of(None) == []
    assert generate.waypoints_of(["0.5: Bake: hot.", ".25:Mix"]) == [
        (0.5, "Bake: hot."),
        (0.25, "Mix"),
    ]


def test_documents_that_were_cut_off_are_told_of(
    timecontrol: Callable[..., Ran],
    decoder_run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A document that fills the window without an end is cut there; a forced one is meant to be."""
    ids = {0: (0,) * 256, 1: (0,) * 9, 2: (0,) * 256}

    def write(decoder: Any, plans: Any, writing: Any, **rest: Any) -> Any:
        for number in range(len(plans)):
            ended = number == 1
            yield Written(number, (), ids[number], ended, None, writing.as_dict())

    monkeypatch.setattr(generation, "write", write)
    words = ["generate", "--model", str(decoder_run), "-n", "3", "--out", str(tmp_path / "a.txt")]
    assert timecontrol(*words).err.endswith(
        "2 of 3 had not ended after 256 tokens, and were cut there\n"
    )
    assert "cut" not in timecontrol(*words, "--length", "forced").err
