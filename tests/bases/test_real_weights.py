"""The real packages, in ``make slow``; skipped where they are not installed."""

import pytest
import torch

from timecontrol.bases import BASES, load_causal, load_encoder, load_tokenizer, missing
from timecontrol.corpora.layout import WIKISECTION
from timecontrol.vocabulary import add_marks, grow, marks

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def clean_environment() -> None:
    """Use the real cache, so that nothing is converted twice."""


def need(name: str) -> str:
    if missing(BASES[name]):
        pytest.skip(f"{name} is not installed: timecontrol bases install {name}")
    return name


def similarity(name: str, *sentences: str) -> torch.Tensor:
    tokenizer, model = load_tokenizer(name), load_encoder(name)
    batch = tokenizer(list(sentences), return_tensors="pt", padding=True)
    with torch.no_grad():
        states = model(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1)
    means = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=-1)
    return means @ means.T


@pytest.mark.parametrize("name", ["minilm", "mpnet"])
def test_sentence_encoders_know_a_paraphrase_from_something_else(name: str) -> None:
    found = similarity(
        need(name),
        "A man is playing the guitar on stage.",
        "Somebody on the stage plays guitar.",
        "The central bank raised its interest rate.",
    )
    assert found[0, 1] > 0.6
    assert found[0, 2] < 0.15


def test_the_language_model_knows_the_capital_of_france() -> None:
    name = need("smollm2-135m")
    tokenizer, model = load_tokenizer(name), load_causal(name)
    ids = tokenizer("The capital of France is", return_tensors="pt").input_ids
    with torch.no_grad():
        best = int(model(ids).logits[0, -1].argmax())
    assert str(tokenizer.decode([best])).strip() == "Paris"
    ends = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id)
    assert len(set(ends)) == 3


def test_new_rows_of_the_language_model_are_distinct_and_likely_words() -> None:
    name = need("smollm2-135m")
    tokenizer, model = load_tokenizer(name), load_causal(name)
    tokens = marks(WIKISECTION, "[ . ]")
    ids = list(add_marks(tokenizer, tokens).values())
    grow(model, tokenizer, tokens)
    rows = model.get_input_embeddings().weight[ids].detach()  # type: ignore[index]
    distances = torch.cdist(rows, rows).fill_diagonal_(torch.inf)
    assert distances.min() > 0.5 * rows.norm(dim=-1).mean()
