"""A decoder's run: trained, kept, opened, refused."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.decoder.examples import CORPUS, SMALL, fitted, same, weights
from timecontrol.corpora import Layout, open_corpus
from timecontrol.corpora.layout import DIALOGUE, HOWTO, RECIPE, STORY, WIKISECTION
from timecontrol.decoder import Decoder, preset, run
from timecontrol.decoder.examples import plan_batch
from timecontrol.decoder.facts import layout_dict, layout_from
from timecontrol.decoder.folder import ADAPTER, CHECKPOINTS, ENCODER, LAW, METRICS, MODEL
from timecontrol.decoder.training import Steps
from timecontrol.encoder import Encoder
from timecontrol.errors import MissingBaseError, TimeControlError
from timecontrol.pretrained import folder_of
from timecontrol.runs import CONFIG, is_finished, read_config


@pytest.fixture(scope="module")
def encoder(decoder_run: Path) -> Encoder:
    """The encoder of the shared decoder."""
    return Encoder.load(decoder_run / ENCODER, device="cpu")


@pytest.fixture
def copy(decoder_run: Path, tmp_path: Path) -> Path:
    """A copy of the shared run, to be changed."""
    return Path(shutil.copytree(decoder_run, tmp_path / "copy"))


@torch.no_grad()
def logits(decoder: Decoder) -> Tensor:
    """Return what a decoder predicts of a test document, along the path of its law's first."""
    corpus = open_corpus(decoder.config["corpus"]["name"])
    document = next(iter(corpus.documents("test")))
    given: dict[str, Any] = {}
    if decoder.law is not None:
        given = dict(plan_batch([decoder.law.paths[0]]))
    ids = torch.tensor([decoder.codec.encode(document).ids])
    found: Tensor = decoder.model(input_ids=ids, **given).logits
    return found


@pytest.mark.parametrize("lora", [0, 4])
@pytest.mark.parametrize("base", ["writer", "author"])  # embeddings apart, and tied
def test_a_run_comes_back_whole(
    lora: int, base: str, bases: dict[str, str], encoder: Encoder, tmp_path: Path
) -> None:
    corpus = "synthetic:recipes,documents=20,seed=1"
    made = fitted(bases[base], corpus, encoder=encoder, lora=lora, out=tmp_path / "run")
    assert not (tmp_path / "run" / CHECKPOINTS).exists()
    loaded = Decoder.load(tmp_path / "run", device="cpu")
    assert (loaded.settings, loaded.config) == (made.settings, made.config)
    assert loaded.metrics == made.metrics
    assert loaded.window == made.window == 256
    assert loaded.positions == {"writer": 512, "author": 256}[base]
    assert made.law is not None
    assert loaded.law is not None
    for name, array in made.law.tensors().items():
        np.testing.assert_array_equal(loaded.law.tensors()[name], array)
    assert loaded.codec.tag_ids == made.codec.tag_ids
    assert loaded.encoder is not None
    assert loaded.encoder.config["identity"] == encoder.config["identity"]
    assert not any(p.requires_grad for p in loaded.model.parameters())
    pair = logits(made), logits(loaded)
    assert (tmp_path / "run" / (ADAPTER if lora else MODEL)).is_dir()
    assert (tmp_path / "run" / (MODEL if lora else ADAPTER)).exists() is False
    if lora:
        torch.testing.assert_close(*pair, atol=1e-5, rtol=1e-4)
        assert not any("lora" in name for name, _ in loaded.model.named_modules())
    else:
        assert torch.equal(*pair)
        assert same(made, loaded)


def test_a_finished_run_is_opened_instead_of_trained(
    copy: Path, bases: dict[str, str], encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "fine_tune", None)
    found = Decoder.fit(
        CORPUS, encoder=encoder, base=bases["writer"], out=copy, device="cpu", **SMALL
    )
    assert same(found, Decoder.load(copy, device="cpu"))


