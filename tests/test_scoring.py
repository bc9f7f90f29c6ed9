from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from timecontrol import scoring
from timecontrol.cli.demo import TEXT
from timecontrol.coherence.bridge import SHORTEST
from timecontrol.corpora import open_corpus
from timecontrol.encoder import Encoder
from timecontrol.errors import TimeControlError
from timecontrol.scoring import DOCUMENTS, Report, TimeControl, student

CORPUS = "synthetic:cities,documents=60"


@pytest.fixture(scope="module")
def tc(bases: dict[str, str]) -> TimeControl:
    return TimeControl(Encoder.fit(CORPUS, base=bases["bert"], epochs=2, latent_dim=3, hidden=8))


@pytest.fixture(scope="module")
def document() -> tuple[str, ...]:
    return next(open_corpus(CORPUS).documents("test")).sentences


def test_a_text_and_its_sentences_are_judged_alike(
    tc: TimeControl, document: tuple[str, ...]
) -> None:
    listed, whole = tc.score(document), tc.score(" ".join(document))
    assert whole.sentences == listed.sentences
    assert whole.score == pytest.approx(listed.score)
    assert len(whole.trace) == len(whole.trace_percentile) == len(document)
    assert whole.latents is not None
    assert whole.latents.shape == (len(document), 3)
    assert whole.worst == int(np.argmin(whole.trace))
    assert whole.interval is not None
    assert whole.score is not None
    assert whole.interval[0] < whole.score < whole.interval[1]
    assert whole.shuffled is not None
    assert 1 / 101 <= whole.shuffled <= 1


def test_a_report_does_not_depend_on_its_company(
    tc: TimeControl, document: tuple[str, ...]
) -> None:
    others = [(d.id, d.sentences) for d in open_corpus(CORPUS).documents("train")][:5]
    alone = tc.score(document)
    among = list(tc.score_many([*others, ("text", document), *others]))[5]
    assert among.score == pytest.approx(alone.score, abs=1e-4)
    assert among.shuffled == alone.shuffled
    np.testing.assert_allclose(among.trace, alone.trace, atol=1e-3)


@pytest.mark.parametrize("text", ["", "One sentence.", "Two sentences. Are not enough."])
def test_too_short_is_said_and_nothing_breaks(tc: TimeControl, text: str) -> None:
    report = tc.score(text)
    assert report.short
    assert report.score is None
    assert report.worst is None
    assert report.reason == f"too short: {len(report.sentences)} of at least {SHORTEST} sentences"
    assert report.as_dict()["score"] is None


def test_short_documents_keep_their_place(tc: TimeControl, document: tuple[str, ...]) -> None:
    found = tc.score_many([("a", "Short."), ("b", document), ("c", ""), ("d", document)])
    assert [(r.id, r.short) for r in found] == [
        ("a", True),
        ("b", False),
        ("c", True),
        ("d", False),
    ]


def test_documents_stream(tc: TimeControl, document: tuple[str, ...]) -> None:
    taken = [0]

    def endless() -> Iterator[tuple[str, tuple[str, ...]]]:
        while True:
            taken[0] += 1
            yield str(taken[0]), document

    first = next(tc.score_many(endless(), shuffles=0))
    assert first.id == "1"
    assert first.shuffled is None
    assert taken[0] <= DOCUMENTS + 1


def test_plain_data_has_a_row_for_every_sentence(
    tc: TimeControl, document: tuple[str, ...]
) -> None:
    found = tc.score(document, id="x").as_dict(latents=True)
    assert found["id"] == "x"
    assert [row["sentence"] for row in found["trace"]] == list(document)
    assert len(found["latents"]) == len(document)
    assert set(found["terms"]) == {"bridge", "place", "context", "nearness"}


def test_orders_that_are_the_same_score_as_high(tc: TimeControl) -> None:
    assert tc.score(["The same again."] * 5).shuffled == 1.0
    three = ["It is a town.", "It lies on a river.", "It has a mill."]
    alone = tc.score(three).shuffled
    among = next(tc.score_many([("a", three), ("b", ["Another text.", *three])])).shuffled
    assert alone == among
    assert alone is not None
    assert alone > 0.1  # one order in six is its own


