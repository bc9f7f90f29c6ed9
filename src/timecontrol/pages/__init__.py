"""Reports for people: the words for a score, and a page that needs no network and no script."""

from timecontrol.pages.lowest import Lowest
from timecontrol.pages.report import comparison_page, reports_page

__all__ = ["Lowest", "comparison_page", "reports_page"]
