"""The base that is made on the spot is a base like others, and always the same."""

from pathlib import Path

import pytest
import torch

from timecontrol.bases import load_tokenizer
from timecontrol.bases.checksum import checksum
from timecontrol.corpora import synthetic
from timecontrol.reproduction.tiny import tiny_base, tiny_tokenizer


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The base made twice, in caches of their own."""
    folders: list[Path] = []
    for name in ("one", "other"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TIMECONTROL_CACHE", str(tmp_path_factory.mktemp(name)))
            torch.manual_seed(len(folders))  # whatever the state is
            folders.append(Path(tiny_base()))
    return folders[0], folders[1]


def test_it_is_the_same_wherever_it_is_made(made: tuple[Path, Path]) -> None:
    one, other = made
    assert one != other
    assert checksum(str(one)) == checksum(str(other))
    names = sorted(file.name for file in one.iterdir())
    assert names == sorted(file.name for file in other.iterdir())
    for name in ("model.safetensors", "tokenizer.json"):
        assert (one / name).read_bytes() == (other / name).read_bytes()


def test_it_loads_as_tokenizer_and_causal_model(made: tuple[Path, Path]) -> None:
    from transformers import AutoModelForCausalLM

    tokenizer = load_tokenizer(str(made[0]))
    model = AutoModelForCausalLM.from_pretrained(made[0])
    ids = torch.tensor([tokenizer("The town lies on a river.")["input_ids"]])
    with torch.no_grad():
        scores = model(ids).logits
    assert scores.shape == (*ids.shape, len(tokenizer))
    assert torch.isfinite(scores).all()
    end = tokenizer.eos_token_id
    assert (model.config.bos_token_id, model.config.eos_token_id) == (end, end)


def test_it_is_not_made_again_where_it_is(
    made: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made[0]
    monkeypatch.setenv("TIMECONTROL_CACHE", str(folder.parents[1]))
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    (folder / "mark").touch()
    assert tiny_base() == str(folder)
    assert (folder / "mark").exists()
    (folder / "mark").unlink()
    assert {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} == before


def test_nothing_half_made_is_left_beside_it(made: tuple[Path, Path]) -> None:
    folder = made[0]
    beside = {place.name for place in folder.parent.iterdir()}
    assert {name for name in beside if not name.endswith(".lock")} == {folder.name}


def test_making_it_leaves_random_numbers_alone() -> None:
    torch.manual_seed(7)
    wanted = torch.rand(3)
    torch.manual_seed(7)
    tiny_base()
    assert torch.equal(torch.rand(3), wanted)


def test_its_tokenizer_gives_back_any_text() -> None:
    tokenizer = tiny_tokenizer()
    texts = [d.text for d in synthetic.documents(synthetic.Spec("recipes", 3))]
    for text in (*texts, "Ünïcödé ✓ 東京", " two  spaces\n"):
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
    assert len(tokenizer) == 600
