"""``timecontrol demo``: what the tool does, in five steps, and a page with the figures."""

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from timecontrol.cli.console import note, out, plural, progress, say, shown
from timecontrol.errors import MissingBaseError, TimeControlError

if TYPE_CHECKING:
    from timecontrol.decoder import Decoder
    from timecontrol.pages.demo import Shown
    from timecontrol.scoring import TimeControl

EPILOG = "Example: timecontrol demo --out timecontrol-demo"
CITIES = "synthetic:cities"
ENCODER, KIND, READER = "general", "wikisection", "minilm"
"""What judges any text, what judges articles about towns, and the base of both."""
WRITER, FILLER, WRITER_BASE = "wikisection", "stories", "smollm2-135m"
"""What writes, what fills gaps, and the base of both."""
SENTENCES, BUDGET = 12, 512
"""Of an article's plan, and its tokens at most."""
CANDIDATES = 8
PATIENCE = 180.0
"""Seconds after which no other plan is compared."""
TITLES = {
    "flow": "Does it flow?",
    "stranger": "Which sentence does not belong?",
    "article": "An article along a plan",
    "gap": "A gap, filled",
    "learned": "A latent space, learned",
}

TOWN = """\
Harrow Ferry is a market town in the county of Lyneshire, on the north bank of the River Lyne. It is
the seat of the district of Upper Lyne and had a population of 4,180 at the 2011 census. The town
was founded in the 12th century, when the monks of Harrow Abbey established a ferry across the
river. The ferry was replaced by a wooden bridge in 1412, and a weekly market was held beside it.
During the 18th century the town became a centre of the wool trade, and several mills were built
along the river. The railway reached the town in 1861, and the population doubled within thirty
years. The last mill closed in 1974. Harrow Ferry lies 62 metres above sea level, where the valley
of the Lyne opens to the south. The hills to the north are covered with oak and beech forest. The
climate is mild, with an annual rainfall of 810 millimetres. At the 2011 census there were 1,790
households in the town, of which 29 percent had children living at home. The median age was 44
years, and 23 percent of the residents were 65 or older.
"""
"""A text as the encoder knows them; there is no such town."""
TEXT = """\
Anna had never baked a cake before. Her grandmother wrote the recipe on a card and gave it to her.
On Saturday Anna bought flour, butter, eggs and sugar at the market. She mixed everything in the
large blue bowl and put the cake in the oven. The price of copper fell again in the second quarter.
After forty minutes the kitchen smelled of vanilla. The cake was a little flat, but it tasted good.
Anna carried a large piece of it to her grandmother. The old woman laughed and asked for another.
"""
"""A text with a sentence from somewhere else in it."""
STORY = """\
Mara wanted to see the sun rise from the top of the hill. She set her alarm for four and packed a
flask of tea. [ ... ] At the top she sat down on a flat rock and waited. The sky turned pink, and
then gold.
"""
"""A text with a gap."""


@dataclass
class Demo:
    """A demo on its way."""

    out: Path
    base: str
    page: "Shown"
    begun: float = field(default_factory=time.monotonic)
    files: list[str] = field(default_factory=list)
    """What was written."""

    @property
    def run_folder(self) -> Path:
        """Where the encoder goes that is trained."""
        return self.out / ("cities" if self.base == READER else f"cities-{Path(self.base).name}")

    def keep(self, name: str, text: str) -> None:
        """Write a file of the demo; one of an earlier demo is replaced."""
        from timecontrol.runs import write_text

        write_text(self.out / name, text)
        self.files.append(name)


def run(
    to: Annotated[Path, typer.Option("--out", help="The folder to write to.")] = Path(
        "timecontrol-demo"
    ),
    base: Annotated[
        str, typer.Option(help="Frozen base of the encoder that is trained: name, folder, hub id.")
    ] = READER,
) -> None:
    """Show what the tool does, offline, in a few minutes, and write report.html.

    Texts are judged, an article is written along a plan, a gap is filled, an encoder is trained.
    With another base than minilm, that encoder is trained first, and judges the texts.
    """
    if to.exists() and not to.is_dir():
        raise TimeControlError(f"--out is {to}: a file; name a folder.")
    steps: dict[str, tuple[Callable[[Demo], None], tuple[str, ...]]] = {
        "flow": (_flow, (base,)),
        "stranger": (_stranger, (base,)),
        "article": (_article, (WRITER_BASE,)),
        "gap": (_gap, (WRITER_BASE, READER)),
        "learned": (_learned, (base,)),
    }
    if base != READER:
        steps = {"learned": steps.pop("learned"), **steps}
    absent = _absent(steps)
    for error in dict.fromkeys(absent.values()):
        without = [TITLES[name] for name, found in absent.items() if found == error]
        note(f"Left out ({', '.join(without)}): {error}")
    if len(absent) == len(steps):
        raise TimeControlError("Nothing to show yet: what is missing is said above.")
    from timecontrol.pages.demo import Shown

    demo = Demo(to, base, Shown())
    to.mkdir(parents=True, exist_ok=True)
    demo.page.left_out += [f"{TITLES[name]} {error}" for name, error in absent.items()]
    there = [name for name in steps if name not in absent]
    for number, name in enumerate(there, 1):
        with _step(demo, number, name):
            steps[name][0](demo)
    _finish(demo)


