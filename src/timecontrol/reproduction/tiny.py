"""A base that is made on the spot: a small byte-level tokenizer, a small Llama of random weights.

It knows nothing. It is there so that the whole grid can be run in minutes, with nothing installed.
"""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from timecontrol.bases.packages import cache_folder
from timecontrol.corpora import synthetic

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

VERSION = 1
"""Goes up when the base becomes another one."""


def tiny_base() -> str:
    """Return the folder of the base; it is made where it is missing."""
    folder = cache_folder() / "bases" / f"tiny-{VERSION}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if folder.is_dir():
            return str(folder)
        return str(_made(folder))


def _made(folder: Path) -> Path:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = tiny_tokenizer()
    state = torch.random.get_rng_state()
    torch.manual_seed(0)
    model = LlamaForCausalLM(  # type: ignore[no-untyped-call]
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            max_position_embeddings=256,
            tie_word_embeddings=True,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )
    )
    torch.random.set_rng_state(state)
    with tempfile.TemporaryDirectory(dir=folder.parent) as other:
        whole = Path(other) / folder.name
        tokenizer.save_pretrained(whole)
        model.save_pretrained(whole)
        whole.rename(folder)  # whole, or not there
    return folder


def tiny_tokenizer() -> "PreTrainedTokenizerFast":
    """Return a byte-level BPE tokenizer of 600 entries, trained on made documents."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (d.text for d in synthetic.documents(synthetic.Spec("cities", 20)))
    made.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=made, bos_token="<|endoftext|>", eos_token="<|endoftext|>"
    )
