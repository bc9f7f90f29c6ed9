"""A report in plain words: what its numbers say."""

from typing import Literal

from timecontrol.scoring import Report
from timecontrol.versions import Versions

Level = Literal["breaks", "weak", "fits"]
MARKS: dict[Level, str] = {"breaks": "breaks the thread", "weak": "weak link", "fits": "fits"}
FAR = (
    "This text is unlike those the encoder knows. The likeness of neighbouring sentences counts "
    "most, and percentiles compare it with other kinds of text."
)
SCORE = "0 is usual for the texts the encoder knows, one point a standard deviation among them"


def level(report: Report, number: int) -> Level:
    """Return how well a sentence of a report fits."""
    return "breaks" if number in report.breaks else "weak" if number in report.weak else "fits"


def signed(value: float | None) -> str:
    """Return a score or a fit."""
    return "" if value is None else f"{round(value, 2) + 0.0:+.2f}"


def share(percentile: float | None) -> str:
    """Return a percentile."""
    if percentile is None:
        return ""
    return "under 1" if percentile < 1 else "over 99" if percentile > 99 else f"{percentile:.0f}"


def chance(probability: float | None) -> str:
    """Return a probability as a percentage."""
    return "" if probability is None else f"{share(100 * probability)} %"


def between(interval: tuple[float, float] | None) -> str:
    """Return an interval."""
    return "" if interval is None else f"{signed(interval[0])} to {signed(interval[1])}"


def meaning(report: Report) -> str:
    """Return what the numbers of a report say, in one sentence."""
    if report.percentile is None:
        return f"{(report.reason or '').capitalize()}, so there is no score."
    said = _likeness(report.percentile) if report.far else _flow(report.percentile)
    if report.shuffled is not None:
        said += _order(report.shuffled)
    return f"{said}."


def _flow(percentile: float) -> str:
    if percentile < 2:
        return "It flows less well than nearly all texts the encoder knows"
    if percentile < 25:
        return "It flows less well than most texts the encoder knows"
    if percentile <= 75:
        return "It flows as well as texts the encoder knows usually do"
    return "It flows better than most texts the encoder knows"


def _likeness(percentile: float) -> str:
    known = "texts of the kinds the encoder knows"
    if percentile < 25:
        return f"Its sentences are less alike than in most {known}"
    if percentile <= 75:
        return f"Its sentences are as alike as in {known}"
    return f"Its sentences are more alike than in most {known}"


def _order(shuffled: float) -> str:
    if shuffled <= 0.05:
        return ", and the order of its sentences is clearly better than chance"
    if shuffled <= 0.15:
        return ", and the order of its sentences is perhaps better than chance"
    return ", and as far as can be seen its sentences might stand in another order"


def breaking(report: Report) -> str:
    """Return which sentences break the thread, by number."""
    numbers = [str(i + 1) for i in sorted(report.breaks)]
    if not numbers:
        weak = [str(i + 1) for i in report.weak]
        links = f"; weak links: {', '.join(weak)}" if weak else ""
        return f"No sentence clearly breaks the thread{links}."
    if len(numbers) == 1:
        return f"Sentence {numbers[0]} breaks the thread."
    return f"Sentences {', '.join(numbers[:-1])} and {numbers[-1]} break the thread."


def verdict(versions: Versions) -> str:
    """Return whether a new version is better, in one sentence."""
    if versions.difference is None:
        which = [n for n, r in (("old", versions.old), ("new", versions.new)) if r.short]
        both = "Both versions are" if len(which) == 2 else f"The {which[0]} version is"
        return f"{both} too short, so there is no difference to tell."
    if versions.same:
        return "Both versions have the same sentences."
    if not versions.clear:
        return "The difference is within its uncertainty: neither version is clearly better."
    side = "better" if versions.difference > 0 else "worse"
    return f"The new version flows {side}: the difference is larger than its uncertainty."
