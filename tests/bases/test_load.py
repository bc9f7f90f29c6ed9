import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from transformers import PreTrainedTokenizerFast

from tests.conftest import tiny_gpt2
from timecontrol.bases import BASES, load_causal, load_encoder, load_tokenizer, resolve, set_ends
from timecontrol.bases.known import Base
from timecontrol.bases.load import _hub_answers, can_be_had, is_here
from timecontrol.errors import MissingBaseError, TimeControlError


@pytest.fixture
def folder(tmp_path: Path, tokenizer: PreTrainedTokenizerFast) -> Path:
    """A saved tiny model with its tokenizer."""
    place = tmp_path / "tiny"
    tiny_gpt2(len(tokenizer)).save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


def test_a_folder_is_a_base(folder: Path) -> None:
    assert resolve(str(folder)).source == str(folder)
    tokenizer = load_tokenizer(str(folder))
    assert tokenizer.decode(tokenizer("A town.")["input_ids"]) == "A town."
    model = load_causal(str(folder))
    assert not model.training
    assert load_encoder(str(folder)).config.n_embd == 32


def test_a_name_like_no_base_gets_a_suggestion() -> None:
    with pytest.raises(TimeControlError, match=r"Did you mean 'minilm'.*A folder or a hub id"):
        resolve("minilmm")


def test_known_names_mean_hub_ids_where_no_package_holds_them() -> None:
    assert resolve("gpt2").source == "openai-community/gpt2"
    assert resolve("openai-community/gpt2").base is BASES["gpt2"]
    assert resolve("someone/something").base is None


@pytest.mark.parametrize("name", ["gpt2", "someone/something"])
def test_what_cannot_be_had_is_one_line_that_says_what_to_do(name: str) -> None:
    with pytest.raises(MissingBaseError, match="timecontrol bases") as caught:
        load_tokenizer(name)
    assert "\n" not in str(caught.value)


def test_an_unreachable_hub_is_found_out_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # nobody listens there
    with pytest.raises(MissingBaseError, match="the model hub cannot be reached"):
        load_causal("someone/something")


def test_packaged_weights_that_are_absent_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from timecontrol.bases import packages

    monkeypatch.setattr(packages, "missing", lambda base: list(base.packages))
    with pytest.raises(MissingBaseError, match="timecontrol bases install minilm"):
        load_encoder("minilm")


@pytest.mark.parametrize(
    "content", ["", "{", '{"model_type": "gpt2"}', '{"model_type": "no-such"}']
)
def test_a_folder_that_holds_no_model_is_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    for load in (load_causal, load_tokenizer):
        with pytest.raises(TimeControlError, match="holds no usable base"):
            load(str(tmp_path))


def test_bare_vocabulary_files_are_a_gpt2_tokenizer(
    tmp_path: Path, tokenizer: PreTrainedTokenizerFast
) -> None:
    model = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    (tmp_path / "vocab.json").write_text(json.dumps(model["vocab"]), encoding="utf-8")
    merges = [" ".join(m) if isinstance(m, list) else m for m in model["merges"]]
    (tmp_path / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]), encoding="utf-8")
    bare = load_tokenizer(str(tmp_path))
    text = "Fairhaven is a town in 1649."
    assert bare(text)["input_ids"] == tokenizer(text)["input_ids"]
    assert bare.eos_token == bare.bos_token == "<|endoftext|>"


def test_one_end_token_stands_in_for_a_missing_other(tokenizer: PreTrainedTokenizerFast) -> None:
    tokenizer.bos_token = None
    tokenizer.pad_token = None
    set_ends(tokenizer)
    assert tokenizer.bos_token == tokenizer.eos_token == tokenizer.pad_token == "<|endoftext|>"
    tokenizer.bos_token = tokenizer.eos_token = None
    with pytest.raises(TimeControlError, match="no begin or end token"):
        set_ends(tokenizer)


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_damaged_file_of_a_model_is_one_line(folder: Path, file: str) -> None:
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[: len(content) // 2])
    load = load_tokenizer if file == "tokenizer.json" else load_causal
    with pytest.raises(TimeControlError, match="holds no usable base") as caught:
        load(str(folder))
    assert "\n" not in str(caught.value)


def test_bare_files_that_are_no_vocabulary_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text("[1, 2]")
    (tmp_path / "merges.txt").write_text("x")
    with pytest.raises(TimeControlError, match="holds no usable tokenizer"):
        load_tokenizer(str(tmp_path))


def test_a_known_base_overrules_what_its_tokenizer_says(tokenizer: PreTrainedTokenizerFast) -> None:
    base = Base("x", "", "decoder", "a/x", "", begin="a", end="b", pad="c")
    set_ends(tokenizer, base)
    assert (tokenizer.bos_token, tokenizer.eos_token, tokenizer.pad_token) == ("a", "b", "c")


def test_a_hub_id_may_come_from_the_hub_where_its_package_is_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from timecontrol.bases import packages

    monkeypatch.setattr(packages, "missing", lambda base: list(base.packages))
    hub = BASES["minilm"].hub
    assert resolve(hub).source == hub
    with pytest.raises(MissingBaseError, match="bases install minilm"):
        resolve("minilm")


def test_a_hub_that_answers_with_an_error_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)  # answers 501 to everything
    Thread(target=server.handle_request, daemon=True).start()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setattr(BaseHTTPRequestHandler, "log_message", lambda *a: None)
    assert _hub_answers()
    server.server_close()


def test_code_in_a_model_folder_is_not_run(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "evil", "auto_map": {"AutoModelForCausalLM": "evil.Evil",
                                                  "AutoConfig": "evil.EvilConfig"}}  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    ran = folder / "ran"
    (folder / "evil.py").write_text(f"open({str(ran)!r}, 'w').close()\n")
    with pytest.raises(TimeControlError, match="holds no usable base"):
        load_causal(str(folder))
    assert not ran.exists()


def test_results_name_rounded_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    from timecontrol.bases.load import Place

    assert Place("x", BASES["smollm2-135m"]).label == "SmolLM2-135M-Instruct, Q4_1"
    assert Place("x", BASES["gpt2"]).label == "gpt2"
    assert Place("some/where", None).label == "some/where"


def test_what_is_here_is_told_without_loading_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from timecontrol.bases import load

    assert is_here(str(folder))
    assert can_be_had(str(folder))
    for absent in ("gpt2", "someone/something", "no-such-base", ""):
        assert not is_here(absent)
        assert not can_be_had(absent)  # tests have no hub
    monkeypatch.setattr(load, "missing", lambda base: [])
    assert is_here("minilm")
    assert is_here(BASES["minilm"].hub)
    monkeypatch.setattr(load, "missing", lambda base: list(base.packages))
    assert not is_here("minilm")
    monkeypatch.setattr(load, "_hub_answers", lambda: True)
    assert can_be_had("gpt2")
    assert can_be_had("someone/something")
    assert not can_be_had("minilm")  # by that name it is its packages
    assert not can_be_had("no-such-base")
