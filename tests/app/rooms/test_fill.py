from timecontrol.app.rooms.fill import EXAMPLE
from timecontrol.infilling.gaps import read_gaps


def test_the_example_has_a_gap() -> None:
    assert len(read_gaps(EXAMPLE).gaps) == 1
