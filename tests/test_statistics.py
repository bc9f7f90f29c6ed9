import math
import statistics as reference

from hypothesis import given
from hypothesis import strategies as st

from timecontrol.corpora import Document, Section, Source
from timecontrol.statistics import Spread, gather, words


@given(st.lists(st.integers(0, 10_000), min_size=2))
def test_mean_and_standard_error_are_the_textbook_s(numbers: list[int]) -> None:
    spread = Spread()
    for number in numbers:
        spread.add(number)
    assert math.isclose(spread.mean, reference.mean(numbers), rel_tol=1e-9, abs_tol=1e-9)
    error = reference.stdev(numbers) / math.sqrt(len(numbers))
    assert spread.se is not None
    assert math.isclose(spread.se, error, rel_tol=1e-6, abs_tol=1e-6)
    assert (spread.least, spread.most) == (min(numbers), max(numbers))


def test_one_number_has_no_standard_error_and_none_no_mean() -> None:
    spread = Spread()
    assert spread.as_dict()["mean"] is None
    spread.add(3)
    assert spread.as_dict() == {"n": 1, "mean": 3, "se": None, "min": 3, "max": 3}


def document(split: str, *lengths: int) -> Document:
    sections = tuple(
        Section("A" if i % 2 == 0 else "B", ("w " * n,)) for i, n in enumerate(lengths)
    )
    return Document("x", sections, Source("a", 1, 0), split)


def test_sections_and_their_sums_are_counted_by_split_and_tag() -> None:
    stream = [document("train", 1, 2, 3), document("train", 5), document("test", 9)]
    found = gather(stream)
    train = found["train"]
    assert (train.documents, train.sentences, train.tokens) == (2, 4, 11)
    assert (train.sections["A"].n, train.sections["A"].mean) == (3, 3)
    assert (train.totals["A"].n, train.totals["A"].mean) == (2, 4.5)
    assert train.sections["B"].n == 1
    assert found["test"].tokens == 9


def test_documents_of_the_limit_or_more_are_left_out_and_counted() -> None:
    kept: list[Document] = []
    found = gather(
        [document("train", n) for n in (9, 10, 11)],
        most=10,
        faults=lambda d: ["odd"],
        keep=kept.append,
    )["train"]
    assert (found.documents, found.too_long, found.misfits, len(kept)) == (1, 2, 1, 1)
    assert found.faults == {"odd": 1}
    assert found.first_misfit == "x"


def test_words_of_chinese_and_japanese_are_their_characters() -> None:
    made = Document("x", (Section(None, ("你今天去 Paris 吗？", "two words")),), Source("a", 1, 0))
    assert words(made)[0] == 7 + 2
