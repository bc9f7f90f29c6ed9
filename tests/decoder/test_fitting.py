"""From documents to a trained model: what it sees, and what is kept of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.conftest import make_tokenizer
from tests.decoder.examples import fitted, same
from timecontrol.corpora import Layout, open_corpus
from timecontrol.decoder import Decoder, preset
from timecontrol.decoder.captured import ROUND
from timecontrol.decoder.estimate import Estimate
from timecontrol.decoder.examples import Examples, Item, boundaries
from timecontrol.decoder.fitting import (
    even,
    has_speakers,
    law_of,
    lengths_of,
    metrics_of,
    paths_of,
    roles_of,
    sizes_of,
)
from timecontrol.decoder.folder import ENCODER
from timecontrol.decoder.training import Outcome
from timecontrol.encoder import Encoder
from timecontrol.errors import TimeControlError
from timecontrol.plans.timing import NO_STAGE
from timecontrol.progress import silent
from timecontrol.tokens import Codec, Encoded, Piece

RNG = np.random.default_rng(0)
CODEC = Codec(make_tokenizer(), Layout("x", ("A",)))
ITEMS = [
    Item([Piece(0, "A", not i, [11, 12], True) for i in range(6)], 3 + 2 * RNG.normal(size=(6, 2)))
    for _ in range(40)
]


@pytest.fixture(scope="module")
def encoder(decoder_run: Path) -> Encoder:
    """The encoder of the shared decoder."""
    return Encoder.load(decoder_run / ENCODER, device="cpu")


@pytest.mark.parametrize("standardise", [True, False])
@pytest.mark.parametrize("smooth", [1, 5])
def test_plans_are_drawn_from_what_is_seen_in_training(standardise: bool, smooth: int) -> None:
    settings = preset("best", smooth=smooth, standardise=standardise)
    examples = Examples(ITEMS, CODEC, settings, 100)
    law, mean, sd = law_of(examples, settings)
    assert law is not None
    seen = np.concatenate([examples[i].points for i in range(40)])
    kept = np.concatenate(law.paths)
    np.testing.assert_allclose(kept, seen, atol=1e-6)
    if smooth == 1:
        np.testing.assert_allclose(kept, np.concatenate([item.points for item in ITEMS]), atol=1e-6)
    else:
        assert kept.std() < 0.8 * np.concatenate([item.points for item in ITEMS]).std()
    np.testing.assert_allclose(mean, seen.mean(0) if standardise else np.zeros(2), atol=1e-9)
    np.testing.assert_allclose(sd, seen.std(0) if standardise else np.ones(2), atol=1e-9)


@pytest.mark.parametrize("form", ["best", "decided", "paper"])
def test_the_law_knows_the_sections_where_there_are_stages(form: str) -> None:
    codec = Codec(make_tokenizer(), Layout("x", ("A", "B")), form)
    items = [
        Item(
            [
                Piece(s, "AB"[s], not i, [11, 12], True)
                for s, n in enumerate((2, k))
                for i in range(n)
            ],
            RNG.normal(size=(2 + k, 2)),
        )
        for k in (3, 4, 5)
    ]
    settings = preset("best", form=form, smooth=3)
    examples = Examples(items, codec, settings, 100)
    law, _, _ = law_of(examples, settings)
    assert law is not None
    stages = [[(0, 2), (1, k)] for k in (3, 4, 5)]
    whole = [[(NO_STAGE, 2 + k)] for k in (3, 4, 5)]
    assert law.timing.documents == (whole if form == "paper" else stages)
    sizes = [7, 11, 7, 14, 7, 17]  # with tag, marks and the end
    if form == "paper":
        sizes = [len(examples[i].ids) for i in range(3)]
    assert law.timing.sizes.tolist() == sizes
    assert law.process.width == 3
    assert law.process.mean.shape[1] == 2


def test_who_speaks_is_known_where_tags_say_so() -> None:
    """Two take turns, of two sentences and one; of the paper's form units are not sentences."""
    layout = Layout("x", ("A", "B"), floating=frozenset(("A", "B")))
    turns = [(0, True), (0, False), (1, True), (0, True)]
    for form, known in (("best", True), ("decided", True), ("paper", False)):
        codec = Codec(make_tokenizer(), layout, form)
        parts = [Piece(i, "AB"[who], first, [11, 12], True) for i, (who, first) in enumerate(turns)]
        items = [Item(parts, RNG.normal(size=(4, 2))) for _ in range(3)]
        settings = preset("best", form=form)
        examples = Examples(items, codec, settings, 100)
        law, _, _ = law_of(examples, settings)
        assert law is not None
        assert law.analogs is not None
        assert has_speakers(codec) == known
        assert law.analogs.roles.tolist() == ([0, 0, 1, 0] if known else [0] * 4) * 3
        if known:
            assert roles_of(examples[0]) == [0, 0, 1, 0]
    assert not has_speakers(CODEC)


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({}, True),
        ({"smooth": 1}, True),
        ({"method": "clock"}, False),
        ({"method": "section-dense"}, False),
        ({"arrangement": "right-first"}, False),
    ],
)
def test_sentences_are_kept_where_plans_can_be_pieced_together_from_them(
    changes: dict[str, Any], kept: bool
) -> None:
    settings = preset("best", **changes)
    law, _, _ = law_of(Examples(ITEMS, CODEC, settings, 100), settings)
    assert law is not None
    assert (law.analogs is not None) == kept
    if law.analogs is not None:  # not smoothed
        single = np.concatenate([item.points for item in ITEMS])
        np.testing.assert_array_equal(law.analogs.points, single.astype(np.float32))


