"""The check of section starts, on models that are right or wrong on purpose."""

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
from timecontrol.decoder.health import health
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
    assert found == {"n": 3, "first": 1.0, "by_tag": {"B": 1.0, "C": 1.0}}


def test_one_that_always_says_the_same_is_right_by_chance() -> None:
    found = examined(always("C"), item("A", "B", "C"), item("A", "C"), item("A", "B"))
    assert found == {"n": 4, "first": 0.5, "by_tag": {"B": 0.0, "C": 1.0}}


def test_one_that_is_a_token_late_is_wrong() -> None:
    late = examined(lambda ids: knowing(ids).roll(1, 1), item("A", "B", "C"), item("A", "C"))
    assert late["first"] == 0.0


def test_the_first_section_is_not_asked_for() -> None:
    assert examined(knowing, item("A"), item("B")) == {"n": 0, "first": None, "by_tag": {}}


def test_where_there_are_no_tags_to_choose_from_there_is_nothing_to_say() -> None:
    for tags in ((), ("A",)):
        codec = Codec(make_tokenizer(), Layout("x", tags))
        model: Any = None
        collate = Collator(codec.end, (codec.unit_end,), False)
        assert health(model, Examples([], codec, preset("best"), 64), collate) is None
