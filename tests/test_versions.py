import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reports import made, short
from timecontrol.versions import Versions, match

SENTENCES = st.lists(st.sampled_from("abcdef"), min_size=3, max_size=9)


def test_sentences_are_kept_moved_removed_and_added() -> None:
    old, new = made(sentences="abcd"), made(sentences="acbxe")
    changes = [(c.kind, c.sentence, c.old, c.new) for c in match(old, new)]
    assert changes == [
        ("kept", "a", 0, 0),
        ("moved", "c", 2, 1),
        ("kept", "b", 1, 2),
        ("removed", "d", 3, None),
        ("added", "x", None, 3),
        ("added", "e", None, 4),
    ]


def test_the_gain_is_new_fit_less_old_fit() -> None:
    old = made(sentences="abc", trace=(1.0, 2.0, 3.0))
    new = made(sentences="abx", trace=(1.5, 0.0, 9.0))
    assert [c.gain for c in match(old, new)] == [0.5, -2.0, None, None]


@given(SENTENCES, SENTENCES)
def test_every_sentence_of_both_versions_is_told_once(old: list[str], new: list[str]) -> None:
    changes = match(made(sentences=old), made(sentences=new))
    assert sorted(c.old for c in changes if c.old is not None) == list(range(len(old)))
    assert [c.new for c in changes if c.new is not None] == list(range(len(new)))
    for c in changes:
        assert c.old is None or old[c.old] == c.sentence
        assert c.new is None or new[c.new] == c.sentence
        assert (c.kind in ("kept", "moved")) == (c.old is not None and c.new is not None)


@given(SENTENCES)
def test_a_version_compared_with_itself_keeps_everything(sentences: list[str]) -> None:
    same = Versions(made(sentences=sentences), made(sentences=sentences))
    assert {c.kind for c in same.changes} == {"kept"}
    assert same.difference == 0
    assert not same.clear


def test_the_error_of_a_difference_is_that_of_both_scores() -> None:
    others = tuple("xyz")
    old = made(score=0.0, interval=(-0.3, 0.3))
    versions = Versions(old, made(score=1.0, interval=(0.6, 1.4), sentences=others))
    assert versions.difference == 1.0
    assert versions.interval == pytest.approx((0.5, 1.5))  # 0.3 and 0.4 make 0.5
    assert versions.clear
    assert not Versions(old, made(score=0.4, interval=(0.0, 0.8), sentences=others)).clear


def test_what_is_shared_has_no_error() -> None:
    def against(sentences: tuple[str, ...]) -> float:
        versions = Versions(made(), made(score=0.5, sentences=sentences, interval=(0.0, 1.0)))
        assert versions.interval is not None
        return versions.interval[1] - versions.interval[0]

    first, second, third = made().sentences
    widths = [against(s) for s in (tuple("xyz"), (first, "y", "z"), (first, second, "z"))]
    assert widths == sorted(widths, reverse=True)
    assert against((first, second, third)) == pytest.approx(0)
    versions = Versions(made(score=0.0), made(score=1.0, sentences=tuple("xyz")))
    assert math.isclose(json.loads(json.dumps(versions.as_dict()))["difference"], 1.0)


def test_a_version_that_is_too_short_has_no_difference() -> None:
    versions = Versions(short(), made(sentences=("Only one.", "And", "more")))
    assert versions.difference is None
    assert versions.interval is None
    assert not versions.clear
    assert next((c.kind, c.gain) for c in versions.changes) == ("kept", None)
    assert json.dumps(versions.as_dict())