def test_the_tokens_of_sections_worked_by_hand() -> None:
    """The tag, words and marks; what begins the document is of none, its end of the last."""
    codec = Codec(make_tokenizer(), Layout("x", ("A", "B")), "decided")
    parts = [
        Piece(0, None, True, [11], True),
        Piece(1, "A", True, [11, 12], True),
        Piece(1, "A", False, [11, 12, 13], True, opened=True),
        Piece(2, "B", True, [11] * 7, True),
    ]
    items = [Item(parts, np.zeros((4, 2))), Item(parts[1:], np.zeros((3, 2)))]
    examples = Examples(items, codec, preset("best"), 100)
    assert examples[0].sections == [(NO_STAGE, 1), (0, 2), (1, 1)]
    assert [sizes_of(examples[i]) for i in range(2)] == [[2, 9, 10], [9, 10]]


@pytest.mark.parametrize("form", ["best", "decided"])
def test_all_tokens_but_the_first_are_of_a_section(form: str) -> None:
    """Also of documents that were too long."""
    corpus = open_corpus("synthetic:recipes,documents=20")
    codec = Codec(make_tokenizer(), corpus.layout, form)
    items = [Item(codec.pieces(d), np.zeros((len(d.sentences), 2))) for d in corpus.documents()]
    for window in (120, 1024):
        examples = Examples(items, codec, preset("best", form=form), window)
        for i in range(len(examples)):
            own, sizes = examples[i], sizes_of(examples[i])
            assert len(sizes) == len(own.sections)
            assert sum(sizes) == len(own.ids) - 1
            counted = [n for _, n in codec.lengths(Encoded(own.ids, own.starts))]
            assert sizes == [*counted[:-1], counted[-1] + 1]  # and the end


@pytest.mark.parametrize("form", ["best", "decided"])
def test_documents_that_were_cut_have_a_size_for_each_section(form: str) -> None:
    """Wherever the cut is: a section that was cut off has no token, and there is a law of them."""
    codec = Codec(make_tokenizer(), Layout("x", ("A", "B")), form)
    settings = preset("best", form=form, trim="cut")
    goes_on = codec.go_on is not None
    parts = [
        Piece(s, "AB"[s], first, [11, 12, 13], True, opened=goes_on and not first)
        for s in range(2)
        for first in (True, False)
    ]
    whole = len(codec.join(parts).ids)
    seen = set()
    for window in range(2, whole + 1):
        examples = Examples([Item(parts, RNG.normal(size=(4, 2)))] * 3, codec, settings, window)
        own = examples[0]
        sizes = sizes_of(own)
        assert len(sizes) == len(own.sections)
        assert sum(count for _, count in own.sections) == len(own.points)
        assert sum(sizes) == len(own.ids) - 1
        assert min(sizes) >= 0
        seen.add(tuple(size > 0 for size in sizes))
        if len(own.points) >= 3:
            law, _, _ = law_of(examples, settings)
            assert law is not None
            assert law.timing.sizes.tolist() == [max(size, 1) for size in sizes] * 3
    assert seen == {(True,), (True, False), (True, True)}


