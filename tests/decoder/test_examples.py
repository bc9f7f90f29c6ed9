"""Documents to training examples: worked by hand, and laws over made corpora."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.conftest import make_tokenizer
from timecontrol.corpora import Document, Layout, Section, Source, open_corpus
from timecontrol.corpora.layout import DIALOGUE, EPISODES, HOWTO, RECIPE, STORY
from timecontrol.decoder.alignment import unit_index
from timecontrol.decoder.examples import (
    Collator,
    Example,
    Examples,
    Item,
    boundaries,
    ends_of,
    has_stages,
    items_of,
    plan_batch,
    section_points,
    smoothed,
    stages,
    unit_points,
    warped,
)
from timecontrol.decoder.losses import IGNORED
from timecontrol.decoder.settings import preset
from timecontrol.decoder.trimming import size
from timecontrol.plans.missing import Bridge
from timecontrol.plans.timing import NO_STAGE
from timecontrol.tokens import STYLES, Codec, Piece

Array = NDArray[np.float64]
LAYOUT = Layout("x", ("A", "B"))
CODEC = Codec(make_tokenizer(), LAYOUT)
A, B, MARK = CODEC.tag_ids["A"], CODEC.tag_ids["B"], CODEC.unit_end
BEGIN, END = CODEC.begin, CODEC.end
SCALE = np.array([1.0, 100.0])


def piece(section: int, ids: list[int], first: bool = False, marked: bool = True) -> Piece:
    return Piece(section, LAYOUT.tags[section], first, ids, marked)


PIECES = [piece(0, [11, 12], True), piece(0, [13]), piece(1, [14], True)]
POINTS = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
ITEM = Item(PIECES, POINTS)
PLAIN = {"smooth": 1, "noise": 0.0, "latent_dropout": 0.0}


def one(item: Item = ITEM, window: int = 100, training: bool = True, **changes: Any) -> Example:
    settings = preset("best", **{**PLAIN, **changes})
    return Examples([item], CODEC, settings, window, SCALE if training else None)[0]


def test_a_document_worked_by_hand() -> None:
    found = one()
    assert found.ids == [BEGIN, A, 11, 12, MARK, 13, MARK, B, 14, MARK, END]
    assert found.starts == [("A", 1), ("B", 7)]
    assert found.sections == [(0, 2), (1, 1)]
    assert found.keep
    np.testing.assert_array_equal(found.points, POINTS)


def test_stages_worked_by_hand() -> None:
    none = Piece(0, None, True, [1], True)
    pieces = [
        none,
        replace(none, first=False),
        *PIECES,
        *PIECES[2:],
        replace(PIECES[2], first=False),
    ]
    whole = [(NO_STAGE, 2), (0, 2), (1, 1), (1, 2)]  # a tag that comes again begins a section
    assert stages(pieces, LAYOUT.tags, 7) == whole
    assert stages(pieces, LAYOUT.tags, 3) == [(NO_STAGE, 2), (0, 1)]
    assert stages(pieces, LAYOUT.tags, 0) == []
    assert stages(PIECES[1:], LAYOUT.tags, 2) == [(0, 1), (1, 1)]  # its beginning was left out


def test_stages_are_where_sections_come_in_order_and_each_sentence_is_a_unit() -> None:
    layouts = (
        RECIPE,
        HOWTO,
        EPISODES,
        DIALOGUE,
        STORY,
        replace(RECIPE, floating=frozenset({"TITLE"})),
    )
    found = [[has_stages(Codec(make_tokenizer(), x, form)) for form in STYLES] for x in layouts]
    known = [not STYLES[form].period for form in STYLES]
    assert found == [known, known, known, *[[False] * len(STYLES)] * 3]
    assert known == [True, True, False, False]


@pytest.mark.parametrize("trim", ["sections", "cut"])
@pytest.mark.parametrize("window", [1000, 60])
def test_sections_have_the_points_of_the_plan(trim: str, window: int) -> None:
    """In a text that was made shorter, too: they count what is left."""
    corpus = open_corpus("synthetic:recipes,documents=12")
    codec = Codec(make_tokenizer(), corpus.layout, "decided")
    settings = preset("best", form="decided", trim=trim, **PLAIN)
    documents = list(corpus.documents())
    paths = [np.zeros((len(d.sentences), 2)) for d in documents]
    items = items_of(documents, paths, codec, settings, window)
    examples = Examples(items, codec, settings, window)
    for example in (examples[i] for i in range(len(examples))):
        assert sum(count for _, count in example.sections) == len(example.points)
        assert all(count > 0 for _, count in example.sections)
        tags = [corpus.layout.tags[stage] for stage, _ in example.sections]
        begun = [tag for tag, _ in example.starts]
        assert begun == tags[: len(begun)]
        assert len(begun) >= len(tags) - (trim == "cut")  # the cut may be before a tag


def test_what_goes_on_is_decided_after_each_sentence() -> None:
    """The mark that a section goes on is a decision like its tag, the words after it are not."""
    codec = Codec(make_tokenizer(), LAYOUT, "decided")
    pieces = [replace(p, opened=not p.first) for p in PIECES]
    settings = preset("best", form="decided", **PLAIN)
    found = Examples([Item(pieces, POINTS)], codec, settings, 100, SCALE)[0]
    mark, plus, a, b = codec.unit_end, codec.go_on, codec.tag_ids["A"], codec.tag_ids["B"]
    assert found.ids == [codec.begin, a, 11, 12, mark, plus, 13, mark, b, 14, mark, codec.end]
    assert found.weights[1:] == [5, 1, 1, 1, 5, 1, 1, 5, 1, 1, 5]
    counted, opens = boundaries(codec)
    units = unit_index(torch.tensor(found.ids), counted, opens).tolist()
    assert units == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]


def test_every_decision_counts_alike() -> None:
    # BEGIN A 11 12 . 13 . B 14 . END: what opens the text or follows a mark is decided there
    assert one().weights[1:] == [5, 1, 1, 1, 5, 1, 5, 1, 1, 5]  # nobody predicts the beginning
    # BEGIN A 11 12 . 13 . B 14 END: no mark is before the end, and a mark itself is no decision
    found = one(final_mark=False)
    assert found.ids == [BEGIN, A, 11, 12, MARK, 13, MARK, B, 14, END]
    assert found.weights[1:] == [5, 1, 1, 1, 5, 1, 5, 1, 1]
    assert one(end_weight=2.0).weights[5] == 2


def test_validation_weighs_all_tokens_alike() -> None:
    assert set(one(training=False).weights) == {1.0}
    assert set(one(training=False, final_mark=False).weights) == {1.0}


@given(st.integers(0, 12), st.integers(1, 9), st.integers(1, 3), st.integers(0, 2**31 - 1))
def test_smoothing_is_a_moving_average(n: int, width: int, d: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(n, d))
    naive = np.zeros_like(points)
    for i in range(n):
        around = range(i - (width - 1) // 2, i + width // 2 + 1)
        naive[i] = np.mean([points[j] for j in around if 0 <= j < n], 0)
    np.testing.assert_allclose(smoothed(points, width), naive, atol=1e-12)


def test_sections_are_told_of_every_sentence_or_where_they_begin() -> None:
    pieces = [Piece(0, None, True, [1], True), *(replace(p, section=p.section + 1) for p in PIECES)]
    dense = section_points(pieces, LAYOUT.tags, sparse=False)
    assert dense.tolist() == [[0, 0, 1], [1, 0, 0], [1, 0, 0], [0, 1, 0]]
    sparse = section_points(pieces, LAYOUT.tags, sparse=True)
    # every second section has coordinates of its own: a change tells that one begins
    assert [int(row.argmax()) for row in sparse] == [2, 3, 3, 1]
    assert (sparse.sum(1) == 1).all()
    assert sparse.shape == (4, 6)


def test_sentences_without_a_mark_between_them_are_one_unit() -> None:
    pieces = [
        piece(0, [1], True, marked=False),
        piece(0, [2]),
        piece(0, [3], marked=False),
        piece(1, [4], True, marked=False),
    ]
    points = np.arange(4.0)[:, None]
    assert unit_points(pieces, points, by_section=False).tolist() == [[0], [2]]
    whole = [replace(p, marked=True) for p in pieces]
    assert unit_points(whole, points, by_section=False).tolist() == [[0], [1], [2], [3]]
    assert unit_points(pieces, points, by_section=True).tolist() == [[0], [3]]


@pytest.mark.parametrize("corpus", ["cities", "recipes", "dialogues"])
@pytest.mark.parametrize("form", STYLES)
@pytest.mark.parametrize("window", [1000, 90])
def test_each_token_gets_the_point_of_its_unit(corpus: str, form: str, window: int) -> None:
    """The points are laid out as the token ids count them, in every text form."""
    found = open_corpus(f"synthetic:{corpus},documents=12")
    codec = Codec(make_tokenizer(), found.layout, form)
    counted, opens = boundaries(codec)
    assert opens == (corpus == "dialogues" and form in ("paper", "released"))
    settings = preset("best", form=form, **PLAIN)
    documents = list(found.documents())
    paths = [np.arange(float(len(d.sentences)))[:, None] for d in documents]
    items = items_of(documents, paths, codec, settings, window)
    examples = Examples(items, codec, settings, window)
    for item, example in ((items[i], examples[i]) for i in range(len(examples))):
        assert len(example.ids) <= window
        units = unit_index(torch.tensor(example.ids), counted, opens).tolist()
        mark = int(not opens and example.ids[-2] == codec.unit_end)
        assert max(units) + 1 == len(example.points) + mark  # the end row, after a last mark
        for unit, point in enumerate(example.points[:, 0]):
            at = units.index(unit)
            after = example.ids[at:]
            while after[0] in (codec.begin, *codec.new_ids):
                after = after[1:]
            first = item.pieces[int(point)].ids
            assert after[: len(first)] == first


def test_text_before_the_first_speaker_belongs_to_the_first_unit() -> None:
    codec = Codec(make_tokenizer(), DIALOGUE, "paper")
    sections = (Section(None, ("Hm.",)), Section("USER", ("Hi.",)), Section("ASSISTANT", ("Yes?",)))
    pieces = codec.pieces(Document("x", sections, Source("a", 1, 0)))
    counted, opens = boundaries(codec)
    units = unit_index(torch.tensor(codec.join(pieces).ids), counted, opens)
    points = unit_points(pieces, np.arange(3.0)[:, None], opens)
    assert points.tolist() == [[0], [2]]
    assert len(points) == int(units.max()) + 1


def test_noise_is_of_the_latents_size_and_another_each_time() -> None:
    settings = preset("best", smooth=1, noise=0.5, latent_dropout=0.0)
    examples = Examples([ITEM] * 400, CODEC, settings, 100, SCALE)
    drawn = np.stack([e.points for e in (examples[i] for i in range(400))]) - POINTS
    np.testing.assert_allclose(drawn.std((0, 1)), 0.5 * SCALE, rtol=0.05)
    assert len(np.unique(drawn[:, 0, 0])) == 400


def test_draws_depend_on_seed_epoch_and_document_alone() -> None:
    many = [Item([piece(0, [n] * 9, n == 0) for n in range(9)], np.zeros((9, 2)))] * 3

    def drawn(epoch: int, number: int, **changes: Any) -> tuple[Any, ...]:
        settings = preset("best", noise=1.0, latent_dropout=0.5, **changes)
        examples = Examples(many, CODEC, settings, 60, SCALE)
        examples.set_epoch(7)
        examples[2]  # what came before does not matter
        examples.set_epoch(epoch)
        found = examples[number]
        return found.points.tolist(), found.keep

    assert drawn(1, 0) == drawn(1, 0)
    others = [drawn(2, 0), drawn(1, 1), drawn(1, 0, seed=1)]
    assert drawn(1, 0) not in others
    assert others[0] != others[1]


def test_which_sentences_are_left_out_changes_with_the_epoch() -> None:
    pieces = [piece(s, [20 + s] * 4, i == 0) for s in range(2) for i in range(10)]
    examples = Examples([Item(pieces, np.zeros((20, 2)))], CODEC, preset("best"), 60, SCALE)
    seen = set()
    for epoch in range(8):
        examples.set_epoch(epoch)
        found = examples[0].ids
        assert len(found) <= 60
        assert {A, B} <= set(found)
        seen.add(tuple(found))
    assert len(seen) > 1
    held = Examples([Item(pieces, np.zeros((20, 2)))], CODEC, preset("best"), 60)
    seen = set()
    for epoch in range(8):
        held.set_epoch(epoch)
        seen.add(tuple(held[0].ids))
    assert len(seen) == 1


def test_a_share_of_documents_is_trained_on_without_latents() -> None:
    settings = preset("best", latent_dropout=0.25)
    examples = Examples([ITEM] * 1000, CODEC, settings, 100, SCALE)
    assert 0.2 < np.mean([not examples[i].keep for i in range(1000)]) < 0.3
    held = Examples([ITEM] * 50, CODEC, replace(settings, latent_dropout=1.0), 100)
    assert all(held[i].keep for i in range(50))
    np.testing.assert_array_equal(held[7].points, smoothed(POINTS, 5, ["A", "A", "B"]))


def test_averages_stay_within_stages_where_they_should() -> None:
    points = np.arange(12.0).reshape(6, 2)
    stages = ["a", "a", "a", "b", "b", "a"]
    found = smoothed(points, 3, stages)
    apart = [smoothed(points[a:b], 3) for a, b in ((0, 3), (3, 5), (5, 6))]
    np.testing.assert_array_equal(found, np.concatenate(apart))
    np.testing.assert_array_equal(smoothed(points, 3, ["a"] * 6), smoothed(points, 3))
    inside, across = (one(training=False, smooth=3, within=w).points for w in (True, False))
    np.testing.assert_array_equal(inside, smoothed(POINTS, 3, ["A", "A", "B"]))
    np.testing.assert_array_equal(across, smoothed(POINTS, 3))
    np.testing.assert_array_equal(inside[-1], POINTS[-1])  # alone in its section


@given(st.lists(st.integers(0, 2), max_size=9))
def test_runs_of_equal_stages_worked_one_by_one(stages: list[int]) -> None:
    first, last = ends_of(stages)
    for i in range(len(stages)):
        low = high = i
        while low > 0 and stages[low - 1] == stages[i]:
            low -= 1
        while high < len(stages) and stages[high] == stages[i]:
            high += 1
        assert (first[i], last[i]) == (low, high)


def test_latents_of_what_stays_are_averaged_not_of_what_is_left_out() -> None:
    pieces = [piece(0, [5] * 10, i == 0) for i in range(4)]
    points = np.array([[0.0], [1.0], [1.0], [2.0]])  # one of the inner two goes
    found = Examples([Item(pieces, points)], CODEC, preset("best", smooth=3), 36)[0]
    np.testing.assert_allclose(found.points, [[0.5], [1.0], [1.5]])


def test_what_is_too_long_is_trimmed_cut_or_dropped() -> None:
    corpus = open_corpus("synthetic:cities,documents=10")
    codec = Codec(make_tokenizer(), corpus.layout)
    documents = list(corpus.documents())
    paths = [np.zeros((len(d.sentences), 2)) for d in documents]
    sizes = [len(codec.encode(d).ids) for d in documents]
    window = sorted(sizes)[5]

    def made(trim: str) -> list[Example]:
        settings = preset("best", trim=trim)
        items = items_of(documents, paths, codec, settings, window)
        examples = Examples(items, codec, settings, window)
        return [examples[i] for i in range(len(examples))]

    for example, document in zip(made("sections"), documents, strict=True):
        assert len(example.ids) <= window
        assert example.ids[-1] == codec.end
        assert [tag for tag, _ in example.starts] == list(document.tags)
    for example, document in zip(made("cut"), documents, strict=True):
        assert example.ids == codec.encode(document).ids[:window]
        assert all(at < window for _, at in example.starts)
        assert all(example.ids[at] == codec.tag_ids[tag or ""] for tag, at in example.starts)
    kept = made("drop")
    assert len(kept) == sum(n < window for n in sizes) == 5
    assert all(len(e.ids) < window for e in kept)


def test_each_method_has_its_points() -> None:
    corpus = open_corpus("synthetic:cities,documents=3")
    codec = Codec(make_tokenizer(), corpus.layout)
    documents = list(corpus.documents())
    paths = [np.full((len(d.sentences), 2), 7.0) for d in documents]

    def points(method: str) -> Array:
        settings = preset("best", method=method)
        return items_of(documents, paths, codec, settings, 1000)[0].points

    n = len(documents[0].sentences)
    assert points("plain").shape == (n, 0)
    assert points("clock").tolist() == [[0.0]] * n
    assert points("planned").tolist() == paths[0].tolist()
    assert points("section-dense").sum() == n
    changes = (np.diff(points("section-sparse"), axis=0) != 0).any(1)
    assert 1 + changes.sum() == len(documents[0].sections) < n
    assert points("section-sparse").shape == (n, 2 * len(corpus.layout.tags) + 2)


def example(ids: list[int], points: int, keep: bool = True) -> Example:
    weights = [float(i) for i in range(len(ids))]
    plan = np.arange(float(points))[:, None] + 1
    return Example(ids, weights, plan, keep, [], [(0, points)])


def test_a_batch_worked_by_hand() -> None:
    collate = Collator(pad=0, boundaries=(9,), opens=False)
    batch = collate([example([1, 2, 9, 3], 2), example([1, 9], 1, keep=False)])
    assert batch["input_ids"].tolist() == [[1, 2, 9, 3], [1, 9, 0, 0]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
    none = IGNORED
    assert batch["labels"].tolist() == [[none, 2, 9, 3], [none, 9, none, none]]
    assert batch["weights"].tolist() == [[0, 1, 2, 3], [0, 1, 0, 0]]
    assert batch["plan"].tolist() == [[[1], [2]], [[1], [0]]]
    assert batch["plan_length"].tolist() == [2, 1]
    assert batch["plan_keep"].tolist() == [True, False]
    assert "units" not in batch


def test_a_plan_may_come_one_token_early() -> None:
    batch = Collator(0, (9,), False, early=True)([example([1, 2, 9, 3, 9, 4], 3)])
    #                                         in time: 0, 0, 1, 1, 2, 2
    assert batch["units"].tolist() == [[0, 1, 1, 2, 2, 2]]
    opened = Collator(0, (8, 9), True, early=True)([example([1, 8, 2, 9, 3], 2)])
    assert opened["units"].tolist() == [[0, 0, 1, 1, 1]]


def test_batches_of_one_shape() -> None:
    collate = Collator(0, (9,), False, fixed=16)
    for examples in ([example([1, 2], 1)], [example([1, 2, 9, 3], 2)]):
        batch = collate(examples)
        assert batch["input_ids"].shape == (1, 16)
        assert batch["plan"].shape == (1, 4, 1)


def test_a_batch_may_leave_out_its_mask() -> None:
    examples = [example([1, 2, 9, 3], 2), example([1, 9], 1)]
    collate = Collator(0, (9,), False, fixed=8)
    batch, bare = collate(examples), replace(collate, masked=False)(examples)
    assert batch.keys() - bare.keys() == {"attention_mask"}
    assert all(torch.equal(batch[name], bare[name]) for name in bare)


def test_a_batch_without_plans_has_none() -> None:
    bare = replace(example([1, 2], 1), points=np.zeros((1, 0)))
    assert set(Collator(0, (9,), False)([bare])) == {
        "input_ids",
        "attention_mask",
        "labels",
        "weights",
    }


def test_plans_of_several_lengths_are_filled_with_zeros() -> None:
    found = plan_batch([np.ones((1, 2)), np.full((3, 2), 2.0)])
    assert found["plan"].sum((1, 2)).tolist() == [2.0, 12.0]
    assert found["plan"].shape == (2, 3, 2)
    assert found["plan_length"].tolist() == [1, 3]
    assert plan_batch([np.ones((1, 2))], least=5)["plan"].shape == (1, 5, 2)


def test_marks_count_units_or_speakers_do() -> None:
    assert boundaries(CODEC) == ([MARK], False)
    talk = Codec(make_tokenizer(), DIALOGUE)
    assert boundaries(talk) == ([talk.unit_end], False)
    paper = Codec(make_tokenizer(), DIALOGUE, "paper")
    assert boundaries(paper) == (sorted(paper.tag_ids.values()), True)
    assert size(PIECES) == len(one().ids)


@given(st.integers(1, 60), st.floats(0, 10), st.integers(0, 99))
def test_a_plan_that_is_ahead_or_behind_still_rises_and_ends(n: int, sd: float, seed: int) -> None:
    rows = warped(n, sd, np.random.default_rng(seed))
    assert len(rows) == n + 1
    assert rows == sorted(rows)
    assert rows[0] >= 0
    assert rows[-1] == n  # when it is over, it is over
    assert max(rows[:-1]) < n
    if sd == 0:
        assert rows == list(range(n + 1))


def test_plans_are_ahead_or_behind_by_as_much_as_was_said() -> None:
    apart = [np.array(warped(41, 2.0, np.random.default_rng(i)))[10:30] for i in range(500)]
    off = np.stack(apart) - np.arange(10, 30)
    assert abs(off.mean()) < 0.3
    assert 1.2 < off.std() < 2.2  # a little less between two shifts


def test_only_training_is_told_of_another_point() -> None:
    many = Item(PIECES[:2] * 20, np.repeat(POINTS[:2], 20, 0))
    assert one(many, 1000).rows is None
    assert one(many, 1000, training=False, jitter=2.0).rows is None
    rows = one(many, 1000, jitter=2.0).rows
    assert rows is not None
    assert rows != list(range(len(rows)))
    np.testing.assert_array_equal(one(many, 1000, jitter=2.0).points, one(many, 1000).points)


@pytest.mark.parametrize("form", ["best", "decided"])
def test_what_has_gone_astray_is_read_and_not_learnt(form: str) -> None:
    """In training alone; the plan stays, and what follows a sentence is learnt."""
    codec = Codec(make_tokenizer(), LAYOUT, form)
    own = [replace(p, opened=form == "decided" and not p.first) for p in PIECES]
    whole, held, kept = (
        Examples([Item(own, POINTS)], codec, preset("best", **PLAIN, form=form, astray=x), 100, at)[
            0
        ]
        for x, at in ((1.0, SCALE), (1.0, None), (0.0, SCALE))
    )
    assert held.ids == kept.ids
    assert set(held.weights) == {1.0}
    np.testing.assert_array_equal(whole.points, kept.points)
    words = [[i for i in e.ids if i in (11, 12, 13, 14)] for e in (whole, kept)]
    assert words[0] != words[1] == sorted(words[0])
    marks = [[i for i in e.ids if i not in (11, 12, 13, 14)] for e in (whole, kept)]
    assert marks[0] == marks[1]
    for before, token, weight in zip([-1, *whole.ids], whole.ids, whole.weights, strict=False):
        learnt = token not in (11, 12, 13, 14)
        assert weight == (5 if before in (codec.begin, codec.unit_end) else float(learnt))


def test_tokens_are_told_the_rows_of_a_plan_that_is_not_where_the_text_is() -> None:
    late = replace(example([1, 2, 9, 3, 9, 4, 9], 3), rows=[0, 0, 2, 3])
    other = replace(example([1, 9, 2, 9], 2), rows=[1, 1, 2])
    batch = Collator(0, (9,), False)([late, other])
    assert batch["units"].tolist() == [[0, 0, 0, 0, 2, 2, 3], [1, 1, 1, 2, 2, 2, 2]]


def test_an_example_with_a_gap_ends_in_what_is_missing() -> None:
    from tests.conftest import make_tokenizer
    from timecontrol.bases import set_ends
    from timecontrol.corpora.layout import STORY
    from timecontrol.decoder.settings import preset
    from timecontrol.tokens import Codec, Piece

    codec = Codec(set_ends(make_tokenizer()), STORY, gaps=True)
    pieces = [Piece(0, None, i == 0, [20 + i], True) for i in range(5)]
    points = np.arange(10.0).reshape(5, 2)
    settings = preset("best", arrangement="right-first", noise=0.0, gap=2)
    examples = Examples([Item(pieces, points)], codec, settings, 64, np.ones(2))
    seen = set()
    assert codec.fill is not None
    for epoch in range(30):
        examples.set_epoch(epoch)
        example = examples[0]
        assert example.ids[-1] == codec.end
        said = [token - 20 for token in example.ids if 20 <= token < 25]
        assert sorted(said) == list(range(5))
        np.testing.assert_array_equal(example.points, points[said])
        at = example.ids.index(codec.fill)
        missing = [token - 20 for token in example.ids[at:] if 20 <= token < 25]
        assert missing == list(range(missing[0], missing[-1] + 1))
        marks = [w for t, w in zip(example.ids, example.weights, strict=True)
                 if t in (codec.blank, codec.fill)]  # fmt: skip
        assert marks == [0.0, 0.0]
        assert example.weights.count(0.0) == 2
        seen.add(tuple(missing))
    assert len(seen) > 5


def test_told_the_bridge_a_missing_sentence_is_not_given_away() -> None:
    from tests.conftest import make_tokenizer
    from timecontrol.bases import set_ends

    codec = Codec(set_ends(make_tokenizer()), STORY, gaps=True)
    pieces = [Piece(0, None, i == 0, [20 + i], True) for i in range(5)]
    random = np.random.default_rng(0)
    paths = [np.cumsum(random.standard_normal((5, 2)), 0) for _ in range(30)]
    bridge = Bridge.of(paths)
    for arrangement in ("right-first", "forward"):
        settings = preset("best", arrangement=arrangement, noise=0.0, gap=1, told="bridge")
        other = paths[0].copy()
        made = Examples([Item(pieces, paths[0])], codec, settings, 64, np.ones(2), bridge=bridge)
        missing = made[0].ids[-3] - 20 if arrangement != "forward" else 2
        other[missing] += 5.0
        again = Examples([Item(pieces, other)], codec, settings, 64, np.ones(2), bridge=bridge)
        row = -1 if arrangement != "forward" else missing
        np.testing.assert_allclose(made[0].points[row], again[0].points[row])
        known = {i: paths[0][i] for i in range(5) if i != missing}
        there = bridge.given(known, [missing], 5).mean[0]
        np.testing.assert_allclose(made[0].points[row], there, atol=1e-4)
        true = Examples([Item(pieces, paths[0])], codec, settings, 64, np.ones(2))
        np.testing.assert_array_equal(true[0].points[row], paths[0][missing])