def test_another_run_is_not_overwritten_unasked(
    copy: Path, bases: dict[str, str], encoder: Encoder
) -> None:
    before = Decoder.load(copy, device="cpu")
    others: list[dict[str, Any]] = [
        {"seed": 1},
        {"method": "plain"},
        {"corpus": CORPUS + ",seed=1"},
        {"base": bases["llama"]},
    ]
    for other in others:
        given = {"corpus": CORPUS, "base": bases["writer"], "encoder": encoder, **SMALL, **other}
        with pytest.raises(TimeControlError, match="finished run of other data or settings"):
            fitted(out=copy, **given)
    assert same(Decoder.load(copy, device="cpu"), before)
    (copy / "notes.txt").write_text("mine")
    after = fitted(bases["writer"], method="plain", out=copy, overwrite=True)
    assert not (copy / ENCODER).exists()
    assert not (copy / LAW).exists()
    assert (copy / "notes.txt").read_text() == "mine"
    assert same(Decoder.load(copy, device="cpu"), after)


def test_an_encoder_of_another_run_is_refused(copy: Path) -> None:
    config = json.loads((copy / ENCODER / CONFIG).read_text())
    config["identity"] = "f" * 64
    (copy / ENCODER / CONFIG).write_text(json.dumps(config))
    with pytest.raises(TimeControlError, match=r"not the one this decoder was trained with") as got:
        Decoder.load(copy, device="cpu")
    assert "ffffffffffff..." in str(got.value)
    shutil.rmtree(copy / ENCODER)
    with pytest.raises(TimeControlError, match="No encoder at"):
        Decoder.load(copy, device="cpu")


def test_an_encoder_that_comes_with_the_package_is_not_copied(copy: Path, tmp_path: Path) -> None:
    general = read_config(folder_of("general"), "encoder")
    config = json.loads((copy / CONFIG).read_text())
    config["encoder"] |= {"shipped": "general", "identity": general["identity"]}
    (copy / CONFIG).write_text(json.dumps(config))
    shutil.rmtree(copy / ENCODER)
    found = Decoder.load(copy, device="cpu")
    assert found.encoder is not None
    assert found.encoder.config["identity"] == general["identity"]
    found.save(tmp_path / "again")
    assert not (tmp_path / "again" / ENCODER).exists()


@pytest.mark.parametrize("name", [LAW, METRICS, f"{MODEL}/model.safetensors", MODEL])
def test_a_missing_part_is_said_in_a_line(copy: Path, name: str) -> None:
    place = copy / name
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    with pytest.raises(TimeControlError) as found:
        Decoder.load(copy, device="cpu")
    assert name.split("/")[0] in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    "name",
    [CONFIG, METRICS, LAW, f"{MODEL}/model.safetensors", f"{MODEL}/config.json"],
)
def test_a_damaged_part_is_said_in_a_line(copy: Path, name: str) -> None:
    (copy / name).write_text("{")
    with pytest.raises(TimeControlError) as found:
        Decoder.load(copy, device="cpu")
    assert "\n" not in str(found.value)
    assert str(copy) in str(found.value)


@pytest.mark.parametrize("key", ["settings", "layout", "base"])
def test_a_configuration_with_a_part_missing_is_damaged(copy: Path, key: str) -> None:
    config = json.loads((copy / CONFIG).read_text())
    del config[key]
    (copy / CONFIG).write_text(json.dumps(config))
    with pytest.raises(TimeControlError, match=f"is damaged: '{key}'"):
        Decoder.load(copy, device="cpu")


def test_a_model_of_another_kind_is_refused(copy: Path, bases: dict[str, str]) -> None:
    shutil.rmtree(copy / MODEL)
    shutil.copytree(bases["writer"], copy / MODEL)
    with pytest.raises(TimeControlError, match="no model that follows plans"):
        Decoder.load(copy, device="cpu")


