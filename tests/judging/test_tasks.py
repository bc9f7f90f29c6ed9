"""Two questions on the paper's scales."""

import pytest

from timecontrol.judging.tasks import HIGHEST, LOWEST, TASKS
from timecontrol.reproduction.printed import tables


@pytest.mark.parametrize("name", TASKS)
def test_every_answer_has_a_label_of_its_own(name: str) -> None:
    task = TASKS[name]
    assert task.name == name
    assert len(set(task.labels)) == HIGHEST - LOWEST + 1 == 5
    assert task.question.endswith("?")
    assert task.fields


def test_the_ends_of_the_scales_are_the_papers() -> None:
    ending, infill = TASKS["ending"].labels, TASKS["infill"].labels
    assert (ending[0], ending[4]) == ("Very unreasonable ending", "Very reasonable ending")
    assert (infill[0], infill[4]) == ("Not reasonable", "Very reasonable")


def test_each_is_asked_for_a_table_of_the_paper() -> None:
    for task in TASKS.values():
        assert tables()[task.table].unit == "rating from 1 to 5"
