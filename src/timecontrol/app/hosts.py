"""Where the studio listens, and the names it may be called by."""

import ipaddress
import socket
from collections.abc import Sequence

from timecontrol.errors import TimeControlError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
FIRST, MANY = 7860, 40
"""The port that is tried first, and how many after it."""


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_of(host: str, more: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names it may be called by: any where it listens to everybody."""
    if host in ("0.0.0.0", "::") and not more:
        return ("*",)
    return tuple(dict.fromkeys((*LOOPBACK, host, *more)))


def free_port(host: str, wanted: int | None = None) -> int:
    """Return a port nobody listens on: the wanted one, or the first from ``FIRST`` on.

    Raises:
        TimeControlError: It is taken, or the address is not ours.
    """
    ports = range(FIRST, FIRST + MANY) if wanted is None else [wanted]
    reason = ""
    for port in ports:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as place:
            place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                place.bind((host, port))
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
            else:
                return port
    if wanted is None:
        raise TimeControlError(
            f"No port from {FIRST} to {FIRST + MANY - 1} at {host}: {reason}; give another --host "
            "or --port."
        )
    raise TimeControlError(f"--port is {wanted}: {reason} at {host}; give another one.")
