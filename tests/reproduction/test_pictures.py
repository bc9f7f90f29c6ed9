from dataclasses import replace
from pathlib import Path

from tests.reproduction.test_report import ours
from timecontrol.reproduction.cells import cells
from timecontrol.reproduction.lines import Line
from timecontrol.reproduction.pictures import FEWEST, beside, pictures

OWN = [cell for cell in cells() if cell.experiment == "forced_long_ordering"]


def test_an_experiment_with_enough_rows_is_drawn(tmp_path: Path) -> None:
    some = [cell for cell in OWN if cell.dataset == "wikisection"]
    whole = [Line(cell, ours(50.0 + i)) for i, cell in enumerate(some)]
    found = pictures(whole, tmp_path / "figures")
    assert found == {"forced_long_ordering": ["figures/forced_long_ordering.png"]}
    assert (tmp_path / "figures" / "forced_long_ordering.png").stat().st_size > 5000
    few = [*whole[: FEWEST - 1], *(replace(line, ours=None) for line in whole[FEWEST - 1 :])]
    assert pictures(few, tmp_path / "none") == {}
    assert not (tmp_path / "none").exists()


def test_both_numbers_are_points_of_their_row() -> None:
    some = [cell for cell in OWN if cell.dataset == "recipe" and cell.corrected][:3]
    group = [Line(cell, ours(40.0 + i)) for i, cell in enumerate(some)]
    figure = beside({"recipe": group})
    axis = figure.axes[0]
    drawn = {tuple(map(float, xy)) for line in axis.lines for xy in line.get_xydata()}
    for place, line in zip((3, 2, 1), group, strict=True):
        assert line.paper is not None
        assert line.ours is not None
        assert {(line.paper.value, place), (line.ours.value, place)} <= drawn
    assert [t.get_text() for t in axis.get_yticklabels()] == [c.label for c in some]
