from pathlib import Path

import pytest

from timecontrol.corpora import open_corpus
from timecontrol.reproduction.scales import scale_named
from timecontrol.reproduction.works import Work
from timecontrol.reproduction.workshop import Busy, Workshop, digest, held, kind_of

TOWN = Work("texts", "wikisection", "TC", 8, plan="own", length="normal")


def test_a_folder_is_held_by_one(tmp_path: Path) -> None:
    with held(tmp_path / "a"), pytest.raises(Busy), held(tmp_path / "a"):
        pass
    with held(tmp_path / "a"), held(tmp_path / "b"):
        pass
    with held(tmp_path / "a"):
        pass


def test_the_released_preset_has_the_released_static_plans() -> None:
    def kind(plan: str, preset: str = "best") -> str | None:
        return kind_of(Work("texts", "tm2", "TC", 8, preset, plan=plan))

    assert kind("") is kind("own") is kind("own", "released") is None
    assert kind("static") == kind("static", "paper") == "static"
    assert kind("static", "released") == "released-static"
    assert kind("hovering") == "hovering"


def test_a_digest_is_of_sentences_and_tags() -> None:
    first, second = list(open_corpus("synthetic:cities,documents=20").documents("test"))[:2]
    assert digest([first]) == digest([first])
    assert len({digest([first]), digest([second]), digest([first, second])}) == 3


def test_settings_are_those_of_the_work(shop: Workshop) -> None:
    stand = shop.scale.stand("wikisection")
    assert stand is not None
    encoder = shop.encoder_settings(TOWN.seeded(3))
    assert (encoder.objective, encoder.latent_dim, encoder.seed) == ("bridge", 8, 3)
    assert shop.encoder_settings(Work("probe", "tm2", "VAE", 8)).epochs == 1
    assert shop.encoder_settings(Work("paths", "tm2", "TC", 8, distance=5)).distance == 5
    decoder = shop.decoder_settings(Work("texts", "tm2", "SD"), stand)
    assert decoder.method == "section-dense"
    assert decoder.window == shop.scale.window
    assert shop.decoder_settings(TOWN, stand).method == "planned"
    paper = Work("texts", "wikisection", "TC", 8, "paper")
    assert shop.decoder_settings(paper, stand).preset == "paper"


def test_what_was_made_is_used_again(shop: Workshop, cache: Path) -> None:
    stand = shop.scale.stand("wikisection")
    assert stand is not None
    folder = shop.decoder(TOWN, stand)
    config = folder / "config.json"
    made = config.stat().st_mtime_ns
    assert shop.decoder(TOWN, stand) == folder
    assert config.stat().st_mtime_ns == made
    file = shop.texts(TOWN, stand, "one")
    written = file.read_text()
    file.write_text(written + " ")
    assert shop.texts(TOWN, stand, "one").read_text() == written + " "  # not written anew
    assert shop.texts(TOWN, stand, "two").read_text() == written
    assert len(written.splitlines()) == 2


def test_the_judge_is_another_encoder(shop: Workshop, cache: Path) -> None:
    stand = shop.scale.stand("wikisection")
    assert stand is not None
    work = Work("adherence", "wikisection", "TC", 8, plan="own", length="normal")
    planner = shop.planner(work, stand)
    assert shop.judge(work, stand) != shop.encoder(work, stand)
    assert planner.settings.seed == 0
    assert shop.judge(work.seeded(1), stand).name != shop.judge(work, stand).name


def test_the_hash_of_data_tells_documents_and_whether_test_is_in_it(shop: Workshop) -> None:
    stands = [shop.scale.corpora[name] for name in ("wikisection", "recipe")]
    found = {shop.data(stand, test) for stand in stands for test in (False, True)}
    assert len(found) == 4


def test_other_documents_are_another_hash(tmp_path: Path, shop: Workshop) -> None:
    scale = scale_named("smoke", {"wikisection": "synthetic:cities,documents=41"})
    other = Workshop(scale, tmp_path, shop.place)
    assert other.data(scale.corpora["wikisection"], False) != shop.data(
        shop.scale.corpora["wikisection"], False
    )
