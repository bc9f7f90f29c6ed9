"""How far apart new embedding rows lie: ``python benchmarks/rows.py`` (needs ``smollm2-135m``).

Four tags and the unit-end mark are added to the base, once with the default resizing of
transformers and once with ours. Printed: the least and the mean distance between two of the five
rows, as a share of their mean norm (input embeddings, tied to the output layer in this base).
"""

import torch

from timecontrol.bases import load_causal, load_tokenizer
from timecontrol.corpora.layout import WIKISECTION
from timecontrol.vocabulary import add_marks, grow, marks

BASE = "smollm2-135m"


def main() -> None:
    tokens = marks(WIKISECTION, "[ . ]")
    print("| new rows | least distance / norm | mean distance / norm |\n|---|---|---|")
    for name in ("default resizing", "from words of their own"):
        torch.manual_seed(0)
        tokenizer, model = load_tokenizer(BASE), load_causal(BASE)
        ids = add_marks(tokenizer, tokens)
        if name == "default resizing":
            model.resize_token_embeddings(len(tokenizer))
        else:
            grow(model, tokenizer, tokens)
        table = model.get_input_embeddings().weight
        assert isinstance(table, torch.Tensor)
        rows = table[list(ids.values())].detach()
        distances = torch.pdist(rows) / rows.norm(dim=-1).mean()
        print(f"| {name} | {distances.min():.5f} | {distances.mean():.5f} |", flush=True)


if __name__ == "__main__":
    main()
