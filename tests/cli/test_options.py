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
