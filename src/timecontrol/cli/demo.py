"""``timecontrol demo``: the main job on the embedded default, as far as it is built."""

from timecontrol.cli import corpus
from timecontrol.cli.console import say


def run() -> None:
    """Show what the tool does, offline, on made documents: three corpora and their structure."""
    for kind in ("cities", "dialogues", "recipes"):
        say(f"[bold]── synthetic:{kind} ──[/]\n")
        corpus.run(f"synthetic:{kind}")
        say()
    say("[bold]── next ──[/]\n")
    say("Your own documents:  timecontrol corpus text:FOLDER")
    say("All formats:         timecontrol corpus list")
    say("Pretrained bases:    timecontrol bases")
