"""Decoders to results, end to end: everything needed to get the numbers again is in them."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from timecontrol import __version__
from timecontrol.corpora import Corpus, open_corpus
from timecontrol.decoder import Decoder
from timecontrol.decoder.folder import ENCODER
from timecontrol.encoder import Encoder
from timecontrol.encoder.evaluations import FILE, count
from timecontrol.errors import InputError, TimeControlError
from timecontrol.experiments import writing
from timecontrol.experiments.evaluate import Place
from timecontrol.experiments.following import paths_of, predicted, swapped
from timecontrol.experiments.report import markdown
from timecontrol.experiments.texts import read_texts
from timecontrol.experiments.writing import Ways, adherences, prediction, structure, swap
from timecontrol.generation.request import default_writing

HERE = Place("cpu")
OPTIONS = {"top_p": 0.9, "temperature": 1.0, "seed": 2}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return open_corpus("synthetic:recipes,documents=40")


@pytest.fixture
def model(decoder_run: Path, tmp_path: Path) -> str:
    """A copy of the shared decoder, in which looks can be written down."""
    return str(shutil.copytree(decoder_run, tmp_path / "planned"))


@pytest.fixture(scope="module")
def plain_run(tmp_path_factory: pytest.TempPathFactory, bases: dict[str, str]) -> str:
    out, spec = tmp_path_factory.mktemp("plain") / "plain", "synthetic:recipes,documents=20"
    options: dict[str, Any] = {"method": "plain", "epochs": 1, "window": 64, "batch": 16}
    Decoder.fit(spec, base=bases["llama"], out=out, device="cpu", **options)
    return str(out)


@pytest.fixture(scope="module")
def section_run(tmp_path_factory: pytest.TempPathFactory, bases: dict[str, str]) -> str:
    out, spec = tmp_path_factory.mktemp("dense") / "dense", "synthetic:recipes,documents=20"
    options: dict[str, Any] = {"method": "section-dense", "epochs": 1, "window": 256, "batch": 16}
    Decoder.fit(spec, base=bases["writer"], out=out, device="cpu", **options)
    return str(out)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory, bases: dict[str, str]) -> str:
    """Another encoder than the one that planned."""
    out, spec = tmp_path_factory.mktemp("judge") / "judge", "synthetic:recipes,documents=40"
    Encoder.fit(spec, base=bases["bert"], epochs=2, latent_dim=8, seed=5, out=out, device="cpu")
    return str(out)


def checked(found: dict[str, Any], task: str, models: list[str]) -> None:
    """Check what every result has."""
    json.dumps(found, allow_nan=False)
    assert (found["task"], found["corpus"]) == (task, "synthetic:recipes,documents=40")
    assert found["timecontrol"] == found["made_with"]["timecontrol"] == __version__
    assert {"python", "torch", "transformers", "device"} <= set(found["made_with"])
    assert [d["name"] for d in found["decoders"]] == [Path(m).name for m in models]
    for about, name in zip(found["decoders"], models, strict=True):
        config = json.loads((Path(name) / "config.json").read_text())
        assert about["identity"] == config["identity"]
        assert about["settings"] == config["settings"]
        assert about["encoder"] == config["encoder"]
        assert about["base_checksum"] == config["base"]["checksum"]
        assert about["metrics"]["kept_epoch"] >= 1
    page = markdown({"command": "timecontrol", **found})
    for table in found["tables"]:
        for row in table["rows"]:
            assert len(row) == len(table["columns"])
            assert f"| {row[0]} | " in page
    assert found["note"] in page


def test_structure_has_a_row_for_each_way(
    corpus: Corpus, model: str, plain_run: str, section_run: str, bases: dict[str, str]
) -> None:
    ways = Ways(["bridge", "static"], ["normal", "40"], 3, OPTIONS, batch=2)
    models = [model, plain_run, section_run]
    found = structure(
        corpus, models=models, ways=ways, tokenizer=bases["gpt2"], window=200, place=HERE
    )
    checked(found, "structure", models)
    rows = [(r["label"], r["length"], r["budget"], r["documents"]) for r in found["rows"]]
    assert rows == [
        ("planned, bridge", "normal", 256, 3),
        ("planned, static", "normal", 256, 3),
        ("planned, bridge", "forced", 40, 3),
        ("planned, static", "forced", 40, 3),
        ("plain", "normal", 64, 3),
        ("plain", "forced", 40, 3),
        ("section-dense, retrieved", "normal", 256, 3),
        ("section-dense, retrieved", "forced", 40, 3),
    ]
    assert all(
        r["cells"]["tokens"]["value"] == 40 for r in found["rows"] if r["length"] != "normal"
    )
    assert found["settings"] == {
        "documents of each decoder and way": 3,
        **OPTIONS,
        "tokens counted by": bases["gpt2"],
        "training documents": 32,
        "window": 200,
    }
    assert (found["split"], found["documents"]) == ("train", 32)
    assert not (Path(model) / FILE).exists()  # no test document was looked at


def test_texts_that_are_kept_give_the_same_rows(
    corpus: Corpus, model: str, bases: dict[str, str], tmp_path: Path
) -> None:
    keep = tmp_path / "kept" / "here"
    ways = Ways(["bridge", "mean"], ["60"], 3, OPTIONS, folder=keep)
    options: dict[str, Any] = {"tokenizer": bases["gpt2"], "window": 200, "place": HERE}
    first = structure(corpus, models=[model], ways=ways, **options)
    files = sorted(keep.iterdir())
    assert [f.name for f in files] == ["planned-60-bridge.jsonl", "planned-60-mean.jsonl"]
    again = structure(corpus, files=files, **options)
    assert [r["cells"] for r in again["rows"]] == [r["cells"] for r in first["rows"]]
    assert [r["label"] for r in again["rows"]] == ["planned, bridge", "planned, mean"]
    assert again["settings"]["texts"] == [f.name for f in files]
    assert again["decoders"] == []
    assert "documents of each decoder and way" not in again["settings"]
    kept, decoder = read_texts(files[0]), Decoder.load(model, "cpu")
    assert kept.encoder == decoder.config["encoder"]["identity"]
    assert kept.smooth == decoder.settings.smooth == 5
    assert decoder.law is not None
    assert all(p is not None and p.shape[1] == decoder.law.dim for p in kept.plans)
    assert json.loads(files[0].read_text().splitlines()[0])["settings"]["seed"] == 2
    both = structure(corpus, models=[model], files=files[:1], ways=ways, **options)
    runs = [[run["run"] for run in row["runs"]] for row in both["rows"]]
    assert runs == [["planned", "planned-60-bridge"], ["planned"]]


def test_texts_that_are_kept_are_read_as_they_were(model: str, tmp_path: Path) -> None:
    ways = Ways(["mean"], ["30"], 2, OPTIONS, folder=tmp_path)
    (made,) = writing._written(model, Decoder.load(model, "cpu"), ways, HERE)
    found = read_texts(tmp_path / "planned-30-mean.jsonl")
    assert (made.run, found.run) == ("planned", "planned-30-mean")
    a, b = ({k: v for k, v in vars(t).items() if k not in ("run", "plans")} for t in (made, found))
    assert a == b
    np.testing.assert_array_equal(np.stack(found.plans), np.stack(made.plans))  # type: ignore[arg-type]


def test_structure_refuses_before_anything_is_written(
    corpus: Corpus,
    model: str,
    bases: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*arguments: Any, **rest: Any) -> Any:
        raise AssertionError("something was written")

    monkeypatch.setattr(writing, "write", never)
    options: dict[str, Any] = {"tokenizer": bases["gpt2"], "place": HERE}
    with pytest.raises(TimeControlError, match="Nothing to measure: give --model or --texts"):
        structure(corpus, **options)
    with pytest.raises(TimeControlError, match=r"No decoder at .*nowhere"):
        structure(corpus, models=[model, str(tmp_path / "nowhere")], **options)
    with pytest.raises(TimeControlError, match="of kind 'encoder', not 'decoder'"):
        structure(corpus, models=[model, f"{model}/{ENCODER}"], **options)
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    with pytest.raises(InputError, match=r"bad\.jsonl:1: no document"):
        structure(corpus, models=[model], files=[bad], **options)
    for length, message in (("long", "length is 'long'"), ("1", "budget is 1")):
        with pytest.raises(TimeControlError, match=message):
            structure(corpus, models=[model], ways=Ways(lengths=["normal", length]), **options)


def test_perplexities_are_those_of_the_decoders(
    corpus: Corpus, model: str, plain_run: str, section_run: str
) -> None:
    models = [model, plain_run, section_run]
    found = prediction(corpus, models=models, split="val", seed=4, batch=3, place=HERE)
    checked(found, "perplexity", models)
    documents = list(corpus.documents("val"))
    assert (found["split"], found["documents"]) == ("val", len(documents)) == ("val", 4)
    assert [r["label"] for r in found["rows"]] == ["planned", "plain", "section-dense"]
    planned, plain, sections = (r["cells"] for r in found["rows"])
    assert set(planned) == set(sections) == {"true", "none", "other", "without", "wrong"}
    assert set(plain) == {"plain"}
    own = predicted(Decoder.load(model, "cpu"), documents, seed=4)
    for name, cell in planned.items():
        assert cell["value"] == pytest.approx(own[name]["value"], rel=1e-5)
        assert cell["error"] == pytest.approx(own[name]["error"], rel=1e-3)  # over documents
    assert found["settings"] == {
        "seed": 4,
        "tokens": sorted({run["tokens"] for row in found["rows"] for run in row["runs"]}),
    }
    assert found["tables"][0]["columns"] == ["", "decoders", "no plan", "own", "dropped",
                                             "another's", "dropped - own",
                                             "another's - dropped"]  # fmt: skip
    assert found["tables"][0]["rows"][1][3:] == ["-"] * 5
    without = np.log(planned["none"]["value"]) - np.log(planned["true"]["value"])
    assert planned["without"]["value"] == pytest.approx(without, rel=1e-6)
    assert all(count(Path(m)) == 0 for m in models)


def test_looks_at_test_documents_are_written_down(
    corpus: Corpus, model: str, tmp_path: Path
) -> None:
    other = str(shutil.copytree(model, tmp_path / "other"))
    found = prediction(corpus, models=[model, other], most=3, place=HERE)
    assert (found["split"], found["documents"]) == ("test", 3)
    for folder in (model, other):
        assert count(Path(folder)) == 1
        line = json.loads((Path(folder) / FILE).read_text())
        assert line["what"] == "evaluate perplexity"
        assert line["corpus"] == corpus.name
        run = found["rows"][0]["runs"][0]
        assert line["numbers"] == {
            n: run[n]["value"] for n in ("true", "none", "other", "without", "wrong")
        }
    prediction(corpus, models=[model], most=3, place=HERE)
    assert count(Path(model)) == 2
    (row,) = found["rows"]  # decoders that differ only in their seed
    assert row["decoders"] == 2
    assert [r["run"] for r in row["runs"]] == ["planned", "other"]
    for cell in row["cells"].values():
        assert cell["error"] == 0  # these do not even differ in that


def test_two_decoders_have_the_spread_between_them(
    corpus: Corpus, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = str(shutil.copytree(model, tmp_path / "other"))
    numbers = iter([(2.0, 3.0), (4.0, 3.0)])

    def given(*arguments: Any) -> dict[str, Any]:
        true, none = ({"value": x, "error": 9.0} for x in next(numbers))
        return {"true": true, "none": none, "tokens": 7, "documents": 3}

    monkeypatch.setattr(writing, "predicted", given)
    found = prediction(corpus, models=[model, other], split="val", place=HERE)
    cells = found["rows"][0]["cells"]
    assert cells == {"true": {"value": 3, "error": 1}, "none": {"value": 3, "error": 0}}
    assert found["tables"][0]["rows"] == [["planned", "2", "3.000 ± 1.000", "3.000 ± 0.000"]]


def test_swaps_are_those_of_the_decoders(corpus: Corpus, model: str) -> None:
    options = {"top_p": 0.9, "seed": 1}
    found = swap(corpus, models=[model], pairs=2, length="40", options=options, place=HERE)
    checked(found, "swap", [model])
    (row,) = found["rows"]
    decoder = Decoder.load(model, "cpu")
    paths = paths_of(decoder, list(corpus.documents("val")))
    assert [len(p) for p in paths] == [len(d.sentences) for d in corpus.documents("val")]
    own = swapped(decoder, 2, default_writing(decoder, "40", **options), paths=paths)
    assert row == {"label": "planned", **own}
    assert (found["split"], found["documents"], row["paths"]) == ("val", 4, 4)
    known = swap(
        corpus, models=[model], split="train", pairs=2, length="40", options=options, place=HERE
    )
    assert known["rows"][0]["paths"] == len(decoder.law.paths)  # type: ignore[union-attr]
    assert found["settings"] == {"length": "40", **options}
    shown = found["tables"][0]["rows"][0]
    assert shown[:2] == ["planned", "2"]
    assert shown[2].startswith(f"{own['correlation']['value']:.2f} [")


def test_a_plain_decoder_has_no_plans_to_swap(corpus: Corpus, plain_run: str) -> None:
    with pytest.raises(TimeControlError, match="Plans can be swapped where there are plans"):
        swap(corpus, models=[plain_run], pairs=2, place=HERE)


@pytest.fixture
def kept(corpus: Corpus, model: str, plain_run: str, bases: dict[str, str], tmp_path: Path) -> Path:
    """A folder of texts."""
    ways = Ways(["bridge"], ["60"], 4, OPTIONS, folder=tmp_path / "texts")
    options: dict[str, Any] = {"tokenizer": bases["gpt2"], "place": HERE}
    structure(corpus, models=[model, plain_run], ways=ways, **options)
    return tmp_path / "texts"


def test_adherence_end_to_end(corpus: Corpus, model: str, kept: Path, judge: str) -> None:
    planner = f"{model}/{ENCODER}"
    file = kept / "planned-60-bridge.jsonl"
    found = adherences(corpus, files=[file], planner=planner, judge=judge, place=HERE)
    checked(found, "adherence", [])
    (row,) = found["rows"]
    assert (row["label"], row["run"]) == ("planned, bridge, forced", "planned-60-bridge")
    assert (row["documents"] + row["empty"], len(row["map_r2"])) == (4, 3)
    assert "seed 5" in found["settings"]["judge"]
    assert "seed 0" in found["settings"]["planner"]
    told = found["settings"]["map of the judge to the plan's space, R² on training documents"]
    assert told == pytest.approx(np.mean(row["map_r2"]), abs=1e-3)
    shown = found["tables"][0]["rows"][0]
    assert shown[3].startswith(f"{row['r2']['mean']['value']:.3f} ± ")
    assert shown[6].startswith(f"{row['permuted']['explained']['mean']['value']:.3f} ± ")


def test_copies_of_training_documents_adhere(corpus: Corpus, model: str, tmp_path: Path) -> None:
    """A judge that sees what the planner saw: it finds the documents of the plans, and no others.

    Encoders of other bases agree too little here: these have random weights.
    """
    planner = Encoder.load(f"{model}/{ENCODER}", "cpu")
    judge = shutil.copytree(f"{model}/{ENCODER}", tmp_path / "judge")
    (judge / "config.json").write_text(json.dumps({**planner.config, "identity": "f" * 64}))
    documents = list(corpus.documents("train"))[:10]
    made = {"method": "planned", "preset": "best", "encoder": planner.config["identity"]}
    lines = []
    for document, path in zip(documents, planner.paths(documents), strict=True):
        sections = [{"tag": s.tag, "sentences": list(s.sentences)} for s in document.sections]
        plan = {"points": np.asarray(path, float).tolist(), "kind": "copied"}
        about = {"tokens": 1, "ended": True, "plan": plan, "decoder": {**made, "smooth": 1}}
        lines.append({"sections": sections, **about})
    turned = [
        {**line, "sections": other["sections"]}
        for line, other in zip(lines, lines[::-1], strict=True)
    ]
    files = []
    for name, some in (("own", lines), ("others", turned)):
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text("\n".join(map(json.dumps, some)))
    options: dict[str, Any] = {"planner": f"{model}/{ENCODER}", "judge": str(judge), "place": HERE}
    rows = adherences(corpus, files=files, **options)["rows"]
    for name in ("r2", "explained"):
        own, others = (row[name]["mean"]["value"] for row in rows)
        assert own > 0.98
        assert others < 0.8


def test_a_single_text_has_no_permuted_numbers(
    corpus: Corpus, model: str, kept: Path, judge: str, tmp_path: Path
) -> None:
    lines = (kept / "planned-60-bridge.jsonl").read_text().splitlines()
    one = tmp_path / "one.jsonl"
    one.write_text(max(lines, key=len) + "\n")
    found = adherences(corpus, files=[one], planner=f"{model}/{ENCODER}", judge=judge, place=HERE)
    checked(found, "adherence", [])
    assert found["tables"][0]["rows"][0][6:] == ["-", "-"]


def test_adherence_refuses_what_does_not_belong_together(
    corpus: Corpus, model: str, kept: Path, judge: str
) -> None:
    planner = f"{model}/{ENCODER}"
    planned, plain = kept / "planned-60-bridge.jsonl", kept / "plain-60-none.jsonl"
    with pytest.raises(TimeControlError, match="The judge is the encoder that planned"):
        adherences(corpus, files=[planned], planner=planner, judge=planner, place=HERE)
    with pytest.raises(TimeControlError, match=r"bridge\.jsonl: planned with another encoder"):
        adherences(corpus, files=[planned], planner=judge, judge=planner, place=HERE)
    with pytest.raises(TimeControlError, match="plain-60-none: its documents have no plans"):
        adherences(corpus, files=[plain], planner=planner, judge=judge, place=HERE)
    with pytest.raises(TimeControlError, match="No encoder named 'nobody'"):
        adherences(corpus, files=[planned], planner=planner, judge="nobody", place=HERE)
