import json
import math
from typing import Any

import pytest

from timecontrol.errors import TimeControlError
from timecontrol.generation import Writing


def test_a_document_is_of_normal_length_unless_forced() -> None:
    assert not Writing().forced
    assert Writing(length="forced").forced


def test_a_plan_is_followed_by_the_budget_unless_said() -> None:
    assert Writing().follow == "budget"


def test_settings_come_back_from_plain_data() -> None:
    how = Writing(
        length="forced",
        budget=77,
        stop="plan",
        follow="sentences",
        top_p=0.5,
        temperature=0,
        seed=3,
    )
    assert Writing(**json.loads(json.dumps(how.as_dict()))) == how


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"length": "long"}, "length is 'long': normal or forced"),
        ({"stop": "never"}, "stop is 'never': end or plan"),
        ({"follow": "plan"}, "follow is 'plan': budget or sentences"),
        ({"follow": "sections"}, "follow is 'sections': budget or sentences"),
        ({"budget": 1}, "length is 1 tokens: 2 or more"),
        ({"budget": -5}, "length is -5 tokens"),
        ({"top_p": 0.0}, "top-p is 0: above 0, at most 1"),
        ({"top_p": 1.01}, "top-p is 1.01"),
        ({"top_p": math.nan}, "top-p is nan"),
        ({"temperature": -0.1}, "temperature is -0.1: 0 or more"),
        ({"temperature": math.inf}, "temperature is inf"),
        ({"temperature": math.nan}, "temperature is nan"),
        ({"beams": 0}, "beams is 0: 1 or more"),
        ({"seed": -1}, "seed is -1: from 0"),
        ({"seed": 2**31}, "seed is 2147483648: from 0, below 2147483648"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TimeControlError) as error:
        Writing(**changes)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_what_just_can_be_is_taken() -> None:
    how = Writing(budget=2, top_p=1.0, temperature=0.0, beams=1, seed=2**31 - 1)
    assert how.budget == 2