def test_adapters_need_their_very_base(bases: dict[str, str], tmp_path: Path) -> None:
    base = Path(shutil.copytree(bases["writer"], tmp_path / "base"))
    fitted(str(base), method="plain", lora=2, out=tmp_path / "run")
    whole = (base / "model.safetensors").read_bytes()
    (base / "model.safetensors").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(TimeControlError, match="not the one this decoder was trained on"):
        Decoder.load(tmp_path / "run", device="cpu")
    shutil.rmtree(base)
    with pytest.raises(TimeControlError) as found:
        Decoder.load(tmp_path / "run", device="cpu")
    assert "\n" not in str(found.value)
    assert str(base) in str(found.value)


def test_all_weights_need_no_base(bases: dict[str, str], tmp_path: Path) -> None:
    base = Path(shutil.copytree(bases["writer"], tmp_path / "base"))
    made = fitted(str(base), method="plain", out=tmp_path / "run")
    shutil.rmtree(base)
    assert same(Decoder.load(tmp_path / "run", device="cpu"), made)


def test_a_base_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(TimeControlError, match="No base named 'smolm'"):
        fitted("smolm", method="plain", out=tmp_path / "run")
    with pytest.raises(MissingBaseError, match="not on this machine"):
        fitted("nobody/nothing", method="plain", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("method", ["plain", "section-dense", "section-sparse"])
def test_other_methods_need_no_encoder(
    method: str, bases: dict[str, str], encoder: Encoder, tmp_path: Path
) -> None:
    made = fitted(bases["writer"], method=method, encoder=encoder, out=tmp_path / "run")
    loaded = Decoder.load(tmp_path / "run", device="cpu")
    assert (made.encoder, loaded.encoder, loaded.config["encoder"]) == (None, None, None)
    assert not (tmp_path / "run" / ENCODER).exists()
    assert torch.equal(logits(made), logits(loaded))
    assert loaded.model.config.sparse == (method == "section-sparse")
    dims = {"plain": 0, "section-dense": 4, "section-sparse": 8}  # three tags and none
    assert loaded.model.config.plan_dim == dims[method]
    assert (loaded.law is None) == (method == "plain")


def test_a_plan_needs_an_encoder(bases: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(TimeControlError, match=r"give one \(--encoder RUN, or one of general, "):
        fitted(bases["writer"], out=tmp_path / "run")
    with pytest.raises(TimeControlError, match="No encoder named 'generl'"):
        fitted(bases["writer"], encoder="generl", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("kind", ["dialogues", "cities"])
@pytest.mark.parametrize("name", ["paper", "released"])
def test_the_paper_s_presets_train(
    kind: str, name: str, bases: dict[str, str], tmp_path: Path
) -> None:
    corpus = f"synthetic:{kind},documents=20"
    encoder = Encoder.fit(corpus, base=bases["bert"], epochs=1, latent_dim=3, device="cpu")
    chosen = preset(name, epochs=1, batch=8, window=512)
    made = Decoder.fit(
        corpus,
        encoder=encoder,
        base=bases["writer"],
        settings=chosen,
        out=tmp_path / "run",
        device="cpu",
    )
    loaded = Decoder.load(tmp_path / "run", device="cpu")
    assert torch.equal(logits(loaded), logits(made))
    config = loaded.model.config
    assert config.opens == (kind == "dialogues")
    tags = sorted(loaded.codec.tag_ids.values())
    assert config.boundaries == (tags if kind == "dialogues" else [loaded.codec.unit_end])
    assert config.depths == [0]
    assert loaded.config["settings"]["preset"] == name
    assert loaded.model.projection.mean.tolist() == [0.0] * 3  # type: ignore[operator]
    assert loaded.law is not None


class Stop(Exception):
    """A run that is killed."""


@contextmanager
def dying_after(steps: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    left = [steps]

    def dying(self: Steps, *args: Any, **rest: Any) -> None:
        if not left[0]:
            raise Stop
        left[0] -= 1

    with monkeypatch.context() as patch:
        patch.setattr(Steps, "on_step_end", dying)
        yield


def test_a_small_corpus_is_trained_in_small_batches(decoder_run: Path) -> None:
    assert Decoder.load(decoder_run, device="cpu").settings.batch == 1  # 32 documents


def test_a_killed_run_goes_on_by_the_same_call(
    decoder_run: Path,
    bases: dict[str, str],
    encoder: Encoder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "run"
    given: dict[str, Any] = {"encoder": encoder, **SMALL}
    with dying_after(40, monkeypatch), pytest.raises(Stop):  # of 64
        fitted(bases["writer"], out=out, **given)
    assert (out / CHECKPOINTS / "checkpoint-32").is_dir()
    with pytest.raises(TimeControlError, match="holds no finished decoder"):
        Decoder.load(out, device="cpu")
    with pytest.raises(TimeControlError, match="unfinished run of other data"):
        fitted(bases["writer"], out=out, **given, seed=1)
    resumed = fitted(bases["writer"], out=out, **given)
    assert same(resumed, Decoder.load(decoder_run, device="cpu"))
    assert sorted(p.name for p in out.iterdir()) == sorted(p.name for p in decoder_run.iterdir())


def test_a_run_without_checkpoints_writes_nothing_before_its_end(
    bases: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    given: dict[str, Any] = {"method": "plain", "epochs": 2, "window": 64, "checkpoints": False}
    with dying_after(5, monkeypatch), pytest.raises(Stop):
        fitted(bases["llama"], out=out, **given)
    assert not list((out / CHECKPOINTS).glob("checkpoint-*"))
    made = fitted(bases["llama"], out=out, **given)
    given["checkpoints"] = True
    assert same(made, fitted(bases["llama"], out=tmp_path / "other", **given))
    assert same(made, Decoder.load(out, device="cpu"))
    assert not (out / CHECKPOINTS).exists()


def test_the_last_epoch_alone_may_be_validated(bases: dict[str, str]) -> None:
    given: dict[str, Any] = {"method": "plain", "epochs": 2, "window": 64, "form": "best"}
    whole, last = (fitted(bases["llama"], each=each, **given) for each in (True, False))
    assert same(last, whole)
    assert last.metrics["kept"] == whole.metrics["kept"]
    assert ["val_loss" in row for row in last.metrics["history"]] == [False, True]
    assert last.metrics["health"] == whole.metrics["health"]


def test_a_training_that_fails_leaves_no_folder(bases: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(TimeControlError, match="0 training documents under 64 tokens; at least 2"):
        fitted(bases["llama"], method="plain", trim="drop", out=out)
    assert not out.exists()
    with pytest.raises(TimeControlError, match="not finite"):
        fitted(bases["llama"], method="plain", rate=1e30, clip=1e30, out=out)
    assert not out.exists()


def test_a_folder_with_other_things_is_refused(bases: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    for overwrite in (False, True):
        with pytest.raises(TimeControlError, match="holds other files than those of a run"):
            fitted(bases["writer"], method="plain", out=tmp_path, overwrite=overwrite)
    assert [p.name for p in tmp_path.iterdir() if p.name != "cache"] == ["thesis.tex"]


def test_saving_spares_other_folders_and_leaves_nothing_of_another_run(
    copy: Path, decoder_run: Path, bases: dict[str, str], tmp_path: Path
) -> None:
    first = Decoder.load(decoder_run, device="cpu")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(TimeControlError, match="holds other files"):
        first.save(tmp_path / "mine")
    with pytest.raises(TimeControlError, match="kind 'encoder', not 'decoder'"):
        first.save(copy / ENCODER)
    second = fitted(bases["writer"], method="plain", lora=2)
    second.save(copy)
    assert not (copy / MODEL).exists()
    assert not (copy / LAW).exists()
    assert Decoder.load(copy, device="cpu").config == second.config
    first.save(copy)
    assert not (copy / ADAPTER).exists()
    assert same(Decoder.load(copy, device="cpu"), first)


def test_a_run_can_be_saved_where_it_was_opened(copy: Path) -> None:
    (copy / "test-evaluations.jsonl").write_text("{}\n")
    found = Decoder.load(copy, device="cpu")
    before = weights(found)
    found.save(copy)
    again = Decoder.load(copy, device="cpu")
    assert all(torch.equal(tensor, before[name]) for name, tensor in weights(again).items())
    assert (copy / "test-evaluations.jsonl").exists()  # what was looked at stays known


def test_the_config_is_written_last(
    decoder_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Decoder.load(decoder_run, device="cpu")
    for name in ("write_tensors", "write_text"):
        with monkeypatch.context() as patch:
            patch.setattr(run, name, lambda *a: (_ for _ in ()).throw(OSError("disk full")))
            with pytest.raises(OSError, match="disk full"):
                found.save(tmp_path / name)
        assert not is_finished(tmp_path / name)


def test_weights_come_in_the_precision_that_is_asked_for(
    decoder_run: Path, bases: dict[str, str], tmp_path: Path
) -> None:
    assert Decoder.load(decoder_run, device="cpu").model.dtype == torch.float32
    assert Decoder.load(decoder_run, device="cpu", dtype="bfloat16").model.dtype == torch.bfloat16
    fitted(bases["writer"], method="plain", lora=2, out=tmp_path / "run")
    found = Decoder.load(tmp_path / "run", device="cpu", dtype="bfloat16")
    assert {p.dtype for p in found.model.parameters()} == {torch.bfloat16}


def test_provenance_names_no_place_and_the_card_is_there(decoder_run: Path) -> None:
    config = json.loads((decoder_run / CONFIG).read_text())
    assert {"timecontrol", "torch", "transformers", "device"} <= set(config["made_with"])
    assert str(decoder_run.parent) not in json.dumps(config["made_with"])
    assert (decoder_run / "README.md").read_text().startswith("---\nlibrary_name: timecontrol\n")


def test_a_text_s_record_says_which_run_wrote_it(decoder_run: Path, encoder: Encoder) -> None:
    found = Decoder.load(decoder_run, device="cpu")
    about = found.about()
    assert about["identity"] == found.config["identity"]
    assert about["encoder"] == encoder.config["identity"]
    assert (about["method"], about["preset"], about["seed"]) == ("planned", "best", 0)
    assert about["corpus"] == CORPUS
    found.config["encoder"] = None
    assert found.about()["encoder"] is None


@pytest.mark.parametrize("layout", [WIKISECTION, RECIPE, HOWTO, DIALOGUE, STORY])
def test_a_layout_comes_back_from_plain_data(layout: Layout) -> None:
    assert layout_from(json.loads(json.dumps(layout_dict(layout)))) == layout


def test_a_folder_that_is_none_is_said() -> None:
    with pytest.raises(TimeControlError, match="no such folder"):
        Decoder.load("runs/nothing")


def test_where_missing_sentences_lie_is_kept(
    decoder_run: Path, bases: dict[str, str], tmp_path: Path
) -> None:
    from timecontrol.plans.missing import Bridge

    found = Decoder.load(decoder_run, device="cpu")
    assert found.bridge is not None
    assert found.encoder is not None
    train = list(open_corpus(CORPUS).documents("train"))
    wanted = Bridge.of([p.astype(np.float64) for p in found.encoder.paths(train)])
    np.testing.assert_allclose(found.bridge.steps, wanted.steps, rtol=1e-4)
    assert found.config["longest"] == max(len(d.sentences) for d in train)
    made = fitted(bases["writer"], method="plain", grouped=True, out=tmp_path / "plain")
    assert made.bridge is None
    assert Decoder.load(tmp_path / "plain", device="cpu").bridge is None
