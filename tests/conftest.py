"""Small things that many tests need: a tokenizer and models made on the spot, and the command."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # no test may reach for a hub; read at import
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # as the command has it; workers share cores

import pytest
import torch
from hypothesis import HealthCheck, settings
from transformers import (
    BertConfig,
    BertModel,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GemmaConfig,
    GemmaForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from timecontrol.cli import main
from timecontrol.corpora import synthetic
from timecontrol.reproduction.tiny import tiny_tokenizer

torch.set_num_threads(1)  # models are tiny: threads would only wait for each other

settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep a user's settings and cache out of the tests."""
    monkeypatch.delenv("TIMECONTROL_DATA", raising=False)
    monkeypatch.setenv("TIMECONTROL_CACHE", str(tmp_path / "cache"))


def _data_folder() -> Path | None:
    given = os.environ.get("TIMECONTROL_DATA")
    beside = Path(__file__).parents[2] / "shared" / "data"
    return Path(given) if given else beside if beside.is_dir() else None


DATA = _data_folder()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora; tests that need it are skipped where there is none."""
    if DATA is None:
        pytest.skip("no real corpora: set TIMECONTROL_DATA to a folder that holds them")
    return DATA


make_tokenizer = tiny_tokenizer


@pytest.fixture
def tokenizer() -> PreTrainedTokenizerFast:
    """A fresh byte-level tokenizer."""
    return make_tokenizer()


def tiny_gpt2(vocabulary: int, positions: int = 64, inner: int = 128) -> PreTrainedModel:
    """Return a GPT-2 of random weights (tied embeddings)."""
    torch.manual_seed(0)
    sizes = {"n_positions": positions, "n_embd": 32, "n_inner": inner, "n_layer": 2, "n_head": 2}
    return GPT2LMHeadModel(GPT2Config(vocab_size=vocabulary, **sizes))  # type: ignore[no-untyped-call,arg-type]


def tiny_llama(
    vocabulary: int, positions: int = 64, hidden: int = 32, inner: int = 64
) -> PreTrainedModel:
    """Return a Llama of random weights (input and output embeddings apart)."""
    torch.manual_seed(0)
    return LlamaForCausalLM(  # type: ignore[no-untyped-call]
        LlamaConfig(
            vocab_size=vocabulary,
            hidden_size=hidden,
            intermediate_size=inner,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            max_position_embeddings=positions,
            tie_word_embeddings=False,
        )
    )


SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 0,
    "eos_token_id": 0,
}


def tiny_qwen2(vocabulary: int) -> PreTrainedModel:
    """Return a Qwen2 of random weights (tied embeddings)."""
    torch.manual_seed(0)
    config = Qwen2Config(vocab_size=vocabulary, tie_word_embeddings=True, **SMALL)
    return Qwen2ForCausalLM(config)  # type: ignore[no-untyped-call]


def tiny_gemma(vocabulary: int) -> PreTrainedModel:
    """Return a Gemma of random weights (tied embeddings, scaled on the way in)."""
    torch.manual_seed(0)
    config = GemmaConfig(vocab_size=vocabulary, head_dim=16, **SMALL)
    return GemmaForCausalLM(config)  # type: ignore[no-untyped-call]


def tiny_gemma3(vocabulary: int) -> PreTrainedModel:
    """Return a Gemma 3 for text, of random weights; some layers see a short window."""
    torch.manual_seed(0)
    kinds = ["sliding_attention", "full_attention", "sliding_attention"]
    config = Gemma3TextConfig(
        vocab_size=vocabulary, head_dim=16, sliding_window=8, layer_types=kinds, **SMALL
    )
    return Gemma3ForCausalLM(config)


def tiny_neox(vocabulary: int) -> PreTrainedModel:
    """Return a GPT-NeoX of random weights (input and output embeddings apart)."""
    torch.manual_seed(0)
    own = {k: v for k, v in SMALL.items() if k != "num_key_value_heads"}
    config = GPTNeoXConfig(vocab_size=vocabulary, tie_word_embeddings=False, **own)
    return GPTNeoXForCausalLM(config)  # type: ignore[no-untyped-call]


@dataclass
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def timecontrol(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Run the command in this process."""

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["timecontrol", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


def tiny_bert(vocabulary: int) -> PreTrainedModel:
    """Return a BERT of random weights."""
    torch.manual_seed(0)
    return BertModel(  # type: ignore[no-untyped-call]
        BertConfig(
            vocab_size=vocabulary,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=64,
        )
    )


def make_wordpiece() -> PreTrainedTokenizerFast:
    """Return a WordPiece tokenizer that writes [CLS] and [SEP] around a sentence, as BERT's."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False)
    texts = (d.text for d in synthetic.documents(synthetic.Spec("cities", 20)))
    made.train_from_iterator(texts, trainer)
    ends = [(token, made.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=made,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


@pytest.fixture(scope="session")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders with tiny bases of random weights: gpt2, llama (both causal) and bert.

    The writer is a llama and the author a gpt2 with room for whole documents.
    """
    folder = tmp_path_factory.mktemp("bases")
    makers: dict[str, tuple[Callable[[], PreTrainedTokenizerFast], Callable[[int], Any]]] = {
        "gpt2": (make_tokenizer, tiny_gpt2),
        "llama": (make_tokenizer, tiny_llama),
        "writer": (make_tokenizer, partial(tiny_llama, positions=512)),
        "author": (make_tokenizer, partial(tiny_gpt2, positions=256)),
        "bert": (make_wordpiece, tiny_bert),
    }
    for name, (tokenizer, model) in makers.items():
        words = tokenizer()
        words.save_pretrained(folder / name)
        model(len(words)).save_pretrained(folder / name)
    return {name: str(folder / name) for name in makers}


@pytest.fixture
def run(bases: dict[str, str], tmp_path: Path) -> Path:
    """The run folder of a small encoder of made recipes, 40 documents."""
    from timecontrol.encoder import Encoder

    corpus, out = "synthetic:recipes,documents=40", tmp_path / "run"
    Encoder.fit(corpus, base=bases["bert"], epochs=2, latent_dim=3, out=out, device="cpu")
    return out


@pytest.fixture(scope="session")
def plain_run(tmp_path_factory: pytest.TempPathFactory, bases: dict[str, str]) -> str:
    """The run folder of a small decoder without plans, of 20 made recipes. Only to be read."""
    from timecontrol.decoder import Decoder

    out, spec = tmp_path_factory.mktemp("plain") / "plain", "synthetic:recipes,documents=20"
    options: dict[str, Any] = {"method": "plain", "epochs": 1, "window": 64, "batch": 16}
    Decoder.fit(spec, base=bases["llama"], out=out, device="cpu", **options)
    return str(out)


@pytest.fixture(scope="session")
def decoder_run(tmp_path_factory: pytest.TempPathFactory, bases: dict[str, str]) -> Path:
    """The run folder of a small planned decoder of made recipes, 40 documents. Only to be read."""
    from timecontrol.decoder import Decoder
    from timecontrol.encoder import Encoder

    corpus, folder = "synthetic:recipes,documents=40", tmp_path_factory.mktemp("decoder")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMECONTROL_CACHE", str(folder / "cache"))
        encoder = Encoder.fit(corpus, base=bases["bert"], epochs=2, latent_dim=3, device="cpu")
        Decoder.fit(
            corpus,
            encoder=encoder,
            base=bases["writer"],
            out=folder / "run",
            device="cpu",
            epochs=2,
            window=256,
            rate=1e-3,
        )
    return folder / "run"
