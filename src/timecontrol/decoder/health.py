"""Does the model know which section comes next, and when?

At the true start of each section of held-out documents, with the true plan: how often is the right
tag the most probable of the tags? A model whose new tokens were started alike, or that was trained
on documents cut short, fails here long before anybody reads its texts.

And at every sentence's end: how surprising is the choice between one more sentence, each of the
tags, and the end of the document? With c the choice that was made and V_c the tokens that make it,

    choice loss = - mean of log( sum over v in V_c of p(v) ),    in nats

is what order and lengths of sections depend on, and words do not.

And within sentences: how many tags, or ends, would be drawn there in a document? With B the tokens
that stand between sentences alone,

    misplaced = mean over documents of the sum over positions within sentences of p(B)
"""

from collections import Counter
from typing import Any

import torch
from torch import Tensor

from timecontrol.decoder.examples import Collator, Examples
from timecontrol.decoder.model import PlannedLM
from timecontrol.tokens import Codec


@torch.no_grad()
def health(
    model: PlannedLM, examples: Examples, collate: Collator, batch: int = 8
) -> dict[str, Any] | None:
    """Return how well the model knows the structure; ``None`` where there are no tags.

    Args:
        model: In evaluation mode.
        examples: Held-out documents.
        collate: Examples to a batch.
        batch: Documents at once.

    Returns:
        ``first``: how often the right tag is first, over all sections but a document's first;
        ``by_tag``: of each tag; ``n``: sections; ``choice_loss``, and ``choices``, their number;
        ``misplaced``, a document; that a section goes on does no harm, and is not counted.
    """
    codec = examples.codec
    tags = list(codec.tag_ids)
    if len(tags) < 2:
        return None
    ids = torch.tensor([codec.tag_ids[tag] for tag in tags], device=model.device)
    special = torch.cat([ids, ids.new_tensor([codec.end])])
    right, seen = Counter[str](), Counter[str]()
    losses: list[Tensor] = []
    misplaced = 0.0
    for start in range(0, len(examples), batch):
        chosen = [examples[i] for i in range(start, min(start + batch, len(examples)))]
        inputs = {k: v.to(model.device) for k, v in collate(chosen).items()}
        inputs.pop("labels"), inputs.pop("weights")
        logits = model(**inputs).logits
        for row, example in enumerate(chosen):
            for tag, at in example.starts:
                if tag is not None and at > 1:
                    guess = tags[int(logits[row, at - 1, ids].argmax())]
                    seen[tag] += 1
                    right[tag] += guess == tag
            told = inputs["input_ids"][row, : len(example.ids)]
            ends = (told[:-1] == codec.unit_end).nonzero().squeeze(-1)  # (choices,)
            losses.append(choice_losses(logits[row, ends], told[ends + 1], special))
            misplaced += float(strays(logits[row, : len(told) - 1], told, codec, special))
    n, lost = sum(seen.values()), torch.cat(losses) if losses else torch.zeros(0)
    return {
        "n": n,
        "first": sum(right.values()) / n if n else None,
        "by_tag": {tag: right[tag] / seen[tag] for tag in tags if seen[tag]},
        "choices": len(lost),
        "choice_loss": float(lost.mean()) if len(lost) else None,
        "misplaced": misplaced / max(len(examples), 1),
    }


def strays(logits: Tensor, told: Tensor, codec: Codec, special: Tensor) -> Tensor:
    """Return the probability of special tokens, summed over places within sentences.

    Args:
        logits: (tokens - 1, vocabulary).
        told: The document, (tokens,).
        codec: What its tokens mean.
        special: Tokens that stand between sentences alone.
    """
    before, after = told[:-1], told[1:]
    within = (before != codec.unit_end) & (before != codec.begin) & ~torch.isin(after, special)
    p = logits.float().log_softmax(-1).index_select(-1, special).exp().sum(-1)
    return (p * within).sum()


def choice_losses(logits: Tensor, chosen: Tensor, special: Tensor) -> Tensor:
    """Return the surprise of choices, in nats, (n,).

    Args:
        logits: (n, vocabulary).
        chosen: The tokens that came, (n,).
        special: Tokens that are a choice of their own; all others together are one.
    """
    told = logits.float().log_softmax(-1)
    rest = told.index_fill(-1, special, -torch.inf).logsumexp(-1)  # (n,)
    own = told.gather(-1, chosen.unsqueeze(-1)).squeeze(-1)
    return -torch.where(torch.isin(chosen, special), own, rest)
