import threading
from pathlib import Path

import pytest

from timecontrol.errors import TimeControlError
from timecontrol.reproduction.grid import Asked, Grid, bases_of, is_done, run_all
from timecontrol.reproduction.measures import MEASURES
from timecontrol.reproduction.records import Record, place_of, records
from timecontrol.reproduction.scales import SCALES, scale_named
from timecontrol.reproduction.works import Work
from timecontrol.reproduction.workshop import Workshop, held

COUNTS = Asked(kinds=["counts"])
SMOKE = SCALES["smoke"]


def command(work: Work) -> str:
    return f"again {work.name}"


def quiet(work: Work, record: Record | None, why: str) -> None:
    assert record is not None, why


def test_what_is_asked_for_is_what_is_run() -> None:
    assert {w.kind for w in Grid(SMOKE, Asked()).works} == {
        "counts", "probe", "paths", "texts", "adherence", "perplexity",
    }  # fmt: skip
    some = Grid(SMOKE, Asked(["discourse_coherence"], ["tm2"], ["TC", "BM"])).works
    assert {w.name for w in some} == {
        f"probe/tm2/{m}-8/best/{seed}" for m in ("TC", "BM") for seed in (0, 1)
    }
    only = Grid(SMOKE, Asked(only=["texts/*/TC-8/best/1/*"])).works
    assert only
    assert {(w.kind, w.row, w.seed) for w in only} == {("texts", "TC-8", 1)}
    assert {w.latent_dim for w in Grid(SMOKE, Asked(dims=[16])).works} == {None}


def test_an_experiment_that_is_none_is_refused() -> None:
    with pytest.raises(TimeControlError, match="experiment"):
        Grid(SMOKE, Asked(["poetry"]))


def test_quick_works_come_first() -> None:
    kinds = [w.kind for w in Grid(SMOKE, Asked()).works]
    assert kinds.index("counts") < kinds.index("probe") < kinds.index("texts")
    assert kinds.index("texts") < kinds.index("adherence")


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (Work("probe", "wikisection", "TC", 16), "no latents of size 16 at scale smoke"),
        (Work("probe", "wikisection", "TC", 8, seed=2), "--seeds 3"),
        (Work("counts", "wikihow"), "nothing stands for wikihow"),
        (Work("probe", "wikisection", "BERT"), "no base stands for BERT"),
        (Work("probe", "wikisection", "TC", 8), ""),
    ],
)
def test_why_a_work_cannot_run(work: Work, reason: str) -> None:
    found = Grid(SMOKE, Asked()).hindrance(work)
    assert reason in found
    assert bool(found) == bool(reason)


def test_a_corpus_or_base_that_is_missing_is_named() -> None:
    grid = Grid(scale_named("smoke", {"tm2": "text:/nowhere"}), Asked())
    assert "corpus not here" in grid.hindrance(Work("counts", "tm2"))
    scale = scale_named("smoke", decoder_base="smollm2-135m")
    if why := Grid(scale, Asked()).hindrance(Work("texts", "tm2", "GPT2")):
        assert why == "base not here: smollm2-135m"


def test_a_given_decoder_needs_its_own_base_and_seed() -> None:
    scale = scale_named("smoke", decoder_base="nothing/at-all")
    grid = Grid(scale, Asked(), {"wikisection/TC-8": "wikisection"})
    work = Work("texts", "wikisection", "TC", 8, plan="static", length="forced")
    assert grid.hindrance(work) in ("", "base not here: smollm2-135m")
    assert "has seed 0, not 1" in grid.hindrance(work.seeded(1))
    assert "nothing/at-all" in grid.hindrance(Work("texts", "tm2", "TC", 8))


