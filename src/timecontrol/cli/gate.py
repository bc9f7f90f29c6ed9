"""Which documents are not good enough; what is kept does not grow with their number."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from timecontrol.cli.console import plural

if TYPE_CHECKING:
    from timecontrol.scoring import Report

SHOWN = 20
"""So many documents are named; the others are counted."""


@dataclass
class Gate:
    """The least that is asked of a document, and who did not reach it."""

    min_score: float | None = None
    min_percentile: float | None = None
    fail_short: bool = False
    """Whether a document that is too short fails; it passes otherwise."""
    documents: int = 0
    short: int = 0
    below: int = 0
    first: list[str] = field(default_factory=list)
    """The first that failed, and why."""

    @property
    def asks(self) -> bool:
        """Whether a document can be below something."""
        return self.min_score is not None or self.min_percentile is not None

    @property
    def failed(self) -> int:
        """How many documents failed."""
        return self.below + (self.short if self.fail_short else 0)

    def see(self, report: "Report") -> None:
        """Look at one document."""
        reasons = list(self._reasons(report))
        self.documents += 1
        self.short += report.short
        self.below += bool(reasons) and not report.short
        if reasons and len(self.first) < SHOWN:
            self.first.append(f"{report.id}: {'; '.join(reasons)}")

    def _reasons(self, report: "Report") -> Iterator[str]:
        score, percentile = report.score, report.percentile
        if report.reason and self.fail_short:
            yield report.reason
        if score is not None and self.min_score is not None and not score >= self.min_score:
            yield f"score {score:.3f} is below {self.min_score:g}"
        least = self.min_percentile
        if percentile is not None and least is not None and not percentile >= least:
            yield f"percentile {percentile:.1f} is below {least:g}"

    def named(self) -> Iterator[str]:
        """Yield which documents failed, a line each."""
        yield from self.first
        if more := self.failed - len(self.first):
            yield f"... and {plural(more, 'document')} more"

    def summary(self) -> str:
        """Return how many were scored, were too short, and failed."""
        said = [f"{self.documents - self.short:,} scored", f"{self.short:,} too short"]
        if self.asks:
            said.append(f"{self.below:,} below the limit")
        return f"{plural(self.documents, 'document')}: {', '.join(said)}"
