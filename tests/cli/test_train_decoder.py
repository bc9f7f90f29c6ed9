"""``timecontrol train decoder`` as it is typed."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran
from timecontrol.cli import train_decoder
from timecontrol.decoder import Decoder
from timecontrol.decoder.folder import ADAPTER, CHECKPOINTS, ENCODER, MODEL
from timecontrol.runs import is_finished

CORPUS = "synthetic:recipes,documents=20"
FAST = ("--epochs", "1", "--window", "256", "--batch", "16", "--device", "cpu")
ESTIMATE = re.compile(
    r"1 steps, about \d+ s; [\d.]+M of [\d.]+M parameters are trained, "
    r"[\d,]+ tokens an epoch; up to [\d.]+ GB of disk\n"
    r"(take care: .*\n)?"  # one step teaches little
    r"(note: 16 training documents: below 50 little is learnt .*\n)?"  # not with --json
)


@pytest.fixture
def train(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path
) -> Callable[..., Ran]:
    """Train a decoder into ``tmp_path / "run"`` with some more options."""

    def run(*options: str) -> Ran:
        given = ("--out", str(tmp_path / "run"), "--base", bases["writer"], *FAST)
        return timecontrol("train", "decoder", CORPUS, *given, *options)

    return run


@pytest.fixture
def encoder(decoder_run: Path) -> str:
    return str(decoder_run / ENCODER)


def one_line(ran: Ran, message: str) -> None:
    assert ran.code == 2, ran.out
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert ran.out == ""


def test_it_trains_tells_and_writes(
    train: Callable[..., Ran], timecontrol: Callable[..., Ran], encoder: str, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    ran = train("--encoder", encoder)
    assert ran.code == 0, ran.err
    assert ESTIMATE.fullmatch(ran.err)
    assert "note: 16 training documents: below 50" in ran.err
    assert f"{CORPUS}  planned, preset best, seed 0, all weights\n" in ran.out
    assert "encoder bridge d = 3 (" in ran.out
    assert "16 training documents, 2 validation documents; 1 epoch in " in ran.out
    assert "the weights of epoch 1 kept" in ran.out
    assert f"Written to {out}. Next: timecontrol generate --model {out} -n 4\n" in ran.out
    decoder = Decoder.load(out, "cpu")
    best = decoder.metrics["kept"]
    for name, value in (("training loss", best["loss"]), ("validation loss", best["val_loss"])):
        assert re.search(rf"^{name} +{value:.3f}$", ran.out, re.MULTILINE)
    known = decoder.metrics["health"]
    assert f"right tag first, of {known['n']} section starts" in ran.out
    assert not (out / CHECKPOINTS).exists()
    assert "Written to" not in ran.err
    # and it writes
    written = timecontrol(
        "generate", "--model", str(out), "-n", "2", "--length", "24", "--device", "cpu",
        "--format", "jsonl",
    )  # fmt: skip
    assert written.code == 0, written.err
    lines = [json.loads(line) for line in written.out.splitlines()]
    assert [line["tokens"] for line in lines] == [24, 24]
    assert lines[0]["decoder"]["identity"] == decoder.config["identity"]
    assert len(lines[0]["plan"]["points"][0]) == 3


def test_a_finished_run_is_opened(train: Callable[..., Ran], tmp_path: Path) -> None:
    first = train("--method", "plain", "--json")
    made = (tmp_path / "run" / "config.json").stat().st_mtime_ns
    again = train("--method", "plain", "--json")
    assert (first.code, again.code) == (0, 0)
    assert ESTIMATE.fullmatch(first.err)
    assert again.err == ""  # nothing is estimated, for nothing is trained
    assert json.loads(again.out) == json.loads(first.out)
    assert (tmp_path / "run" / "config.json").stat().st_mtime_ns == made
    shown = train("--method", "plain")
    assert f"Written to {tmp_path / 'run'}" in shown.out


def test_as_json(train: Callable[..., Ran], encoder: str, tmp_path: Path) -> None:
    ran = train("--encoder", encoder, "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    decoder = Decoder.load(tmp_path / "run", "cpu")
    assert found == {
        "run": (tmp_path / "run").as_posix(),
        "config": decoder.config,
        "metrics": decoder.metrics,
    }
    assert ESTIMATE.fullmatch(ran.err)


def test_adapters(
    train: Callable[..., Ran], timecontrol: Callable[..., Ran], encoder: str, tmp_path: Path
) -> None:
    ran = train("--encoder", encoder, "--lora", "2")
    assert ran.code == 0, ran.err
    assert "planned, preset best, seed 0, LoRA of rank 2\n" in ran.out
    assert ESTIMATE.fullmatch(ran.err)
    assert (tmp_path / "run" / ADAPTER).is_dir()
    assert not (tmp_path / "run" / MODEL).exists()
    model = ("generate", "--model", str(tmp_path / "run"), "--length", "24", "--device", "cpu")
    assert timecontrol(*model).code == 0


def test_a_decoder_without_plans(
    train: Callable[..., Ran], timecontrol: Callable[..., Ran], tmp_path: Path
) -> None:
    ran = train("--method", "plain")
    assert ran.code == 0, ran.err
    assert "plain, preset best, seed 0, all weights\n" in ran.out
    assert "encoder" not in ran.out
    assert not (tmp_path / "run" / ENCODER).exists()
    model = ("generate", "--model", str(tmp_path / "run"), "--length", "24", "--device", "cpu")
    written = timecontrol(*model, "--format", "jsonl")
    assert json.loads(written.out)["plan"] is None


def test_every_option_reaches_the_settings(
    timecontrol: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Training itself is not done here: what it would be given is looked at."""
    asked: list[dict[str, Any]] = []

    def fit(corpus: Any, **given: Any) -> Any:
        asked.append({"corpus": corpus.name, **given})
        raise KeyboardInterrupt

    monkeypatch.setattr(Decoder, "fit", fit)
    options = {
        "method": "section-sparse", "lora": 3, "preset": "paper", "seed": 4, "epochs": 5,
        "batch": 6, "accumulate": 7, "rate": 0.008, "patience": 9, "keep": "best",
        "window": 100, "trim": "cut",
        "depths": 2, "units": 11, "smooth": 12, "noise": 0.13, "latent_dropout": 0.14,
        "end_weight": 1.5,
    }  # fmt: skip
    words = [w for k, v in options.items() for w in (f"--{k.replace('_', '-')}", str(v))]
    words += ["--encoder", "general", "--base", "somebody/base", "--dtype", "bfloat16"]
    words += [
        "--compile",
        "--no-capture",
        "--no-checkpoints",
        "--overwrite",
        "--clock",
        "--no-final-mark",
    ]
    out, board = tmp_path / "run", tmp_path / "board"
    words += ["--device", "cpu", "--tensorboard", str(board), "--out", str(out)]
    ran = timecontrol("train", "decoder", CORPUS, *words)
    assert ran.code == 130
    (found,) = asked
    settings = found.pop("settings")
    assert {name: getattr(settings, name) for name in options} == options
    assert (settings.clock, settings.final_mark, settings.lora_rate) == (True, False, 0.008)
    del found["before"], found["progress"]
    assert found == {
        "corpus": CORPUS, "encoder": "general", "base": "somebody/base", "out": out,
        "overwrite": True, "device": "cpu", "dtype": "bfloat16", "compiled": True,
        "captured": False, "checkpoints": False, "tensorboard": board,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "A planned decoder follows the latents of an encoder: give one (--encoder RUN"),
        (["--encoder", "generl"], "No encoder named 'generl'. Did you mean 'general'?"),
        (["--encoder", "./nowhere"], "No encoder at nowhere: no such folder."),
        (["--method", "planed"], "No method named 'planed'. Did you mean 'planned'?"),
        (["--method", "plain", "--preset", "bets"], "No preset named 'bets'. Did you mean 'best'"),
        (["--method", "plain", "--base", "smolm"], "No base named 'smolm'"),
        (["--method", "plain", "--trim", "ends"], "No trim named 'ends'"),
        (["--method", "plain", "--window", "5"], "window is 5: 16 tokens or more"),
        (["--method", "plain", "--epochs", "0"], "epochs is 0: 1 or more"),
        (["--method", "plain", "--rate", "nan"], "rate is nan: more than 0"),
        (["--method", "plain", "--seed", "-1"], "seed is -1: 0 or more"),
        (["--method", "plain", "--device", "gpu"], "No device named 'gpu'"),
        (["--method", "plain", "--dtype", "fp8"], "No dtype named 'fp8'"),
        (["--method", "plain", "--lora", "many"], "Invalid value for '--lora'"),
        (
            ["--method", "plain", "--trim", "drop", "--window", "64"],
            "0 training documents under 64",
        ),
    ],
)
def test_mistakes_get_one_line(
    train: Callable[..., Ran], tmp_path: Path, options: list[str], message: str
) -> None:
    one_line(train(*options), message)
    assert not (tmp_path / "run").exists()


