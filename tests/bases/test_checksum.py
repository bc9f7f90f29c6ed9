import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from timecontrol.bases.checksum import checksum, folder_on_disk
from timecontrol.errors import TimeControlError


@pytest.fixture
def copy(bases: dict[str, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(bases["gpt2"], tmp_path / "copy"))


def test_it_depends_on_content_not_on_place(bases: dict[str, str], copy: Path) -> None:
    assert checksum(bases["gpt2"]) == checksum(str(copy))
    assert checksum(bases["gpt2"]) != checksum(bases["llama"])


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_other_weights_or_another_tokenizer_change_it(copy: Path, file: str) -> None:
    before = checksum(str(copy))
    whole = (copy / file).read_bytes()
    (copy / file).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert checksum(str(copy)) != before


def test_a_folder_without_weights_is_refused(copy: Path) -> None:
    (copy / "model.safetensors").unlink()
    with pytest.raises(TimeControlError, match="holds no weights"):
        checksum(str(copy))


def test_a_hub_id_that_was_never_loaded_is_refused() -> None:
    with pytest.raises(TimeControlError, match="not in the hub's local cache"):
        folder_on_disk("nobody/nothing-at-all")


def test_another_configuration_changes_it_but_not_a_version(copy: Path) -> None:
    import json

    before = checksum(str(copy))
    config = json.loads((copy / "config.json").read_text())
    for key, value, changes in (("transformers_version", "9", False), ("n_layer", 1, True)):
        (copy / "config.json").write_text(json.dumps({**config, key: value}))
        assert (checksum(str(copy)) != before) == changes


def test_a_converted_base_is_what_its_file_is(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from timecontrol.bases import Place, known
    from timecontrol.bases import checksum as module

    base = known.BASES["smollm2-135m"]
    monkeypatch.setattr(module, "resolve", lambda name: Place(str(copy), base))
    before = checksum("smollm2-135m")
    (copy / "tokenizer.json").write_text("{}")  # as another version would write it
    assert checksum("smollm2-135m") == before
    other = replace(base, sha256="0" * 64)
    monkeypatch.setattr(module, "resolve", lambda name: Place(str(copy), other))
    assert checksum("smollm2-135m") != before