def _absent(steps: dict[str, tuple[Callable[[Demo], None], tuple[str, ...]]]) -> dict[str, str]:
    """Return why steps cannot be done, by name: a base that is missing."""
    from timecontrol.bases import resolve

    found: dict[str, str] = {}
    missing: dict[str, str] = {}
    for name in dict.fromkeys(base for _, bases in steps.values() for base in bases):
        try:
            resolve(name)
        except MissingBaseError as error:
            missing[name] = " ".join(str(error).split())
    for step, (_, bases) in steps.items():
        for base in bases:
            if base in missing:
                found.setdefault(step, missing[base])
    return found


@contextmanager
def _step(demo: Demo, number: int, name: str) -> Iterator[None]:
    """Head a step, and tell how long it took; one that fails is left out, the others go on."""
    begun = time.monotonic()
    say(f"{'' if number == 1 else chr(10)}[bold]{number}  {TITLES[name]}[/]\n")
    try:
        yield
    except TimeControlError as error:
        note(f"{TITLES[name]} is left out: {error}")
        demo.page.left_out.append(f"{TITLES[name]} {error}")
        return
    seconds = time.monotonic() - begun
    demo.page.steps.append((TITLES[name], seconds))
    say(f"[dim]{seconds:.1f} s[/]")


def _judge(demo: Demo, encoder: str) -> "tuple[TimeControl, str]":
    """Return what judges texts, and its name: the encoder, or with another base the one trained."""
    from timecontrol.scoring import TimeControl

    name = encoder if demo.base == READER else str(demo.run_folder)
    return TimeControl.from_pretrained(name), name


def _flow(demo: Demo) -> None:
    """Judge a text and the same sentences in another order."""
    import numpy as np

    from timecontrol.pages.twins import Twins, verdict
    from timecontrol.pages.words import chance, share, signed

    judge, name = _judge(demo, KIND)
    own = judge.score(TOWN, "town.txt")
    order = np.random.default_rng(0).permutation(len(own.sentences)).tolist()
    mixed = [own.sentences[i] for i in order]
    other = judge.score(mixed, "shuffled.txt")
    demo.keep("town.txt", TOWN)
    demo.keep("shuffled.txt", "\n".join(mixed) + "\n")
    twins = Twins(name, own, other, tuple(order))
    demo.page.twins = twins
    say(f"{len(own.sentences)} sentences about a town, and the same shuffled\n")
    for what, report in (("as written", own), ("shuffled", other)):
        about = f"percentile {share(report.percentile)}, {chance(report.shuffled)}"
        say(f"{what:<12}{signed(report.score)}  {about} of other orders score as high")
    say(f"\n{verdict(twins)}")


def _stranger(demo: Demo) -> None:
    """Find a sentence that was put into a story."""
    from timecontrol.pages.words import breaking

    judge, _ = _judge(demo, ENCODER)
    report = judge.score(TEXT, "anna.txt")
    demo.keep("anna.txt", TEXT)
    demo.page.stranger = report
    say(f"{len(report.sentences)} sentences, one from somewhere else\n")
    say(breaking(report))
    for number in sorted(report.breaks):
        say(shown(f"  {number + 1}  {report.sentences[number]}"))
    if report.far:
        say("The text is unlike those the encoder knows: here the likeness of sentences counts.")


def _article(demo: Demo) -> None:
    """Write an article along a plan, and others along other plans."""
    from timecontrol.decoder import Decoder
    from timecontrol.generation import stream, write
    from timecontrol.generation.request import default_writing, plans_for
    from timecontrol.pages.articles import Articles, outline
    from timecontrol.pages.planned import Article

    decoder = Decoder.load(WRITER)
    assert decoder.law is not None
    budget = min(BUDGET, decoder.window)
    usual = replace(default_writing(decoder, "normal", stop="plan"), budget=budget)
    begun_line = False

    def tell(tag: str | None, sentence: str) -> None:
        nonlocal begun_line
        if tag is not None:
            say(shown(("\n" if begun_line else "") + f"[ {tag} ]"))
        begun_line = True
        out.print(shown(sentence), end=" ")

    tags = decoder.codec.layout.tags
    ways: list[tuple[str, str, str, Any]] = [
        ("bridge", "A path drawn between a start and an end that were drawn, too.", "bridge", {}),
        ("static", "One point all the way, drawn where documents begin.", "static", {}),
    ]
    if decoder.settings.latent_dropout:  # it has learnt to write without
        about = "The same model and the same random numbers, told no plan."
        ways.append(("not told", about, "bridge", {"latents": False}))
    say("A town that does not exist, along a sampled path of points, one a sentence\n")
    found: list[Article] = []
    for name, about, kind, changes in ways:
        begun = time.monotonic()
        [plan] = plans_for(decoder, 1, usual, kind=kind, sentences=SENTENCES)
        writing = replace(usual, **changes)
        if not found:
            text = stream(decoder, plan, writing, tell)
            say("\n" if text.ended else "\n\nIt was stopped there: the model had not ended it.\n")
        else:
            [text] = write(decoder, [plan], writing, progress=progress)
        found.append(Article(name, about, text, _read_back(decoder, text)))
        say(f"{name:<10}{outline(text, tags)}")
        took = time.monotonic() - begun
        if name != ways[-1][0] and time.monotonic() - demo.begun + took > PATIENCE:
            note("no other plans are compared: that would take too long here")
            break
    rows = [json.dumps({**a.written.as_dict(), "decoder": decoder.about()}) for a in found]
    demo.keep("articles.jsonl", "\n".join(rows) + "\n")
    demo.page.articles = Articles(tuple(found), decoder.law.fit, tuple(tags), WRITER)


