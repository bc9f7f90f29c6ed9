"""The check of section starts, on models that are right or wrong on purpose."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.conftest import make_tokenizer
from timecontrol.corpora import Layout
from timecontrol.decoder.examples import Collator, Examples, Item
from timecontrol.decoder.health import choice_losses, health, strays
from timecontrol.decoder.settings import preset
from timecontrol.tokens import Codec, Piece

CODEC = Codec(make_tokenizer(), Layout("x", ("A", "B", "C")))
TAGS = CODEC.tag_ids
SIZE = len(CODEC.tokenizer)


class Fake:
    """A model whose logits are made by a function of its input."""

    device = torch.device("cpu")

    def __init__(self, answer: Callable[[Tensor], Tensor]) -> None:
        self.answer = answer
        self.plans: list[Tensor] = []

    def __call__(self, input_ids: Tensor, plan: Tensor, **rest: Any) -> Any:
        assert not {"labels", "weights"} & set(rest)
        self.plans.append(plan)
        return SimpleNamespace(logits=self.answer(input_ids))


def item(*tags: str) -> Item:
    pieces = [
        Piece(n // 2, tag, n % 2 == 0, [300 + n], True)
        for n, tag in enumerate(t for tag in tags for t in (tag, tag))
    ]
    return Item(pieces, np.ones((len(pieces), 2)))


def examined(answer: Callable[[Tensor], Tensor], *items: Item, batch: int = 8) -> Any:
    examples = Examples(items, CODEC, preset("best"), 64)
    model: Any = Fake(answer)
    found = health(model, examples, Collator(CODEC.end, (CODEC.unit_end,), False), batch)
    assert sum(len(plan) for plan in model.plans) == len(items)
    return found


def tags_of(found: dict[str, Any]) -> dict[str, Any]:
    return {name: found[name] for name in ("n", "first", "by_tag")}


def knowing(ids: Tensor) -> Tensor:
    """Predict each next token, and others more that are no tags."""
    logits = torch.zeros(*ids.shape, SIZE)
    following = ids.roll(-1, -1)
    logits.scatter_(-1, following.unsqueeze(-1), 1.0)
    logits[..., 5] = 9.0  # a word is likelier than any tag: that is no matter here
    return logits


def always(tag: str) -> Callable[[Tensor], Tensor]:
    def answer(ids: Tensor) -> Tensor:
        logits = torch.zeros(*ids.shape, SIZE)
        logits[..., TAGS[tag]] = 1.0
        return logits

    return answer


@pytest.mark.parametrize("batch", [1, 2, 8])
def test_a_model_that_knows_is_always_right(batch: int) -> None:
    found = examined(knowing, item("A", "B", "C"), item("A", "C"), item("B"), batch=batch)
    assert tags_of(found) == {"n": 3, "first": 1.0, "by_tag": {"B": 1.0, "C": 1.0}}


def test_one_that_always_says_the_same_is_right_by_chance() -> None:
    found = examined(always("C"), item("A", "B", "C"), item("A", "C"), item("A", "B"))
    assert tags_of(found) == {"n": 4, "first": 0.5, "by_tag": {"B": 0.0, "C": 1.0}}


def test_one_that_is_a_token_late_is_wrong() -> None:
    late = examined(lambda ids: knowing(ids).roll(1, 1), item("A", "B", "C"), item("A", "C"))
    assert late["first"] == 0.0


def test_the_first_section_is_not_asked_for() -> None:
    found = examined(knowing, item("A"), item("B"))
    assert tags_of(found) == {"n": 0, "first": None, "by_tag": {}}


def test_where_there_are_no_tags_to_choose_from_there_is_nothing_to_say() -> None:
    for tags in ((), ("A",)):
        codec = Codec(make_tokenizer(), Layout("x", tags))
        model: Any = None
        collate = Collator(codec.end, (codec.unit_end,), False)
        assert health(model, Examples([], codec, preset("best"), 64), collate) is None


def test_a_choice_is_between_the_tags_the_end_and_all_the_rest() -> None:
    p = torch.tensor([[0.5, 0.2, 0.2, 0.06, 0.04]]).expand(4, 5)
    chosen, special = torch.tensor([0, 1, 3, 4]), torch.tensor([3, 4])
    found = choice_losses(p.log(), chosen, special)
    torch.testing.assert_close(found, -torch.tensor([0.9, 0.9, 0.06, 0.04]).log())


def test_choices_are_counted_where_sentences_end() -> None:
    def sure(ids: Tensor) -> Tensor:
        """Say that a sentence follows, whatever comes."""
        logits = torch.full((*ids.shape, SIZE), -30.0)
        logits[..., 300:305] = 30.0
        return logits

    found = examined(sure, item("A", "B"), item("A"))
    # A x . x . B x . x . END and A x . x . END: sentence, tag, sentence, end; sentence, end
    assert found["choices"] == 6
    assert found["choice_loss"] == pytest.approx(3 * (60 + math.log(5)) / 6, rel=1e-3)


def test_tags_within_sentences_are_counted_and_those_between_are_not() -> None:
    """BEGIN A x x . x . END: what follows the second to fourth and the sixth is within."""
    a, mark, end = TAGS["A"], CODEC.unit_end, CODEC.end
    told = torch.tensor([CODEC.begin, a, 300, 301, mark, 302, mark, end])
    special = torch.tensor([*TAGS.values(), end])
    p = torch.full((7, SIZE), 1e-9)
    p[:, 300] = 0.9
    p[:, a] = torch.tensor([0.5, 0.01, 0.02, 0.03, 0.5, 0.04, 0.5])
    p[:, end] = 0.001
    found = strays((p / p.sum(-1, keepdim=True)).log(), told, CODEC, special)
    own = p[:, [a, end]].sum(-1) / p.sum(-1)
    torch.testing.assert_close(found, own[[1, 2, 3, 5]].sum(), rtol=1e-4, atol=1e-6)
    sure = examined(knowing, item("A", "B"), item("A"))
    assert 0 <= sure["misplaced"] < 0.2
    assert examined(always("C"), item("A", "B"))["misplaced"] > sure["misplaced"]
