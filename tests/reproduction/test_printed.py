"""The paper's numbers are all there, and say where they stand."""

import tomllib
from importlib import resources

import pytest

from timecontrol.reproduction.printed import Printed, printed, tables
from timecontrol.reproduction.scales import DATASETS


def test_every_number_of_the_file_is_read() -> None:
    text = resources.files("timecontrol.reproduction").joinpath("expected.toml").read_text("utf-8")
    assert len(printed()) == text.count("{ table =") == len(tomllib.loads(text)["cell"]) == 723


@pytest.mark.parametrize(
    ("told", "value", "spread"),
    [
        (("discourse_coherence", "corrected", "wikisection", "BERT", None, "", 5), 72.7, 0.1),
        (("discourse_coherence", "corrected", "wikisection", "TC", 8, "", 10), 77.6, 0.0),
        (("discourse_coherence", "original", "tm2", "TC", 8, "", 5), 77.6, 7.8),
        (("length_mismatch", "corrected", "wikisection", "SS", None, "", None), 223.9, 18.5),
        (("length_mismatch", "original", "wikisection", "GPT2", None, "", None), 17.5, 0.1),
        (("forced_long_ordering", "corrected", "recipe", "TC", 32, "static", None), 82.4, 3.3),
        (("forced_long_ordering", "corrected", "recipe", "TC", 32, "bridge", None), 77.0, 3.5),
        (("perplexity", "corrected", "recipe", "ID", 32, "", None), 6.7, None),
    ],
)
def test_numbers_read_in_the_paper_by_eye(
    told: tuple[object, ...], value: float, spread: float | None
) -> None:
    names = ("table", "version", "dataset", "method", "latent_dim", "decoding", "k")
    (found,) = [p for p in printed() if tuple(getattr(p, name) for name in names) == told]
    assert (found.value, found.spread) == (value, spread)


def test_no_number_stands_at_the_place_of_another() -> None:
    def place(p: Printed) -> tuple[object, ...]:
        told = vars(p)
        return tuple(told[name] for name in told if name not in ("value", "spread", "note"))

    assert len({place(p) for p in printed()}) == len(printed())


def test_every_number_is_of_a_described_table_and_a_known_corpus() -> None:
    assert {p.table for p in printed()} == set(tables())
    assert {p.dataset for p in printed()} == set(DATASETS)
    assert {p.version for p in printed()} == {"corrected", "original"}
    assert all(about.what and about.unit for about in tables().values())


def test_a_spread_is_never_negative_and_a_share_never_above_its_whole() -> None:
    for p in printed():
        assert p.spread is None or p.spread >= 0
        if tables()[p.table].unit == "percent" and tables()[p.table].larger:
            assert 0 <= p.value <= 100


def test_of_counts_nothing_is_better() -> None:
    nothing = {name for name, about in tables().items() if about.larger is None}
    assert nothing == {"dataset_documents", "section_tokens", "sentences_per_document"}
    assert tables()["perplexity"].larger is False
    assert tables()["forced_long_ordering"].larger is True


def test_only_rows_of_latents_have_a_decoding() -> None:
    decoded = [p for p in printed() if p.decoding]
    assert {p.decoding for p in decoded} == {"bridge", "static"}
    assert {p.version for p in decoded} == {"corrected"}
    assert all(p.latent_dim for p in decoded)
