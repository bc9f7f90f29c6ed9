from collections.abc import Callable

from tests.conftest import Ran


def test_the_demo_runs_offline_and_shows_what_comes_next(timecontrol: Callable[..., Ran]) -> None:
    ran = timecontrol("demo")
    assert ran.code == 0
    for word in ("DEMOGRAPHICS", "ASSISTANT", "INGREDIENTS", "timecontrol corpus text:FOLDER"):
        assert word in ran.out
