"""Made documents with known structure, for tests and the demo: cities, dialogues, recipes.

Each document is drawn from its own random state (seed, kind, number), so the stream is the same
whatever part of it is read. Structure is real, not only marked: a section's sentences come in
an order (the years of a history rise, a dialogue asks before it books, a recipe mixes before it
bakes), with words of its own, and details said early return later.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from timecontrol.corpora.documents import Document, Section, Source
from timecontrol.corpora.layout import DIALOGUE, RECIPE, WIKISECTION, Layout
from timecontrol.errors import TimeControlError, pick

LAYOUTS: dict[str, Layout] = {"cities": WIKISECTION, "dialogues": DIALOGUE, "recipes": RECIPE}
"""What is made, by kind."""


@dataclass(frozen=True)
class Spec:
    """What to make."""

    kind: str = "cities"
    documents: int = 200
    seed: int = 0


def parse(text: str) -> Spec:
    """Return the spec of ``cities``, or of ``cities,documents=500,seed=1``."""
    kind, *settings = [part.strip() for part in (text or "cities").split(",")]
    if "=" in kind:
        kind, settings = "cities", [kind, *settings]
    pick(LAYOUTS, kind, "synthetic corpus")
    numbers = {"documents": 200, "seed": 0}
    for setting in settings:
        key, _, value = setting.partition("=")
        if key not in numbers or not re.fullmatch(r"[0-9]{1,12}", value):
            raise TimeControlError(
                f"synthetic:{text}: {setting!r} is not documents=NUMBER or seed=NUMBER."
            )
        numbers[key] = int(value)
    return Spec(kind, **numbers)


def documents(spec: Spec) -> Iterator[Document]:
    """Yield the documents; of every ten, the ninth is validation and the tenth test."""
    make = {"cities": city, "dialogues": dialogue, "recipes": recipe}[spec.kind]
    for index in range(spec.documents):
        sections = make(Random(f"{spec.seed}/{spec.kind}/{index}"))
        split = {8: "val", 9: "test"}.get(index % 10, "train")
        source = Source(f"synthetic:{spec.kind}", index + 1, index)
        yield Document(f"{spec.kind}/{spec.seed}/{index}", tuple(sections), source, split)


FIRST = "Alder Ash Bell Birch Black Bright Clear Cold Copper Crow Deer Dun East Elm Fair Fern Glen"
LAST = "bridge brook bury dale field ford gate ham haven hill holm land mere mouth ton well wick"
SHIRES = "Arden Corvane Dellmark Eastmarch Farrow Grenholt Harwick Ivermoor Kestrel Lorne Marl"
RIVERS = "Anner Brede Calder Dene Esk Fleet Garrow Isen Leam Mell Nadder Orrin Pell Rother Sable"
TRADES = "wool|timber|slate|salt|glass|tin|grain|leather|paper|rope|pottery|cider"
PLACES = "mill|market hall|stone bridge|town school|chapel|canal basin|brewery|library|post office"
TREES = "oak|beech|pine|willow|birch|chestnut"
NEIGHBOURS = "north|south|east|west|north-east|south-west"


def _some(rng: Random, makers: list[Callable[[], str]], least: int) -> tuple[str, ...]:
    """Return the sentences of some makers, in their order; the first always speaks."""
    n = rng.randint(least, len(makers))
    chosen = sorted(rng.sample(range(1, len(makers)), n - 1))
    return tuple(makers[i]() for i in [0, *chosen])


def city(rng: Random) -> list[Section]:
    """Make a city article of four sections."""
    name = rng.choice(FIRST.split()) + rng.choice(LAST.split())
    shire, river = rng.choice(SHIRES.split()), rng.choice(RIVERS.split())
    trade, other = rng.sample(TRADES.split("|"), 2)
    built, later = rng.sample(PLACES.split("|"), 2)
    tree, side = rng.choice(TREES.split("|")), rng.choice(NEIGHBOURS.split("|"))
    kind = rng.choice(["town", "city", "market town", "small city"])
    people = rng.randint(900, 60_000)
    year = rng.randint(1610, 1790)
    grow = iter(sorted(rng.sample(range(year + 8, 1995), 5)))
    area, height = rng.uniform(2, 60), rng.randint(15, 480)
    homes = people * 10 // rng.randint(21, 29)
    young, old = rng.uniform(16, 30), rng.uniform(9, 24)
    abstract = _some(
        rng,
        [
            lambda: f"{name} is a {kind} in the county of {shire}.",
            lambda: (
                f"It lies on the River {river} and had {people:,} residents at the last census."
            ),
            lambda: f"The {kind} is best known for its {trade} and for its old {built}.",
            lambda: f"{name} is the seat of the {shire} district council.",
            lambda: f"Visitors come for the {other} fair that is held each autumn.",
        ],
        2,
    )
    history = _some(
        rng,
        [
            lambda: f"The first houses were built in {year} by families who traded in {trade}.",
            lambda: f"A {built} followed in {next(grow)}, paid for by the {trade} merchants.",
            lambda: f"In {next(grow)} a flood of the {river} destroyed the lower streets.",
            lambda: f"The railway reached {name} in {next(grow)}, and the {trade} trade doubled.",
            lambda: f"A fire in {next(grow)} burned down the {later}; it was rebuilt in brick.",
            lambda: f"The last {trade} works closed in {next(grow)}, and {other} took its place.",
            lambda: f"Today the old {built} is a museum of the {trade} trade.",
        ],
        3,
    )
    geography = _some(
        rng,
        [
            lambda: f"{name} is located in the {side} of {shire}, at a height of {height} metres.",
            lambda: f"It covers {area:.1f} square kilometres, of which {area / 20:.1f} are water.",
            lambda: f"The River {river} runs through the centre and turns {side} below the bridge.",
            lambda: f"The hills around the {kind} are covered with {tree} woods.",
            lambda: f"Winters are mild, with snow on about {rng.randint(3, 40)} days a year.",
        ],
        2,
    )
    demographics = _some(
        rng,
        [
            lambda: f"At the last census there were {people:,} people in {homes:,} households.",
            lambda: f"The population density was {people / area:.1f} people per square kilometre.",
            lambda: f"Some {young:.1f}% of the residents were under the age of 18.",
            lambda: f"Another {old:.1f}% were 65 years of age or older.",
            lambda: f"The median income for a household was ${rng.randint(28, 79)},500.",
            lambda: f"About {rng.uniform(3, 19):.1f}% of families lived below the poverty line.",
        ],
        3,
    )
    parts = (abstract, history, geography, demographics)
    return [Section(t, s) for t, s in zip(WIKISECTION.tags, parts, strict=True)]


FOODS = "Italian|Thai|Mexican|Indian|Greek|Korean|Lebanese|vegetarian"
RESTAURANTS = "The Copper Pan|Blue Door|Old Orchard|Lantern House|Saffron Yard|Harbour Table"
DAYS = "tonight|tomorrow|on Friday|on Saturday|next Sunday"


def dialogue(rng: Random) -> list[Section]:
    """Make a dialogue in which a table is found and booked."""
    town = rng.choice(FIRST.split()) + rng.choice(LAST.split())
    food, day = rng.choice(FOODS.split("|")), rng.choice(DAYS.split("|"))
    place, second = rng.sample(RESTAURANTS.split("|"), 2)
    seats, hour, stars = rng.randint(2, 8), rng.randint(5, 9), rng.uniform(3.5, 5)
    pairs = [
        (
            rng.choice(
                [
                    f"Hi, I'm looking for a {food} restaurant in {town}.",
                    f"Hello! Could you find me somewhere with {food} food in {town}?",
                ]
            ),
            f"Sure. When would you like to eat {food} food in {town}?",
        ),
        (
            f"We want to go {day}.",
            f"I found two places: {place} and {second}. Which one do you prefer?",
        ),
        (f"What is the rating of {place}?", f"{place} has {stars:.1f} stars out of five."),
        ("Is it expensive?", f"No, {place} is moderately priced."),
        (
            f"Good, please book {place} for {seats} people at {hour} p.m.",
            f"To confirm: {place} in {town}, {day}, {seats} people, {hour} p.m. Is that right?",
        ),
        ("Yes, that's right.", f"Your table at {place} is booked. Do you need anything else?"),
        ("No, that is all. Thank you!", f"You're welcome. Enjoy your meal at {place}!"),
    ]
    dropped = {i for i in (2, 3) if rng.random() < 0.4}
    turns = [t for i, pair in enumerate(pairs) if i not in dropped for t in pair]
    return [Section(DIALOGUE.tags[i % 2], (text,)) for i, text in enumerate(turns)]


FRUITS = "apple|pear|plum|cherry|lemon|carrot|pumpkin|ginger"
FLOURS = "wheat flour|rye flour|oat flour|ground almonds"
EXTRAS = "walnuts|raisins|cinnamon|honey|vanilla|poppy seeds"
DISHES = "cake|loaf|muffins|tart|buns"


def recipe(rng: Random) -> list[Section]:
    """Make a recipe of a title, ingredients and directions."""
    fruit, flour = rng.choice(FRUITS.split("|")), rng.choice(FLOURS.split("|"))
    extra, more = rng.sample(EXTRAS.split("|"), 2)
    dish, heat = rng.choice(DISHES.split("|")), rng.randrange(160, 221, 10)
    minutes, eggs = rng.randrange(20, 61, 5), rng.randint(2, 5)
    names = ["butter", "sugar", "eggs", flour, fruit, extra, more]
    directions = _some(
        rng,
        [
            lambda: f"Preheat the oven to {heat} degrees.",
            lambda: f"Peel and chop the {fruit} and set it aside.",
            lambda: "Beat the butter and sugar until pale.",
            lambda: f"Add the {eggs} eggs one at a time.",
            lambda: f"Fold in the {flour} with the {extra}.",
            lambda: f"Stir in the {fruit} and pour the mixture into a greased pan.",
            lambda: f"Bake the {dish} for {minutes} minutes until golden.",
            lambda: f"Let it cool and serve with {more}.",
        ],
        4,
    )
    title = f"{fruit} {extra} {dish}".title()
    ingredients = ", ".join(names).capitalize()
    parts = ((title,), (ingredients,), directions)
    return [Section(t, s) for t, s in zip(RECIPE.tags, parts, strict=True)]
