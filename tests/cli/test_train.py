"""``timecontrol train encoder`` as it is typed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.conftest import Ran
from timecontrol.encoder import Encoder
from timecontrol.runs import is_finished, read_tensors

CORPUS = "synthetic:recipes,documents=40"
FAST = ("--epochs", "2", "--batch", "32", "--device", "cpu")


def test_it_trains_and_tells(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    ran = timecontrol("train", "encoder", CORPUS, "--out", str(out), "--base", bases["bert"], *FAST)
    assert ran.code == 0
    assert "32 training documents, 4 validation documents; 2 epochs" in ran.out
    assert "bound log N - L, N = 21 (nats)" in ran.out  # all the validation documents have
    assert f"Written to {out}" in ran.out
    encoder = Encoder.load(out)
    assert encoder.latent_dim == 8
    assert f"{encoder.metrics['best']['val_loss']:.3f}" in ran.out


@pytest.mark.parametrize("objective", ["brownian", "implicit", "vae"])
def test_the_ablations_train_by_the_same_command(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path, objective: str
) -> None:
    options = ["--objective", objective, "--latent-dim", "2", "--epochs", "1", "--batch", "64"]
    ran = timecontrol(
        "train", "encoder", "synthetic:recipes,documents=20", "--out", str(tmp_path / "run"),
        "--base", bases["gpt2"], "--json", *options,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["config"]["settings"]["objective"] == objective
    assert found["metrics"]["best"]["val_loss"] > 0


@pytest.mark.parametrize("preset", ["paper", "released"])
def test_the_paper_s_presets_can_be_asked_for(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path, preset: str
) -> None:
    ran = timecontrol(
        "train", "encoder", CORPUS, "--out", str(tmp_path / "run"), "--base", bases["gpt2"],
        "--preset", preset, "--epochs", "1", "--json",
    )  # fmt: skip
    settings = json.loads(ran.out)["config"]["settings"]
    assert settings["optimiser"] == "sgd"
    assert settings["loss"] == preset
    assert settings["tags"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--objective", "brige"], "No objective named 'brige'. Did you mean 'bridge'"),
        (["--preset", "worst"], "No preset named 'worst'"),
        (["--base", "minilmm"], "No base named 'minilmm'. Did you mean 'minilm'"),
        (["--latent-dim", "0"], "latent dim is 0: 1 or more"),
        (["--device", "gpu"], "No device named 'gpu'"),
        (["--dtype", "fp8"], "No dtype named 'fp8'"),
        (["--lm", "nothing", "--objective", "vae"], "No base named 'nothing'"),
        (["--distance", "500"], "0 samples at distance 500"),
    ],
)
def test_mistakes_get_one_line(
    timecontrol: Callable[..., Ran],
    bases: dict[str, str],
    tmp_path: Path,
    options: list[str],
    message: str,
) -> None:
    out = tmp_path / "run"
    base = [] if "--base" in options else ["--base", bases["gpt2"]]
    ran = timecontrol("train", "encoder", CORPUS, "--out", str(out), *base, *options)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert not is_finished(out)


@pytest.mark.parametrize("finished", [False, True])
def test_a_folder_with_other_files_is_refused_before_any_work(
    timecontrol: Callable[..., Ran],
    bases: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    finished: bool,
) -> None:
    """Also beside a finished run, which is left as it is."""
    out = tmp_path / "run"
    command = ("train", "encoder", CORPUS, "--out", str(out), "--base", bases["bert"], *FAST)
    if finished:
        assert timecontrol(*command).code == 0
    out.mkdir(exist_ok=True)
    (out / "thesis.tex").write_text("years of work")
    before = {p.name: p.read_bytes() for p in out.iterdir()}

    def never(*arguments: Any, **rest: Any) -> Any:
        raise AssertionError("it went to work")

    monkeypatch.setattr("timecontrol.encoder.model.open_base", never)
    ran = timecontrol(*command, "--seed", "3", "--overwrite")
    assert ran.code == 2
    assert ran.err == (
        f"timecontrol: {out} holds other files than those of a run: give another folder.\n"
    )
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_a_corpus_of_one_document_is_refused(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "one.txt").write_text("One sentence. Two sentences. Three sentences.")
    ran = timecontrol(
        "train", "encoder", f"text:{folder}", "--out", str(tmp_path / "run"),
        "--base", bases["gpt2"],
    )  # fmt: skip
    assert ran.code == 2
    assert "1 training documents" in ran.err or "0 training documents" in ran.err
    assert "at least 2 are needed" in ran.err
    assert not (tmp_path / "run").exists()


def test_own_documents_with_short_and_repeated_ones(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for i in range(12):
        (folder / f"{i}.txt").write_text(f"Town {i} begins. It grows to {i} houses. It ends here.")
    (folder / "again.txt").write_text("Town 3 begins. It grows to 3 houses. It ends here.")
    (folder / "short.txt").write_text("Nothing more.")
    ran = timecontrol(
        "train", "encoder", f"text:{folder}", "--out", str(tmp_path / "run"),
        "--base", bases["bert"], *FAST,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "under 3 sentences left out" in ran.err
    assert "repeated" in ran.err


SLOW = ["--epochs", "400", "--patience", "0", "--batch", "16", "--device", "cpu"]


@pytest.mark.slow
def test_a_process_killed_outright_is_gone_on_with(bases: dict[str, str], tmp_path: Path) -> None:
    """SIGKILL, no chance to tidy up; the same command ends in the weights of a run left alone."""
    environment = {
        **os.environ,
        "TIMECONTROL_CACHE": str(tmp_path / "cache"),
        "HF_HUB_OFFLINE": "1",
    }
    code = (
        "import sys\n"
        "from timecontrol.encoder import training\n"
        "training.SAVE_EVERY = 0.05\n"
        "from timecontrol.cli import main\n"
        "sys.argv = ['timecontrol', *sys.argv[1:]]\n"
        "main()\n"
    )

    def command(name: str) -> list[str]:
        out = str(tmp_path / name)
        arguments = ["train", "encoder", "synthetic:recipes,documents=20", "--out", out]
        return [sys.executable, "-c", code, *arguments, "--base", bases["bert"], *SLOW]

    killed = subprocess.Popen(command("killed"), env=environment, stderr=subprocess.DEVNULL)
    checkpoint = tmp_path / "killed" / "checkpoint.safetensors"
    until = time.monotonic() + 60
    while not checkpoint.exists() and time.monotonic() < until:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert checkpoint.exists()
    assert not is_finished(tmp_path / "killed")
    for name in ("killed", "whole"):
        subprocess.run(command(name), env=environment, check=True, capture_output=True)
    a, b = (read_tensors(tmp_path / n / "head.safetensors")[0] for n in ("killed", "whole"))
    assert all(torch.equal(a[name], b[name]) for name in b)
    assert not checkpoint.exists()
