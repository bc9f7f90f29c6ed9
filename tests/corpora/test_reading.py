"""Laws that hold for every format."""

import gzip
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Ran
from tests.formats import SAMPLES, Sample
from timecontrol.corpora import Document, open_corpus
from timecontrol.errors import InputError, TimeControlError

every_format = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES.keys())
TEXTS = ("The first one. It is short.", "A second — ünïcode, “quoted”.", "Third!")


def write(folder: Path, sample: Sample, content: str | bytes) -> str:
    path = folder / sample.file
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return f"{sample.corpus}:{path}"


def read(spec: str, skip_bad: bool = False) -> list[Document]:
    return list(open_corpus(spec, skip_bad=skip_bad).documents())


@every_format
def test_every_document_is_read_with_its_text_its_place_and_a_split(
    tmp_path: Path, sample: Sample
) -> None:
    documents = read(write(tmp_path, sample, sample.content(*TEXTS)))
    assert len(documents) == 3
    for i, (document, text) in enumerate(zip(documents, TEXTS, strict=True)):
        assert text.rstrip(".!") in document.text
        assert document.source.line == sample.line(i)
        assert document.source.index == i
        assert document.source.file.endswith(sample.file)
        assert document.split in ("train", "val", "test")
    assert len({d.id for d in documents}) == 3


@every_format
def test_windows_line_ends_a_byte_order_mark_and_gzip_change_nothing(
    tmp_path: Path, sample: Sample
) -> None:
    content = sample.content(*TEXTS)
    plain = [d.sections for d in read(write(tmp_path, sample, content))]
    windows = content.replace("\n", "\r\n")
    assert [d.sections for d in read(write(tmp_path, sample, windows))] == plain
    marked = b"\xef\xbb\xbf" + content.encode()
    assert [d.sections for d in read(write(tmp_path, sample, marked))] == plain
    (tmp_path / "packed").mkdir()
    packed = tmp_path / "packed" / f"{sample.file}.gz"
    packed.write_bytes(gzip.compress(content.encode()))
    assert [d.sections for d in read(f"{sample.corpus}:{packed}")] == plain


@pytest.mark.parametrize(
    ("sample", "broken"),
    [(s, b) for s in SAMPLES.values() for b in s.broken],
    ids=[f"{n}-{i}" for n, s in SAMPLES.items() for i in range(len(s.broken))],
)
def test_a_malformed_record_gives_file_line_reason_and_exit_code_2_or_is_counted(
    tmp_path: Path, sample: Sample, broken: str, timecontrol: Callable[..., Ran]
) -> None:
    records = [sample.record(0, "One."), broken, sample.record(2, "Three.")]
    spec = write(tmp_path, sample, sample.join(*records))
    ran = timecontrol("corpus", spec)
    assert ran.code == 2
    assert ran.out == ""
    [line] = ran.err.splitlines()
    place = f"timecontrol: {tmp_path / sample.file}:{sample.line(1)}: "
    assert line.startswith(place)
    assert len(line) > len(place) + 10

    ran = timecontrol("corpus", spec, "--skip-bad", "--json")
    assert ran.code == 0
    report = json.loads(ran.out)
    assert report["documents"] == 2
    assert report["skipped"] == 1
    assert f"{sample.file}:{sample.line(1)}" in report["skipped_examples"][0]


@every_format
def test_a_byte_that_is_not_utf8_is_refused_in_its_own_record_only(
    tmp_path: Path, sample: Sample
) -> None:
    content = sample.content("One.", "Caf@ is open.", "Three.").encode().replace(b"@", b"\xe9")
    spec = write(tmp_path, sample, content)
    with pytest.raises(InputError, match=rf":{sample.line(1)}: .*0xe9 cannot be read.*--encoding"):
        read(spec)
    assert [d.source.index for d in read(spec, skip_bad=True)] == [0, 2]
    [_, cafe, _] = open_corpus(spec, encoding="cp1252").documents()
    assert "Café is open" in cafe.text