def _read_back(decoder: "Decoder", text: Any) -> Any:
    """Return where the encoder puts sentences, smoothed as plans are; ``None`` without its base."""
    import numpy as np

    from timecontrol.decoder.examples import smoothed
    from timecontrol.pages.planned import sections_of

    if decoder.encoder is None or not text.sentences:
        return None
    try:
        latents = decoder.encoder.encode(list(text.sentences))
    except MissingBaseError:
        return None
    stages = sections_of(text) if decoder.within else None
    return smoothed(np.asarray(latents, np.float64), decoder.settings.smooth, stages)


def _gap(demo: Demo) -> None:
    """Fill a gap."""
    import numpy as np

    from timecontrol.decoder import Decoder
    from timecontrol.infilling.fill import filling_of, infill
    from timecontrol.pages.gap import Told

    decoder = Decoder.load(FILLER)
    how = filling_of(decoder, candidates=CANDIDATES, temperature=0.7)
    found = infill(decoder, STORY, how)
    demo.keep("story.txt", STORY)
    sentences = [slot.text or "" for slot in found.whole.slots]
    latents = np.zeros((len(sentences), 1))
    if decoder.encoder is not None:
        latents = np.asarray(decoder.encoder.encode(sentences), np.float64)
    demo.page.told = Told(found, latents)
    inside = {i for gap in found.gaps for i in gap.gap}
    parts = [f"[bold]{shown(s)}[/]" if i in inside else shown(s) for i, s in enumerate(sentences)]
    say(" ".join(parts))
    many = plural(len(found.gaps[0].candidates), "candidate")
    say(shown(f"\nWritten into the gap, the best of {many}: {found.gaps[0].candidates[0].text}"))


def _learned(demo: Demo) -> None:
    """Train an encoder, and look at the paths of documents it has not seen."""
    from timecontrol.corpora import open_corpus
    from timecontrol.encoder import Encoder
    from timecontrol.latents import diagnose
    from timecontrol.pages.learned import Learned

    corpus = open_corpus(CITIES)
    encoder = Encoder.fit(corpus, base=demo.base, out=demo.run_folder, progress=progress)
    demo.files.append(f"{demo.run_folder.name}/")
    paths = encoder.paths(list(corpus.documents("val")), progress).long_enough()
    found = diagnose(paths, encoder.fit_)
    about = encoder.config
    demo.page.learned = Learned(
        corpus=corpus.name,
        documents=about["corpus"]["documents"]["train"],
        base=about["base"]["label"],
        paths=tuple(paths),
        fit=encoder.fit_,
        diagnostics=found,
    )
    say(f"An encoder trained on {demo.page.learned.documents} made documents, {corpus.name}\n")
    wins = f"{100 * found.shuffled_larger:.0f} % of {found.shuffles} shuffles of each"
    say(f"{wins} stray further from the bridge ({len(paths)} new documents)")
    say(f"time explains {100 * found.time_share:.0f} % of their latents' variance")


def _finish(demo: Demo) -> None:
    """Write the page, and say what comes next."""
    from timecontrol import __version__
    from timecontrol.pages.demo import demo_page

    if not demo.page.steps:
        raise TimeControlError("Nothing to show yet: what is missing is said above.")
    demo.keep("report.html", demo_page(demo.page, __version__))
    seconds = time.monotonic() - demo.begun
    report = demo.out / "report.html"
    took = f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    say(f"\n[bold]{shown(str(report))}[/]  shows it all; open it in a browser ({took})\n")
    name = "timecontrol" if shutil.which("timecontrol") else Path(sys.argv[0]).as_posix()
    say("Next, with your own texts:")
    for arguments, about in (
        ("score FILE --html FILE.html", "does it flow?"),
        ("app", "the same, and more, in a browser"),
        ("train encoder text:FOLDER --out RUN", "an encoder of your documents"),
    ):
        say(shown(f"  {name} {arguments:<40}{about}"))
