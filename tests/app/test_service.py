from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from tests.conftest import tiny_llama
from tests.generation.examples import made
from timecontrol.app.asked import Asked
from timecontrol.app.limits import Limits
from timecontrol.app.models import Models
from timecontrol.app.service import BARE, Studio
from timecontrol.app.turns import Cancelled
from timecontrol.errors import TimeControlError
from timecontrol.scoring import TimeControl

TEXT = "Peel the apple. Chop it and set it aside. Beat the butter. Bake the tart. Let it cool."


def stopper(after: int) -> tuple[Callable[[], None], list[int]]:
    """Return a check that ends the work at its so-manieth call, and how often it was called."""
    calls = [0]

    def check() -> None:
        calls[0] += 1
        if calls[0] > after:
            raise KeyboardInterrupt

    return check, calls


def test_it_tells_what_can_be_asked_for(studio: Studio) -> None:
    about = studio.about()
    assert about["decoders"][0] == "run"
    assert "bridge" in about["kinds"]
    assert about["limits"]["ordered"] == 12


def test_a_text_is_scored_with_a_point_for_each_sentence(studio: Studio) -> None:
    found = studio.score(TEXT, encoder="encoder")
    own = studio.models.encoder("encoder").score(TEXT)
    assert found["score"] == own.score
    assert [s["text"] for s in found["sentences"]] == list(own.sentences)
    assert [s["fit"] for s in found["sentences"]] == list(own.trace)
    assert {s["level"] for s in found["sentences"]} <= {"breaks", "weak", "fits"}
    assert all(len(s["at"]) == 2 for s in found["sentences"])
    assert own.reason is None
    assert found["said"]


def test_sentences_in_another_order_keep_their_points(studio: Studio) -> None:
    now = studio.score(TEXT, encoder="encoder")["sentences"]
    moved = [now[i]["text"] for i in (2, 0, 1, 4, 3)]
    again = studio.score(moved, encoder="encoder")["sentences"]
    assert [s["text"] for s in again] == moved
    for sentence in again:
        before = next(s for s in now if s["text"] == sentence["text"])
        assert np.allclose(before["at"], sentence["at"], atol=1e-2)


def test_a_short_text_says_why_it_has_no_score(studio: Studio) -> None:
    found = studio.score("One. Two.", encoder="encoder")
    assert found["score"] is None
    assert "too short" in found["said"].lower()
    assert [s["at"] for s in found["sentences"]] == [None, None]


def test_what_is_too_much_is_refused_before_a_model_is_opened(studio: Studio) -> None:
    small = Studio(studio.models, Limits(characters=100, sentences=5, tokens=16))
    for text, said in (
        ("x" * 101, "at most 100"),
        ("It rained. " * 6, "at most 5"),
        (" \n", "no text"),
    ):
        with pytest.raises(TimeControlError, match=said):
            small.score(text, encoder="wikisection")
    with pytest.raises(TimeControlError, match="at most 16"):
        small.plan(Asked(length="100"))


def test_the_best_order_is_one_of_the_sentences(studio: Studio) -> None:
    sentences = TEXT.replace(". ", ".|").split("|")
    found = studio.order(sentences[::-1], encoder="encoder")
    assert sorted(found["order"]) == list(range(5))
    assert found["report"]["score"] >= found["before"]
    assert found["most"] >= max(found["best"], found["density"])
    assert found["exact"]
    assert [s["text"] for s in found["report"]["sentences"]] == [
        sentences[::-1][i] for i in found["order"]
    ]


def test_a_plan_is_drawn_without_writing(studio: Studio) -> None:
    found = studio.plan(Asked(kind="bridge", seed=3, length="48"))
    again = studio.plan(Asked(kind="bridge", seed=3, length="48"))
    other = studio.plan(Asked(kind="bridge", seed=4, length="48"))
    assert found == again
    assert found["plan"]["points"] != other["plan"]["points"]
    assert len(found["at"]) == len(found["plan"]["points"])
    assert found["plan"]["kind"] == "bridge"


