"""A written document, and how it is shown: text, Markdown, or a line of JSON."""

from dataclasses import dataclass, field
from typing import Any

from timecontrol.corpora.documents import Section
from timecontrol.plans import Plan
from timecontrol.vocabulary import tag_text


@dataclass(frozen=True)
class Written:
    """A document that was written, with the plan it was written from."""

    number: int
    """Of the document among those of its seed."""
    sections: tuple[Section, ...]
    ids: tuple[int, ...]
    """Its tokens, begin included, the end token too where there is one."""
    ended: bool
    """Whether the model ended it; otherwise it was stopped."""
    plan: Plan | None
    settings: dict[str, Any] = field(default_factory=dict)
    """How it was written."""
    outline: tuple[tuple[str, int | None], ...] = ()
    """Every tag that was written, empty sections' too, with the number of a numbered one."""
    units: tuple[int, ...] | None = None
    """The plan's point of each sentence, from 0, also past the plan's end; ``None`` without a plan.

    Not always 0, 1, 2, ...: an end of a unit without a sentence moves the plan on, too."""

    def __str__(self) -> str:
        return self.text

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences in order."""
        return tuple(s for section in self.sections for s in section.sentences)

    @property
    def tags(self) -> tuple[str | None, ...]:
        """The tag of each section in order."""
        return tuple(section.tag for section in self.sections)

    @property
    def text(self) -> str:
        """The text, each section on a line with its tag before it."""
        lines = []
        for section in self.sections:
            tag = f"{tag_text(section.tag)} " if section.tag is not None else ""
            lines.append(tag + section.text)
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return the text as Markdown, a heading for each section."""
        parts = []
        for section in self.sections:
            if section.tag is not None:
                parts.append(f"## {section.tag.capitalize()}")
            parts.append(section.text)
        return "\n\n".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Return the document as plain data; ``plan`` can be given to ``generate`` again."""
        return {
            "number": self.number,
            "text": self.text,
            "sections": [{"tag": s.tag, "sentences": list(s.sentences)} for s in self.sections],
            "sentences": list(self.sentences),
            "outline": [list(tag) for tag in self.outline],
            "units": None if self.units is None else list(self.units),
            "tokens": len(self.ids),
            "ended": self.ended,
            "seed": self.settings.get("seed"),
            "settings": self.settings,
            "plan": self.plan.as_dict() if self.plan is not None else None,
        }
