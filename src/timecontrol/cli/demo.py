"""``timecontrol demo``: the main job on the embedded default, as far as it is built."""

from timecontrol.cli import corpus
from timecontrol.cli.console import out


def run() -> None:
    """Show what the tool does, offline, on made documents: three corpora and their structure."""
    for kind in ("cities", "dialogues", "recipes"):
        out.rule(f"synthetic:{kind}")
        corpus.run(f"synthetic:{kind}", show=1)
    out.rule("next")
    out.print("Your own documents:  timecontrol corpus text:FOLDER")
    out.print("All formats:         timecontrol corpus list")
    out.print("Pretrained bases:    timecontrol bases")
