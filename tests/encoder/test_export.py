"""The exported model gives the same latents, where this package is not installed."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from timecontrol.encoder import Encoder
from timecontrol.encoder.export import export
from timecontrol.errors import TimeControlError

CORPUS = "synthetic:recipes,documents=40"
SENTENCES = ["Beat the eggs.", "Let it cool and serve with cinnamon.", "Stir.", "word " * 200]
ALONE = """
import json, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "timecontrol":
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(sys.argv[1], device="cpu")
print(json.dumps([type(m).__module__.split(".")[0] for m in model]))
print(json.dumps(model.encode(json.loads(sys.argv[2])).tolist()))
"""


@pytest.mark.parametrize(
    ("base", "pooling"),
    [
        ("bert", "mean"),
        ("gpt2", "eos"),
        pytest.param("llama", "last", marks=pytest.mark.slow),
        pytest.param("bert", "eos", marks=pytest.mark.slow),
    ],
)
def test_it_works_without_this_package(
    bases: dict[str, str], base: str, pooling: str, tmp_path: Path
) -> None:
    encoder = Encoder.fit(
        CORPUS, base=bases[base], epochs=2, latent_dim=3, pooling=pooling, device="cpu"
    )
    export(encoder, tmp_path / "out")
    command = [sys.executable, "-c", ALONE, str(tmp_path / "out"), json.dumps(SENTENCES)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    modules, latents = map(json.loads, ran.stdout.splitlines())
    assert modules == ["sentence_transformers"] * 6
    np.testing.assert_allclose(latents, encoder.encode(SENTENCES), rtol=1e-3, atol=1e-4)


def test_a_folder_in_the_way_is_refused(bases: dict[str, str], tmp_path: Path) -> None:
    encoder = Encoder.fit(CORPUS, base=bases["bert"], epochs=1, device="cpu")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years of work")
    with pytest.raises(TimeControlError, match="is there already"):
        export(encoder, tmp_path / "out")
    assert (tmp_path / "out" / "thesis.tex").exists()


def test_without_sentence_transformers_it_says_what_to_install(
    bases: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = Encoder.fit(CORPUS, base=bases["bert"], epochs=1, device="cpu")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(TimeControlError, match=r"pip install 'time-control\[export\]'"):
        export(encoder, tmp_path / "out")
    assert not (tmp_path / "out").exists()
