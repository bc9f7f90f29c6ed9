"""Suggested orders on a terminal: the score as it is and as it would be, and the new order."""

from timecontrol.cli.console import say, table
from timecontrol.cli.reports import hang, paragraph, show
from timecontrol.pages.words import between, share, signed
from timecontrol.scoring import Suggestion

FAR = "Of texts that the encoder does not know it can hardly tell the order."


def show_suggestion(found: Suggestion) -> None:
    """Print a document as it is, and the order that is suggested."""
    show(found.now)
    say()
    searched = "the likeliest path between each two ends" if found.exact else "some likely paths"
    if found.same:
        paragraph(f"No order was found that scores higher (looked at: {searched}).")
        return
    say(f"[bold]Suggested order[/] (looked at: {searched})\n")
    rows = [
        [name, signed(r.score), between(r.interval), share(r.percentile), f"{density:.1f}"]
        for name, r, density in (
            ("now", found.now, found.density),
            ("suggested", found.report, found.best),
        )
    ]
    table(["", "score", "95 % interval", "percentile", "log density of the path"], rows)
    say()
    if found.now.far:
        paragraph(f"Take care: {FAR[0].lower()}{FAR[1:]}", "yellow")
        say()
    digits = len(str(len(found.order)))
    say(f"[bold]{'':>{digits}}  {'was':>{max(3, digits)}}  sentence[/]")
    for new, old in enumerate(found.order):
        head = f"{new + 1:>{digits}}  {old + 1:>{max(3, digits)}}  "
        hang(head, len(head), found.now.sentences[old])
