"""Small things a page is made of: paths, articles, a filled gap, twins, and the whole of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.latents.test_fit import drawn
from tests.pages.test_report import EVIL
from tests.reports import SENTENCES, made
from timecontrol.corpora.documents import Section
from timecontrol.generation.written import Written
from timecontrol.infilling.fill import Candidate, Filled, Infilled
from timecontrol.infilling.gaps import Gapped, Slot
from timecontrol.infilling.ranking import Measured
from timecontrol.latents import diagnose, fit_paths
from timecontrol.pages.articles import Articles
from timecontrol.pages.demo import Shown
from timecontrol.pages.gap import Told
from timecontrol.pages.learned import Learned
from timecontrol.pages.planned import Article
from timecontrol.pages.twins import Twins
from timecontrol.plans import Plan

Array = NDArray[np.float64]

PATHS = [np.concatenate(both, 1) for both in zip(drawn(24), drawn(24, 3.0, 1), strict=True)]
"""Of documents, each (sentences, 4): bridges, two coordinates bent."""
FIT = fit_paths(PATHS)
TAGS = ("HISTORY", "GEOGRAPHY")
SECTIONS = (
    Section("HISTORY", ("It was founded by monks.", "A bridge came later.")),
    Section("GEOGRAPHY", ("It lies on a river & a hill.",)),
)


def path(n: int, seed: int = 0) -> Array:
    """Return the start of a path, (n, 4)."""
    return PATHS[seed][:n]


def article(
    sections: tuple[Section, ...] = SECTIONS,
    *,
    name: str = "bridge",
    about: str = "A path.",
    points: Array | None = None,
    units: tuple[int, ...] | None = None,
    read: bool = True,
    **more: Any,
) -> Article:
    """Return a text along a plan, a point a sentence where nothing else is said."""
    n = sum(len(s.sentences) for s in sections)
    outline = tuple((s.tag, None) for s in sections if s.tag is not None)
    plan = Plan(path(n) if points is None else points, "bridge")
    given: dict[str, Any] = {"outline": outline, "units": tuple(range(n)), **more}
    if units is not None:
        given["units"] = units
    written = Written(0, sections, (0,), given.pop("ended", True), plan, **given)
    return Article(name, about, written, path(n, 1) if read else None)


def evil_article() -> Article:
    """Return an article all of whose words would do harm, were they not escaped."""
    sections = (Section(EVIL, (EVIL, "b")), Section(None, (EVIL,)))
    return article(sections, name=EVIL, about=EVIL)


def articles(*some: Article, **more: Any) -> Articles:
    """Return articles along plans."""
    found = some or (article(), article(name="static", settings={"latents": False}))
    return Articles(found, **{"fit": FIT, "tags": TAGS, "decoder": "wikisection", **more})


def told(n: int = 3, *, latents: bool = True, text: str = "Then it rained.") -> Told:
    """Return a text of four sentences whose third was missing; n candidates."""
    before = ("She woke up.", "She went out.", text, "She came home wet.")
    slots = tuple(Slot(sentence) for sentence in before)
    found = []
    for i, own in enumerate(np.random.default_rng(1).normal(size=(n, 1, 4))):
        measured = Measured(-2.5, 0.1, None, own if latents else None)
        found.append(Candidate((text if i == 0 else f"Other {i}.",), -float(i), measured))
    mean = path(4)[2:3] if latents else None
    filled = Filled(range(2, 3), tuple(found), mean, range(4))
    return Told(Infilled(Gapped(slots), (filled,)), path(4) if latents else np.zeros((4, 1)))


def twins(sentences: tuple[str, ...] = SENTENCES, **more: Any) -> Twins:
    """Return a document, and the same backwards."""
    shuffled = made("b", sentences[::-1], score=-1.75)
    order = tuple(range(len(sentences)))[::-1]
    given = {"encoder": "general", "coherent": made("a", sentences, 0.5), "shuffled": shuffled}
    return Twins(**{**given, "order": order, **more})


def learned(**more: Any) -> Learned:
    """Return an encoder of which the paths of new documents are known."""
    given = {"corpus": "synthetic:cities", "documents": 24, "base": "minilm"}
    known = {"paths": tuple(PATHS), "fit": FIT, "diagnostics": diagnose(PATHS, FIT, shuffles=2)}
    return Learned(**{**given, **known, **more})


def shown(**more: Any) -> Shown:
    """Return all that can be on the page."""
    given: dict[str, Any] = {
        "twins": twins(),
        "stranger": made("c", trust=0.1),
        "articles": articles(),
        "told": told(),
        "learned": learned(),
        "steps": [("Does it flow?", 2.4), ("A gap, filled", 61.6)],
    }
    return Shown(**{**given, **more})