def test_bases_that_works_need() -> None:
    scale = scale_named("small")
    assert bases_of(Work("counts", "tm2"), scale) == []
    assert bases_of(Work("probe", "tm2", "S-BERT"), scale) == ["mpnet"]
    assert bases_of(Work("probe", "tm2", "TC", 8), scale) == ["minilm"]
    assert bases_of(Work("texts", "tm2", "GPT2"), scale) == ["smollm2-135m"]
    assert bases_of(Work("adherence", "tm2", "TC", 8), scale) == [
        "minilm", "smollm2-135m", "mpnet",
    ]  # fmt: skip


def test_a_damaged_record_is_as_good_as_none(shop: Workshop, cache: Path, tmp_path: Path) -> None:
    work = Work("counts", "recipe")
    assert run_all([work], tmp_path, shop, command, quiet) == 1
    assert is_done(work, tmp_path, shop)
    place_of(tmp_path, work).write_text("{")
    assert not is_done(work, tmp_path, shop)
    assert run_all([work], tmp_path, shop, command, quiet) == 1


def test_a_defect_in_one_run_does_not_stop_the_others(
    shop: Workshop, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise MemoryError("too\nmuch")

    monkeypatch.setitem(MEASURES, "counts", broken)
    told: list[str] = []
    works = [Work("counts", "recipe"), Work("counts", "tm2")]
    assert run_all(works, tmp_path, shop, command, lambda w, r, why: told.append(why)) == 0
    assert told == ["MemoryError: too much"] * 2


def test_other_settings_are_trained_anew_beside_the_old_ones(
    shop: Workshop, cache: Path, tmp_path: Path
) -> None:
    work = Work("probe", "wikisection", "BM", 8)
    assert run_all([work], tmp_path, shop, command, quiet) == 1
    other = Workshop(
        scale_named("smoke", {"wikisection": "synthetic:cities,documents=30"}),
        shop.folder,
        shop.place,
    )
    assert run_all([work], tmp_path, other, command, quiet) == 1
    assert run_all([work], tmp_path, shop, command, quiet) == 1  # and the first ones used again


def test_works_are_run_once_and_again_when_what_decides_them_changes(
    shop: Workshop, cache: Path, tmp_path: Path
) -> None:
    works = Grid(shop.scale, COUNTS).works[:2]
    assert run_all(works, tmp_path, shop, command, quiet) == 2
    assert run_all(works, tmp_path, shop, command, quiet) == 0
    found = records(tmp_path)
    assert {r.command for r in found.values()} == {command(w) for w in works}
    changed = scale_named("smoke", {works[0].dataset: "synthetic:cities,documents=30"})
    other = Workshop(changed, shop.folder, shop.place)
    assert not is_done(works[0], tmp_path, other)
    assert run_all(works, tmp_path, other, command, quiet) == 1
    assert records(tmp_path)[works[0].name].id != found[works[0].name].id


def test_what_fails_is_told_and_the_rest_goes_on(
    shop: Workshop, cache: Path, tmp_path: Path
) -> None:
    told: list[tuple[str, str]] = []
    bad, good = Work("counts", "rocstories"), Work("counts", "recipe")
    done = run_all(
        [bad, good], tmp_path, shop, command, lambda w, record, why: told.append((w.name, why))
    )
    assert done == 1
    assert told[0][0] == "counts/rocstories"
    assert "nothing stands" in told[0][1]
    assert told[1] == ("counts/recipe", "")


def test_nothing_is_begun_after_the_limit(shop: Workshop, cache: Path, tmp_path: Path) -> None:
    works = Grid(shop.scale, COUNTS).works
    assert run_all(works, tmp_path, shop, command, quiet, limit=-1) == 0


def test_what_another_process_is_at_is_left_to_it(
    shop: Workshop, cache: Path, tmp_path: Path
) -> None:
    work = Work("counts", "recipe")
    lock = held(place_of(tmp_path, work))
    lock.__enter__()
    done: list[int] = []
    waiting = threading.Thread(
        target=lambda: done.append(run_all([work], tmp_path, shop, command, quiet))
    )
    waiting.start()
    waiting.join(1.5)
    assert not done
    lock.__exit__(None, None, None)
    waiting.join(30)
    assert done == [1]
