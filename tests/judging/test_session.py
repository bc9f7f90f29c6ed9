"""Everybody has an order of their own, in which examples do not follow themselves."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from timecontrol.judging.session import next_of, order, spread

EXAMPLES = {f"{example}{system}": example for example in "abcdefgh" for system in "123"}


def neighbours(items: Sequence[str], examples: Mapping[str, str]) -> int:
    """Return how often two neighbours are of one example."""
    return sum(examples[a] == examples[b] for a, b in pairwise(items))


@given(st.lists(st.integers(0, 4), max_size=14))
def test_an_example_follows_itself_only_where_that_cannot_be_avoided(of: list[int]) -> None:
    examples = {f"i{i}": str(example) for i, example in enumerate(of)}
    found = spread(list(examples), examples)
    assert sorted(found) == sorted(examples)
    most = max(Counter(of).values(), default=0)
    assert neighbours(found, examples) == max(0, 2 * most - len(of) - 1)


def test_what_is_spread_already_stays_as_it_is() -> None:
    items = [f"{example}{system}" for system in "123" for example in "abcdefgh"]
    assert spread(items, EXAMPLES) == items


def test_annotators_see_other_orders_and_each_always_the_same() -> None:
    names = [f"person {i}" for i in range(30)]
    found = {name: tuple(order(EXAMPLES, 0, name)) for name in names}
    assert len(set(found.values())) == len(names)
    assert all(found[name] == tuple(order(EXAMPLES, 0, name)) for name in names)
    assert found[names[0]] != tuple(order(EXAMPLES, 1, names[0]))
    assert not any(neighbours(own, EXAMPLES) for own in found.values())


def test_the_order_does_not_depend_on_how_items_are_listed() -> None:
    other = dict(reversed(EXAMPLES.items()))
    assert order(EXAMPLES, 5, "a") == order(other, 5, "a")


def test_every_item_is_first_for_somebody() -> None:
    first = Counter(order(EXAMPLES, 0, str(i))[0] for i in range(2000))
    assert set(first) == set(EXAMPLES)
    assert max(first.values()) < 2.2 * 2000 / len(EXAMPLES)


def test_everybody_rates_all_where_no_number_is_wanted() -> None:
    line = ["a1", "b1", "c1"]
    counts = {"a1": 9, "b1": 9}
    assert next_of(line, EXAMPLES, {"a1"}, counts) == "b1"
    assert next_of(line, EXAMPLES, set(line), counts) is None
    assert next_of([], EXAMPLES, set(), {}) is None


def test_what_has_the_fewest_ratings_comes_first() -> None:
    line = ["a1", "b1", "c1", "d1"]
    counts = {"a1": 1, "b1": 2, "c1": 1, "d1": 3}
    assert next_of(line, EXAMPLES, set(), counts, 3) == "a1"
    assert next_of(line, EXAMPLES, {"a1", "c1"}, counts, 3) == "b1"
    assert next_of(line, EXAMPLES, {"a1", "b1", "c1"}, counts, 3) is None
    assert next_of(line, EXAMPLES, set(), {**counts, "e1": 0}, 1) is None


def test_among_those_an_example_does_not_follow_itself_where_there_is_another() -> None:
    assert next_of(["a2", "b1"], EXAMPLES, {"a1"}, {}, 2, last="a1") == "b1"
    assert next_of(["a2", "b1"], EXAMPLES, {"a1"}, {"b1": 1}, 2, last="a1") == "a2"
