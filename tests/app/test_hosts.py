import socket

import pytest

from timecontrol.app.hosts import FIRST, free_port, is_loopback, names_of
from timecontrol.errors import TimeControlError


@pytest.mark.parametrize(
    ("host", "own"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("127.9.9.9", True),
     ("0.0.0.0", False), ("::", False), ("192.168.1.4", False), ("example.org", False)],
)  # fmt: skip
def test_loopback_is_this_machine_alone(host: str, own: bool) -> None:
    assert is_loopback(host) is own


def test_it_may_be_called_by_its_own_names() -> None:
    assert set(names_of("127.0.0.1")) == {"127.0.0.1", "localhost", "::1"}
    assert "lab.example" in names_of("0.0.0.0", ["lab.example"])
    assert "*" not in names_of("0.0.0.0", ["lab.example"])
    assert names_of("0.0.0.0") == ("*",)


def test_a_taken_port_is_passed_over_or_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(TimeControlError, match=f"--port is {port}"):
            free_port("127.0.0.1", port)
    assert free_port("127.0.0.1") >= FIRST
    with pytest.raises(TimeControlError, match=r"No port from .* --host"):
        free_port("192.0.2.1")
