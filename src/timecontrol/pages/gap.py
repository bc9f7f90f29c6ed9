"""A gap that was filled: the text, the candidates with their numbers, and where they lie."""

from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from timecontrol.figures import own_plane
from timecontrol.infilling.fill import Candidate, Filled, Infilled
from timecontrol.pages.drawing import Frame, dot, line, svg, words
from timecontrol.pages.paths import beside, figure

Array = NDArray[np.float64]

WIDTH, HEIGHT = 480, 300
CAPTION = (
    "The path of the text in its two widest directions. Square: where the bridge has the missing "
    "sentence. Letters: the candidates as the encoder reads them."
)


@dataclass(frozen=True)
class Told:
    """A text of which a gap was filled."""

    found: Infilled
    latents: Array
    """Of all its sentences, the best candidate's too, (sentences, d)."""

    @property
    def gap(self) -> Filled:
        """The first gap."""
        return self.found.gaps[0]


def letter(number: int) -> str:
    """Return the name of a candidate: a, b ... z, then numbers."""
    return chr(ord("a") + number) if number < 26 else str(number + 1)


def story(told: Told) -> str:
    """Return the text with what was written for the gap marked."""
    inside = {i for gap in told.found.gaps for i in gap.gap}
    parts = []
    for i, slot in enumerate(told.found.whole.slots):
        said = f"<sup>{i + 1}</sup>{escape(slot.text or '')}"
        parts.append(f"<mark>{said}</mark>" if i in inside else f"<span>{said}</span>")
    return f'<p class="prose">{" ".join(parts)}</p>'


def candidates(told: Told) -> str:
    """Return the candidates, best first, with what they are ranked by."""
    names = ("", "Candidate", "Score", "Likely", "Near", "Follows")
    head = "".join(f'<th scope="col"{" class=n" * (i > 1)}>{n}</th>' for i, n in enumerate(names))
    rows = []
    for number, candidate in enumerate(told.gap.candidates):
        cells = "".join(f'<td class="n">{cell}</td>' for cell in _numbers(candidate))
        rows.append(
            f'<tr><th scope="row" class="n">{letter(number)}</th>'
            f'<td class="text">{escape(candidate.text)}</td>{cells}</tr>'
        )
    return (
        f'<div class="wide" tabindex="0"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _numbers(candidate: Candidate) -> list[str]:
    m = candidate.measured
    given = (candidate.score, m.likely, m.near, m.follows)
    return ["" if value is None else f"{value:+.2f}" for value in given]


def gap_chart(told: Told) -> str:
    """Return the path of the text in its own plane, the bridge over the gap, and the candidates."""
    kept = [i for i in range(len(told.latents)) if i not in told.gap.gap]
    drawn = [(n, c.measured.latents) for n, c in enumerate(told.gap.candidates)]
    given = [(n, z) for n, z in drawn if z is not None]
    mean = told.gap.mean
    groups = [told.latents[kept], *([mean] if mean is not None else []), *(z for _, z in given)]
    flat = own_plane(np.concatenate(groups))
    frame = Frame.square(flat, WIDTH, HEIGHT)
    parted = np.split(frame.at(flat), np.cumsum([len(g) for g in groups])[:-1])
    text, parts = parted[0], []
    for a, b in zip(range(len(kept) - 1), range(1, len(kept)), strict=True):
        kind = "walk coherent" if kept[b] == kept[a] + 1 else "walk gap"
        parts.append(line(text[[a, b]], kind))
    sentences = [told.found.whole.slots[i].text or "" for i in kept]
    for i, place, said in zip(kept, text, sentences, strict=True):
        parts += [dot(place, "stop coherent", 4.5, f"{i + 1}: {said}")]
        parts.append(beside(place, str(i + 1), frame))
    if mean is not None:
        for x, y in parted[1]:
            parts.append(
                f'<rect class="mean" x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12"/>'
            )
            parts.append(words(x - 11, y + 4, "bridge", "number", "end"))
    for (number, _), places in zip(given, parted[len(parted) - len(given) :], strict=True):
        kind = "best" if number == 0 else "other"
        text_of = f"{letter(number)}: {told.gap.candidates[number].text}"
        for place in places:
            parts.append(dot(place, f"candidate {kind}", 5, text_of))
            parts.append(beside(place, letter(number), frame, f"number {kind}"))
    about = (
        f"The path of {len(kept)} sentences, a gap in it, where the bridge has what is missing, "
        f"and {len(given)} candidates."
    )
    return svg(about, parts, WIDTH, HEIGHT)


def gap_part(told: Told) -> str:
    """Return the part of the page: the text, where the candidates lie, and their numbers."""
    n = len(told.gap.candidates)
    return (
        '<p class="lead">A sentence is missing. The bridge between the sentences about the gap '
        f"says where it should lie; the model, which reads both sides, offers {n} "
        f"candidate{'s' if n != 1 else ''}, and the best is put in.</p>"
        f'<div class="pair"><div>{story(told)}</div>'
        f"{figure(gap_chart(told), CAPTION)}"
        f"</div>{candidates(told)}"
        '<p class="quiet">Score: the sum by which they are ranked, of how probable the words are, '
        "how near they lie to the bridge, and how well the rest follows.</p>"
    )
