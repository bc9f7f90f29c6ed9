import json

from timecontrol.app.asked import Asked
from timecontrol.app.examples import EXAMPLES
from timecontrol.app.forms import InfillForm, OrderForm, ScoreForm, WriteForm
from timecontrol.app.limits import Limits


def test_every_example_request_is_a_form() -> None:
    ScoreForm(**EXAMPLES["/api/score"]["request"])
    OrderForm(**EXAMPLES["/api/order"]["request"])
    InfillForm(**EXAMPLES["/api/infill"]["request"])
    for path in ("/api/plan", "/api/generate"):
        asked = WriteForm(**EXAMPLES[path]["request"]).asked()
        assert isinstance(asked.checked(Limits()), Asked)


def test_every_example_answer_is_json() -> None:
    for example in EXAMPLES.values():
        assert json.loads(json.dumps(example["answer"])) == example["answer"]


def test_example_events_are_a_line_of_json_each() -> None:
    lines = EXAMPLES["/api/generate"]["events"].splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["plan", "sentence", "done"]
