"""A report tells the numbers of every system, and no names of people."""

import json
import re

import pytest

from timecontrol.errors import TimeControlError
from timecontrol.judging import Study
from timecontrol.judging.report import (
    about,
    agreement_line,
    annotators_table,
    differences_table,
    markdown,
    report_of,
    systems_table,
)
from timecontrol.judging.summary import NO_VARIANCE


@pytest.fixture
def rated(study: Study) -> Study:
    """Two people: for the first, beta is 2 better than alpha; the second says 3 to all."""
    whose = {output.item: output.system for output in study.outputs}
    for item, system in whose.items():
        study.rate("Annabel", item, 2 if system == "alpha" else 4, 5.0)
        study.rate("Bernard", item, 3)
    return study


def test_a_report_tells_means_differences_and_agreement(rated: Study) -> None:
    found = report_of(rated, "the command")
    alpha, beta = found["systems"]
    assert (alpha["system"], alpha["mean"], beta["mean"]) == ("alpha", 2.5, 3.5)
    assert (alpha["items"], alpha["ratings"], alpha["annotators"]) == (6, 12, 2)
    (difference,) = found["differences"]
    assert (difference["other"], difference["value"]) == ("beta", 1.0)
    assert difference["verdict"] == "better"
    assert found["agreement"]["pairs"] == 12
    assert found["agreement"]["within_one"] == 1
    assert [one["flags"] for one in found["annotators"]] == [(), (NO_VARIANCE,)]
    assert len(found["ratings"]) == 24
    assert found["study"]["digest"] == rated.digest
    assert json.loads(json.dumps(found, allow_nan=False))["command"] == "the command"


def test_people_are_told_by_number(rated: Study) -> None:
    found = report_of(rated, "the command")
    told = json.dumps(found) + markdown(found)
    assert "annabel" not in told.lower()
    assert "bernard" not in told.lower()
    assert {who for _, who, _ in found["ratings"]} == {"1", "2"}


def test_markdown_holds_the_tables(rated: Study) -> None:
    found = report_of(rated, "the command", {"alpha": {"dataset": "rocstories", "method": "LM"}})
    page = markdown(found)
    assert page.startswith("# Judged: infill\n\n    the command\n")
    assert "| alpha | 2.50 ± 0.00 | 2.50 ± 0.15 | 6 | 12 | 2 | 0 | 6 | 6 | 0 | 0 |" in page
    assert "| beta - alpha | +1.00 | [+1.00, +1.00] | better | 6 |" in page
    assert "- alpha: LM, rocstories" in page
    assert NO_VARIANCE in page
    for block in re.findall(r"(?:^\|.*\|$\n?)+", page, re.MULTILINE):
        assert len({line.count("|") for line in block.strip().splitlines()}) == 1
    assert found["systems"][0]["about"] == {"dataset": "rocstories", "method": "LM"}
    assert found["systems"][1]["about"] == {}


def test_tables_have_a_cell_for_every_column(rated: Study) -> None:
    found = report_of(rated, "the command")
    for columns, rows in (systems_table(found), differences_table(found), annotators_table(found)):
        assert rows
        assert all(len(row) == len(columns) for row in rows)


def test_what_has_not_been_rated_is_a_dash(study: Study) -> None:
    first = study.outputs[0]
    study.rate("anna", first.item, 3)
    found = report_of(study, "the command")
    rows = {row[0]: row for row in systems_table(found)[1]}
    assert rows["alpha"][1:3] == ["3.00", "3.00"]
    assert rows["beta"][1:3] == ["-", "-"]
    assert "no example rated for both" in str(differences_table(found))
    assert "no item has two ratings" in agreement_line(found)
    assert "of them without a rating: 11" in markdown(found)


def test_alpha_that_is_not_defined_is_said_to_be_so(study: Study) -> None:
    item = next(iter(study.examples))
    for name in ("a", "b"):
        study.rate(name, item, 3)
    assert agreement_line(report_of(study, "c")).startswith("Alpha not defined (ordinal)")


def test_a_study_without_ratings_has_no_report(study: Study) -> None:
    with pytest.raises(TimeControlError, match=r"No ratings in .*timecontrol app --study"):
        report_of(study, "the command")


def test_what_is_known_of_a_system_is_a_line() -> None:
    made = {"base": "tiny", "corpus": "cities", "identity": "a" * 40}
    own = {"method": "TC", "latent_dim": 8, "dataset": "tm2", "plan": "bridge", "decoder": made}
    assert about(own) == f"TC (8), tm2, bridge, base tiny, corpus cities, identity {'a' * 12}"
    assert about({}) == ""
