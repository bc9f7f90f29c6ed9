"""A base and its tokenizer made into the parts of a decoder."""

from typing import Any

from timecontrol.corpora.layout import Layout
from timecontrol.decoder.examples import boundaries
from timecontrol.decoder.fusion import spread
from timecontrol.decoder.model import PlannedLM
from timecontrol.decoder.settings import Settings


def codec_of(tokenizer: Any, layout: Layout, settings: Settings) -> Any:
    """Return how documents are written as tokens: a ``tokens.Codec``."""
    from timecontrol.tokens import Codec

    return Codec(tokenizer, layout, settings.form, settings.fills)


def model_of(lm: Any, codec: Any, settings: Settings, dim: int) -> PlannedLM:
    """Return a base with rows for the marks, made to follow plans of ``dim`` numbers; 0: none."""
    codec.fit(lm, settings.distinct)
    counted, opens = boundaries(codec)
    return PlannedLM.around(
        lm,
        init=settings.init,
        plan_dim=dim,
        depths=spread(int(lm.config.num_hidden_layers), settings.depths) if dim else (),
        clock=settings.clock,
        end_row=settings.end_row,
        sparse=settings.method == "section-sparse",
        units=settings.units,
        boundaries=counted,
        opens=opens,
        fusion=settings.fusion,
        look=settings.look,
        tags=sorted(codec.tag_ids.values()),
        between=[] if codec.style.period or not settings.final_mark else codec.between,
        close=codec.end,
        decided=codec.go_on is not None,
        apart=settings.apart,
    )


def positions_of(lm: Any) -> int:
    """Return how many tokens a base takes at most."""
    return int(getattr(lm.config, "max_position_embeddings", None) or 1 << 20)
