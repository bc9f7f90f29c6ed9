from pathlib import Path

import numpy as np
import pytest

from timecontrol.corpora import open_corpus
from timecontrol.errors import TimeControlError
from timecontrol.latents import Paths

DOCUMENTS = list(open_corpus("synthetic:cities,documents=12").documents())


def made() -> Paths:
    n = sum(len(d.sentences) for d in DOCUMENTS)
    return Paths.of(DOCUMENTS, np.random.default_rng(0).normal(size=(n, 3)).astype(np.float32))


def test_paths_are_stretches_of_the_latents() -> None:
    paths = made()
    assert [len(p) for p in paths] == [len(d.sentences) for d in DOCUMENTS]
    np.testing.assert_array_equal(np.concatenate(list(paths)), paths.latents.astype(np.float64))


def test_a_parquet_file_holds_a_row_a_sentence(tmp_path: Path) -> None:
    from pyarrow import parquet

    paths = made()
    paths.write(tmp_path / "a.parquet", {"corpus": "made"})
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table.column_names == ["document", "split", "sentence", "section", "latent"]
    assert table.num_rows == len(paths.latents)
    row = table.slice(len(DOCUMENTS[0].sentences) + 1, 1).to_pylist()[0]
    assert row["document"] == DOCUMENTS[1].id
    assert row["sentence"] == 1
    assert row["section"] == DOCUMENTS[1].tags[0]
    assert len(row["latent"]) == 3
    assert [p.name for p in tmp_path.iterdir()] == ["a.parquet"]


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    paths = made()
    paths.write(tmp_path / "a.parquet", {"corpus": "made"})
    found, about = Paths.read(tmp_path / "a.parquet")
    assert about == {"corpus": "made"}
    assert (found.ids, found.splits) == (paths.ids, paths.splits)
    assert (found.lengths, found.sections) == (paths.lengths, paths.sections)
    np.testing.assert_array_equal(found.latents, paths.latents)


def test_pandas_would_read_it_too(tmp_path: Path) -> None:
    """One chunk, plain types: nothing but Parquet's own is needed."""
    from pyarrow import parquet

    made().write(tmp_path / "a.parquet")
    schema = parquet.read_schema(tmp_path / "a.parquet")
    assert [str(f.type) for f in schema] == [
        "string",
        "string",
        "int32",
        "string",
        "fixed_size_list<element: float>[3]",
    ]


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"nothing of the kind")
    with pytest.raises(TimeControlError, match="holds no latents"):
        Paths.read(tmp_path / "a.parquet")


def test_short_documents_have_paths_but_are_not_described() -> None:
    paths = Paths(["a", "b"], [None, None], [2, 3], [None] * 5, np.zeros((5, 2), np.float32))
    assert [len(p) for p in paths] == [2, 3]
    assert [len(p) for p in paths.long_enough()] == [3]
