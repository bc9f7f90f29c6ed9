"""The tables of a comparison of ways to fill gaps, and some of what they wrote."""

from collections.abc import Sequence

from timecontrol.experiments.decoders import Found
from timecontrol.experiments.fillings import Gap, Way
from timecontrol.metrics.infilling import Fillings
from timecontrol.metrics.overlap import overlap

COMPARED = ("bleu", "rouge_l", "bertscore_f1")
SHOWN = (
    "bleu", "rouge_1", "rouge_2", "rouge_l", "bertscore_p", "bertscore_r", "bertscore_f1",
    "bleurt", "distinct_1", "distinct_2", "stuck", "words",
)  # fmt: skip
NOTE = (
    "BLEU of all gaps together (sacrebleu), ROUGE F1 (percent, stemmed), BERTScore of the base "
    "named above; distinct n: different n-grams over all; stuck: fillings (percent) that say a "
    "run of four words twice or spend a fifth of their words in one cycle. Intervals: 2,000 "
    "resamples of whole stories, paired. A way that ranks so many candidates or more, and a greedy "
    "one, is drawn once. ±: standard error over trainings, where there are several (intervals are "
    "of stories alone)."
)


def tables(rows: Sequence[Found]) -> list[Found]:
    """Return the tables of a result."""
    columns = [name for name in SHOWN if name in rows[0]["measures"]]
    whole = {
        "title": "Fillings beside the sentences that stood there",
        "columns": ["", *(name.replace("_", " ") for name in columns)],
        "rows": [[r["label"], *(_number_of(r, name) for name in columns)] for r in rows],
    }
    made = [whole]
    compared = [name for name in COMPARED if name in rows[0]["measures"]]
    if len(rows) > 1:
        made.append(
            {
                "title": "Differences from the first way that draws alike [95 % over stories]",
                **_differences(rows, "against", compared),
            }
        )
    if any("beside" in r for r in rows):
        made.append(
            {
                "title": "Differences from the same decoders used more plainly",
                **_differences(rows, "beside", compared),
            }
        )
    kinds = [kind for kind in ("first", "inner", "last") if kind in rows[0]["by_place"]]
    made.append(
        {
            "title": "By the place of the gap: " + " / ".join(kinds),
            "columns": ["", *(name.replace("_", " ") for name in compared)],
            "rows": [
                [
                    r["label"],
                    *(
                        " / ".join(_digits(name, r["by_place"][kind][name]) for kind in kinds)
                        for name in compared
                    ),
                ]
                for r in rows
            ],
        }
    )
    return made


def table_of_examples(
    ways: Sequence[tuple[Way, Fillings]], gaps: Sequence[Gap], known: set[int], wanted: int
) -> Found:
    """Return what the first training of each way first wrote into some gaps.

    Args:
        ways: With what they wrote.
        gaps: The gaps, in that order.
        known: n-grams of documents: a filling that has one of them is not shown.
        wanted: How many gaps.
    """
    chosen = [i * len(gaps) // wanted + len(gaps) // (2 * wanted) for i in range(wanted)]
    rows = []
    for i in chosen:
        for way, found in ways:
            text = " ".join(found.texts[i].split())
            copied = overlap([text], known).longest > 0
            rows.append([gaps[i].key, way.label, "(not shown: known words)" if copied else text])
    return {"title": "What was written into some gaps", "columns": ["gap", "", ""], "rows": rows}


def _number_of(row: Found, name: str) -> str:
    own = _digits(name, row["measures"][name])
    return f"{own} ± {_digits(name, row['errors'][name])}" if "errors" in row else own


def _digits(name: str, value: float) -> str:
    return (
        f"{value:.3f}" if name.startswith(("bertscore", "bleurt", "distinct")) else f"{value:.2f}"
    )


def _differences(rows: Sequence[Found], kind: str, names: Sequence[str]) -> Found:
    """Return the columns and rows of a table of differences."""
    return {
        "columns": ["", "from", *(name.replace("_", " ") for name in names)],
        "rows": [
            [r["label"], r[kind]["label"], *(_difference(name, r[kind][name]) for name in names)]
            for r in rows
            if kind in r
        ],
    }


def _difference(name: str, cell: dict[str, float]) -> str:
    digits = 4 if name.startswith("bertscore") else 2
    value, low, high = (f"{cell[k]:+.{digits}f}" for k in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"