@pytest.mark.parametrize("trim", ["sections", "cut"])
def test_documents_that_are_too_long_can_be_trained_on(trim: str, bases: dict[str, str]) -> None:
    """However they are made to fit, plans are drawn from what is left."""
    found = fitted(bases["writer"], method="clock", trim=trim, window=120)
    assert found.law is not None
    timing = found.law.timing
    assert len(timing.sizes) == len(timing.counts) == timing.lengths.sum()
    assert timing.sizes.min() >= 1
    assert timing.tokens.sum(1).max() <= 120


def test_batches_of_one_shape_hold_every_document() -> None:
    """Also those that draw other sentences to leave out, in another epoch."""
    corpus = open_corpus("synthetic:recipes,documents=20")
    codec = Codec(make_tokenizer(), corpus.layout)
    documents = list(corpus.documents())
    items = [Item(codec.pieces(d), np.zeros((len(d.sentences), 2))) for d in documents]
    longest = max(len(codec.encode(d).ids) for d in documents)
    for trim in ("sections", "cut"):
        settings = preset("best", trim=trim)
        for window in (longest // 2, longest, 4 * longest):
            examples = Examples(items, codec, settings, window, np.ones(2))
            found = even(examples, settings)
            assert found % ROUND == 0
            assert found < min(window, longest) + ROUND
            for epoch in range(5):
                examples.set_epoch(epoch)
                assert max(len(examples[i].ids) for i in range(20)) <= found


def test_a_clock_alone_can_be_followed(bases: dict[str, str]) -> None:
    """It needs no encoder, and is told how much of the plan is done and when it is over."""
    found = fitted(bases["writer"], method="clock", form="decided")
    assert found.encoder is None
    assert found.law is not None
    assert not np.concatenate(found.law.paths).any()
    assert {stage for stage, _ in found.law.timing.documents[0]} == {0, 1, 2}
    config = found.model.config
    assert (config.plan_dim, config.clock, config.end_row) == (1, True, True)
    assert config.tags == sorted(found.codec.tag_ids.values())


def test_a_coordinate_that_never_changes_is_not_divided_by_nothing() -> None:
    items = [Item(i.pieces, np.c_[i.points[:, 0], np.full(6, 7.0)]) for i in ITEMS]
    settings = preset("best")
    _, mean, sd = law_of(Examples(items, CODEC, settings, 100), settings)
    assert (mean[1], sd[1]) == (7.0, 1.0)


def test_without_plans_there_is_no_law() -> None:
    settings = preset("best", method="plain")
    law, mean, sd = law_of(Examples(ITEMS, CODEC, settings, 100), settings)
    assert (law, len(mean), len(sd)) == (None, 0, 0)


def test_paths_have_a_point_a_sentence(encoder: Encoder) -> None:
    documents = list(open_corpus("synthetic:recipes,documents=20").documents("train"))[:3]
    for given, dim in ((encoder, encoder.latent_dim), (None, 0)):
        shapes = [path.shape for path in paths_of(documents, given, silent)]
        assert shapes == [(len(d.sentences), dim) for d in documents]


def test_what_is_kept_of_a_training() -> None:
    history = [{"loss": 3.0}, {"loss": 2.0}, {"loss": 1.0}]
    found = metrics_of(Outcome(history=history, kept_epoch=2, seconds=4.0, tokens=5))
    assert (found["kept"], found["kept_epoch"], found["epochs"]) == ({"loss": 2.0}, 2, 3)
    assert (found["seconds"], found["tokens"], found["history"]) == (4.0, 5, history)


def test_too_few_documents_are_refused(bases: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(TimeControlError, match="0 training documents under 16 tokens; at least 2"):
        fitted(bases["writer"], method="plain", window=16, trim="drop", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_latents_are_standardised_as_the_decoder_sees_them(decoder_run: Path) -> None:
    found = Decoder.load(decoder_run, device="cpu")
    assert found.law is not None
    points = np.concatenate(found.law.paths)  # all of them: 32 documents
    assert found.law.fit.documents == len(found.law.paths) == 32
    projection: Any = found.model.projection
    np.testing.assert_allclose(projection.mean, points.mean(0), atol=1e-4)
    np.testing.assert_allclose(projection.sd, points.std(0), atol=1e-4)
    assert found.config["corpus"]["used"] == {"train": 32, "val": 4}
    assert found.model.config.depths == [0, 1, 2]


def test_what_it_will_take_is_told_first_and_changes_nothing(
    bases: dict[str, str], tmp_path: Path
) -> None:
    told: list[Estimate] = []
    given: dict[str, Any] = {"method": "plain", "window": 64, "batch": 8}
    silent = fitted(bases["gpt2"], **given)  # GPT-2 has dropout
    assert same(silent, fitted(bases["gpt2"], before=told.append, out=tmp_path / "run", **given))
    assert [e.steps for e in told] == [4]
    assert told[0].parameters == sum(p.numel() for p in silent.model.parameters())


@pytest.mark.parametrize(("window", "expected"), [(0, 64), (48, 48), (1024, 64)])
def test_the_window_is_at_most_what_the_base_takes(
    window: int, expected: int, bases: dict[str, str]
) -> None:
    assert fitted(bases["llama"], method="plain", window=window).window == expected


def test_bfloat16_is_a_way_to_compute_not_to_keep(bases: dict[str, str]) -> None:
    found = fitted(bases["llama"], method="plain", dtype="bfloat16")
    assert {p.dtype for p in found.model.parameters()} == {torch.float32}
    assert not same(found, fitted(bases["llama"], method="plain"))


def test_documents_without_tags_can_be_followed_too(
    bases: dict[str, str], encoder: Encoder, tmp_path: Path
) -> None:
    for number in range(8):
        sentences = " ".join(f"It is {hour} o'clock, {number}." for hour in ("one", "two", "six"))
        (tmp_path / f"{number}.txt").write_text(sentences)
    made = fitted(bases["writer"], f"text:{tmp_path}", encoder=encoder)
    assert made.metrics["health"] is None
    assert made.codec.tag_ids == {}
    assert made.law is not None


@pytest.mark.parametrize("form", ["best", "decided"])
def test_the_tokens_of_sentences_are_counted_with_their_marks(form: str) -> None:
    codec = Codec(make_tokenizer(), Layout("x", ("A", "B")), form)
    go_on = codec.go_on is not None
    pieces = [
        Piece(0, "A", True, [11, 12, 13], True),
        Piece(0, "A", False, [14], True, go_on),
        Piece(1, "B", True, [15, 16], True),
    ]
    examples = Examples([Item(pieces, np.zeros((3, 1)))], codec, preset("best", form=form), 100)
    found = lengths_of(examples[0], *boundaries(codec))
    assert found == [6, 2 + go_on, 4]  # begin, tag, words, mark
    assert sum(found) == len(examples[0].ids) - 1  # the end belongs to none


def test_fewer_documents_are_drawn_by_the_seed_and_stay_in_order() -> None:
    from timecontrol.corpora import open_corpus
    from timecontrol.decoder.fitting import fewer
    from timecontrol.decoder.settings import preset

    documents = list(open_corpus("synthetic:recipes,documents=40").documents("train"))
    found = fewer(documents, preset("best", documents=10))
    assert len(found) == 10
    places = [documents.index(d) for d in found]
    assert places == sorted(places)
    assert found == fewer(documents, preset("best", documents=10))
    assert found != fewer(documents, preset("best", documents=10, seed=1))
    assert fewer(documents, preset("best", documents=1000)) == documents
    assert fewer(documents, preset("best")) == documents
