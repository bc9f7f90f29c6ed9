from collections.abc import Callable
from pathlib import Path

from tests.conftest import Ran
from timecontrol.encoder import Encoder


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
