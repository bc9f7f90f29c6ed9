import pytest
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from tests.conftest import tiny_gpt2, tiny_llama
from timecontrol.corpora.layout import HOWTO, WIKISECTION, Layout
from timecontrol.vocabulary import add_marks, grow, marks, token_id

MODELS = {"tied": tiny_gpt2, "untied": tiny_llama}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS.keys())


def tables(model: PreTrainedModel) -> list[torch.Tensor]:
    return [model.get_input_embeddings().weight, model.get_output_embeddings().weight]  # type: ignore


def nearest(rows: torch.Tensor) -> float:
    """Return the least pairwise distance, as a share of the mean norm."""
    distances = torch.cdist(rows, rows).fill_diagonal_(torch.inf)
    return float(distances.min() / rows.norm(dim=-1).mean())


def test_marks_are_single_tokens_and_apart(tokenizer: PreTrainedTokenizerFast) -> None:
    ids = add_marks(tokenizer, marks(WIKISECTION, "[ . ]"))
    assert len(set(ids.values())) == 5
    assert min(ids.values()) >= 600
    assert tokenizer("[ HISTORY ]", add_special_tokens=False)["input_ids"] == [ids["[ HISTORY ]"]]


def test_a_mark_for_a_section_that_goes_on_is_one_more(tokenizer: PreTrainedTokenizerFast) -> None:
    bare, more = marks(WIKISECTION, "[ . ]"), marks(WIKISECTION, "[ . ]", "[ + ]")
    assert marks(WIKISECTION, "[ . ]", "") == bare
    assert more == {**bare, "[ + ]": " And"}
    assert list(more)[-1] == "[ + ]"  # the others keep their ids
    ids = add_marks(tokenizer, more)
    assert len(set(ids.values())) == 6
    assert tokenizer("[ + ]", add_special_tokens=False)["input_ids"] == [ids["[ + ]"]]


def test_adding_twice_adds_nothing(tokenizer: PreTrainedTokenizerFast) -> None:
    first = add_marks(tokenizer, marks(HOWTO, "[ . ]"))
    size = len(tokenizer)
    assert add_marks(tokenizer, marks(HOWTO, "[ . ]")) == first
    assert len(tokenizer) == size


def test_a_mark_in_a_text_stays_text_when_asked(tokenizer: PreTrainedTokenizerFast) -> None:
    ids = add_marks(tokenizer, marks(WIKISECTION, "[ . ]"))
    text = "see [ HISTORY ] and <|endoftext|>"
    found = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    assert not {*ids.values(), tokenizer.eos_token_id} & set(found)
    assert tokenizer.decode(found) == text


@every_model
def test_new_rows_are_pairwise_distinct(make: object, tokenizer: PreTrainedTokenizerFast) -> None:
    model: PreTrainedModel = make(len(tokenizer))  # type: ignore[operator]
    tokens = marks(WIKISECTION, "[ . ]")
    ids = list(add_marks(tokenizer, tokens).values())
    grow(model, tokenizer, tokens)
    for table in tables(model):
        assert table.shape[0] >= len(tokenizer)
        assert nearest(table[ids].detach()) > 0.2


@every_model
def test_a_row_starts_from_the_words_of_its_tag(
    make: object, tokenizer: PreTrainedTokenizerFast
) -> None:
    model: PreTrainedModel = make(len(tokenizer))  # type: ignore[operator]
    before = [t.detach().clone() for t in tables(model)]
    tokens = {"[ X ]": " the"}
    add_marks(tokenizer, tokens)
    grow(model, tokenizer, tokens)
    [word] = tokenizer(" the", add_special_tokens=False)["input_ids"]
    for old, new in zip(before, tables(model), strict=True):
        torch.testing.assert_close(new[token_id(tokenizer, "[ X ]")].detach(), old[word])
        torch.testing.assert_close(new[: len(old)].detach(), old)