@every_format
def test_a_nul_byte_is_refused_in_its_own_record_only(tmp_path: Path, sample: Sample) -> None:
    content = sample.content("One.", "Two @ two.", "Three.").replace("@", "\0")
    spec = write(tmp_path, sample, content)
    with pytest.raises(InputError, match=f":{sample.line(1)}: "):
        read(spec)
    assert [d.source.index for d in read(spec, skip_bad=True)] == [0, 2]


@every_format
def test_a_nul_byte_or_half_a_surrogate_hidden_in_an_escape_is_refused(
    tmp_path: Path, sample: Sample
) -> None:
    for escape in (r"\u0000", r"\ud800"):
        content = sample.content("One.", "Two @ two.", "Three.").replace("@", escape)
        if "\\u" not in sample.content("é"):
            continue  # not JSON: the characters are themselves
        with pytest.raises(InputError, match=f":{sample.line(1)}: "):
            read(write(tmp_path, sample, content))


@every_format
@pytest.mark.parametrize("content", ["", "\n", "\r\n \r\n", "\ufeff"])
def test_an_empty_file_has_no_documents_and_the_command_says_so(
    tmp_path: Path, sample: Sample, content: str, timecontrol: Callable[..., Ran]
) -> None:
    spec = write(tmp_path, sample, content)
    assert read(spec, skip_bad=True) == []
    ran = timecontrol("corpus", spec)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1


@every_format
def test_a_document_without_text_is_refused(tmp_path: Path, sample: Sample) -> None:
    spec = write(tmp_path, sample, sample.content("One.", " \t ", "Three."))
    documents = read(spec, skip_bad=True)
    assert all(s.sentences and all(s.sentences) for d in documents for s in d.sections)
    assert {0, 2} <= {d.source.index for d in documents}


@every_format
def test_a_document_of_ten_megabytes_is_read_whole(tmp_path: Path, sample: Sample) -> None:
    text = "The river Mell is 12.5 km long. " * 330_000
    [document] = read(write(tmp_path, sample, sample.content(text)))
    assert sum(map(len, document.sentences)) > 10_000_000 - 330_000
    if sample.corpus not in ("taskmaster", "tickettalk", "sgd", "rocstories"):  # units are given
        assert len(document.sentences) >= 330_000


@every_format
def test_a_truncated_gzip_file_is_named_not_traced(tmp_path: Path, sample: Sample) -> None:
    path = tmp_path / f"{sample.file}.gz"
    path.write_bytes(gzip.compress(sample.content(*TEXTS * 50).encode())[:-40])
    with pytest.raises(InputError, match="damaged gzip"):
        read(f"{sample.corpus}:{path}")
    path.write_bytes(b"not gzip")
    with pytest.raises(InputError, match="damaged gzip"):
        read(f"{sample.corpus}:{path}")


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES.keys())
@settings(max_examples=60)
@given(st.data())
def test_no_bytes_break_a_reader(tmp_path: Path, sample: Sample, data: st.DataObject) -> None:
    content = sample.content(*TEXTS).encode()
    noise = data.draw(st.binary(max_size=30))
    a = data.draw(st.integers(0, len(content)))
    b = data.draw(st.integers(a, min(len(content), a + 40)))
    spec = write(tmp_path, sample, content[:a] + noise + content[b:])
    for document in read(spec, skip_bad=True):
        assert document.sentences
        document.text.encode()
    with suppress(TimeControlError):
        read(spec)


def test_a_damaged_file_is_skipped_whole_when_asked(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "b.txt.gz").write_bytes(b"not gzip")
    corpus = open_corpus(f"text:{tmp_path}", skip_bad=True)
    assert [d.id for d in corpus.documents()] == ["a.txt"]
    assert corpus.reading.skipped == 1


def test_only_the_first_reasons_are_kept_and_each_pass_counts_anew(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "One."}\n' + "{\n" * 50)
    corpus = open_corpus(f"jsonl:{tmp_path / 'a.jsonl'}", skip_bad=True)
    for _ in range(2):
        assert len(list(corpus.documents())) == 1
        assert (corpus.reading.skipped, len(corpus.reading.reasons)) == (50, 20)