def test_two_plans_are_seen_in_one_plane(studio: Studio) -> None:
    a, b = (studio.plan(Asked(kind=k, sentences=3, length="96")) for k in ("mean", "linear"))
    pairs = zip(a["plan"]["points"] + b["plan"]["points"], a["at"] + b["at"], strict=True)
    points, flat = (np.array(x) for x in zip(*pairs, strict=True))
    steps, seen = points - points[0], flat - flat[0]
    shown = np.linalg.lstsq(steps, seen, rcond=None)[0]  # one linear map for both
    assert np.allclose(steps @ shown, seen, atol=1e-2)


def test_a_text_streams_in_along_its_plan(studio: Studio) -> None:
    asked = Asked(kind="bridge", length="48", start="Apple tart.")
    events = list(studio.write(asked))
    assert [e["event"] for e in (events[0], events[-1])] == ["plan", "done"]
    said = [e["text"] for e in events if e["event"] == "sentence"]
    assert said == events[-1]["sentences"]
    assert [e["number"] for e in events[1:-1]] == list(range(len(said)))
    whole = studio.models.decoder().generate(start="Apple tart.", plan="bridge", length=48)[0]
    assert events[-1]["text"] == whole.text


def test_without_a_plan_the_decoder_is_told_none(studio: Studio) -> None:
    done = [list(studio.write(Asked(kind=k, length="48")))[-1] for k in ("static", BARE, BARE)]
    assert done[1]["ids" if "ids" in done[1] else "text"] == done[2]["text"]
    assert done[0]["settings"]["latents"]
    assert not done[1]["settings"]["latents"]


def test_writing_ends_when_the_check_says_so(studio: Studio) -> None:
    check, calls = stopper(after=5)
    with pytest.raises(KeyboardInterrupt):
        list(studio.write(Asked(length="200"), check=check))
    assert calls[0] == 6


def test_writing_ends_when_nobody_listens() -> None:
    own = made(partial(tiny_llama, positions=2048))  # its sentences are short
    models = Models({}, {"own": "own"}, {}, loaded={"decoder own": TimeControl(None, own)})  # type: ignore[arg-type]
    asked = Asked(length="1024")
    check, calls = stopper(after=10_000)
    events = Studio(models).write(asked, check=check)
    assert next(events)["event"] == "plan"
    assert next(events)["event"] == "sentence"
    events.close()
    seen = calls[0]
    assert seen < 900
    assert calls[0] == seen


def test_a_gap_is_filled_and_candidates_have_places(studio: Studio) -> None:
    text = "Peel the apple. [ ... ] Bake the tart. Let it cool."
    found = studio.infill(text, model="run", candidates=3)
    assert len(found["sentences"]) == len(found["at"]) == 4
    assert found["gaps"][0]["first"] == 1
    many = len(found["gaps"][0]["candidates"])
    assert 1 <= many <= 3
    assert len(found["shown"][0]["candidates"]) == many
    best = found["gaps"][0]["candidates"][0]["sentences"][0]
    assert found["sentences"][1] == best


def test_filling_ends_when_the_check_says_so(studio: Studio) -> None:
    check, calls = stopper(after=3)
    with pytest.raises(KeyboardInterrupt):
        studio.infill("Peel it. [ ... ] Bake it.", model="run", candidates=2, check=check)
    assert calls[0] == 4


def test_a_text_without_a_gap_is_refused(studio: Studio) -> None:
    with pytest.raises(TimeControlError):
        studio.infill("No gap here.", model="run", candidates=2)
    with pytest.raises(TimeControlError, match="candidates"):
        studio.infill("A. [ ... ] B.", model="run", candidates=1000)


def test_scoring_ends_where_nobody_waits(studio: Studio) -> None:
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        studio.score("The river rose. " * 200, encoder="encoder", check=check)
    assert calls == 3


def test_a_sentence_that_is_empty_is_told_since_orders_are_numbers(studio: Studio) -> None:
    with pytest.raises(TimeControlError, match="Sentence 2 is empty"):
        studio.order(["A.", " ", "B.", "C."], encoder="encoder")
