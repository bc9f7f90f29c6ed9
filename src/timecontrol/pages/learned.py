"""An encoder that was trained: paths of new documents, and do they behave like bridges?"""

from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from timecontrol.figures import by_time
from timecontrol.latents.diagnostics import Diagnostics
from timecontrol.latents.fit import Fit, residuals
from timecontrol.pages.paths import figure, over_time
from timecontrol.pages.profile import Profile, profile_chart

Array = NDArray[np.float64]

COORDINATES = 4
"""Of the latents that are drawn, those that time explains best."""
SMALL = (300, 200)
"""Width and height of small charts."""


@dataclass(frozen=True)
class Learned:
    """An encoder that was trained, and the paths of documents it was not trained on."""

    corpus: str
    documents: int
    """That it was trained on."""
    base: str
    paths: tuple[Array, ...]
    """Of validation documents, each (sentences, d)."""
    fit: Fit
    """Of the training documents."""
    diagnostics: Diagnostics
    """Of the validation documents."""
    seed: int = 0
    """Of the shuffles that are drawn."""


def hero(learned: Learned) -> str:
    """Return the coordinate that time explains best, of documents in order and shuffled."""
    best, shares = _best(learned)
    n, k = len(learned.paths), best[0]
    left = over_time(learned.paths, k, title="As they were written")
    right = over_time(learned.paths, k, seed=learned.seed, title="Their sentences shuffled")
    about = (
        f"One of {len(shares)} latent coordinates of {n} documents, from the first sentence to the "
        "last, a thin line each. The encoder was trained for this page, on other documents. "
        "Thick: their mean; band: ± one standard deviation."
    )
    return (
        f'<figure class="hero"><div class="charts">{left}{right}</div>'
        f"<figcaption>{escape(about)}</figcaption></figure>"
    )


def learned_part(learned: Learned) -> str:
    """Return the part of the page: paths in order and shuffled, and their residuals."""
    best, shares = _best(learned)
    found = learned.diagnostics
    pairs = []
    for k in best[:COORDINATES]:
        said = f"z{k + 1}, {100 * max(0.0, float(shares[k])):.0f} % by time"
        pairs.append(over_time(learned.paths, k, title=said, size=SMALL))
        pairs.append(over_time(learned.paths, k, seed=learned.seed, title="Shuffled", size=SMALL))
    line_of = Profile.of([residuals(p) for p in learned.paths], learned.fit.line_sigma)
    bent = [residuals(p, learned.fit.mean_path) for p in learned.paths]
    mean_of = Profile.of(bent, learned.fit.mean_sigma)
    n = len(learned.paths)
    wins = f"{100 * found.shuffled_larger:.0f} %"
    return (
        f'<p class="lead">A small network was trained on {learned.documents} made documents '
        f"({escape(learned.corpus)}), over a frozen base ({escape(learned.base)}), to put the "
        "sentences of a document on a bridge between its ends. What it does with "
        f"{n} documents it has not seen: of {found.shuffles} shuffles of each, {wins} stray "
        f"further from the bridge than the original.</p>"
        f'<div class="fours">{"".join(pairs)}</div>'
        "<h3>Does it behave like a bridge?</h3>"
        "<p>A bridge is held at both ends and strays most in the middle: about the line between "
        "its ends "
        "its variance is σ² t (T − t) / T. Points: the mean squared residual of a coordinate, "
        "± one standard error over documents. Line: the bridge, with the σ of the training "
        "documents.</p>"
        '<div class="charts">'
        + figure(
            profile_chart(line_of, "About the straight line"),
            "Residuals about the straight line between first and last sentence. R² "
            f"{line_of.r2:.2f}, σ {line_of.sigma:.3f}.",
        )
        + figure(
            profile_chart(mean_of, "About the mean path"),
            f"The same about the way that all training documents go. R² {mean_of.r2:.2f}, σ "
            f"{mean_of.sigma:.3f}. Below 0, a constant would describe them better than a bridge.",
        )
        + "</div>"
        f"<p>Correlation of neighbouring steps: {found.step_correlation:+.2f}. A bridge has 0, "
        "noise of each sentence alone −0.5.</p>"
    )


def _best(learned: Learned) -> tuple[list[int], Array]:
    return by_time(list(learned.paths), learned.fit)
