"""Timetables of plans: worked by hand, and laws over any documents."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from timecontrol.plans.timing import (
    NO_STAGE,
    TOKENS,
    Sections,
    Timetable,
    Timing,
    begins,
    drawn_out,
    whole_numbers,
)

Array = NDArray[np.float64]

TITLE, PARTS, STEP = 0, 1, 2
RECIPES: list[list[tuple[int, int]]] = [[(TITLE, 1), (PARTS, n), (STEP, 2 * n)] for n in (2, 4, 6)]
"""One sentence of title; means 1, 4 and 8; of each sentence more, 1/3 goes to the parts."""
HOWTOS: list[list[tuple[int, int]]] = [
    [(TITLE, 1), *[(STEP, 2)] * 3],
    [(TITLE, 1), *[(STEP, 2)] * 4],
    [(TITLE, 1), *[(STEP, 2)] * 5],
]
"""Steps of two sentences each."""

stages = st.lists(st.integers(NO_STAGE, 3), min_size=1, max_size=6).map(sorted)
documents = stages.flatmap(
    lambda names: st.tuples(
        st.just(names), st.lists(st.integers(1, 6), min_size=len(names), max_size=len(names))
    )
).map(lambda parts: list(zip(*parts, strict=True)))
corpora = st.lists(documents, min_size=1, max_size=5).map(
    lambda found: [*found, *[[(0, 1), (2, 3)]] * len(found)]  # stages that most of them have
)


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def tables(timing: Timing, n: int, seed: int = 0) -> list[Timetable]:
    return [timing.drawn(n, random(seed)), timing.mean(n)]


def sizes_for(found: Sequence[Sections], data: st.DataObject) -> list[list[int]]:
    """Tokens of their sections, drawn."""
    return [[data.draw(st.integers(1, 99)) for _ in document] for document in found]


def alike(table: Timetable, other: Timetable) -> None:
    assert table.starts == other.starts
    np.testing.assert_allclose(table.times, other.times)
    np.testing.assert_allclose(table.pace, other.pace)


def counts(table: Timetable) -> list[int]:
    """Sentences of each stage with a tag."""
    return [b - a for a, b in pairwise([*table.starts, len(table.times)])]


def lawful(table: Timetable, n: int) -> None:
    assert table.times.shape == table.pace.shape == (n,)
    assert (table.pace > 0).all()
    assert all(a < b for a, b in pairwise([-1, *table.starts, n]))
    assert (np.diff([0, *table.times, 1]) > 0).all()


def test_times_worked_by_hand() -> None:
    """Shares 1/4 and 3/4 of one document: tau = 1/8, then 1/4 + 3/4 (j + 1/2) / 3."""
    timing = Timing.of([[(TITLE, 1), (STEP, 3)]])
    np.testing.assert_allclose(timing.shares, [1 / 4, 3 / 4])
    np.testing.assert_allclose(timing.times([(TITLE, 1), (STEP, 3)]), [1 / 8, 3 / 8, 5 / 8, 7 / 8])
    # a stage of other length takes the same time; two sections of one stage are one stage
    np.testing.assert_allclose(timing.times([(TITLE, 2), (STEP, 1)]), [1 / 16, 3 / 16, 5 / 8])
    np.testing.assert_array_equal(
        timing.times([(TITLE, 1), (STEP, 1), (STEP, 2)]), timing.times([(TITLE, 1), (STEP, 3)])
    )


def test_shares_are_means_over_documents_not_over_sentences() -> None:
    timing = Timing.of([[(TITLE, 1), (STEP, 1)], [(TITLE, 10), (STEP, 30)], [(STEP, 5)]])
    assert timing.names == [TITLE, STEP]
    np.testing.assert_array_equal(timing.totals, [[1, 1], [10, 30], [0, 5]])
    np.testing.assert_allclose(timing.shares, [1 / 4, 3 / 4])


def test_a_document_begins_its_stages_where_they_stand() -> None:
    timing = Timing.of([[(NO_STAGE, 2), (TITLE, 1), (STEP, 3), (STEP, 1)]])
    table = timing.whole(timing.documents[0], {NO_STAGE: 4.0, TITLE: 9.0, STEP: 7.0})
    assert table.starts == (2, 3)  # text before the first tag has none; two steps are one stage
    assert table.pace.tolist() == [4, 4, 9, 7, 7, 7, 7]
    np.testing.assert_allclose(table.times, (np.arange(7) + 0.5) / 7)


def test_where_stages_begin_worked_by_hand() -> None:
    assert begins([]) == begins([NO_STAGE] * 3) == ()
    assert begins([0, 0, 0]) == (0,)
    assert begins([NO_STAGE, NO_STAGE, 2, 2, 5]) == (2, 4)
    assert begins([0, 1, 1, 0]) == (0, 1, 3)  # one that comes again is another stage
    assert begins([1, NO_STAGE, 1]) == (0, 2)


@given(st.lists(st.integers(NO_STAGE, 2), max_size=12))
def test_a_stage_begins_where_it_is_another_than_before(stages: list[int]) -> None:
    found = begins(stages)
    for i, stage in enumerate(stages):
        other = stage != NO_STAGE and (i == 0 or stages[i - 1] != stage)
        assert (i in found) == other
    assert list(found) == sorted(set(found))


TOLD: list[list[tuple[int, int]]] = [
    [(TITLE, 1), (STEP, 3)],
    [(TITLE, 1), (STEP, 2), (STEP, 3)],
]


def test_tokens_worked_by_hand() -> None:
    """A plan has as many a sentence as the document it is drawn after: 18 / 3, or 70 / 5."""
    timing = Timing.of(TOLD, [[5, 18], [7, 30, 40]])
    assert timing.sizes.tolist() == [5, 18, 7, 30, 40]
    assert timing.tokens.tolist() == [[5, 18], [7, 70]]
    for n in (2, 4, 6, 30):
        seen = {tuple(timing.drawn(n, random(seed)).pace) for seed in range(20)}
        assert seen == {(5, *[6] * (n - 1)), (7, *[14] * (n - 1))}
        assert timing.mean(n).pace.tolist() == [6, *[11] * (n - 1)]  # 12 / 2, and 88 / 8


def test_where_nobody_has_counted_them_sentences_have_the_same_tokens() -> None:
    timing = Timing.of(TOLD)
    assert timing.sizes.tolist() == [n * TOKENS for n in (1, 3, 1, 2, 3)]
    for table in tables(timing, 9):
        assert table.pace.tolist() == [TOKENS] * 9


def test_text_before_the_first_tag_has_tokens_of_its_own() -> None:
    timing = Timing.of([[(NO_STAGE, 2), (STEP, 1)]], [[8, 7]])
    for table in tables(timing, 3):
        assert table.pace.tolist() == [4, 4, 7]


def test_a_section_that_was_cut_off_has_a_pace_all_the_same() -> None:
    timing = Timing.of([[(TITLE, 2), (STEP, 2)]], [[0, 8]])
    assert timing.sizes.tolist() == [1, 8]
    for table in tables(timing, 4):
        assert table.pace.tolist() == [0.5, 0.5, 4, 4]


@given(corpora, st.integers(0, 9), st.data())
def test_a_plan_as_long_as_its_document_has_the_tokens_of_its_document(
    found: list[Sections], seed: int, data: st.DataObject
) -> None:
    """In each stage."""
    sizes = sizes_for(found, data)
    timing = Timing.of(found, sizes)
    document = random(seed).integers(len(found))
    n = sum(count for _, count in found[document])
    table = timing.drawn(n, random(seed))
    assert table.pace.sum() == pytest.approx(sum(sizes[document]))
    stage = np.searchsorted(timing.shares.cumsum()[:-1], table.times)  # tau tells it
    for place in range(len(timing.names)):
        own = table.pace[stage == place].sum()
        assert own == pytest.approx(timing.tokens[document, place])


@given(corpora, st.integers(1, 60), st.integers(0, 9), st.data())
def test_the_pace_of_a_timetable_is_that_of_its_stages(
    found: list[Sections], n: int, seed: int, data: st.DataObject
) -> None:
    """In the document it is drawn after, or in all of them."""
    timing = Timing.of(found, sizes_for(found, data))
    document = random(seed).integers(len(found))
    drawn, mean = tables(timing, n, seed)
    for table, totals, tokens in (
        (drawn, timing.totals[document], timing.tokens[document]),
        (mean, timing.totals.sum(0), timing.tokens.sum(0)),
    ):
        stage = np.searchsorted(timing.shares.cumsum()[:-1], table.times)
        np.testing.assert_allclose(table.pace, tokens[stage] / totals[stage])


@given(corpora, st.integers(1, 40), st.integers(0, 9), st.data())
def test_neighbouring_sections_of_one_tag_are_one_stage(
    found: list[Sections], n: int, seed: int, data: st.DataObject
) -> None:
    """As many as there may be, plans are those of documents in which they are one section."""
    sizes = sizes_for(found, data)
    joined, whole = [], []
    for document, own in zip(found, sizes, strict=True):
        parts: dict[int, list[int]] = {}
        for (stage, count), size in zip(document, own, strict=True):  # in order of their stages
            known = parts.setdefault(stage, [0, 0])
            parts[stage] = [known[0] + count, known[1] + size]
        joined.append([(stage, count) for stage, (count, _) in parts.items()])
        whole.append([size for _, size in parts.values()])
    pairs = zip(
        tables(Timing.of(found, sizes), n, seed),
        tables(Timing.of(joined, whole), n, seed),
        strict=True,
    )
    for table, other in pairs:
        alike(table, other)


@given(corpora)
def test_documents_are_kept_as_they_are(found: list[Sections]) -> None:
    timing = Timing.of(found, [[7 + i for i in range(len(document))] for document in found])
    assert timing.documents == [list(document) for document in found]
    again = Timing.from_tensors(timing.tensors())
    assert again.documents == timing.documents
    np.testing.assert_array_equal(again.sizes, timing.sizes)
    for one in (timing, again):
        kinds = {name: a.dtype for name, a in one.tensors().items() if name != "shape"}
        assert kinds == dict.fromkeys(("stages", "counts", "lengths", "sizes"), np.dtype(np.int64))
    old = {name: a for name, a in timing.tensors().items() if name != "shape"}
    assert Timing.from_tensors(old).shape.tolist() == [1.0] * 33


@given(corpora)
def test_times_of_documents_rise_between_0_and_1(found: list[Sections]) -> None:
    timing = Timing.of(found)
    assert timing.shares.sum() == pytest.approx(1)
    for document in found:
        times = timing.times(document)
        assert len(times) == sum(count for _, count in document)
        assert (np.diff([0, *times, 1]) > 0).all()


@given(corpora, st.integers(1, 60), st.integers(0, 9))
def test_a_timetable_has_n_sentences_in_rising_order(
    found: list[Sections], n: int, seed: int
) -> None:
    for table in tables(Timing.of(found), n, seed):
        lawful(table, n)


@given(corpora, st.integers(1, 60), st.integers(0, 9))
def test_it_begins_with_the_first_stage_that_has_a_tag(
    found: list[Sections], n: int, seed: int
) -> None:
    tagged = [[(s, c) for s, c in d if s != NO_STAGE] or [(0, 1)] for d in found]
    for table in tables(Timing.of(tagged), n, seed):
        assert table.starts[0] == 0
        assert sum(counts(table)) == n
    bare = Timing.of([[(NO_STAGE, 5)], [(NO_STAGE, 9)]])
    for table in tables(bare, n, seed):
        assert table.starts == ()
        lawful(table, n)
        if n <= 5:
            np.testing.assert_allclose(table.times, (np.arange(n) + 0.5) / n)
    before = Timing.of([[(NO_STAGE, 1), (0, 3)], [(NO_STAGE, 1), (0, 6)]])
    for table in tables(before, n, seed):
        assert table.starts == ((1,) if n > 1 else ())


@given(st.integers(3, 200), st.integers(0, 9))
def test_what_always_has_one_sentence_keeps_it(n: int, seed: int) -> None:
    for table in tables(Timing.of(RECIPES), n, seed):
        title, parts, steps = counts(table)
        assert title == 1
        assert steps >= parts >= 1
    drawn, mean = tables(Timing.of(HOWTOS), n, seed)
    assert counts(drawn)[0] == counts(mean)[0] == 1


@pytest.mark.parametrize(("odd", "fixed"), [(0, True), (1, True), (2, False)])
def test_what_has_as_many_sentences_in_95_of_100_documents_keeps_them(
    odd: int, fixed: bool
) -> None:
    """Of 20 documents, some have a title of two; stages of no document count for nothing."""
    found = [[(TITLE, 1 + (i < odd)), (STEP, 3 + i)] for i in range(20)]
    few = [*found[:10], *([*document, (STEP + 1, 4)] for document in found[10:])]
    for documents in (found, few):
        timing = Timing.of(documents)
        assert timing.fixed.tolist() == [fixed, False, True][: len(timing.names)]
        for seed in range(10):
            assert (counts(timing.drawn(150, random(seed)))[0] <= 2) == fixed


def test_where_all_is_always_the_same_all_is_stretched() -> None:
    timing = Timing.of([[(TITLE, 1), (STEP, 3)]] * 5)
    assert timing.fixed.tolist() == [True, True]
    for table in tables(timing, 40):
        assert counts(table) == [10, 30]


@pytest.mark.parametrize("n", [7, 10, 13, 25, 61])
def test_other_sections_are_stretched_as_in_the_corpus(n: int) -> None:
    """Of the 13 sentences on average 4 are parts, and a third of each one more or less."""
    timing = Timing.of(RECIPES)
    assert counts(timing.mean(n)) == [1, 4 + (n - 13) // 3, 8 + 2 * (n - 13) // 3]
    assert {tuple(counts(timing.drawn(n, random(s)))) for s in range(20)} == {
        tuple(counts(timing.mean(n)))
    }


def test_the_mean_timetable_has_the_mean_counts() -> None:
    assert counts(Timing.of(RECIPES).mean(13)) == [1, 4, 8]
    crossed = [[(0, 3), (1, 2)], [(0, 1), (1, 6)]]  # 2 and 4 on average
    assert counts(Timing.of(crossed).mean(6)) == [2, 4]
    rare = [[(0, 2), (1, 2)], [(0, 2), (1, 2)], [(0, 2), (1, 2), (2, 9)]]
    assert len(Timing.of(rare).mean(9).starts) == 2  # most documents have no third section


def test_what_is_always_the_same_is_so_in_the_mean_of_documents_that_have_it() -> None:
    """A title of two sentences and 5 tokens each in two documents of three, and one without."""
    found = [[(TITLE, 2), (STEP, 3)], [(STEP, 4)], [(TITLE, 2), (STEP, 8)]]
    timing = Timing.of(found, [[8, 60], [40], [12, 50]])
    assert timing.fixed.tolist() == [True, False]
    for n in (5, 7, 40):
        table = timing.mean(n)
        assert counts(table) == [2, n - 2]
        assert table.pace.tolist() == [5, 5, *[10] * (n - 2)]


def test_where_no_section_is_usual_there_is_a_mean_timetable_all_the_same() -> None:
    timing = Timing.of([[(0, 2)], [(1, 3)], [(2, 4)]])
    for n in (1, 2, 3, 10):
        lawful(timing.mean(n), n)


def test_a_timetable_of_a_document_s_own_length_is_the_document() -> None:
    timing = Timing.of(RECIPES)
    for seed in range(10):
        found = timing.drawn(7, random(seed))
        assert counts(found) == [1, 2, 4]
        np.testing.assert_allclose(found.times, timing.times(RECIPES[0]))
    mixed = Timing.of([[(0, 5), (1, 1)], [(0, 1), (1, 5)]])  # of one length, so slopes are shares
    seen = Counter(tuple(counts(mixed.drawn(6, random(seed)))) for seed in range(200))
    assert seen.keys() == {(5, 1), (1, 5)}
    assert min(seen.values()) > 60


def test_a_timetable_is_of_one_of_the_documents_that_are_named() -> None:
    timing = Timing.of([[(0, k), (1, 8 - k)] for k in (1, 2, 3, 4)])

    def seen(among: list[int] | None) -> set[int]:
        return {counts(timing.drawn(8, random(s), among))[0] for s in range(100)}

    assert seen([1, 3]) == {2, 4}
    assert seen([2]) == {3}
    assert seen(None) == {1, 2, 3, 4}


def test_repeated_tags_are_one_stage_however_long() -> None:
    timing = Timing.of(HOWTOS)
    for n in (3, 9, 10, 21, 61):
        for table in tables(timing, n):
            assert counts(table) == [1, n - 1]
    assert all(len(Timing.of(RECIPES).mean(n).starts) == 3 for n in (3, 9, 61))


def test_short_plans_have_the_first_sections() -> None:
    timing = Timing.of(RECIPES)
    for n in (1, 2):
        for table in tables(timing, n):
            assert table.starts == tuple(range(n))
            assert table.times[0] == pytest.approx(timing.shares[0] / 2)


@given(corpora, st.integers(1, 40), st.integers(0, 9))
def test_drawing_depends_on_the_generator_alone(found: list[Sections], n: int, seed: int) -> None:
    timing = Timing.of(found)
    first, again = (timing.drawn(n, random(seed)) for _ in range(2))
    assert first.starts == again.starts
    np.testing.assert_array_equal(first.times, again.times)
    np.testing.assert_array_equal(first.pace, again.pace)


def test_a_missing_array_is_a_key_error() -> None:
    tensors = Timing.of(RECIPES).tensors()
    for name in set(tensors) - {"shape"}:  # old files have none
        with pytest.raises(KeyError, match=name):
            Timing.from_tensors({k: v for k, v in tensors.items() if k != name})


@given(st.lists(st.floats(-20, 40), min_size=1, max_size=8), st.integers(0, 50))
def test_whole_numbers_have_the_sum_and_none_is_below_1(wanted: list[float], more: int) -> None:
    total = len(wanted) + more
    shift = (total - sum(wanted)) / len(wanted)
    given_ = np.array(wanted) + shift
    found = whole_numbers(given_, total)
    assert found.sum() == total
    assert found.min() >= 1
    if given_.min() >= 1:
        assert (abs(found - given_) < 1 + 1e-9).all()


@pytest.mark.parametrize(
    ("wanted", "total", "expected"),
    [
        ([1.0, 4.0, 8.0], 13, [1, 4, 8]),
        ([1.0, 4.4, 7.6], 13, [1, 4, 8]),
        ([1.0, 1.6, 1.4], 4, [1, 2, 1]),
        ([0.2, 0.3, 4.5], 5, [1, 1, 3]),
        ([-3.0, 6.0], 3, [1, 2]),
        ([0.1], 1, [1]),
    ],
)
def test_whole_numbers_worked_by_hand(
    wanted: Sequence[float], total: int, expected: list[int]
) -> None:
    assert whole_numbers(np.array(wanted), total).tolist() == expected


@given(st.integers(1, 90), st.floats(0.5, 90))
def test_a_stage_is_drawn_out_in_its_middle_alone(count: int, own: float) -> None:
    x = np.arange(count, dtype=np.float64) + 0.5
    found = drawn_out(x, count, own)
    assert (np.diff([0, *found, 1]) > 0).all()
    np.testing.assert_allclose(found, 1 - found[::-1])  # the end as the beginning
    if count <= own:
        np.testing.assert_allclose(found, x / count)
    else:
        opening = x < own / 4
        np.testing.assert_allclose(found[opening], x[opening] / own)
        middle = (x > own / 4) & (x < count - own / 4)
        assert (np.diff(found[middle]) <= 1 / own + 1e-12).all()  # slower than in the document


def test_a_stage_that_is_drawn_out_worked_by_hand() -> None:
    """Of 4 sentences 10: one opens, one closes, and eight are what two were."""
    found = drawn_out(np.arange(10, dtype=np.float64) + 0.5, 10, 4)
    np.testing.assert_allclose(found, [0.125, *(0.25 + (np.arange(8) + 0.5) / 16), 0.875])
    timing = Timing.of([[(TITLE, 1), (STEP, 4)], [(TITLE, 1), (STEP, 4)], [(TITLE, 1), (STEP, 5)]])
    table = timing.whole([(TITLE, 1), (STEP, 10)], {TITLE: 1.0, STEP: 1.0}, {TITLE: 1, STEP: 4})
    [edge] = timing.edges
    np.testing.assert_allclose((table.times[1:] - edge) / (1 - edge), found)


def test_sentences_are_as_long_as_others_at_their_time() -> None:
    """Closing sentences have half the tokens; a plan's tokens are those of its document."""
    documents = [[(TITLE, 1), (STEP, n)] for n in (20, 24, 28)] * 40
    tokens = [[5, *[12] * (n // 2), *[6] * (n // 2)] for (_, (_, n)) in documents]
    sizes = [[5, 9 * n] for (_, (_, n)) in documents]
    timing = Timing.of(documents, sizes, tokens)
    first, last = timing.shape[8], timing.shape[-4]
    assert first == pytest.approx(4 / 3, rel=0.2)
    assert last == pytest.approx(2 / 3, rel=0.2)
    assert timing.shape[0] == pytest.approx(1, rel=1e-9)  # a title is alone in its stage
    for n in (13, 21, 60):
        for table in tables(timing, n):
            assert table.pace[0] == 5
            assert table.pace[1:].mean() == pytest.approx(9)
            assert table.pace[2] > 1.5 * table.pace[-2]
    again = Timing.from_tensors(timing.tensors())
    np.testing.assert_array_equal(again.shape, timing.shape)


def test_stages_end_where_their_shares_do() -> None:
    timing = Timing.of(RECIPES)
    np.testing.assert_allclose(timing.edges, timing.shares.cumsum()[:2])
    assert len(Timing.of([[(NO_STAGE, 5)]]).edges) == 0
