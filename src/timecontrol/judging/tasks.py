"""What people are asked: two questions, each with five answers.

The paper showed annotators "the last few generated interactions" of a dialogue and asked "whether
the provided snippet could be a reasonable ending for such a conversation", from 1, "Very
Unreasonable Ending", to 5, "Very Reasonable Ending"; and "whether the generated fill-in sentence is
a reasonable completion", given what precedes and follows, "on a scale of 1-5 (not reasonable to
very reasonable)". The words at the ends of the scales are the paper's, those between are ours.
"""

from dataclasses import dataclass

LOWEST, HIGHEST = 1, 5


@dataclass(frozen=True)
class Task:
    """One question."""

    name: str
    question: str
    hint: str
    """What is seen, told above it."""
    labels: tuple[str, str, str, str, str]
    """Of the answers 1 to 5."""
    fields: tuple[str, ...]
    """What an item has to show."""
    table: str
    """The paper's table of it."""


TASKS = {
    "ending": Task(
        "ending",
        "Could this be a reasonable ending?",
        "The last lines of a conversation or text.",
        (
            "Very unreasonable ending",
            "Unreasonable ending",
            "Neither reasonable nor unreasonable",
            "Reasonable ending",
            "Very reasonable ending",
        ),
        ("lines", "whole"),
        "forced_long_human",
    ),
    "infill": Task(
        "infill",
        "Is the marked text a reasonable fill-in for the gap it stands in?",
        "What comes before, the fill-in, and what comes after.",
        (
            "Not reasonable",
            "Hardly reasonable",
            "Somewhat reasonable",
            "Reasonable",
            "Very reasonable",
        ),
        ("left", "fill", "right"),
        "infilling_human",
    ),
}
"""By name."""
