import pytest

from timecontrol.cli.options import split_named
from timecontrol.errors import TimeControlError


def test_splits_have_other_names_too() -> None:
    assert split_named("validation") == split_named("val") == "val"
    assert split_named(None) is None


@pytest.mark.parametrize("name", ["dev2", ""])
def test_a_split_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(TimeControlError, match=f"No split named {name!r}: train, val, test"):
        split_named(name)


def test_few_documents_are_told_and_enough_are_not() -> None:
    from timecontrol.cli.options import few

    assert few(50) is None
    assert str(few(49)).startswith("note: 49 training documents: below 50")
    assert str(few(1)).startswith("note: 1 training document: ")
