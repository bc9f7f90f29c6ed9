"""New tokens for a base: the tags of a layout and the unit-end mark, one token each.

Resizing embeddings the default way draws all new rows from one distribution about the mean of the
old ones, so tight that they are practically one vector; tied to the output layer, a model then
cannot tell a tag from another. Here each new row starts from the words of its own tag:

    row = s * sum_k w_k E[word_k],   w_k = 1 / (k + 1),   s such that |row| is the words' mean norm

The falling weights make the row depend on the order of words, so no two tags share one.

But a tag so like its word is taken for it, and the word for the tag: the rows hardly move in
training. With m the mean of all rows and u a direction drawn for each token, a new row can begin
away from its words, as far as any row is from the mean::

    row = m + sqrt(1 - a^2) (words - m) + a |words - m| u,     a from 0 to 1
"""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from timecontrol.corpora.layout import Layout

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

TOO_NEAR = 0.05
"""Rows nearer than this share of their norm are pushed apart."""


def tag_text(tag: str) -> str:
    """Return the token of a tag: ``HISTORY`` -> ``[ HISTORY ]``."""
    return f"[ {tag} ]"


BLANK, FILL = "[ BLANK ]", "[ FILL ]"
"""Where sentences are missing, and what begins the sentences that were."""


def marks(
    layout: Layout, unit_end: str, go_on: str = "", ends: str = ".", gaps: bool = False
) -> dict[str, str]:
    """Return the new tokens of a layout, each with the words its row starts from.

    Args:
        layout: Of the documents.
        unit_end: The unit-end mark.
        go_on: The mark that a section goes on; empty: there is none.
        ends: What the unit-end mark starts from. A period, where it stands for one. Else better
            something that sentences do not hold: one that is like a period is taken for it.
        gaps: Whether there are marks for a gap and its filling, too.
    """
    found = {tag_text(tag): f" {tag.title()}" for tag in layout.tags} | {unit_end: ends}
    found |= {go_on: " And"} if go_on else {}
    return found | ({BLANK: " ___", FILL: " Answer"} if gaps else {})


def add_marks(tokenizer: "PreTrainedTokenizerBase", tokens: Mapping[str, str]) -> dict[str, int]:
    """Add the tokens to a tokenizer, and return their ids.

    They are special tokens: the same characters in a text stay ordinary text when it is
    tokenized with ``split_special_tokens=True``.
    """
    from transformers import AddedToken

    tokenizer.add_tokens(
        [AddedToken(text, normalized=False, special=True) for text in tokens], special_tokens=True
    )
    return {text: token_id(tokenizer, text) for text in tokens}


def token_id(tokenizer: "PreTrainedTokenizerBase", text: str) -> int:
    """Return the id of a token by its text."""
    found = tokenizer.convert_tokens_to_ids(text)
    assert isinstance(found, int)
    return found


def grow(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    tokens: Mapping[str, str],
    distinct: float = 0.0,
) -> None:
    """Give a model rows for the tokens, each started from its words, pairwise distinct.

    Args:
        model: Changed in place: input and output embeddings (tied or not), and an output bias.
        tokenizer: Holds the tokens already (``add_marks``).
        tokens: Token text to the words its row starts from.
        distinct: How far from them: a.
    """
    import torch

    if not tokens:
        return
    inputs: Any = model.get_input_embeddings()
    if len(tokenizer) > inputs.weight.shape[0]:  # some bases keep spare rows: never shrink
        model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    ids = [token_id(tokenizer, text) for text in tokens]
    words = [_word_ids(tokenizer, w) for w in tokens.values()]
    inputs = model.get_input_embeddings()
    head: Any = model.get_output_embeddings()  # type: ignore[no-untyped-call]
    tables: list[Tensor] = [inputs.weight]
    if head is not None and head.weight.data_ptr() != tables[0].data_ptr():
        tables.append(head.weight)
    with torch.no_grad():
        for table in tables:
            rows = _apart(torch.stack([_mix(table, w) for w in words]), list(tokens))
            if distinct:
                others = torch.ones(len(table), dtype=torch.bool, device=table.device)
                others[ids] = False
                rows = _away(rows, table[others].float().mean(0), list(tokens), distinct)
            table[ids] = rows.to(table.dtype)
        bias = getattr(head, "bias", None)
        if bias is not None:
            bias[ids] = torch.stack([bias[w].mean() for w in words])


def _word_ids(tokenizer: "PreTrainedTokenizerBase", words: str) -> list[int]:
    """Return the ids of a tag's words in the base's own vocabulary.

    Where it has none of them, those of a period (a line break may be nothing to a tokenizer).
    """
    unknown, ids = tokenizer.unk_token_id, []
    for text in (words, "."):
        ids = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
        known = [i for i in ids if i != unknown]
        if known:
            return known
    return list(ids) or [int(tokenizer.eos_token_id)]


def _mix(table: "Tensor", ids: list[int]) -> "Tensor":
    import torch

    words = table[ids].float()  # (words, d)
    weights = 1 / torch.arange(1, len(ids) + 1, device=table.device)
    row: Tensor = (weights.unsqueeze(-1) * words).sum(0)
    norms: Tensor = words.norm(dim=-1)
    size: Tensor = row.norm()
    return row * (norms.mean() / size.clamp_min(1e-6))


def _apart(rows: "Tensor", names: list[str]) -> "Tensor":
    """Return the rows with those that lie too near another moved, each in its own direction."""
    import torch

    norm = rows.norm(dim=-1).mean().clamp_min(1e-2)
    near = torch.cdist(rows, rows).fill_diagonal_(torch.inf).amin(-1) < TOO_NEAR * norm
    moved = rows.clone()
    for i in torch.nonzero(near).flatten().tolist():
        moved[i] += 0.3 * norm * _direction(names[i], rows.shape[1]).to(rows.device)
    return moved


def _away(rows: "Tensor", mean: "Tensor", names: list[str], share: float) -> "Tensor":
    """Return the rows turned away from their words, each into its own direction."""
    import torch

    own = torch.stack([_direction(name, rows.shape[1]) for name in names]).to(rows.device)
    word = rows - mean
    away = share * word.norm(dim=-1, keepdim=True) * own
    found: Tensor = mean + (1 - share**2) ** 0.5 * word + away
    return found


def _direction(name: str, dim: int) -> "Tensor":
    """Return the direction of a token, of length 1, the same every time, (dim,)."""
    import torch

    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "big")
    noise = torch.randn(dim, generator=torch.Generator().manual_seed(seed))
    found: Tensor = noise / noise.norm()
    return found