def test_shuffles_in_small_portions_are_the_same(
    tc: TimeControl, document: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tc.score(document).shuffled
    monkeypatch.setattr(scoring, "ROWS", 3 * len(document))
    assert tc.score(document).shuffled == whole


@pytest.mark.parametrize("given", [None, 3, [1, 2, 3]])
def test_what_is_no_text_is_refused(tc: TimeControl, given: object) -> None:
    with pytest.raises(TimeControlError, match="A document is a text or a list of sentences"):
        tc.score(given)  # type: ignore[arg-type]
    with pytest.raises(TimeControlError, match=r"takes \(id, text\) pairs"):
        next(tc.score_many(["only a text"]))  # type: ignore[list-item]


def test_students_t_is_near_the_tables() -> None:
    for df, value in ((2, 4.303), (4, 2.776), (9, 2.262), (100, 1.984)):
        assert student(df) == pytest.approx(value, rel=0.035)


def test_breaks_are_the_rarest_fits_worst_first() -> None:
    trace, percentile = (-3, 1, -4, 1, 1), (1, 50, 0.5, 60, 60)
    report = Report("x", tuple("abcde"), 0.0, trace=trace, trace_percentile=percentile)
    assert report.breaks == (2, 0)
    assert report.worst == 2
    low = tuple(t - 3 for t in (0, 0.1, 0.2))
    unusual = Report("x", tuple("abc"), 0.0, trace=low, trace_percentile=(0.1, 0.1, 0.1))
    assert unusual.breaks == ()  # all of it is: none stands out
    assert unusual.worst == 0
    assert not report.far
    assert Report("x", (), 0.0, trust=0.2).far


def test_from_pretrained_opens_a_run_folder(tc: TimeControl, tmp_path: Path) -> None:
    tc.encoder.save(tmp_path / "run")
    again = TimeControl.from_pretrained(tmp_path / "run", device="cpu")
    text = "It is a town. It lies on a river. It has a mill. It has a market."
    assert again.score(text).score == pytest.approx(tc.score(text).score, abs=1e-4)


def test_a_report_can_be_drawn(tc: TimeControl, document: tuple[str, ...]) -> None:
    figure = tc.score(document).plot()
    bars, path = figure.axes
    assert len(bars.patches) == len(path.texts) == len(document)
    with pytest.raises(TimeControlError, match="nothing to draw"):
        tc.score(document[:2]).plot()


FLOWS = (
    "Tom wanted to learn how to ride a bike. His father took him to the park on Saturday. Tom fell "
    "several times and scraped his knee. He almost gave up, but his father encouraged him. At last "
    "he rode all the way around the pond. He was so proud that he told everyone at school."
)
STRANGE = "The price of copper fell in March."


@pytest.mark.slow
@pytest.mark.parametrize("name", ["general", "wikisection", "dialogue"])
def test_what_is_shipped_tells_a_text_that_flows_from_one_that_does_not(name: str) -> None:
    tc = TimeControl.from_pretrained(name, device="cpu")
    sentences = list(tc.score(FLOWS).sentences)
    whole = tc.score(sentences)
    broken = tc.score([*sentences[:3], STRANGE, *sentences[4:]])
    assert whole.score is not None
    assert broken.score is not None
    assert broken.score < whole.score - 0.5
    assert broken.trace[3] < whole.trace[3] - 1
    if name == "general":
        assert broken.worst == 3


@pytest.mark.slow
def test_the_demo_text_is_judged_as_the_readme_shows() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    report = TimeControl.from_pretrained("general", device="cpu").score(TEXT)
    assert f"score       {report.score:.2f}" in readme
    assert report.breaks == (4,)
    assert "Sentence 5 breaks the thread." in readme


def test_a_decoder_writes_and_its_encoder_scores(decoder_run: Path) -> None:
    tc = TimeControl.from_pretrained(decoder_run, device="cpu")
    texts = tc.generate(2, length=48, seed=3)
    assert [str(t) for t in texts] == [str(t) for t in tc.generate(2, length="48", seed=3)]
    assert all(len(t.ids) == 48 and t.plan is not None for t in texts)
    again = tc.generate(2, length=48, seed=3, plan=[t.plan for t in texts if t.plan])
    assert [t.ids for t in again] == [t.ids for t in texts]
    assert tc.generate(1, plan="static", length=48)[0].plan.kind == "static"  # type: ignore[union-attr]
    assert tc.score(["One.", "Two.", "Three."]).score is not None
    assert tc.score(texts[0]).sentences == texts[0].sentences


def test_without_a_decoder_nothing_is_written(run: Path) -> None:
    with pytest.raises(TimeControlError, match="no decoder to write with"):
        TimeControl.from_pretrained(run).generate()


def test_what_is_missing_between_two_texts_is_written(decoder_run: Path) -> None:
    tc = TimeControl.from_pretrained(decoder_run, device="cpu")
    left, right = "Heat the oven.", "Bake it for an hour."
    found = tc.infill(left, right, n=2, words=4, candidates=2)
    assert found.text.startswith(left)
    assert found.text.endswith(right)
    assert len(found.gaps[0].candidates[0].sentences) == 2
    marked = tc.infill(f"{left} [ ...2 ] {right}", words=4, candidates=2)
    assert marked.text == found.text
    with pytest.raises(TimeControlError, match="not both"):
        tc.infill(f"{left} [ ... ]", right)
    with pytest.raises(TimeControlError, match="right is None: give a text"):
        tc.infill(left, None)  # type: ignore[arg-type]
    with pytest.raises(TimeControlError, match="no decoder"):
        TimeControl(tc.encoder).infill(left, right)


def test_an_order_is_suggested_that_scores_no_less(
    tc: TimeControl, document: tuple[str, ...]
) -> None:
    mixed = [document[i] for i in np.random.default_rng(0).permutation(min(9, len(document)))]
    found = tc.suggest(mixed, shuffles=0)
    assert sorted(found.order) == list(range(len(mixed)))
    assert found.report.sentences == tuple(mixed[i] for i in found.order)
    assert found.now.score == pytest.approx(tc.score(mixed).score, abs=1e-4)
    assert found.report.score == pytest.approx(tc.score(found.report.sentences).score, abs=1e-4)
    assert found.report.score is not None
    assert found.now.score is not None
    assert found.report.score >= found.now.score
    assert found.exact
    assert found.most >= max(found.best, found.density)
    again = tc.suggest(found.report.sentences, shuffles=0)
    assert again.same
    assert again.as_dict()["order"] == list(range(len(mixed)))
    assert again.as_dict()["report"]["score"] == again.report.score


def test_the_likeliest_order_is_suggested_when_asked(
    tc: TimeControl, document: tuple[str, ...]
) -> None:
    text = " ".join(document[:6])
    found = tc.suggest(text, by="density", shuffles=0)
    assert found.best == pytest.approx(found.most)
    kept = tc.suggest(text, by="density", fixed_first=True, fixed_last=True, shuffles=0)
    assert (kept.order[0], kept.order[-1]) == (0, 5)
    assert kept.best <= found.best + 1e-9


def test_many_sentences_are_put_in_order_but_not_for_certain(tc: TimeControl) -> None:
    sentences = [s for d in open_corpus(CORPUS).documents("train") for s in d.sentences]
    assert not tc.suggest(sentences[:20], shuffles=0).exact
    with pytest.raises(TimeControlError, match="61 sentences cannot be put in order: from 3 to 60"):
        tc.suggest(sentences[:61])
    with pytest.raises(TimeControlError, match="2 sentences cannot be put in order"):
        tc.suggest(sentences[:2])


def test_it_says_what_it_is_in_a_line(run: Path, decoder_run: Path) -> None:
    tc = TimeControl.from_pretrained(run)
    assert repr(tc) == f"TimeControl({tc.encoder!r})"
    assert repr(tc.encoder).startswith("Encoder(bridge, d = ")
    writer = TimeControl.from_pretrained(decoder_run, device="cpu")
    assert "Decoder(planned, base " in repr(writer)
    assert len(repr(writer)) < 300
    unopened = TimeControl(tc.encoder, lambda: pytest.fail("opened"))
    assert "not opened yet" in repr(unopened)


def test_judging_can_be_ended_on_the_way(run: Path) -> None:
    tc = TimeControl.from_pretrained(run)
    text = [f"Sentence {i} of a long text about the river." for i in range(60)]
    called = []
    tc.score(text, tick=lambda: called.append(1))
    assert len(called) >= 3
    for work in (tc.score, lambda s, tick: tc.suggest(s[:8], tick=tick)):
        with pytest.raises(KeyboardInterrupt):
            work(text, tick=_end)


def _end() -> None:
    raise KeyboardInterrupt
