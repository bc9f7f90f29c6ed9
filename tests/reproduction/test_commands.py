"""A command, typed as it is written down, asks for that very run and for no other."""

import shlex
from functools import cache
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from timecontrol.cli import app
from timecontrol.reproduction.cells import cells
from timecontrol.reproduction.commands import CHANGED, command_of
from timecontrol.reproduction.grid import Asked, Grid
from timecontrol.reproduction.scales import SCALES, Scale, scale_named
from timecontrol.reproduction.works import Work

PRESETS = ("best", "paper", "released")


@cache
def works(seeds: int, preset: str) -> tuple[Work, ...]:
    """Return the works of all cells."""
    return tuple(dict.fromkeys(w for c in cells(seeds, (preset,)) for w in c.works))


def typed(command: str) -> dict[str, Any]:
    """Return what the command line makes of a command."""
    program, verb, *words = shlex.split(command)
    assert (program, verb) == ("timecontrol", "reproduce")
    parser: Any = typer.main.get_command(app)
    found = parser.commands["reproduce"].make_context("reproduce", words)
    return dict(found.params)


def scale_of(options: dict[str, Any]) -> Scale:
    """Return the scale that options ask for."""
    corpora = dict(text.split("=", 1) for text in options["corpus"])
    return scale_named(
        options["scale"], corpora, **{name: options[name] for name in (*CHANGED, "seeds")}
    )


def asked_for(options: dict[str, Any]) -> list[Work]:
    """Return the works that options ask for, as far as there are seeds for them."""
    presets = options["preset"] or ["best"]
    asked = Asked(presets=presets, only=options["only"])
    scale = scale_of(options)
    found = [w for preset in presets for w in works(scale.seeds, preset) if asked.wants(w)]
    return [work for work in found if work.seed < scale.seeds]


@given(
    st.sampled_from(sorted(SCALES)),
    st.sampled_from(PRESETS).flatmap(lambda preset: st.sampled_from(works(7, preset))),
)
def test_a_command_asks_for_its_work_alone(name: str, work: Work) -> None:
    options = typed(command_of(work, SCALES[name], {}))
    assert asked_for(options) == [work]
    assert options["scale"] == name


@given(
    st.sampled_from(works(3, "best")),
    st.fixed_dictionaries(
        {},
        optional={
            "encoder_base": st.sampled_from(["gpt2", "/with a space/base"]),
            "decoder_base": st.sampled_from(["gpt2", "it's"]),
            "documents": st.integers(2, 500),
            "judged": st.integers(2, 500),
        },
    ),
    st.dictionaries(
        st.sampled_from(["wikisection", "recipe", "tm2", "tickettalk", "rocstories"]),
        st.sampled_from(["sgd:a folder/x", "synthetic:cities,documents=9", "text:$HOME/*;a=b"]),
    ),
)
def test_a_command_brings_back_all_of_the_scale_that_its_work_needs(
    work: Work, changes: dict[str, Any], corpora: dict[str, str]
) -> None:
    scale = scale_named("small", corpora, **changes)
    again = scale_of(typed(command_of(work, scale, {})))
    for name in CHANGED:
        assert getattr(again, name) == getattr(scale, name)
    for probed in (False, True):
        assert again.stand(work.dataset, probed) == scale.stand(work.dataset, probed)


def test_what_is_usual_is_not_said() -> None:
    work = Work("probe", "wikisection", "TC", 8)
    plain = "timecontrol reproduce --scale small --only probe/wikisection/TC-8/best/0"
    assert command_of(work, scale_named("small"), {}) == plain
    elsewhere = scale_named("small", {"tm2": "sgd:x"}, seeds=9)
    assert command_of(work, elsewhere, {"tm2/TC-8": "mine"}) == plain


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"encoder_base": "gpt2"}, "--encoder-base gpt2"),
        ({"decoder_base": "gpt2"}, "--decoder-base gpt2"),
        ({"documents": 16}, "--documents 16"),
        ({"judged": 8}, "--judged 8"),
        ({"corpora": {"tm2": "sgd:mine"}}, "--corpus tm2=sgd:mine"),
    ],
)
def test_what_is_changed_is_said(changes: dict[str, Any], words: str) -> None:
    work = Work("texts", "tm2", "TC", 8, plan="own", length="normal")
    usual = command_of(work, scale_named("small"), {})
    assert command_of(work, scale_named("small", **changes), {}) == f"{usual} {words}"


def test_seeds_are_said_where_the_scale_has_fewer() -> None:
    work = Work("probe", "wikisection", "TC", 8, seed=2)
    assert typed(command_of(work, SCALES["small"], {}))["seeds"] is None
    assert typed(command_of(work, SCALES["smoke"], {}))["seeds"] == 3


def test_a_given_decoder_is_said_where_it_writes() -> None:
    given = {"wikisection/TC-8": "a run/folder", "wikisection/TC-16": "other"}
    work = Work("texts", "wikisection", "TC", 8, plan="own", length="forced")
    options = typed(command_of(work, SCALES["small"], given))
    assert options["decoder"] == ["wikisection/TC-8=a run/folder"]
    assert asked_for(options) == [work]


@pytest.mark.parametrize(
    "work",
    [
        Work("counts", "recipe"),
        Work("texts", "tm2", "TC", 8, seed=1, plan="static", length="forced"),
        Work("paths", "wikisection", "TC", 8, distance=5),
        Work("adherence", "wikisection", "TC", 8, plan="bridge", length="forced", noise=0.5),
        Work("texts", "wikisection", "TC", 8, seed=5, plan="own", length="normal"),
    ],
)
def test_what_a_command_asks_for_can_run(work: Work) -> None:
    options = typed(command_of(work, SCALES["smoke"], {}))
    grid = Grid(scale_of(options), Asked(only=options["only"]))
    assert grid.works == [work]
