from timecontrol.reproduction.cells import Cell, cells
from timecontrol.reproduction.lines import Line, Ours, lines
from timecontrol.reproduction.printed import Printed, printed
from timecontrol.reproduction.records import Record, Value
from timecontrol.reproduction.report import (
    caption,
    looks,
    markdown,
    sections,
    shown_texts,
    summary,
    theirs,
    told,
)
from timecontrol.reproduction.works import Work


def ours(value: float = 70.0, error: float | None = 1.0, seeds: int = 3, **more: object) -> Ours:
    over = "seeds" if seeds > 1 else "documents"
    return Ours(value, error, over, tuple(range(seeds)), 128, "a base", "a corpus", "smoke",
                ("id",) * seeds, ("command",) * seeds, **more)  # type: ignore[arg-type]  # fmt: skip


def test_numbers_as_they_are_told() -> None:
    assert told(ours(), 1) == "70.0 ± 1.0"
    assert told(ours(seeds=1), 1) == "70.0 ± 1.0°"
    assert told(ours(error=None), 2) == "70.00"
    assert told(None, 1) == ""
    assert theirs(None, 1) == ""
    assert theirs(Printed("t", "corrected", 431.0), 0) == "431"
    assert theirs(Printed("t", "corrected", 73.5, 2.6), 0) == "73.5 ± 2.6"


def row(experiment: str, which: int = 0) -> Cell:
    return [cell for cell in cells() if cell.experiment == experiment][which]


def test_paper_ours_and_difference_stand_in_a_row() -> None:
    cell = next(c for c in cells() if c.key == ("forced_long_ordering", "wikisection", "GPT2", ""))
    assert cell.corrected is not None
    line = Line(cell, ours(90.0, released=95.5))
    table = sections([line], {}, "small")[0].tables[0]
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert row["paper"].startswith(f"{cell.corrected.value:.1f}")
    assert row["ours"] == "90.0 ± 1.0"
    assert row["difference"] == f"{90 - cell.corrected.value:+.1f}"
    assert row["released rule"] == "95.5"
    assert (row["seeds"], row["n"], row["base"]) == ("3", "128", "a base")
    assert row["run"] == "id id id"
    assert table.notes[0] == "Ours on a corpus."
    assert table.command.startswith("timecontrol reproduce forced_long_ordering --scale small")


def test_a_blank_says_why_and_has_no_command() -> None:
    line = Line(row("discourse_coherence"), None, "no base stands for BERT")
    table = sections([line], {}, "small")[0].tables[0]
    row_of = dict(zip(table.columns, table.rows[0], strict=True))
    assert {row_of[name] for name in ("ours", "difference", "seeds", "n", "base")} == {""}
    assert table.notes[0] == "Blank (1): no base stands for BERT."
    assert table.command == ""


def test_what_has_no_number_of_the_paper_stands_side_by_side() -> None:
    own = [Line(cell, ours(i)) for i, cell in enumerate(cells()) if cell.experiment == "static"]
    section = sections(own, {"static": ["figures/x.png"]}, "small")[0]
    assert len(section.tables) == 1
    table = section.tables[0]
    assert "paper" not in table.columns
    assert table.columns[1:3] == ["order", "order released"]
    assert len(table.rows) == len({line.cell.label for line in own})
    assert table.columns[-3:] == ["seeds", "n", "run"]
    assert {tuple(row[-3:]) for row in table.rows} == {("3", "128", "id id id")}
    assert table.command == "timecontrol reproduce static --scale small --dataset wikisection"
    assert section.figures == ["figures/x.png"]


def test_no_cell_is_left_out() -> None:
    whole = lines(cells(), {}, lambda work: "")
    parts = sections(whole, {}, "small")
    page = markdown(parts, whole, {}, "timecontrol reproduce")
    rows = [row for part in parts for table in part.tables for row in table.rows]
    numbers = sum(
        bool(cell) and cell[0].isdigit()
        for part in parts
        for table in part.tables
        for row in table.rows
        for name, cell in zip(table.columns, row, strict=True)
        if name in ("paper", "original")
    )
    assert numbers == len(printed())
    assert all(f"## {part.name}" in page for part in parts)
    assert page.count("\n|") >= len(rows)
    counted = summary(whole)
    assert sum(int(row[1]) for row in counted.rows) == len(printed())
    assert {row[3] for row in counted.rows} == {"0"}


def record(kind: str, **each: object) -> Record:
    work = Work(kind, "tm2", "TC", 8, plan="static", length="forced", noise=0.5)
    return Record(work, "small", "talks", "base", {}, "d", "c", {"x": Value(1, None, 1)}, each)


def test_looks_at_test_documents_are_counted() -> None:
    found = {kind: record(kind) for kind in ("probe", "perplexity", "texts", "paths")}
    assert looks(found) == 2


def test_ends_of_texts_are_shown_with_what_of_them_is_known() -> None:
    example = {"document": 0, "tail": "Bye | <b>now</b>.", "known 8-grams": 12.5}
    found = {"a": record("texts", examples=[example, example]), "b": record("texts")}
    shown = shown_texts(found)
    assert [e.title for e in shown] == ["talks, forced"]
    assert len(shown[0].rows) == 1
    way, text = shown[0].rows[0]
    assert way == (
        "TC-8, static, seed 0, 0.5 x noise (12.5 % of its 8-grams in training documents)"
    )
    page = markdown([], [], found, "c")
    assert r"Bye \| \<b>now" in page
    assert text == "Bye | <b>now</b>."


def test_a_figure_is_captioned_by_its_file() -> None:
    assert caption("figures/recipe_TC-8_best_0-band.png") == (
        "recipe TC-8: mean and standard deviation"
    )
    assert caption("figures/wikisection_TC-8_best_0_distance=5-trajectories.png") == (
        "wikisection TC-8 distance 5: documents and the same shuffled"
    )


def test_a_table_s_command_has_the_options_of_its_runs() -> None:
    own = Ours(
        1.0, None, "documents", (0,), 32, "b", "c", "small", ("id",),
        ("timecontrol reproduce --scale small --only texts/x --documents 32 --decoder a/b=c",),
        others=2,
    )  # fmt: skip
    table = sections([Line(row("forced_long_ordering"), own)], {}, "small")[0].tables[0]
    assert table.command.endswith("--dataset wikisection --documents 32 --decoder a/b=c")
    assert "Left out, as more than their seeds differs: 2 runs." in table.notes
