"""The documents of a page: all, or those that score lowest where there are too many."""

import heapq
from dataclasses import dataclass, field

from timecontrol.scoring import Report

MOST = 200
"""Documents a page holds."""


@dataclass
class Lowest:
    """Documents that come one by one, of which so many are kept."""

    most: int = MOST
    total: int = 0
    """How many came."""
    heap: list[tuple[float, int, Report]] = field(default_factory=list)

    def see(self, report: Report) -> None:
        """Keep a document, or leave it or a higher one out; those without a score go first."""
        self.total += 1
        high = float("inf") if report.score is None else report.score
        item = (-high, -self.total, report)
        if len(self.heap) < self.most:
            heapq.heappush(self.heap, item)
        else:
            heapq.heappushpop(self.heap, item)

    @property
    def reports(self) -> list[Report]:
        """Those kept, in the order they came in."""
        return [report for _, _, report in sorted(self.heap, key=lambda item: -item[1])]
