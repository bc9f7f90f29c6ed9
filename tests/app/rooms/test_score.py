from timecontrol.app.rooms.score import about_order, as_it_was, first_score


def test_the_first_score_stays_when_sentences_are_moved() -> None:
    assert first_score(None) is None
    assert first_score({"score": 1.0, "before": None}) == 1.0
    assert first_score({"score": 2.0, "before": 1.0}) == 1.0
    assert first_score({"score": None}) is None


def test_a_suggestion_says_what_was_before() -> None:
    found = {"order": [2, 0, 1], "report": {"sentences": [{"text": t} for t in ("c", "a", "b")]}}
    assert as_it_was(found) == ["a", "b", "c"]


def test_an_order_is_told_by_the_old_numbers() -> None:
    found = {"order": [2, 0, 1], "report": {"far": False}}
    assert about_order(found).endswith("3, 1, 2.")
    assert "No order was found" in about_order(found | {"order": [0, 1]})
    assert "hardly tell" in about_order(found | {"report": {"far": True}})
