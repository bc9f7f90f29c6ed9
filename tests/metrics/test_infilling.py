from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sacrebleu.metrics.bleu import BLEU
from transformers import BertConfig, BertForSequenceClassification

from tests.conftest import make_wordpiece
from timecontrol.errors import TimeControlError
from timecontrol.metrics.infilling import (
    Fillings,
    bert_score,
    better,
    bleu,
    bleu_parts,
    bleurt_score,
    differences,
    rouge,
    stuck,
)

TRUE = ["The king rode home through the dark wood.", "She opened the old door and went in.",
        "A fox sat by the river all day long.", "They ate bread, cheese and eggs."]  # fmt: skip
NEAR = ["The king rode home through the wood.", "She opened the door and went in.",
        "A fox sat by the river all night long.", "They ate bread and eggs."]  # fmt: skip
FAR = ["It snowed.", "Nobody knew where the ship was now.", "Ten men sang.", "He was tired of it."]
STORIES = ["a", "a", "b", "b"]


def test_parts_add_up_to_the_library_s_own_bleu() -> None:
    for found in (NEAR, FAR, TRUE):
        wanted = BLEU().corpus_score(found, [TRUE]).score
        assert bleu(bleu_parts(found, TRUE).sum(0)) == pytest.approx(wanted)
    assert bleu(bleu_parts(TRUE, TRUE).sum(0)) == pytest.approx(100)


def test_rouge_is_100_for_the_same_and_0_for_other_words() -> None:
    np.testing.assert_allclose(rouge(TRUE, TRUE), 100)
    np.testing.assert_allclose(rouge(["xyz"], TRUE[:1]), 0)
    # 6 of 8 words in order: "the king rode home the wood"; stems and articles count
    assert rouge(["The king rode home the wood."], TRUE[:1])[0, 2] == pytest.approx(100 * 12 / 14)


def test_bert_score_is_highest_for_the_same(bases: dict[str, str]) -> None:
    same, other = (bert_score(found, TRUE, bases["bert"]) for found in (TRUE, FAR))
    np.testing.assert_allclose(same, 1, atol=1e-4)
    assert (other[:, 2] < 0.999).all()
    empty = bert_score(["", TRUE[1]], TRUE[:2], bases["bert"])
    assert not empty[0].any()
    assert empty[1, 2] == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "is_stuck"),
    [
        ("He went and went and went and went home.", True),
        ("no no no no", True),
        ("The cat sat on the mat and the cat sat on the mat.", True),
        ("She took the bread, the cheese and the wine to her old aunt.", False),
        ("", False),
    ],
)
def test_a_filling_that_says_the_same_over_and_over_is_stuck(text: str, is_stuck: bool) -> None:
    assert stuck(text) is is_stuck


def test_measures_of_fillings_together() -> None:
    found = Fillings.of(STORIES, ["a b", "a c", "", "no no no no"], TRUE).measures()
    assert found["words"] == 2
    assert found["empty"] == 25
    assert found["stuck"] == 25
    assert found["distinct_1"] == 4 / 8
    assert found["distinct_2"] == 3 / 5


def test_a_way_that_is_nearer_in_every_story_is_better() -> None:
    near, far = (Fillings.of(STORIES, texts, TRUE) for texts in (NEAR, FAR))
    found = differences(far, near)
    assert better(found, ["bleu", "rouge_l", "bertscore_f1"]) == ["bleu", "rouge_l"]
    own = {k: v - far.measures()[k] for k, v in near.measures().items()}
    assert found["bleu"]["value"] == pytest.approx(own["bleu"])
    assert found["rouge_l"]["value"] == pytest.approx(own["rouge_l"])
    assert found["rouge_l"]["low"] <= found["rouge_l"]["value"] <= found["rouge_l"]["high"]
    assert not better(differences(near, near), ["bleu", "rouge_l"])
    back = differences(near, far)["rouge_l"]
    assert back["high"] == pytest.approx(-found["rouge_l"]["low"])


def test_other_gaps_are_not_compared() -> None:
    a = Fillings.of(STORIES, NEAR, TRUE)
    b = Fillings.of(["a", "b", "b", "b"], NEAR, TRUE)
    with pytest.raises(TimeControlError, match="same gaps"):
        differences(a, b)


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    modules: Any = {"sacrebleu.metrics.bleu": None, "rouge_score.rouge_scorer": None}
    for name in modules:
        monkeypatch.setitem(sys.modules, name, None)
    for call in (bleu_parts, rouge):
        with pytest.raises(TimeControlError, match=r"time-control\[metrics\]"):
            call(["a"], ["a"])


def test_more_draws_of_one_way_weigh_no_more() -> None:
    first = Fillings.of(STORIES, NEAR, TRUE)
    thrice = Fillings.of(STORIES * 3, NEAR * 3, TRUE * 3)
    for cell in differences(first, thrice).values():
        assert cell == pytest.approx({"value": 0.0, "low": 0.0, "high": 0.0})


def tiny_rater(folder: Path, outputs: int) -> str:
    """Write a model of random weights that reads two sentences and return its folder."""
    torch.manual_seed(0)
    tokenizer = make_wordpiece()
    config: Any = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, initializer_range=1.0,
    )  # fmt: skip
    config.num_labels = outputs
    make: Any = BertForSequenceClassification
    make(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def test_bleurt_reads_the_true_sentence_and_then_the_filling(tmp_path: Path) -> None:
    folder = tiny_rater(tmp_path, 1)
    both = bleurt_score(NEAR, TRUE, folder)
    alone = [bleurt_score([n], [t], folder)[0] for n, t in zip(NEAR, TRUE, strict=True)]
    np.testing.assert_allclose(both, alone, atol=1e-5)
    assert not np.allclose(both, bleurt_score(TRUE, NEAR, folder), atol=1e-4)
    row = Fillings.of(STORIES, NEAR, TRUE, bleurt=folder).measures()
    assert row["bleurt"] == pytest.approx(both.mean())


def test_a_model_of_two_outputs_is_no_bleurt(tmp_path: Path) -> None:
    with pytest.raises(TimeControlError, match="2 outputs"):
        bleurt_score(["a"], ["b"], tiny_rater(tmp_path / "two", 2))
    with pytest.raises(TimeControlError, match="no BLEURT"):
        bleurt_score(["a"], ["b"], str(tmp_path / "nothing"))


def test_pairs_are_not_mixed_up(bases: dict[str, str]) -> None:
    """Sentences of many lengths together are rated as each pair alone."""
    words = ["a", "boat", "went", "down", "the", "wide", "river", "to", "the", "sea", "at", "last"]
    found = [" ".join(words[:n]) for n in (7, 1, 12, 3, 9, 2)]
    true = [" ".join(words[-n:]) for n in (2, 11, 4, 8, 1, 6)]
    both = bert_score(found, true, bases["bert"])
    alone = [bert_score([f], [t], bases["bert"])[0] for f, t in zip(found, true, strict=True)]
    np.testing.assert_allclose(both, alone, atol=1e-6)
