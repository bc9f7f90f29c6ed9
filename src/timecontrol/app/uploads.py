"""A file that was brought to the page, to its text."""

from pathlib import Path

from timecontrol.errors import TimeControlError

ENDINGS = (".txt", ".text", ".md", ".markdown")


def read_upload(file: str | None, most: int) -> str:
    """Return the text of a file.

    Args:
        file: Where it lies now.
        most: Characters, at most.

    Raises:
        TimeControlError: It is of another kind, too long, or not UTF-8.
    """
    if not file:
        raise TimeControlError("No file came.")
    path = Path(file)
    if path.suffix.lower() not in ENDINGS:
        raise TimeControlError(
            f"{path.name} is no text file: open one of {', '.join(ENDINGS)}, or paste its text."
        )
    if path.stat().st_size > 4 * most:
        raise TimeControlError(_long(path.name, f"{path.stat().st_size:,} bytes", most))
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TimeControlError(f"{path.name} is not UTF-8 text (byte {error.start}).") from None
    if len(text) > most:
        raise TimeControlError(_long(path.name, f"{len(text):,} characters", most))
    return text


def _long(name: str, size: str, most: int) -> str:
    return (
        f"{name} has {size}; at most {most:,} characters here: timecontrol score {name} takes any "
        "length."
    )
