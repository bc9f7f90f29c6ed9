import numpy as np
import pytest
import torch

from timecontrol.errors import TimeControlError
from timecontrol.features import open_base
from timecontrol.features.extract import BUDGET, Reader, extract, quicken

TEXTS = [
    "Alderford lies on the river.",
    "It was founded in 1204 by weavers who came from the north and stayed.",
    "The town grew.",
    "In 1870 the railway came.",
]


def by_hand(reader: Reader, text: str) -> np.ndarray:
    """One sentence alone, no padding, no batches."""
    ids = reader.tokenizer(text)["input_ids"]
    if reader.pooling == "eos" and ids[-1] != reader.tokenizer.eos_token_id:
        ids = [*ids, reader.tokenizer.eos_token_id]
    with torch.no_grad():
        states = reader.model(input_ids=torch.tensor([ids])).last_hidden_state[0]
    found: np.ndarray = (states.mean(0) if reader.pooling == "mean" else states[-1]).numpy()
    return found


@pytest.mark.parametrize("pooling", ["mean", "last", "eos"])
@pytest.mark.parametrize("base", ["gpt2", "llama", "bert"])
def test_batches_give_what_each_sentence_gives_alone(
    bases: dict[str, str], base: str, pooling: str
) -> None:
    reader = open_base(bases[base], pooling, "cpu")
    found = extract(reader, TEXTS)
    assert found.shape == (4, 32)
    for text, row in zip(TEXTS, found, strict=True):
        np.testing.assert_allclose(row, by_hand(reader, text), rtol=1e-4, atol=1e-5)


def test_small_batches_give_the_same(
    bases: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = open_base(bases["gpt2"], device="cpu")
    whole = extract(reader, TEXTS)
    monkeypatch.setitem(BUDGET, "cpu", 1)
    np.testing.assert_allclose(extract(reader, TEXTS), whole, rtol=1e-4, atol=1e-5)


def test_poolings_differ(bases: dict[str, str]) -> None:
    found = [
        extract(open_base(bases["gpt2"], p, "cpu"), TEXTS[:1]) for p in ("mean", "last", "eos")
    ]
    assert not np.allclose(found[0], found[1])
    assert not np.allclose(found[1], found[2])


def test_the_end_token_is_appended_once(bases: dict[str, str]) -> None:
    causal, both = (open_base(bases[b], "eos", "cpu") for b in ("gpt2", "bert"))
    assert causal.tokens(["A town."]).flat[-1] == causal.tokenizer.eos_token_id
    ids = both.tokens(["A town."]).flat
    assert (ids == both.tokenizer.sep_token_id).sum() == 1


def test_long_sentences_are_cut_where_positions_end(bases: dict[str, str]) -> None:
    for pooling in ("mean", "eos"):
        reader = open_base(bases["gpt2"], pooling, "cpu")
        assert reader.tokens(["word " * 500]).lengths.tolist() == [64]
        assert np.isfinite(extract(reader, ["word " * 500])).all()


def test_an_empty_sentence_has_features(bases: dict[str, str]) -> None:
    for base in bases.values():
        assert np.isfinite(extract(open_base(base, device="cpu"), ["", "A town."])).all()


def test_no_sentences_no_features(bases: dict[str, str]) -> None:
    assert extract(open_base(bases["bert"], device="cpu"), []).shape == (0, 32)


def test_quickened_is_the_same_function(bases: dict[str, str]) -> None:
    from timecontrol.bases import load_encoder

    plain = load_encoder(bases["gpt2"])
    quick = load_encoder(bases["gpt2"])
    quicken(quick)
    assert any(isinstance(m, torch.nn.GELU) for m in quick.modules())
    ids = torch.arange(20).view(2, 10)
    with torch.no_grad():
        a, b = (m(input_ids=ids).last_hidden_state for m in (plain, quick))
    torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_the_base_is_frozen(bases: dict[str, str]) -> None:
    reader = open_base(bases["gpt2"], device="cpu")
    assert not any(p.requires_grad for p in reader.model.parameters())
    assert not reader.model.training


def test_features_that_are_no_numbers_are_refused(bases: dict[str, str]) -> None:
    reader = open_base(bases["gpt2"], device="cpu", dtype="bfloat16")
    with torch.no_grad():
        reader.model.ln_f.bias[0] = torch.nan
    with pytest.raises(TimeControlError, match=r"2 of 2 sentences are not finite.*float32"):
        extract(reader, TEXTS[:2])


def test_an_unknown_pooling_is_refused(bases: dict[str, str]) -> None:
    with pytest.raises(TimeControlError, match="No pooling named 'max': mean, last, eos"):
        open_base(bases["gpt2"], "max")
