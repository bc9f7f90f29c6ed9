"""A file that was brought to the page, to its text."""

from pathlib import Path

from timecontrol.corpora import own
from timecontrol.corpora.reading import Reading
from timecontrol.corpora.texts import prose
from timecontrol.errors import InputError, TimeControlError

MARKED = (".md", ".markdown")
ENDINGS = (".txt", ".text", *MARKED)


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
        raise TimeControlError(
            f"{path.name} is not UTF-8 text (byte {error.start}): save it as UTF-8, or paste it."
        ) from None
    if len(text) > most:
        raise TimeControlError(_long(path.name, f"{len(text):,} characters", most))
    if path.suffix.lower() in MARKED:
        text = _prose(path)
    if not text.strip():
        raise TimeControlError(f"{path.name} holds no prose.")
    return text


def _prose(path: Path) -> str:
    """Return the prose of a Markdown file, a sentence a paragraph, as ``timecontrol score`` has it.

    Titles, headings, code and tables are left out.
    """
    try:
        documents = list(own.MARKDOWN.read(path, Reading()))
    except InputError as error:
        raise TimeControlError(str(error).replace(str(path), path.name)) from None
    return "\n\n".join(s for document in documents for s in prose(document))


def _long(name: str, size: str, most: int) -> str:
    return (
        f"{name} has {size}; at most {most:,} characters here: timecontrol score {name} takes any "
        "length."
    )
