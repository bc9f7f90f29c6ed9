"""``timecontrol export``: a run for other libraries."""

from pathlib import Path
from typing import Annotated

import typer

from timecontrol.cli.console import say, shown

EPILOG = "Example: timecontrol export runs/mine --to exported"


def run(
    name: Annotated[
        str, typer.Argument(metavar="RUN", help="A run folder, or of the package: see below.")
    ],
    to: Annotated[Path, typer.Option(help="The folder to write.")],
) -> None:
    """Write a run for other libraries.

    An encoder becomes a plain sentence-transformers model, usable without this package; a decoder a
    transformers model. Encoders of the package go by their names, a decoder by NAME-decoder:
    general, wikisection, dialogue, wikisection-decoder.
    """
    from timecontrol.pretrained import DECODERS, decoder_folder, folder_of
    from timecontrol.runs import is_finished, kind_of

    whose = name.removesuffix("-decoder")
    shipped = whose != name and whose in DECODERS and not is_finished(Path(name))
    folder = decoder_folder(whose) if shipped else folder_of(name)
    if kind_of(folder) == "decoder":
        from timecontrol.decoder import Decoder
        from timecontrol.decoder.export import export as export_decoder

        export_decoder(Decoder.load(folder, device="cpu"), to)
        say(
            shown(
                f"{to} is a transformers model: AutoModelForCausalLM.from_pretrained({str(to)!r})"
            )
        )
        return
    from timecontrol.encoder import Encoder
    from timecontrol.encoder.export import export

    export(Encoder.load(folder, device="cpu"), to)
    say(shown(f"{to} is a sentence-transformers model: SentenceTransformer({str(to)!r})"))
