"""How many sentences a plan has.

With S sentences and T tokens in the mean training document, and a budget of B tokens::

    rule        normal    forced, or a number of tokens
    best        S         B / T * S
    paper       S         (B - T) / T * S
    released    T         B / T * S, rounded down

The paper's factor shortens a plan whenever T > B / 2, where a longer text was meant; very probably
B / T was. The released code counts tokens in normal mode, so that only the first stretch of its
plans is followed.
"""

import math
from collections.abc import Callable

from timecontrol.errors import TimeControlError, pick
from timecontrol.plans.law import Law

SHORTEST = 2
"""A start and a goal."""

NORMAL: dict[str, Callable[[float, float], float]] = {
    "best": lambda S, T: S,
    "paper": lambda S, T: S,
    "released": lambda S, T: T,
}
"""Of the sentences and tokens of a document, by rule."""

BUDGET: dict[str, Callable[[float, float, float], float]] = {
    "best": lambda B, S, T: B / T * S,
    "paper": lambda B, S, T: (B - T) / T * S,
    "released": lambda B, S, T: math.floor(B / T * S),
}
"""Of a budget of tokens and the sentences and tokens of a document, by rule."""

MODES = {
    "normal": "as long as a training document",
    "forced": "until the window is full",
    "tokens": "about so many tokens",
}


def plan_length(law: Law, mode: str, budget: int | None = None, rule: str = "best") -> int:
    """Return the number of sentences of a plan, at least 2.

    Args:
        law: Its mean document.
        mode: Key of ``MODES``.
        budget: Tokens to fill; not needed in normal mode.
        rule: Key of ``BUDGET``.

    Raises:
        TimeControlError: The mode or the rule is unknown, or the budget is missing or under 1.
    """
    pick(MODES, mode, "length of a plan")
    normal = pick(NORMAL, rule, "rule for the length of plans")
    if mode == "normal":
        return max(SHORTEST, round(normal(law.sentences, law.tokens)))
    if budget is None or not 1 <= budget < math.inf:
        raise TimeControlError(
            f"A plan of length {mode!r} needs a budget of at least 1 token, got {budget}."
        )
    return max(SHORTEST, round(BUDGET[rule](budget, law.sentences, law.tokens)))
