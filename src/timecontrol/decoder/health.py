"""Does the model know which section comes next?

At the true start of each section of held-out documents, with the true plan: how often is the right
tag the most probable of the tags? A model whose new tokens were started alike, or that was trained
on documents cut short, fails here long before anybody reads its texts.
"""

from collections import Counter
from typing import Any

import torch

from timecontrol.decoder.examples import Collator, Examples
from timecontrol.decoder.model import PlannedLM


@torch.no_grad()
def health(
    model: PlannedLM, examples: Examples, collate: Collator, batch: int = 8
) -> dict[str, Any] | None:
    """Return how often the right tag is first among the tags; ``None`` where there are no tags.

    Args:
        model: In evaluation mode.
        examples: Held-out documents.
        collate: Examples to a batch.
        batch: Documents at once.

    Returns:
        ``first``: the share over all sections but a document's first; ``by_tag``: of each tag;
        ``n``: sections.
    """
    codec = examples.codec
    tags = list(codec.tag_ids)
    if len(tags) < 2:
        return None
    ids = torch.tensor([codec.tag_ids[tag] for tag in tags], device=model.device)
    right, seen = Counter[str](), Counter[str]()
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
    n = sum(seen.values())
    return {
        "n": n,
        "first": sum(right.values()) / n if n else None,
        "by_tag": {tag: right[tag] / seen[tag] for tag in tags if seen[tag]},
    }
