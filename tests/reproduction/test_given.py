"""A decoder that is there stands for the works it was made for, and for no others."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from timecontrol.errors import TimeControlError
from timecontrol.pretrained import decoder_folder
from timecontrol.reproduction.given import DECODES, config_of, given_from, name_of
from timecontrol.reproduction.works import Work
from timecontrol.runs import FORMAT, read_config, write_json

SHIPPED = {"wikisection/TC-8": "wikisection"}
DIGEST = read_config(decoder_folder("wikisection"), "decoder")["corpus"]["digest"]
WORK = Work("texts", "wikisection", "TC", 8, plan="own", length="forced")


def run_of(folder: Path, method: str = "plain", encoder: Any = None, kind: str = "decoder") -> str:
    """Write what says of a run which decoder it is, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"preset": "paper", "method": method, "seed": 4}
    about = {"format": FORMAT, "kind": kind, "settings": settings, "encoder": encoder}
    rest = {"identity": "i", "base": {"name": "tiny"}, "corpus": {"digest": DIGEST}}
    write_json(folder / "config.json", about | rest)
    return str(folder)


@pytest.mark.parametrize("kind", DECODES)
def test_the_shipped_decoder_stands_for_works_of_its_row(kind: str) -> None:
    config = config_of(replace(WORK, kind=kind), SHIPPED, DIGEST)
    assert config == read_config(decoder_folder("wikisection"), "decoder")


@pytest.mark.parametrize(
    "change", [{"plan": "static"}, {"length": "normal"}, {"noise": 0.0}, {"loop": True}]
)
def test_how_it_writes_does_not_matter(change: dict[str, Any]) -> None:
    assert config_of(replace(WORK, **change), SHIPPED, DIGEST) is not None


def test_no_decoder_is_given_where_none_was() -> None:
    assert name_of(WORK, {}) is None
    assert config_of(WORK, {}, DIGEST) is None
    for change in ({"dataset": "tm2"}, {"latent_dim": 16}, {"method": "BM"}):
        other: dict[str, Any] = change
        assert config_of(replace(WORK, **other), SHIPPED, DIGEST) is None


@pytest.mark.parametrize("kind", ["probe", "paths"])
def test_what_needs_no_decoder_has_none(kind: str) -> None:
    work = Work(kind, "wikisection", "TC", 8, seed=1)
    assert name_of(work, SHIPPED) is None
    assert config_of(work, SHIPPED, DIGEST) is None


@pytest.mark.parametrize(
    ("change", "row", "reason"),
    [
        ({"seed": 1}, "TC-8", "seed 0, not 1"),
        ({"preset": "paper"}, "TC-8", "preset best, not paper"),
        ({"latent_dim": 16}, "TC-16", "size of latents 8, not 16"),
        ({"method": "BM"}, "BM-8", "objective bridge, not brownian"),
        ({"method": "GPT2", "latent_dim": None}, "GPT2", "method planned, not plain"),
    ],
)
def test_a_decoder_of_something_else_is_refused_with_the_reason(
    change: dict[str, Any], row: str, reason: str
) -> None:
    with pytest.raises(TimeControlError, match=f"the decoder wikisection has {reason}"):
        config_of(replace(WORK, **change), {f"wikisection/{row}": "wikisection"}, DIGEST)


@pytest.mark.parametrize(
    ("row", "method"),
    [("GPT2", "plain"), ("clock", "clock"), ("SD", "section-dense"), ("SS", "section-sparse")],
)
def test_decoders_without_latents_stand_for_their_rows(
    tmp_path: Path, row: str, method: str
) -> None:
    given = {f"tm2/{row}": run_of(tmp_path / "mine", method)}
    work = Work("perplexity", "tm2", row, preset="paper", seed=4)
    config = config_of(work, given, DIGEST)
    assert config is not None
    assert config["settings"]["method"] == method
    with pytest.raises(TimeControlError, match="seed 4, not 0"):
        config_of(work.seeded(0), given, DIGEST)


def test_decoders_are_given_by_row(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "a=b")
    texts = ["wikisection/TC-8=wikisection", f"tm2/GPT2={folder}"]
    assert given_from(texts) == SHIPPED | {"tm2/GPT2": folder}
    assert given_from([]) == {}


@pytest.mark.parametrize(
    "text",
    [
        "wikisection",
        "wikisection/TC-8",
        "wikisection/TC-8=",
        "wikisection=wikisection",
        "a/b/c=wikisection",
        "wikisektion/TC-8=wikisection",
        "wikisection/XX-8=wikisection",
        "/=wikisection",
        "=wikisection",
        "",
    ],
)
def test_other_forms_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(TimeControlError, match="DATASET/ROW=RUN, as in wikisection/TC-8=runs/mine"):
        given_from([text])


def test_what_is_no_decoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TimeControlError, match="No decoder named 'wikisektion'"):
        given_from(["wikisection/TC-8=wikisektion"])
    with pytest.raises(TimeControlError, match="no such folder"):
        given_from([f"wikisection/TC-8={tmp_path / 'none'}"])
    with pytest.raises(TimeControlError, match="holds no finished decoder"):
        given_from([f"wikisection/TC-8={tmp_path}"])
    encoder = run_of(tmp_path / "encoder", kind="encoder")
    with pytest.raises(TimeControlError, match="of kind 'encoder', not 'decoder'"):
        given_from([f"wikisection/TC-8={encoder}"])


def test_a_decoder_that_went_away_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TimeControlError, match="no such folder"):
        config_of(WORK, {"wikisection/TC-8": str(tmp_path / "gone")}, DIGEST)


def test_a_decoder_of_other_documents_is_refused() -> None:
    with pytest.raises(TimeControlError, match="was trained on other documents than wikisection"):
        config_of(WORK, SHIPPED, "0" * 64)
    assert config_of(WORK, SHIPPED) is not None  # not compared


def test_a_damaged_configuration_is_refused(tmp_path: Path) -> None:
    write_json(tmp_path / "config.json", {"format": FORMAT, "kind": "decoder"})
    with pytest.raises(TimeControlError, match="is damaged"):
        config_of(WORK, {"wikisection/TC-8": str(tmp_path)}, DIGEST)