def test_a_corpus_that_is_not_there(timecontrol: Callable[..., Ran], tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    ran = timecontrol("train", "decoder", "text:nowhere", "--out", out, "--method", "plain")
    one_line(ran, "nowhere")
    one_line(timecontrol("train", "decoder", CORPUS, "--method", "plain"), "--out")


def test_a_file_as_run_folder(train: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    one_line(train("--method", "plain"), "run is a file: give a folder as --out.")
    assert (tmp_path / "run").read_text() == "mine"


def test_a_folder_with_something_else_in_it(train: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("mine")
    one_line(train("--method", "plain"), "run holds other files than those of a run")
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["thesis.tex"]


def test_a_folder_with_another_run(
    train: Callable[..., Ran], decoder_run: Path, encoder: str, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    shutil.copytree(decoder_run, out)
    before = (out / "config.json").read_text()
    message = "run holds a finished run of other data or settings: give another --out, or --overwr"
    one_line(train("--method", "plain"), message)
    assert (out / "config.json").read_text() == before
    ran = train("--method", "plain", "--overwrite", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["config"]["settings"]["method"] == "plain"
    assert not (out / ENCODER).exists()
    shutil.rmtree(out)
    shutil.copytree(encoder, out)
    one_line(train("--method", "plain"), "holds a run of kind 'encoder', not 'decoder'")
    assert is_finished(out)


def told(capsys: pytest.CaptureFixture[str], health: dict[str, Any] | None) -> tuple[str, str]:
    config = {
        "settings": {"method": "plain", "preset": "best", "seed": 0, "lora": 0},
        "corpus": {"name": "towns [bold]", "used": {"train": 1, "val": 2}},
        "base": {"label": "tiny"},
        "encoder": None,
    }
    metrics: dict[str, Any] = {"epochs": 3, "seconds": 1.6, "kept_epoch": 2, "health": health}
    train_decoder.report(config, {**metrics, "kept": {"loss": 1.25}})
    return capsys.readouterr()


def test_a_model_that_does_not_find_its_sections_is_warned_about(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out, err = told(capsys, {"n": 7, "first": 0.49})
    assert "1 training document, 2 validation documents; 3 epochs in 2 s, the weights of" in out
    assert re.search(r"right tag first, of 7 section starts +0\.490", out)
    assert err == "take care: at section starts the right tag is seldom first: train longer\n"
    assert "towns [bold]" in out  # a name is no markup
    assert "validation loss" not in out
    for fine in ({"n": 7, "first": 0.5}, {"n": 0, "first": None}, None):
        out, err = told(capsys, fine)
        assert err == ""
        assert ("right tag" in out) == (fine is not None and fine["first"] is not None)


def test_an_interrupted_training_says_what_is_left_of_it(
    train: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stop(*args: Any, **rest: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Decoder, "fit", stop)
        ran = train("--method", "plain")
        assert ran.code == 130
        assert "stopped before an epoch was over: the same command begins anew\n" in ran.err
        state = tmp_path / "run" / CHECKPOINTS / "checkpoint-2" / "trainer_state.json"
        state.parent.mkdir(parents=True)
        state.write_text("{}")
        assert "the same command goes on after the last whole epoch\n" in train().err
