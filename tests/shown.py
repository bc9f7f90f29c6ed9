"""What README and docs show: commands in blocks, commands in the middle of a line, and Python.

A *block* is fenced (``sh``, ``console``, ``text``) or indented by four spaces. In ``sh`` and
indented blocks every line that is neither empty nor a comment is a command; in ``console`` and
``text`` those that begin with ``$``. Lines that end with a backslash go on.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
"""All that is read by a user."""
HISTORY = {"log.md"}
"""Pages that tell what was done, in the words of then: their commands are not for today."""
TODAY = [page for page in PAGES if page.name not in HISTORY]


def label(page: Path) -> str:
    """Return how a page is called: by its place in the repository."""
    return str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name


FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"(?<=\n\n)((?: {4}.*\n|\n)+)")
KNOWN = ("timecontrol", "make", "python", "pip", "echo", "tar")
"""What a line of a block may begin with, to be taken for a command."""
JOINTS = {"|", "||", "&&", ";", "&"}


@dataclass(frozen=True)
class Command:
    """A line of a shell."""

    page: str
    line: str

    def __str__(self) -> str:
        return f"{self.page}: {self.line}"

    @property
    def calls(self) -> list[list[str]]:
        """The words of each program that is called, without what goes to and from files."""
        lexer = shlex.shlex(self.line, posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, "#"
        found: list[list[str]] = [[]]
        words = list(lexer)
        for before, word in zip(["", *words], words, strict=False):
            if word in JOINTS:
                found.append([])
            elif word not in (">", ">>", "<") and before not in (">", ">>", "<"):
                found[-1].append(word)
        return [call for call in found if call]


def fenced(text: str, *languages: str) -> list[str]:
    """Return the fenced blocks of some languages."""
    return [block for language, block in FENCE.findall(text) if language in languages]


def _joined(block: str) -> list[str]:
    """Return the lines of a block, those that go on as one."""
    return re.sub(r"\\\n\s*", "", block).splitlines()


def _bare(line: str) -> str:
    """Return a line without the comment at its end."""
    return re.sub(r"(^|\s+)#\s.*$", "", line.strip())


def commands(page: Path) -> list[Command]:
    """Return the commands of a page, in order of their kinds: fenced, then indented."""
    text = page.read_text(encoding="utf-8")
    lines = [line for block in fenced(text, "sh") for line in _joined(block)]
    for block in fenced(text, "console", "text"):
        lines += [line[2:] for line in _joined(block) if line.startswith("$ ")]
    for block in INDENTED.findall(FENCE.sub("", text)):
        found = [line.strip() for line in _joined(block)]
        lines += [line for line in found if line.split(" ")[0] in KNOWN]
    bare = [_bare(line) for line in lines]
    return [Command(label(page), line) for line in bare if line]


def mentions(page: Path) -> list[Command]:
    """Return what stands between backticks in the text of a page and begins with timecontrol."""
    text = re.sub(r"^ {4}.*$", "", FENCE.sub("", page.read_text(encoding="utf-8")), flags=re.M)
    spans = re.findall(r"`([^`]+)`", text)
    return [
        Command(label(page), " ".join(s.split())) for s in spans if s.split()[:1] == ["timecontrol"]
    ]


def options(page: Path) -> list[Command]:
    """Return what stands between backticks and begins with an option, as ``--splitter lines``."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    spans = re.findall(r"`([^`]+)`", text)
    return [Command(label(page), " ".join(s.split())) for s in spans if s.startswith("--")]
