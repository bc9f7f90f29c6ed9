"""Every corpus we can read, by name: what it holds, its layout, the formats it comes in."""

from dataclasses import dataclass

from timecontrol.corpora import (
    own,
    recipes,
    sgd,
    stories,
    taskmaster,
    tickettalk,
    wikihow,
    wikisection,
)
from timecontrol.corpora.layout import (
    DIALOGUE,
    EPISODES,
    HOWTO,
    RECIPE,
    SPOKEN,
    STORY,
    WIKISECTION,
    Layout,
)
from timecontrol.corpora.reading import Format


@dataclass(frozen=True)
class Entry:
    """What is known of a corpus before a file of it is seen."""

    about: str
    layout: Layout | None
    """``None``: read off the documents (``own``)."""
    formats: tuple[Format, ...]
    """In a folder that holds several, the first one found is read."""
    folders: tuple[str, ...] = ()
    """Where it may lie under the data folder, besides its own name."""
    ids_repeat: bool = False
    """Whether ids are unique only within a split."""
    names_split: bool = False
    """Whether a record may name its own split."""
    deep: bool = False
    """Whether folders are searched to the bottom, all formats are read, and paths are ids."""
    apart: bool = False
    """Whether every section is a document of its own, in the split of the whole."""
    width: int = 0
    """If not 0, every section is cut into documents of so many sentences, without its tag; a rest
    is left out."""


CORPORA: dict[str, Entry] = {
    "wikisection": Entry(
        "city articles: processed text, or original JSON processed alike",
        WIKISECTION,
        (wikisection.PROCESSED, wikisection.ORIGINAL),
    ),
    "wikisection-whole": Entry(
        "city articles: original JSON with nothing left out",
        WIKISECTION,
        (wikisection.WHOLE,),
        ("wikisection",),
    ),
    "wikihow": Entry(
        "how-to articles: title and steps, or one method a line",
        HOWTO,
        (wikihow.BY_ARTICLE, wikihow.BY_METHOD),
    ),
    "recipenlg": Entry(
        "recipes: RecipeNLG CSV, or JSON lines",
        RECIPE,
        (recipes.ROWS, recipes.LINES),
        ("recipes",),
    ),
    "recipes": Entry(
        "recipes: JSON lines, or RecipeNLG CSV", RECIPE, (recipes.LINES, recipes.ROWS)
    ),
    "taskmaster": Entry(
        "dialogues: Taskmaster 2, 3 and 4 as published",
        SPOKEN,
        (taskmaster.CONVERSATIONS, tickettalk.PREFIXES, tickettalk.ROWS),
    ),
    "tickettalk": Entry(
        "dialogues: TicketTalk as JSON lines, TSV or Taskmaster JSON; turns are taken",
        DIALOGUE,
        (tickettalk.PREFIXES, tickettalk.ROWS, taskmaster.CONVERSATIONS),
        ("taskmaster",),
    ),
    "sgd": Entry(
        "dialogues: Schema-Guided Dialogue, published or reduced",
        DIALOGUE,
        (sgd.REDUCED, sgd.PUBLISHED),
        ids_repeat=True,
    ),
    "rocstories": Entry("five-sentence stories: ROCStories CSV", STORY, (stories.ROC,)),
    "stories": Entry("stories in episodes: JSON lines", EPISODES, (stories.EPISODIC,)),
    "episodes": Entry(
        "the episodes of stories, each a document of its own",
        EPISODES,
        (stories.EPISODIC,),
        ("stories",),
        apart=True,
    ),
    "windows": Entry(
        "five neighbouring sentences of an episode, each five a document of its own",
        STORY,
        (stories.EPISODIC,),
        ("stories",),
        width=5,
    ),
    "text": Entry(
        "own .txt and .md files, one or a folder", None, (own.TEXT, own.MARKDOWN), deep=True
    ),
    "jsonl": Entry("own JSON lines", None, (own.JSONL,), names_split=True),
}
"""``synthetic`` is not among them: it is made, not read."""
