"""``timecontrol plan`` as it is typed."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Ran
from timecontrol.decoder import Decoder
from timecontrol.generation.request import default_writing, plans_for
from timecontrol.plans import KINDS, own_length, read_plans


@pytest.fixture(scope="module")
def decoder(decoder_run: Path) -> Decoder:
    return Decoder.load(decoder_run, "cpu")


def test_a_plan_is_shown(
    timecontrol: Callable[..., Ran], decoder_run: Path, decoder: Decoder
) -> None:
    ran = timecontrol("plan", "--model", str(decoder_run), "--sentences", "3", "--seed", "2")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "bridge 0, seed 2: 3 sentences"
    assert lines[1].split() == ["sentence", "z1", "z2", "z3"]
    writing = default_writing(decoder, "normal", seed=2)
    (plan,) = plans_for(decoder, 1, writing, sentences=3)
    assert plan is not None
    for i, point in enumerate(plan.points):
        assert lines[2 + i].split() == [str(i + 1), *(f"{x:+.2f}" for x in point)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_drawn(
    timecontrol: Callable[..., Ran], decoder_run: Path, kind: str
) -> None:
    ran = timecontrol(
        "plan", "--model", str(decoder_run), "--kind", kind, "-n", "2", "--sentences", "5", "--json"
    )
    found = json.loads(ran.out)
    assert [plan["kind"] for plan in found] == [kind, kind]
    assert [plan["number"] for plan in found] == [0, 1]
    assert np.shape([plan["points"] for plan in found]) == (2, 5, 3)


def test_it_is_as_long_as_the_text_shall_be(
    timecontrol: Callable[..., Ran], decoder_run: Path, decoder: Decoder
) -> None:
    law = decoder.law
    assert law is not None
    for length, n in (
        ("normal", own_length(law, "bridge", 0, 0)),  # as a training document
        ("forced", round(256 / law.tokens * law.sentences)),
        ("100", round(100 / law.tokens * law.sentences)),
    ):
        ran = timecontrol("plan", "--model", str(decoder_run), "--length", length, "--json")
        assert len(json.loads(ran.out)[0]["points"]) == n


def test_it_is_kept_to_the_last_bit(
    timecontrol: Callable[..., Ran], decoder_run: Path, decoder: Decoder, tmp_path: Path
) -> None:
    file = tmp_path / "plans.json"
    model = ("plan", "--model", str(decoder_run), "--start", "Mix.", "--waypoint", "0.5:Bake it.")
    ran = timecontrol(*model, "-n", "3", "--out", str(file))
    assert ran.code == 0, ran.err
    assert f"generate --model {decoder_run} --plan {file}" in ran.out
    writing = default_writing(decoder, "normal")
    drawn = plans_for(decoder, 3, writing, start="Mix.", waypoints=[(0.5, "Bake it.")])
    found = read_plans(file)
    for one, other in zip(found, drawn, strict=True):
        assert other is not None
        assert replace(one, points=other.points) == other
        np.testing.assert_allclose(one.points, other.points, atol=1e-6)
    assert timecontrol(*model, "-n", "3", "--json").out == json.dumps(
        json.loads(file.read_text())["plans"], indent=1, ensure_ascii=False
    ) + "\n"  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "brigde"], "No plan named 'brigde'. Did you mean 'bridge'?"),
        (["--sentences", "0"], "0 sentences are asked for: from 1 to"),
        (["--sentences", "1000"], "1000 sentences are asked for: from 1 to"),
        (["--kind", "static", "--goal", "Serve."], "A 'static' plan takes no goal."),
        (["--out", "plans.csv"], "--out is plans.csv: a .json file."),
        (["--out", "none/plans.json"], "none/plans.json: cannot be written"),
        (["-n", "0"], "0 documents are asked for"),
        (["--seed", "-1"], "seed is -1"),
        (["--length", "far"], "length is 'far'"),
        (["--waypoint", "1.5:Mix."], "A waypoint at 1.5"),
        (["--device", "gpu"], "No device named 'gpu'"),
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
    ran = timecontrol("plan", "--model", str(decoder_run), *options)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert ran.out == ""
    assert [p for p in tmp_path.iterdir() if p.is_file()] == []


def test_a_decoder_without_plans_has_none_to_show(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path
) -> None:
    corpus, out = "synthetic:recipes,documents=20", tmp_path / "run"
    Decoder.fit(
        corpus, base=bases["llama"], out=out, device="cpu", method="plain", epochs=1, window=64
    )
    ran = timecontrol("plan", "--model", str(out))
    assert ran.code == 2
    assert ran.err == "timecontrol: This decoder was trained without plans (method plain).\n"
