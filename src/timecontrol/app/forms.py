"""What requests to the HTTP API hold: fields with their bounds, descriptions and examples.

Nothing is guessed: a number is no string, and a field that there is not is refused.
"""

from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from timecontrol.app.asked import HOTTEST, LONGEST_NAME, LOUDEST, SEEDS, Asked
from timecontrol.coherence.bridge import SHORTEST

WORDS = 100
"""In each missing sentence, at most."""


def as_length(value: Any) -> Any:
    """Return a number of tokens as text, as a length is."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("normal, forced, or a number of tokens")
    return str(value)


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Length = Annotated[
    str,
    BeforeValidator(as_length),
    WithJsonSchema({"type": ["string", "integer"], "default": "normal"}),
]
Seed = Annotated[int, Field(ge=0, lt=SEEDS, description="The same seed gives the same answer.")]
Temperature = Annotated[float, Field(ge=0, le=HOTTEST, description="0: the most probable token.")]


class Form(BaseModel):
    """A request: no field but its own, no value of another kind."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class ScoreForm(Form):
    """A text, or its sentences, to be scored."""

    text: str | None = Field(
        default=None,
        description="A text; it is split into sentences.",
        examples=["One. Two. Three."],
    )
    sentences: list[str] | None = Field(default=None, description="Sentences, instead of a text.")
    encoder: Name | None = Field(
        default=None, description="One of the encoders of GET /api/about; otherwise the first."
    )

    @model_validator(mode="after")
    def one(self) -> Self:
        """Check that there is a text or sentences, and not both."""
        if (self.text is None) == (self.sentences is None):
            raise ValueError("Give text or sentences, one of them")
        return self

    @property
    def given(self) -> str | list[str]:
        """What is to be scored."""
        return self.text if self.text is not None else self.sentences or []


class OrderForm(Form):
    """Sentences whose best order is sought."""

    sentences: list[str] = Field(
        min_length=SHORTEST,
        description="In the order they have now; at most limits.ordered of GET /api/about.",
        examples=[["She left.", "She packed a bag.", "She came home."]],
    )
    encoder: Name | None = Field(
        default=None, description="One of the encoders of GET /api/about; otherwise the first."
    )


class WaypointForm(Form):
    """What is to be said at a place of the document."""

    at: float = Field(gt=0, lt=1, description="A share of the document.", examples=[0.5])
    text: str = Field(description="What is to be said there.", examples=["The school closed."])


class PlanForm(Form):
    """A plan, to be drawn or written along."""

    model: Name | None = Field(
        default=None, description="One of the decoders of GET /api/about; otherwise the first."
    )
    kind: Name | None = Field(
        default=None,
        description="Of plan, one of the kinds of GET /api/about; otherwise the decoder's own.",
        examples=["bridge"],
    )
    start: str | None = Field(
        default=None,
        description="What the first sentence is about.",
        examples=["A port on the sea."],
    )
    goal: str | None = Field(
        default=None,
        description="What the last sentence is about.",
        examples=["Few people are left."],
    )
    waypoints: list[WaypointForm] = Field(default=[], description="What is to be said between.")
    sentences: int | None = Field(
        default=None, ge=1, description="Of the plan; otherwise as usual."
    )
    length: Length = Field(
        default="normal", description="normal, forced (the whole window), or a number of tokens."
    )
    noise: float = Field(
        default=1.0,
        ge=0,
        le=LOUDEST,
        description="What the plan's noise is multiplied by; 0: none.",
    )
    seed: Seed = 0
    top_p: float | None = Field(
        default=None, gt=0, le=1, description="Mass of the tokens that are drawn from."
    )
    temperature: Temperature = 1.0

    def asked(self) -> Asked:
        """Return it as the service is asked."""
        return Asked(
            model=self.model,
            kind=self.kind,
            start=self.start,
            goal=self.goal,
            waypoints=tuple((w.at, w.text) for w in self.waypoints),
            sentences=self.sentences,
            length=self.length,
            noise=self.noise,
            seed=self.seed,
            top_p=self.top_p,
            temperature=self.temperature,
        )


class WriteForm(PlanForm):
    """A text, to be written along a plan."""

    stream: bool = Field(
        default=False,
        description="A line of JSON for the plan, each sentence, and the whole, when it is there; "
        "with Accept: text/event-stream as server-sent events.",
    )


class InfillForm(Form):
    """A text with gaps."""

    text: str = Field(
        description="Gaps are marked [ ... ], or [ ...3 ] for three sentences.",
        examples=["She packed a bag. [ ... ] The train left at noon."],
    )
    model: Name | None = Field(
        default=None, description="One of the fillers of GET /api/about; otherwise the first."
    )
    candidates: int = Field(default=4, ge=1, description="Drawn for each gap; the best is put in.")
    words: int | None = Field(
        default=None, ge=1, le=WORDS, description="About so many in each missing sentence."
    )
    first: str | None = Field(
        default=None, max_length=1_000, description="What the first missing sentence begins with."
    )
    seed: Seed = 0
    temperature: Temperature = 0.7
