import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from timecontrol.bases import cache_folder
from timecontrol.errors import TimeControlError
from timecontrol.features import features_of, open_base, store
from timecontrol.features.extract import BUDGET, Reader, extract
from timecontrol.progress import Advance

TEXTS = [f"Sentence number {i} of the town{' indeed' * (i % 5)}." for i in range(40)]


@pytest.fixture
def reader(bases: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.setitem(BUDGET, "cpu", 128)
    return open_base(bases["gpt2"], device="cpu")


def files() -> list[str]:
    return sorted(p.name for p in (cache_folder() / "features").iterdir())


def test_features_are_those_of_each_text_in_order(reader: Reader) -> None:
    texts = [*TEXTS, TEXTS[3], TEXTS[0]]  # two occur twice
    found = features_of(texts, reader)
    assert len(found) == 42
    assert found.table.shape == (40, 32)
    np.testing.assert_allclose(found[:], extract(reader, texts), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(found[40:], found[np.array([3, 0])])


def test_a_second_time_nothing_is_computed(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    first = features_of(TEXTS, reader)
    monkeypatch.setattr(Reader, "forward", None)
    second = features_of(TEXTS, reader)
    np.testing.assert_array_equal(first[:], second[:])
    assert isinstance(second.table, np.memmap)


def test_the_file_depends_on_base_pooling_precision_and_text(
    bases: dict[str, str], reader: Reader
) -> None:
    others = [
        store.key_of(TEXTS, open_base(bases["llama"], device="cpu")),
        store.key_of(TEXTS, open_base(bases["gpt2"], "last", "cpu")),
        store.key_of(TEXTS, open_base(bases["gpt2"], dtype="bfloat16", device="cpu")),
        store.key_of(TEXTS[::-1], reader),
        store.key_of([*TEXTS[:-1], TEXTS[-1] + "!"], reader),
        store.key_of(["".join(TEXTS)], reader),
        store.key_of(TEXTS, reader),
    ]
    assert len(set(others)) == 7
    assert store.key_of(TEXTS, open_base(bases["gpt2"], device="cpu")) == others[-1]


class Stop(Exception):
    """A run that is killed."""


@contextmanager
def killer(what: str, total: int, done: int = 0, unit: str = "") -> Iterator[Advance]:
    left = [3]

    def advance(n: int = 1, **shown: Any) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Stop

    yield advance


def test_interrupted_work_goes_on_to_the_same_bits(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = np.array(features_of(TEXTS, reader).table)
    monkeypatch.setenv("TIMECONTROL_CACHE", os.environ["TIMECONTROL_CACHE"] + "-other")
    monkeypatch.setattr(store, "SAVE_EVERY", 0.0)
    with pytest.raises(Stop):
        features_of(TEXTS, reader, killer)
    [partial] = [f for f in files() if f.endswith(".partial")]
    done = int((cache_folder() / "features" / partial / "done").read_text().split()[0])
    assert 0 < done < 40
    seen: list[int] = []

    @contextmanager
    def watch(what: str, total: int, done: int = 0, unit: str = "") -> Iterator[Advance]:
        seen.extend([total, done])
        yield lambda n=1, **shown: None

    resumed = features_of(TEXTS, reader, watch)
    assert seen == [40, done]
    np.testing.assert_array_equal(resumed.table, whole)
    assert len(files()) == 1


@pytest.mark.parametrize("damage", ["done", "features.npy", "nonsense"])
def test_a_partial_file_that_is_not_sure_is_begun_anew(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    whole = extract(reader, TEXTS)
    monkeypatch.setattr(store, "SAVE_EVERY", 0.0)
    with pytest.raises(Stop):
        features_of(TEXTS, reader, killer)
    [partial] = [f for f in files() if f.endswith(".partial")]
    folder = cache_folder() / "features" / partial
    if damage == "nonsense":
        (folder / "features.npy").write_bytes(b"no array")
    else:
        (folder / damage).unlink()
    np.testing.assert_allclose(features_of(TEXTS, reader)[:], whole, rtol=1e-4, atol=1e-5)


def test_two_at_once_get_the_same(reader: Reader) -> None:
    found: list[np.ndarray] = []
    workers = [
        threading.Thread(target=lambda: found.append(np.array(features_of(TEXTS, reader)[:])))
        for _ in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 3
    assert all(np.array_equal(found[0], other) for other in found)


def test_bad_features_are_refused_and_not_kept(reader: Reader) -> None:
    import torch

    with torch.no_grad():
        reader.model.ln_f.bias[0] = torch.nan
    with pytest.raises(TimeControlError, match="not finite"):
        features_of(TEXTS, reader)
    assert not [f for f in files() if "." not in f]


def test_a_disk_too_small_is_said_before(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100))
    with pytest.raises(TimeControlError, match=r"GiB left; set TIMECONTROL_CACHE"):
        features_of(TEXTS, reader)


def test_a_cache_that_cannot_be_written_is_said(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    monkeypatch.setenv("TIMECONTROL_CACHE", str(file))
    with pytest.raises(TimeControlError, match="Cannot keep features"):
        features_of(TEXTS, reader)


def test_work_begun_with_other_batches_is_begun_anew(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CPU's partial file gone on with on a GPU: no row may be left out."""
    monkeypatch.setattr(store, "SAVE_EVERY", 0.0)
    with pytest.raises(Stop):
        features_of(TEXTS, reader, killer)
    monkeypatch.setitem(BUDGET, "cpu", 301)
    found = features_of(TEXTS, reader)
    assert (np.abs(found[:]).sum(1) > 0).all()
    np.testing.assert_allclose(found[:], extract(reader, TEXTS), rtol=1e-4, atol=1e-5)


def test_going_on_inside_a_batch_is_refused(reader: Reader) -> None:
    tokens = reader.tokens(TEXTS)
    with pytest.raises(ValueError, match="inside a batch"):
        list(reader(tokens, np.argsort(-tokens.lengths, kind="stable"), 1))


def test_a_damaged_file_is_named(reader: Reader) -> None:
    features_of(TEXTS, reader)
    [name] = files()
    file = cache_folder() / "features" / name / "features.npy"
    file.write_bytes(b"no array")
    with pytest.raises(TimeControlError, match="is damaged: delete it"):
        features_of(TEXTS, reader)
    file.unlink()
    with pytest.raises(TimeControlError, match="is damaged: delete it"):
        features_of(TEXTS, reader)


def test_the_key_has_the_weights_and_the_cut(reader: Reader) -> None:
    from dataclasses import replace

    keys = {
        store.key_of(TEXTS, r)
        for r in (reader, replace(reader, checksum="other"), replace(reader, most_tokens=32))
    }
    assert len(keys) == 3
