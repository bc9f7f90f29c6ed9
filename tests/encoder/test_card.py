from pathlib import Path

from timecontrol.encoder import Encoder
from timecontrol.encoder.card import card, export_card

CORPUS = "synthetic:recipes,documents=40"


def test_it_says_what_it_was_trained_on_and_how_good_it_is(bases: dict[str, str]) -> None:
    encoder = Encoder.fit(CORPUS, base=bases["bert"], epochs=2, latent_dim=3, device="cpu")
    text = card(encoder.config, encoder.metrics)
    assert text.startswith("---\nlibrary_name: timecontrol\n")
    assert f"| corpus | {CORPUS}, splits by the generator |" in text
    assert "| latent size | 3 |" in text
    assert "32 training, 4 validation" in text
    best = encoder.metrics["best"]["val_loss"]
    assert f"| validation loss | {best:.3f} |" in text
    assert "NaN" not in text


def test_a_vae_reports_its_evidence(bases: dict[str, str]) -> None:
    encoder = Encoder.fit(CORPUS, base=bases["bert"], epochs=1, objective="vae", device="cpu")
    assert "evidence lower bound" in card(encoder.config, encoder.metrics)


def test_the_exported_card_says_when_tags_are_read(bases: dict[str, str], tmp_path: Path) -> None:
    encoder = Encoder.fit(CORPUS, base=bases["bert"], epochs=1, tags=True, device="cpu")
    text = export_card(encoder.config)
    assert "library_name: sentence-transformers" in text
    assert "[ HISTORY ]" in text
