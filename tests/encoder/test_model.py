"""The encoder as a user meets it: fit, save, load, encode."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from timecontrol.corpora import open_corpus
from timecontrol.encoder import Encoder, preset
from timecontrol.encoder.folder import CHECKPOINT
from timecontrol.encoder.model import text_model
from timecontrol.encoder.training import Loop
from timecontrol.errors import TimeControlError
from timecontrol.features import features_of

CORPUS = "synthetic:recipes,documents=40"
SMALL = {"epochs": 2, "latent_dim": 3, "batch": 32, "hidden": 16, "context_units": 8}


def fitted(base: str, corpus: str = CORPUS, **options: Any) -> Encoder:
    return Encoder.fit(corpus, base=base, device="cpu", **{**SMALL, **options})


def weights(encoder: Encoder) -> list[torch.Tensor]:
    return list(encoder.head.state_dict().values())


def same(a: Encoder, b: Encoder) -> bool:
    return all(torch.equal(x, y) for x, y in zip(weights(a), weights(b), strict=True))


@pytest.mark.parametrize("base", ["gpt2", "llama", "bert"])
def test_what_is_saved_comes_back(bases: dict[str, str], base: str, tmp_path: Path) -> None:
    trained = fitted(bases[base])
    trained.save(tmp_path / "run")
    names = {p.name for p in (tmp_path / "run").iterdir()}
    tables = {"fit.json", "coherence.safetensors", "metrics.json"}
    assert names == {"README.md", "config.json", "head.safetensors"} | tables
    loaded = Encoder.load(tmp_path / "run", device="cpu")
    assert same(trained, loaded)
    assert loaded.settings == trained.settings
    assert loaded.metrics == trained.metrics
    for name, tensor in trained.coherence.tensors().items():
        np.testing.assert_array_equal(tensor, loaded.coherence.tensors()[name])
    np.testing.assert_array_equal(loaded.fit_.start.covariance, trained.fit_.start.covariance)
    sentences = ["Beat the eggs.", "Let it cool."]
    found = loaded.encode(sentences)
    assert found.shape == (2, 3)
    np.testing.assert_allclose(found, trained.encode(sentences), rtol=1e-5, atol=1e-5)


def test_paths_are_the_latents_of_sentences_in_order(bases: dict[str, str]) -> None:
    encoder = fitted(bases["bert"])
    documents = list(open_corpus(CORPUS).documents())  # train, val and test mixed
    paths = encoder.paths(documents)
    assert paths.ids == [d.id for d in documents]
    for document, path in list(zip(documents, paths, strict=True))[::7]:
        expected = encoder.encode(document.sentences)
        np.testing.assert_allclose(path, expected, rtol=1e-3, atol=1e-4)
    assert len(encoder.paths([])) == 0


@pytest.mark.parametrize("objective", ["bridge", "brownian", "implicit", "vae"])
def test_every_objective_trains_by_the_same_call(bases: dict[str, str], objective: str) -> None:
    encoder = fitted(bases["gpt2"], objective=objective)
    assert encoder.config["settings"]["objective"] == objective
    assert np.isfinite(encoder.encode(["Beat the eggs."])).all()
    assert encoder.metrics["validation"]["documents"] == 4


def test_a_vae_can_have_a_pretrained_language_model(bases: dict[str, str]) -> None:
    encoder = fitted(bases["bert"], objective="vae", lm=bases["llama"], epochs=1)
    assert encoder.metrics["best"]["val_evidence"] < 0


def test_the_small_language_model_knows_only_the_corpus_s_tokens(bases: dict[str, str]) -> None:
    texts = ["Beat the eggs.", "Let it cool."]
    model = text_model(preset("best", objective="vae"), bases["gpt2"], texts)
    vocabulary = model.model.config.vocab_size
    assert vocabulary == len(set(model.tokens.flat.tolist()) | {model.pad})
    assert model.tokens.flat.max() < vocabulary


def test_a_finished_run_is_opened_again(
    bases: dict[str, str], tmp_path: Path, monkeypatch: Any
) -> None:
    first = fitted(bases["bert"], out=tmp_path / "run")
    assert not (tmp_path / "run" / CHECKPOINT).exists()
    monkeypatch.setattr(Loop, "step", None)  # nothing may be trained
    assert same(first, fitted(bases["bert"], out=tmp_path / "run"))


def test_another_run_is_not_overwritten_unasked(bases: dict[str, str], tmp_path: Path) -> None:
    first = fitted(bases["bert"], out=tmp_path / "run")
    with pytest.raises(TimeControlError, match="finished run of other data or settings"):
        fitted(bases["bert"], out=tmp_path / "run", seed=1)
    assert same(Encoder.load(tmp_path / "run"), first)
    second = fitted(bases["bert"], out=tmp_path / "run", seed=1, overwrite=True)
    assert not same(first, second)
    assert same(Encoder.load(tmp_path / "run"), second)


def test_a_folder_with_other_things_is_refused(bases: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(TimeControlError, match="holds other files than those of a run"):
        fitted(bases["bert"], out=tmp_path)
    with pytest.raises(TimeControlError, match="holds other files than those of a run"):
        fitted(bases["bert"], out=tmp_path, overwrite=True)
    assert (tmp_path / "thesis.tex").exists()
    file = tmp_path / "thesis.tex"
    with pytest.raises(TimeControlError, match="is a file"):
        fitted(bases["bert"], out=file)


class Stop(Exception):
    """A run that is killed."""


@contextmanager
def dying_after(steps: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kill the training within after so many steps."""
    step, left = Loop.step, [steps]

    def dying(self: Loop, *args: Any) -> None:
        if not left[0]:
            raise Stop
        left[0] -= 1
        step(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(Loop, "step", dying)
        yield


def test_a_killed_run_goes_on_by_the_same_call(
    bases: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from timecontrol.encoder import training

    whole = fitted(bases["bert"], epochs=6)
    monkeypatch.setattr(training, "SAVE_EVERY", 0.0)
    with dying_after(19, monkeypatch), pytest.raises(Stop):
        fitted(bases["bert"], epochs=6, out=tmp_path / "run")
    with pytest.raises(TimeControlError, match="holds no finished encoder"):
        Encoder.load(tmp_path / "run")
    with pytest.raises(TimeControlError, match="unfinished run of other data"):
        fitted(bases["bert"], epochs=7, out=tmp_path / "run")
    assert same(whole, fitted(bases["bert"], epochs=6, out=tmp_path / "run"))


def test_a_base_with_other_weights_is_refused(bases: dict[str, str], tmp_path: Path) -> None:
    base = Path(shutil.copytree(bases["bert"], tmp_path / "base"))
    fitted(str(base)).save(tmp_path / "run")
    whole = (base / "model.safetensors").read_bytes()
    (base / "model.safetensors").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(TimeControlError, match="not the one this encoder was trained on"):
        Encoder.load(tmp_path / "run").encode(["A sentence."])


def test_damaged_runs_are_refused(bases: dict[str, str], tmp_path: Path) -> None:
    fitted(bases["bert"]).save(tmp_path / "run")
    for name in ("head.safetensors", "fit.json", "metrics.json"):
        copy = Path(shutil.copytree(tmp_path / "run", tmp_path / name))
        (copy / name).unlink()
        with pytest.raises(TimeControlError, match=f"no {name}"):
            Encoder.load(copy)
        (copy / name).write_text("{")
        with pytest.raises(TimeControlError, match=r"damaged|cannot be read"):
            Encoder.load(copy)
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    config["settings"]["latent_dim"] = 5
    (tmp_path / "run" / "config.json").write_text(json.dumps(config))
    with pytest.raises(TimeControlError, match="damaged"):
        Encoder.load(tmp_path / "run")


def test_provenance_names_no_place(bases: dict[str, str], tmp_path: Path) -> None:
    fitted(bases["bert"]).save(tmp_path / "run")
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    made = config["made_with"]
    assert {"timecontrol", "torch", "transformers", "device"} <= set(made)
    assert str(tmp_path) not in json.dumps(made)
    assert config["base"]["checksum"]


def test_presets_change_what_is_read(bases: dict[str, str]) -> None:
    paper = preset("paper", **{**SMALL, "epochs": 1})
    encoder = Encoder.fit(CORPUS, base=bases["gpt2"], settings=paper, device="cpu")
    assert encoder.settings.pooling == "eos"
    assert encoder.head.latent_scale.tolist() == [1.0, 1.0, 1.0]


def test_the_config_is_written_last(
    bases: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from timecontrol.encoder import model
    from timecontrol.runs import is_finished

    encoder = fitted(bases["bert"])
    for name in ("write_tensors", "write_text"):
        with monkeypatch.context() as patch:
            patch.setattr(model, name, lambda *a: (_ for _ in ()).throw(OSError("disk full")))
            with pytest.raises(OSError, match="disk full"):
                encoder.save(tmp_path / name)
        assert not is_finished(tmp_path / name)


def test_runs_of_other_bases_and_corpora_are_other_runs(
    bases: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    fitted(bases["bert"], out=out)
    with pytest.raises(TimeControlError, match="other data or settings"):
        fitted(bases["llama"], out=out)
    changes: Any = SMALL
    with pytest.raises(TimeControlError, match="other data or settings"):
        Encoder.fit(CORPUS + ",seed=1", base=bases["bert"], device="cpu", out=out, **changes)


def test_the_fit_is_of_training_documents(bases: dict[str, str]) -> None:
    encoder = fitted(bases["bert"])
    documents = list(open_corpus(CORPUS).documents("train"))
    paths = list(encoder.paths(documents))
    assert encoder.fit_.documents == len(documents) == 32
    first = np.mean([p[0] for p in paths], 0)
    np.testing.assert_allclose(encoder.fit_.start.mean, first, rtol=1e-4, atol=1e-4)


def test_tags_are_read_where_settings_say(
    bases: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from timecontrol.encoder import model

    seen: list[str] = []
    real: Any = features_of

    def spy(texts: Any, *rest: Any) -> Any:
        seen.extend(texts)
        return real(texts, *rest)

    monkeypatch.setattr(model, "features_of", spy)
    for tags in (True, False):
        seen.clear()
        encoder = fitted(bases["bert"], tags=tags)
        assert any(t.startswith("[ TITLE ]") for t in seen) == tags
        seen.clear()
        encoder.paths(list(open_corpus(CORPUS).documents("val")))
        assert any(t.startswith("[ TITLE ]") for t in seen) == tags


def test_changes_apply_to_given_settings_too(bases: dict[str, str]) -> None:
    chosen = preset("released", **{**SMALL, "epochs": 1})
    encoder = Encoder.fit(CORPUS, base=bases["bert"], settings=chosen, device="cpu", latent_dim=5)
    assert encoder.latent_dim == 5
    assert encoder.config["settings"]["preset"] == "released"


def test_overwriting_goes_on_after_a_kill_and_forgets_old_looks(
    bases: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from timecontrol.encoder import training
    from timecontrol.encoder.evaluations import count, log_test

    out = tmp_path / "run"
    fitted(bases["bert"], out=out)
    log_test(out, "encode", "x", None)
    monkeypatch.setattr(training, "SAVE_EVERY", 0.0)
    step = Loop.step
    with dying_after(8, monkeypatch), pytest.raises(Stop):
        fitted(bases["bert"], out=out, seed=1, overwrite=True)
    log_test(out, "encode", "x", None)  # in the way of nothing
    steps = [0]

    def counted(self: Loop, *args: Any) -> None:
        steps[0] += 1
        step(self, *args)

    monkeypatch.setattr(Loop, "step", counted)
    fitted(bases["bert"], out=out, seed=1, overwrite=True)
    whole = steps[0]
    fitted(bases["bert"], seed=1)
    assert whole == (steps[0] - whole) - 8
    assert count(out) == 1


def test_a_pretrained_language_model_with_dropout_is_reproducible(bases: dict[str, str]) -> None:
    found = []
    for world in (1, 2):
        torch.manual_seed(world)
        found.append(fitted(bases["bert"], objective="vae", lm=bases["gpt2"], epochs=1))
    assert same(*found)


def test_a_generator_of_documents_will_do_and_one_text_will_not(bases: dict[str, str]) -> None:
    encoder = fitted(bases["bert"])
    assert len(encoder.paths(open_corpus(CORPUS).documents("val"))) == 4
    with pytest.raises(TimeControlError, match="a list of sentences, not one text"):
        encoder.encode("A sentence.")


def test_saving_spares_other_folders(bases: dict[str, str], tmp_path: Path) -> None:
    encoder = fitted(bases["bert"])
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(TimeControlError, match="holds other files than those of a run"):
        encoder.save(tmp_path)
    encoder.save(tmp_path / "run")
    encoder.save(tmp_path / "run")


def test_a_training_that_fails_leaves_no_folder(bases: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(TimeControlError, match="0 samples at distance 50"):
        fitted(bases["bert"], out=tmp_path / "run", distance=50)
    assert not (tmp_path / "run").exists()


def test_the_features_of_a_corpus_are_kept_for_every_mixture_it_is_in(
    bases: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIMECONTROL_CACHE", str(tmp_path))
    few = "synthetic:cities,documents=20", "synthetic:recipes,documents=20"
    fitted(bases["bert"], corpus=few[0])
    before = set((tmp_path / "features").iterdir())
    mixed = fitted(bases["bert"], corpus="+".join(few))
    after = set((tmp_path / "features").iterdir())
    assert before < after
    assert mixed.config["corpus"]["documents"]["train"] == 32
    documents = list(open_corpus("+".join(few)).documents())
    paths = mixed.paths(documents)
    for document, path in list(zip(documents, paths, strict=True))[::7]:
        expected = mixed.encode(document.sentences)
        np.testing.assert_allclose(path, expected, rtol=1e-3, atol=1e-4)
