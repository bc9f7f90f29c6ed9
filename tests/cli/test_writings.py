"""``timecontrol evaluate structure|perplexity|swap|adherence`` as they are typed."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran
from timecontrol.cli.writings import _words
from timecontrol.decoder.folder import ENCODER
from timecontrol.encoder import Encoder
from timecontrol.encoder.evaluations import count
from timecontrol.errors import TimeControlError

CORPUS = "synthetic:recipes,documents=40"
CPU = ("--device", "cpu")


@pytest.fixture
def model(decoder_run: Path, tmp_path: Path) -> str:
    """A copy of the shared decoder, in which looks can be written down."""
    return str(shutil.copytree(decoder_run, tmp_path / "planned"))


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory, bases: dict[str, str]) -> str:
    out = tmp_path_factory.mktemp("judge") / "judge"
    Encoder.fit(CORPUS, base=bases["gpt2"], epochs=1, latent_dim=4, seed=5, out=out, device="cpu")
    return str(out)


def one_line(ran: Ran, message: str) -> None:
    assert ran.code == 2, ran.out
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert ran.out == ""


def whole(ran: Ran, out: Path, task: str) -> dict[str, Any]:
    """Check what every task prints and writes, and return its numbers."""
    assert ran.code == 0, ran.err
    assert ran.err == ""
    assert sorted(p.name for p in out.iterdir()) == [f"{task}.json", f"{task}.md"]
    found: dict[str, Any] = json.loads((out / f"{task}.json").read_text())
    assert found["command"].startswith(f"timecontrol evaluate {task} {CORPUS}")
    page = (out / f"{task}.md").read_text()
    assert f"    {found['command']}\n" in page
    assert found["note"] in page
    for table in found["tables"]:
        for row in table["rows"]:
            assert "| " + " | ".join(row) + " |" in page
            assert re.search(" +".join(map(re.escape, row)), ran.out)
    assert f"Written to {out / task}.md and .json." in ran.out
    return found


def test_structure(
    timecontrol: Callable[..., Ran],
    model: str,
    plain_run: str,
    bases: dict[str, str],
    tmp_path: Path,
) -> None:
    out, keep = tmp_path / "out", tmp_path / "texts"
    ran = timecontrol(
        "evaluate", "structure", CORPUS, "--model", model, "--model", plain_run, "--plans",
        "bridge, mean", "--lengths", "normal,40", "-n", "3", "--top-p", "0.8", "--temperature",
        "0.9", "--seed", "6", "--tokenizer", bases["gpt2"], "--window", "200", "--batch-size", "2",
        "--keep", str(keep), "--out", str(out), *CPU,
    )  # fmt: skip
    found = whole(ran, out, "structure")
    assert [(r["label"], r["length"]) for r in found["rows"]] == [
        ("planned, bridge", "normal"),
        ("planned, mean", "normal"),
        ("planned, bridge", "forced"),
        ("planned, mean", "forced"),
        ("plain", "normal"),
        ("plain", "forced"),
    ]
    assert found["settings"]["top_p"] == [0.8]
    assert (found["settings"]["temperature"], found["settings"]["seed"]) == (0.9, 6)
    assert found["settings"]["window"] == 200
    assert [d["name"] for d in found["decoders"]] == ["planned", "plain"]
    files = sorted(keep.iterdir())
    assert len(files) == 6
    options = [word for file in files for word in ("--texts", str(file))]
    again = timecontrol(
        "evaluate", "structure", CORPUS, *options, "--tokenizer", bases["gpt2"], "--window", "200",
        "--json",
    )  # fmt: skip
    assert again.code == 0, again.err
    rows = json.loads(again.out)["rows"]
    cells = {(r["label"], r["length"]): r["cells"] for r in rows}
    assert cells == {(r["label"], r["length"]): r["cells"] for r in found["rows"]}


def test_texts_of_generate_are_measured(
    timecontrol: Callable[..., Ran], model: str, bases: dict[str, str], tmp_path: Path
) -> None:
    texts = str(tmp_path / "mine.jsonl")
    asked = ("--model", model, "-n", "3", "--length", "30", "--plan", "linear", *CPU)
    assert timecontrol("generate", *asked, "--out", texts).code == 0
    ran = timecontrol(
        "evaluate", "structure", CORPUS, "--texts", texts, "--tokenizer", bases["gpt2"], "--json"
    )
    (row,) = json.loads(ran.out)["rows"]
    assert (row["label"], row["length"], row["budget"]) == ("planned, linear", "forced", 30)
    assert (row["documents"], row["runs"][0]["run"]) == (3, "mine")


def test_documents_without_tags(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path
) -> None:
    """Own plain texts: there is no order of sections to look at, and nothing breaks."""
    folder = tmp_path / "own"
    folder.mkdir()
    for i in range(12):
        (folder / f"{i}.txt").write_text(f"Town {i} begins. It has {i} houses. It ends.")
    texts = tmp_path / "mine.jsonl"
    lines = [{"sections": [{"tag": None, "sentences": ["A town.", f"It ends {i}."]}],
              "tokens": 9, "ended": True} for i in range(2)]  # fmt: skip
    texts.write_text("\n".join(map(json.dumps, lines)))
    ran = timecontrol(
        "evaluate", "structure", f"text:{folder}", "--texts", str(texts), "--tokenizer",
        bases["gpt2"],
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "in order" not in ran.out
    assert re.search(r"mine +2 +1 ", ran.out)


def test_perplexity(
    timecontrol: Callable[..., Ran], model: str, plain_run: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    asked = ("evaluate", "perplexity", CORPUS, "--model", model, "--batch-size", "3", *CPU)
    ran = timecontrol(*asked, "--model", plain_run, "--split", "dev", "--out", str(out))
    found = whole(ran, out, "perplexity")
    assert (found["split"], found["documents"]) == ("val", 4)
    assert [r["label"] for r in found["rows"]] == ["planned", "plain"]
    assert count(Path(model)) == 0
    first = json.loads(timecontrol(*asked, "--max-documents", "3", "--json").out)
    assert (first["split"], first["documents"]) == ("test", 3)
    assert count(Path(model)) == 1


def test_swap(timecontrol: Callable[..., Ran], model: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = ("evaluate", "swap", CORPUS, "--model", model, "--pairs", "2", "--length", "40")
    ran = timecontrol(*asked, "--top-p", "0.7", "--seed", "3", "--out", str(out), *CPU)
    found = whole(ran, out, "swap")
    assert found["settings"] == {"length": "40", "top_p": 0.7, "seed": 3}
    assert found["rows"][0]["pairs"] == 2
    again = json.loads(timecontrol(*asked, "--top-p", "0.7", "--seed", "3", "--json", *CPU).out)
    assert again["rows"] == found["rows"]


def test_adherence(timecontrol: Callable[..., Ran], model: str, judge: str, tmp_path: Path) -> None:
    texts, out = str(tmp_path / "mine.jsonl"), tmp_path / "out"
    asked = ("--model", model, "-n", "3", "--length", "60", *CPU)
    assert timecontrol("generate", *asked, "--out", texts).code == 0
    given = ("evaluate", "adherence", CORPUS, "--texts", texts, "--judge", judge)
    encoder = ("--encoder", f"{model}/{ENCODER}")
    found = whole(timecontrol(*given, *encoder, "--out", str(out), *CPU), out, "adherence")
    assert found["rows"][0]["label"] == "planned, bridge, forced"
    assert "judge: " in (out / "adherence.md").read_text()
    again = timecontrol(*given, *encoder, "--json", *CPU)
    assert json.loads(again.out)["rows"] == found["rows"]
    # an encoder that did not plan, and a judge that did
    one_line(timecontrol(*given, "--encoder", judge), "planned with another encoder")
    one_line(
        timecontrol(*given[:5], "--judge", encoder[1], *encoder),
        "The judge is the encoder that planned",
    )


def test_words_of_a_list() -> None:
    assert _words("bridge, mean,,bridge", "--plans") == ["bridge", "mean"]
    with pytest.raises(TimeControlError, match="--plans is empty"):
        _words(" , ", "--plans")


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("structure", [], "Nothing to measure: give --model or --texts."),
        ("structure", ["--model", "nowhere"], "No decoder named 'nowhere'. Known: wikisection,"),
        ("structure", ["--plans", "brigde"], "No plan named 'brigde'. Did you mean 'bridge'?"),
        ("structure", ["--plans", ",", "--model", "MODEL"], "--plans is empty."),
        ("structure", ["--lengths", "", "--model", "MODEL"], "--lengths is empty."),
        ("structure", ["--lengths", "40,long", "--model", "MODEL"], "length is 'long'"),
        ("structure", ["--lengths", "600", "--model", "MODEL"], "takes at most 512"),
        ("structure", ["--texts", "nowhere.jsonl"], "nowhere.jsonl: No such file or directory"),
        ("structure", ["--texts", "FILE"], "file: no documents in it"),
        ("structure", ["--model", "MODEL", "--tokenizer", "smolm"], "No base named 'smolm'"),
        ("structure", ["--model", "MODEL", "--window", "3"], "window is 3: 16 tokens or more"),
        ("structure", ["--model", "MODEL", "--top-p", "2"], "top-p is 2: above 0, at most 1"),
        ("structure", ["--model", "MODEL", "--follow", "sections"], "follow is 'sections': budget"),
        ("structure", ["--model", "MODEL", "-n", "1"], "'--count'"),
        ("structure", ["--model", "MODEL", "--keep", "FILE"], "--keep is "),
        ("structure", ["--model", "MODEL", "--out", "FILE"], "file: a file; give a folder"),
        ("perplexity", [], "No decoder: give --model RUN; it may be repeated."),
        ("perplexity", ["--model", "MODEL", "--split", "dev2"], "No split named 'dev2'"),
        ("perplexity", ["--model", "MODEL/encoder"], "of kind 'encoder', not 'decoder'"),
        ("swap", [], "No decoder: give --model RUN; it may be repeated."),
        ("swap", ["--model", "PLAIN"], "Plans can be swapped where there are plans"),
        ("swap", ["--model", "MODEL", "--split", "nine"], "No split named 'nine'"),
        ("swap", ["--model", "MODEL", "--pairs", "0"], "'--pairs'"),
        ("swap", ["--model", "MODEL", "--device", "gpu"], "No device named 'gpu'"),
        ("adherence", ["--encoder", "general", "--judge", "dialogue"], "No texts: give --texts"),
        ("adherence", ["--encoder", "general"], "Missing option '--judge'"),
        ("adherence", ["--texts", "FILE", "--encoder", "nobody", "--judge", "dialogue"],
         "No encoder named 'nobody'"),
    ],
)  # fmt: skip
def test_mistakes_get_one_line(
    timecontrol: Callable[..., Ran],
    decoder_run: Path,
    plain_run: str,
    bases: dict[str, str],
    tmp_path: Path,
    task: str,
    options: list[str],
    message: str,
) -> None:
    file = tmp_path / "file"
    file.write_text("\n")
    places = {"MODEL": str(decoder_run), "PLAIN": plain_run, "FILE": str(file)}
    words = options
    for name, place in places.items():
        words = [word.replace(name, place) for word in words]
    if task == "structure" and "--tokenizer" not in options:
        words = [*words, "--tokenizer", bases["gpt2"]]
    if "--out" not in options:
        words = [*words, "--out", str(tmp_path / "out")]
    one_line(timecontrol("evaluate", task, CORPUS, *words), message)
    assert not (tmp_path / "out").exists()
    assert count(decoder_run) == 0


def test_a_corpus_of_other_tags_is_refused(
    timecontrol: Callable[..., Ran], decoder_run: Path
) -> None:
    asked = ("evaluate", "perplexity", "synthetic:cities,documents=40", "--model", str(decoder_run))
    one_line(timecontrol(*asked, "--split", "val", *CPU), "This decoder does not know the tag")
