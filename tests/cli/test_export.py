from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran
from timecontrol.decoder import Decoder
from timecontrol.encoder import Encoder
from timecontrol.errors import TimeControlError


def test_it_writes_a_sentence_transformers_model(
    timecontrol: Callable[..., Ran], bases: dict[str, str], tmp_path: Path
) -> None:
    run, out = tmp_path / "run", tmp_path / "out"
    Encoder.fit(
        "synthetic:recipes,documents=40", base=bases["bert"], epochs=1, out=run, device="cpu"
    )
    ran = timecontrol("export", str(run), "--to", str(out))
    assert ran.code == 0, ran.err
    assert "is a sentence-transformers model" in ran.out
    assert (out / "modules.json").is_file()
    again = timecontrol("export", str(run), "--to", str(out))
    assert again.code == 2
    assert "is there already" in again.err


def test_no_run_no_model(timecontrol: Callable[..., Ran], tmp_path: Path) -> None:
    ran = timecontrol("export", str(tmp_path / "none"), "--to", str(tmp_path / "out"))
    assert ran.code == 2
    assert "no such folder" in ran.err
    assert not (tmp_path / "out").exists()


def test_what_comes_with_the_package_goes_by_its_name(
    timecontrol: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def load(name: Path | str, *args: object, **rest: object) -> None:
        opened.append(Path(name).name)
        raise TimeControlError("seen")

    monkeypatch.setattr(Encoder, "load", load)
    monkeypatch.setattr(Decoder, "load", load)
    for name in ("general", "wikisection", "wikisection-decoder"):
        assert timecontrol("export", name, "--to", str(tmp_path / "out")).err.endswith("seen\n")
    assert opened == ["general", "wikisection", "wikisection-decoder"]
    ran = timecontrol("export", "wikisction", "--to", str(tmp_path / "out"))
    assert ran.code == 2
    assert "No encoder named 'wikisction'. Did you mean 'wikisection'?" in ran.err