def test_the_default_way_of_transformers_is_the_trap_we_avoid(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    model = tiny_gpt2(len(tokenizer))
    with torch.no_grad():  # embeddings of a trained model share a large common direction
        tables(model)[0] += 2.0
    tokens = marks(WIKISECTION, "[ . ]")
    ids = list(add_marks(tokenizer, tokens).values())
    model.resize_token_embeddings(len(tokenizer))
    assert nearest(tables(model)[0][ids].detach()) < 1e-3
    grow(model, tokenizer, tokens)
    assert nearest(tables(model)[0][ids].detach()) > 1e-2


@pytest.mark.parametrize("names", [("A B", "B A"), ("Ä", "Ö", "日本", "日本語"), ("AB", "A-B")])
def test_tags_of_the_same_words_or_of_strange_ones_are_told_apart(
    names: tuple[str, ...], tokenizer: PreTrainedTokenizerFast
) -> None:
    model = tiny_gpt2(len(tokenizer))
    tokens = marks(Layout("x", names), "[ . ]")
    ids = list(add_marks(tokenizer, tokens).values())
    grow(model, tokenizer, tokens)
    assert nearest(tables(model)[0][ids].detach()) > 0.05


def test_tokens_with_the_very_same_words_are_pushed_apart_the_same_way_every_time(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    tokens = {"[ X ]": " same words", "[ Y ]": " same words"}
    ids = list(add_marks(tokenizer, tokens).values())
    rows = []
    for _ in range(2):
        model = tiny_gpt2(600)
        grow(model, tokenizer, tokens)
        rows.append(tables(model)[0][ids].detach())
    assert nearest(rows[0]) > 0.1
    torch.testing.assert_close(rows[0], rows[1])


def test_spare_rows_are_used_and_never_cut_off(tokenizer: PreTrainedTokenizerFast) -> None:
    model = tiny_gpt2(704)
    tokens = marks(WIKISECTION, "[ . ]")
    ids = list(add_marks(tokenizer, tokens).values())
    grow(model, tokenizer, tokens)
    assert tables(model)[0].shape[0] == 704
    assert nearest(tables(model)[0][ids].detach()) > 0.2


def test_the_words_a_row_starts_from_are_those_of_its_tag() -> None:
    assert marks(Layout("x", ("RELATED WORK", "AIM")), "[ . ]") == {
        "[ RELATED WORK ]": " Related Work",
        "[ AIM ]": " Aim",
        "[ . ]": ".",
    }


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_row_of_several_words_is_their_weighted_sum_at_their_norm(
    dtype: torch.dtype, tokenizer: PreTrainedTokenizerFast
) -> None:
    model = tiny_llama(len(tokenizer))
    torch.nn.Module.to(model, dtype)
    tokens = {"[ X ]": " the a"}
    first, second = tokenizer(" the a", add_special_tokens=False)["input_ids"]
    expected = []
    for table in tables(model):
        e = table[[first, second]].detach().float()
        row = e[0] + e[1] / 2
        expected.append(row * e.norm(dim=-1).mean() / row.norm())
    add_marks(tokenizer, tokens)
    grow(model, tokenizer, tokens)
    for row, table in zip(expected, tables(model), strict=True):
        found = table[token_id(tokenizer, "[ X ]")].detach()
        assert found.dtype == dtype
        torch.testing.assert_close(found, row.to(dtype))


def test_an_output_bias_gets_rows_too(tokenizer: PreTrainedTokenizerFast) -> None:
    model = tiny_llama(len(tokenizer))
    head = torch.nn.Linear(32, len(tokenizer), bias=True)
    model.set_output_embeddings(head)  # type: ignore[no-untyped-call]
    tokens = {"[ X ]": " the"}
    [word] = tokenizer(" the", add_special_tokens=False)["input_ids"]
    wanted = head.bias[word].item()
    add_marks(tokenizer, tokens)
    grow(model, tokenizer, tokens)
    bias = model.get_output_embeddings().bias  # type: ignore[no-untyped-call]
    assert bias[token_id(tokenizer, "[ X ]")].item() == wanted


def test_the_mark_starts_from_what_it_is_told(tokenizer: PreTrainedTokenizerFast) -> None:
    assert marks(WIKISECTION, "[ . ]")["[ . ]"] == "."
    assert marks(WIKISECTION, "[ . ]", ends="\n")["[ . ]"] == "\n"


@every_model
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_rows_can_start_away_from_their_words_as_far_as_these_are_from_the_mean(
    make: object, share: float, tokenizer: PreTrainedTokenizerFast
) -> None:
    tokens = marks(WIKISECTION, "[ . ]")
    ids = list(add_marks(tokenizer, tokens).values())
    near, far = (make(len(tokenizer)) for _ in range(2))  # type: ignore[operator]
    grow(near, tokenizer, tokens)
    grow(far, tokenizer, tokens, share)
    for before, after in zip(tables(near), tables(far), strict=True):
        mean = before[: min(ids)].detach().mean(0)
        word, own = before[ids].detach() - mean, after[ids].detach() - mean
        away = own - (1 - share**2) ** 0.5 * word
        torch.testing.assert_close(away.norm(dim=-1), share * word.norm(dim=-1))
        alike = torch.nn.functional.cosine_similarity(away[:, None], away[None], -1)
        assert (alike - torch.eye(len(ids))).abs().max() < 0.8  # each in a direction of its own
        torch.testing.assert_close(before[: min(ids)], after[: min(ids)])
