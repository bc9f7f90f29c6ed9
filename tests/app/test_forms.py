import pytest
from pydantic import ValidationError

from timecontrol.app.asked import Asked
from timecontrol.app.forms import InfillForm, OrderForm, PlanForm, ScoreForm, WriteForm
from timecontrol.app.limits import Limits


def test_a_form_without_fields_asks_for_what_is_usual() -> None:
    assert PlanForm().asked() == WriteForm().asked() == Asked()
    assert PlanForm().asked().checked(Limits()) == Asked()


def test_a_length_is_a_word_or_a_number() -> None:
    for given, taken in ((320, "320"), ("320", "320"), ("forced", "forced")):
        assert PlanForm(length=given).asked().length == taken  # type: ignore[arg-type]
    for wrong in (True, 1.5, None, [1]):
        with pytest.raises(ValidationError, match="normal, forced, or a number of tokens"):
            PlanForm(length=wrong)  # type: ignore[arg-type]


def test_a_text_or_sentences_are_scored() -> None:
    assert ScoreForm(text="").given == ""
    assert ScoreForm(sentences=[]).given == []
    for both in ({}, {"text": "a", "sentences": ["a"]}):
        with pytest.raises(ValidationError, match="one of them"):
            ScoreForm(**both)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", [ScoreForm, OrderForm, PlanForm, WriteForm, InfillForm])
def test_a_field_that_there_is_not_is_refused(form: type[ScoreForm]) -> None:
    with pytest.raises(ValidationError) as caught:
        form(folder="/")  # type: ignore[call-arg]
    assert "extra_forbidden" in {error["type"] for error in caught.value.errors()}


@pytest.mark.parametrize("value", ["1", True, 1.0, None])
def test_nothing_is_taken_for_a_number_that_is_none(value: object) -> None:
    with pytest.raises(ValidationError):
        PlanForm(seed=value)  # type: ignore[arg-type]


def test_every_field_is_described() -> None:
    for form in (ScoreForm, OrderForm, PlanForm, WriteForm, InfillForm):
        for name, field in form.model_fields.items():
            assert field.description, (form.__name__, name)
