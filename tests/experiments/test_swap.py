"""Plans of decoders that change places, end to end."""

import pytest

from tests.experiments.results import HERE, checked
from timecontrol.corpora import Corpus
from timecontrol.decoder import Decoder
from timecontrol.errors import TimeControlError
from timecontrol.experiments.following import paths_of, swapped
from timecontrol.experiments.swap import swaps
from timecontrol.generation.request import default_writing


def test_swaps_are_those_of_the_decoders(corpus: Corpus, model: str) -> None:
    options = {"top_p": 0.9, "seed": 1}
    found = swaps(corpus, models=[model], pairs=2, length="40", options=options, place=HERE)
    checked(found, "swap", [model])
    (row,) = found["rows"]
    decoder = Decoder.load(model, "cpu")
    paths = paths_of(decoder, list(corpus.documents("val")))
    assert [len(p) for p in paths] == [len(d.sentences) for d in corpus.documents("val")]
    own = swapped(decoder, 2, default_writing(decoder, "40", **options), paths=paths)
    assert row == {"label": "planned", **own}
    assert (found["split"], found["documents"], row["paths"]) == ("val", 4, 4)
    known = swaps(
        corpus, models=[model], split="train", pairs=2, length="40", options=options, place=HERE
    )
    assert known["rows"][0]["paths"] == len(decoder.law.paths)  # type: ignore[union-attr]
    assert found["settings"] == {"length": "40", **options}
    shown = found["tables"][0]["rows"][0]
    assert shown[:2] == ["planned", "2"]
    assert shown[2].startswith(f"{own['correlation']['value']:.2f} [")


def test_a_plain_decoder_has_no_plans_to_swap(corpus: Corpus, plain_run: str) -> None:
    with pytest.raises(TimeControlError, match="Plans can be swapped where there are plans"):
        swaps(corpus, models=[plain_run], pairs=2, place=HERE)
