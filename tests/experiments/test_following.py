"""Decoders and encoders made by hand, of which it is known whether plans are followed."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.conftest import make_tokenizer
from tests.generation.examples import made
from timecontrol.bases import set_ends
from timecontrol.corpora import Document, open_corpus, synthetic
from timecontrol.corpora.documents import Section
from timecontrol.corpora.layout import RECIPE, STORY
from timecontrol.decoder import Decoder, Settings
from timecontrol.decoder.examples import smoothed
from timecontrol.encoder.documents import texts_of
from timecontrol.errors import TimeControlError
from timecontrol.experiments import following
from timecontrol.experiments.following import (
    adhered,
    along,
    predicted,
    profile,
    stages_of,
    swapped,
)
from timecontrol.experiments.texts import Texts, as_document
from timecontrol.generation import Writing, Written
from timecontrol.generation.request import sentences_for
from timecontrol.latents.fit import at
from timecontrol.metrics.adherence import linear_map
from timecontrol.plans import Law, Plan
from timecontrol.progress import silent
from timecontrol.tokens import Codec

Array = NDArray[np.float64]

WORDS = ("apple", "butter", "cinnamon", "dough", "egg", "flour", "ginger")
BONUS = 3.0
"""What is added to the logits of the tokens a plan speaks of."""


class Topical:
    """A model that expects the tokens of the word that the plan's first point names.

    Without a plan, or with its latents dropped, every token is as likely as any other.
    """

    def __init__(self, codec: Codec, positions: int = 512) -> None:
        self.device = torch.device("cpu")
        self.lm = SimpleNamespace(config=SimpleNamespace(max_position_embeddings=positions))
        self.size = len(codec.tokenizer)
        self.topics = [tokens_of(codec, word) for word in WORDS]
        self.given: list[dict[str, Any]] = []

    def __call__(self, **given: Any) -> Any:
        self.given.append(given)
        logits = torch.zeros(*given["input_ids"].shape, self.size)
        if "plan" in given:
            for row, (plan, keep) in enumerate(zip(given["plan"], given["plan_keep"], strict=True)):
                if keep:
                    logits[row, :, self.topics[round(float(plan[0, 0]))]] += BONUS
        return SimpleNamespace(logits=logits)

    def rows(self, name: str) -> list[Array]:
        """Return the rows of a tensor of all batches; of plans without what fills them."""
        found = []
        for given in self.given:
            for row, n in zip(given[name], given["plan_length"], strict=True):
                found.append(row[:n].numpy() if name == "plan" else row.numpy())
        return found


def tokens_of(codec: Codec, word: str) -> list[int]:
    found: list[int] = codec.tokenizer(f" {word}", add_special_tokens=False)["input_ids"]
    return sorted(set(found))


def topic_documents(count: int = 4) -> list[Document]:
    """Return documents that say one word each, of different lengths."""
    found = []
    for i in range(count):
        steps = (f"{WORDS[i]} {WORDS[i]}",) * (2 + i)
        sections = (Section("TITLE", (WORDS[i],)), Section("DIRECTIONS", steps))
        found.append(as_document(sections))
    return found


def topic_paths(documents: Sequence[Document], progress: Any = None) -> Iterator[Array]:
    """Yield the number of a document's word, and how far it is, for each of its sentences."""
    for document in documents:
        n, word = len(document.sentences), document.sentences[0]
        yield np.stack([np.full(n, WORDS.index(word)), np.linspace(0, 1, n)], -1)


def topical(positions: int = 512, **changes: Any) -> Decoder:
    settings = Settings(**{"smooth": 1, **changes})
    codec = Codec(set_ends(make_tokenizer()), RECIPE)
    model: Any = Topical(codec, positions)
    encoder: Any = SimpleNamespace(paths=topic_paths) if settings.method == "planned" else None
    return Decoder(model, codec, settings, {}, None, {}, encoder)


def model_of(decoder: Decoder) -> Topical:
    found: Any = decoder.model
    assert isinstance(found, Topical)
    return found


def values(found: dict[str, Any]) -> dict[str, float]:
    return {k: v["value"] for k, v in found.items() if isinstance(v, dict)}


def test_own_latents_help_and_those_of_others_hurt() -> None:
    decoder, documents = topical(), topic_documents()
    found = predicted(decoder, documents)
    true, none, other = (found[name]["value"] for name in ("true", "none", "other"))
    assert true < none < other
    model = model_of(decoder)
    assert none == pytest.approx(model.size)
    # by hand: each token costs the log of the normaliser, less the bonus where the topic has it
    cost, count = 0.0, 0
    for i, document in enumerate(documents):
        topic = model.topics[i]
        ids = decoder.codec.encode(document).ids[1:]
        whole = np.log(len(topic) * np.exp(BONUS) + model.size - len(topic))
        cost += sum(whole - BONUS * (token in topic) for token in ids)
        count += len(ids)
    assert true == pytest.approx(np.exp(cost / count), rel=1e-5)
    assert (found["tokens"], found["documents"]) == (count, 4)
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("n", range(2, 8))
@pytest.mark.parametrize("seed", range(3))
def test_nobody_gets_their_own_latents_from_another(n: int, seed: int) -> None:
    decoder, documents = topical(), topic_documents(n)
    predicted(decoder, documents, batch=3, seed=seed)
    model = model_of(decoder)
    plans, keeps = model.rows("plan"), model.rows("plan_keep")
    assert len(plans) == 3 * n
    own = list(topic_paths(documents))
    for i in range(n):  # true, then none
        np.testing.assert_allclose(plans[i], own[i], rtol=1e-6)
    assert [bool(keep) for keep in keeps] == [True] * n + [False] * n + [True] * n
    owners = [round(float(plan[0, 0])) for plan in plans[2 * n :]]
    assert all(owner != i for i, owner in enumerate(owners))
    assert sorted(owners) == list(range(n))  # everybody's are used once
    for i, plan in enumerate(plans[2 * n :]):  # stretched to the length of the document
        assert len(plan) == len(documents[i].sentences)
        np.testing.assert_allclose(plan[:, 1], np.linspace(0, 1, len(plan)), atol=1e-6)


def test_the_seed_decides_only_who_gets_whose() -> None:
    documents = topic_documents(6)
    one, two = (predicted(topical(), documents, seed=s) for s in (0, 1))
    assert (one["true"], one["none"]) == (two["true"], two["none"])
    assert one["other"] != two["other"]
    assert predicted(topical(), documents, seed=1) == two


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_how_many_are_read_at_once_does_not_matter(batch: int) -> None:
    documents = topic_documents(5)
    whole = values(predicted(topical(), documents, batch=2))
    assert values(predicted(topical(), documents, batch=batch)) == pytest.approx(whole)


def test_a_plain_decoder_has_one_number() -> None:
    decoder = topical(method="plain")
    found = predicted(decoder, topic_documents())
    assert set(found) == {"plain", "tokens", "documents"}
    assert found["plain"]["value"] == pytest.approx(model_of(decoder).size)
    assert all("plan" not in given for given in model_of(decoder).given)


def test_a_decoder_told_of_sections_reads_them_from_the_documents() -> None:
    decoder = topical(method="section-dense")
    found = predicted(decoder, topic_documents(2))
    assert set(found) >= {"true", "none", "other"}
    np.testing.assert_array_equal(
        model_of(decoder).rows("plan")[0], [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0]]
    )


def test_latents_are_averaged_as_in_training() -> None:
    decoder, documents = topical(smooth=3), topic_documents(2)
    predicted(decoder, documents)
    own = list(topic_paths(documents))
    expected = smoothed(own[1], 3, stages_of(documents[1]))
    np.testing.assert_allclose(model_of(decoder).rows("plan")[1], expected, rtol=1e-6)


def test_documents_longer_than_the_base_takes_are_trimmed_alike_for_all() -> None:
    documents = topic_documents(6)
    sizes = sorted(len(topical().codec.encode(d).ids) for d in documents)
    trimmed = topical(positions=sizes[2])
    assert predicted(trimmed, documents)["documents"] == 6
    assert max(g["input_ids"].shape[1] for g in model_of(trimmed).given) == sizes[2]
    other = topical(positions=sizes[2], trim="drop", seed=9)  # the same text for every decoder
    found = predicted(other, documents)
    assert found["documents"] == 6
    assert found["tokens"] == predicted(trimmed, documents)["tokens"]


def test_one_document_has_nobody_to_take_latents_from() -> None:
    with pytest.raises(TimeControlError, match="at least 2 are needed"):
        predicted(topical(), topic_documents(1))


def test_documents_with_other_tags_are_refused() -> None:
    odd = as_document((Section("HISTORY", ("apple", "apple")), Section("AREA", ("apple",))))
    with pytest.raises(TimeControlError, match="does not know the tag 'AREA'") as found:
        predicted(topical(), [*topic_documents(2), odd])
    assert "known: TITLE, INGREDIENTS, DIRECTIONS" in str(found.value)
    bare = as_document((Section(None, ("apple", "apple", "apple")),))
    assert predicted(topical(), [*topic_documents(2), bare])["documents"] == 3


def test_a_profile_by_hand() -> None:
    title, steps = Section("TITLE", ("a",)), Section("DIRECTIONS", ("b", "c"))
    sections = [title, steps, Section("DIRECTIONS", ("d",)), Section(None, ("e",))]
    tags = RECIPE.tags
    assert profile(sections, tags).tolist() == [0.25, 0, 0.75]
    assert profile(sections, tags[::-1]).tolist() == [0.75, 0, 0.25]
    assert profile([], tags).tolist() == profile([Section(None, ("e",))], tags).tolist() == [0] * 3
    assert profile([title, Section("DIRECTIONS", ())], tags).tolist() == [1, 0, 0]


def writer_by(decide: Any) -> Any:
    """Return a ``write`` whose sections are as long as a function of plan and number says."""

    def write(
        decoder: Decoder, plans: Sequence[Plan], writing: Writing, **rest: Any
    ) -> Iterator[Written]:
        for number, plan in enumerate(plans):
            counts = [round(x) for x in decide(plan, number)]
            sections = tuple(
                Section(tag, ("x",) * n) for tag, n in zip(RECIPE.tags, counts, strict=True)
            )
            yield Written(number, sections, (0,), True, plan)

    return write


def chance(key: Any) -> Array:
    """Return how many sentences each section has, by a number alone."""
    return np.random.default_rng(abs(hash(key))).integers(1, 20, 3).astype(float)


def by_plan(plan: Plan, number: int) -> Array:
    return chance(round(1e6 * float(plan.points.sum())))


def by_number(plan: Plan, number: int) -> Array:
    return chance(number)


def many_paths(decoder: Decoder, count: int = 40) -> Decoder:
    state = np.random.default_rng(0)
    paths = [state.standard_normal((5 + i % 4, 3)).cumsum(0) for i in range(count)]
    return replace(decoder, law=Law.of(paths, 40.0))


@pytest.fixture(scope="module")
def decoder() -> Decoder:
    return many_paths(made())


WRITING = Writing(length="forced", budget=48, seed=3)


def test_profiles_that_follow_the_plan(decoder: Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "write", writer_by(by_plan))
    found = swapped(decoder, 12, WRITING)
    assert found["correlation"] == pytest.approx({"value": 1, "low": 1, "high": 1})
    assert found["follows_plan"] == 1
    assert found["distance_same_plan"] == 0
    assert found["distance_same_numbers"] > 0.1
    assert (found["pairs"], found["sentences"]) == (12, sentences_for(decoder, WRITING))


def test_profiles_that_follow_the_random_numbers(
    decoder: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "write", writer_by(by_number))
    found = swapped(decoder, 12, WRITING)
    assert found["correlation"] == pytest.approx({"value": -1, "low": -1, "high": -1})
    assert found["follows_plan"] == 0
    assert found["distance_same_numbers"] == 0
    assert found["distance_same_plan"] > 0.1


def test_profiles_that_follow_something_else(
    decoder: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = np.random.default_rng(0)
    monkeypatch.setattr(
        following, "write", writer_by(lambda plan, number: state.integers(1, 20, 3))
    )
    found = swapped(decoder, 20, WRITING)["correlation"]
    assert abs(found["value"]) < 0.5
    assert found["low"] < 0 < found["high"]
    assert found["low"] < found["value"] - 0.15
    assert found["high"] > found["value"] + 0.15


def test_profiles_that_never_change_tell_nothing(
    decoder: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "write", writer_by(lambda plan, number: (1, 2, 3)))
    found = swapped(decoder, 4, WRITING)
    assert found["correlation"] == {"value": 0, "low": 0, "high": 0}
    assert found["follows_plan"] == 0


def test_plans_are_training_paths_and_neighbours_change_places(
    decoder: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[Plan], Writing, dict[str, Any]]] = []
    inner = writer_by(by_plan)

    def write(made: Decoder, plans: Sequence[Plan], writing: Writing, **rest: Any) -> Any:
        asked.append((list(plans), writing, rest))
        return inner(made, plans, writing)

    monkeypatch.setattr(following, "write", write)
    swapped(decoder, 5, WRITING, batch=7)
    (first, how, rest), (second, again, _) = asked
    assert how == again == WRITING
    assert rest["batch"] == 7
    assert len({plan.number for plan in first}) == 10  # ten different paths
    assert decoder.law is not None
    grid = np.linspace(0, 1, sentences_for(decoder, WRITING))
    for plan in first:
        np.testing.assert_allclose(plan.points, at(decoder.law.paths[plan.number], grid))
    for i in range(0, 10, 2):
        assert second[i] is first[i + 1]
        assert second[i + 1] is first[i]
    swapped(decoder, 5, replace(WRITING, seed=4))
    assert [p.number for p in asked[2][0]] != [p.number for p in first]


def test_a_real_decoder_is_asked_the_same(decoder: Decoder) -> None:
    found = swapped(decoder, 3, Writing(length="forced", budget=32))
    assert -1 <= found["correlation"]["low"] <= found["correlation"]["high"] <= 1
    assert found == swapped(decoder, 3, Writing(length="forced", budget=32), batch=5)
    json.dumps(found, allow_nan=False)


def test_few_paths_are_in_several_pairs(decoder: Decoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "write", writer_by(by_plan))
    assert decoder.law is not None
    found = swapped(decoder, 30, WRITING, paths=decoder.law.paths[:5])
    assert (found["pairs"], found["paths"]) == (30, 5)
    assert found["correlation"]["value"] == pytest.approx(1)
    assert found["distance_same_numbers"] > 0  # nobody changes places with itself


def test_where_nothing_can_be_swapped(decoder: Decoder) -> None:
    for bad in (made(plan_dim=0), many_paths(made(layout=STORY))):
        with pytest.raises(TimeControlError, match="Plans can be swapped where there are plans"):
            swapped(bad, 2, WRITING)
    with pytest.raises(TimeControlError, match="1 paths: two are needed"):
        swapped(decoder, 2, WRITING, paths=[np.zeros((5, 3))])


DIM = 3


class Reader:
    """An encoder made by hand: a sentence to a point that its text alone decides.

    The judge's points are the planner's, turned, stretched and moved: a linear map undoes it.
    """

    def __init__(self, identity: str, turn: Array | None = None, tags: bool = False) -> None:
        self.config = {"identity": identity}
        self.settings = SimpleNamespace(tags=tags)
        self.turn = turn
        self.latent_dim = DIM
        ends = np.array([[0.0] * DIM, [1.0] * DIM])
        self.fit_ = SimpleNamespace(
            start=SimpleNamespace(mean=ends[0]), end=SimpleNamespace(mean=ends[1])
        )
        self.read: list[str] = []
        self.told: list[Any] = []

    def encode(self, sentences: Sequence[str]) -> Array:
        self.read += sentences
        points = np.array([point_of(s) for s in sentences]).reshape(-1, DIM)
        return points if self.turn is None else points @ self.turn + 5

    def paths(self, documents: Sequence[Document], progress: Any = None) -> Iterator[Array]:
        self.told.append(progress)
        for document in documents:
            yield self.encode(texts_of([document], self.settings.tags))


def point_of(sentence: str) -> Array:
    seed = int.from_bytes(hashlib.sha256(sentence.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(DIM)


TURN = np.random.default_rng(1).standard_normal((DIM, DIM + 1))


@pytest.fixture(scope="module")
def training() -> list[Document]:
    return list(open_corpus("synthetic:recipes,documents=60").documents("train"))


def copies(documents: Sequence[Document], plans: Sequence[Array | None], smooth: int = 1) -> Texts:
    n = len(documents)
    sections = [d.sections for d in documents]
    return Texts("a", "copies", "normal", 99, sections, [1] * n, [True] * n, list(plans), smooth)


def judged(texts: Texts, training: Sequence[Document], **options: Any) -> dict[str, Any]:
    planner: Any = Reader("planner", tags=options.pop("planner_tags", False))
    judge: Any = Reader("judge", TURN, **options)
    return adhered(texts, planner, judge, training)


def plans_of(documents: Sequence[Document], smooth: int = 1, tags: bool = False) -> list[Array]:
    return [smoothed(p, smooth) for p in Reader("", tags=tags).paths(documents)]


@pytest.mark.parametrize("smooth", [1, 3])
def test_texts_that_are_their_plans_documents_adhere(training: list[Document], smooth: int) -> None:
    some = training[:12]
    found = judged(copies(some, plans_of(some, smooth), smooth), training)
    assert found["documents"] == 12
    assert found["points"] == sum(len(d.sentences) for d in some)
    for name in ("r2", "explained", "progress"):
        assert found[name]["mean"]["value"] > 0.99
    assert found["permuted"]["r2"]["mean"]["value"] < 0.2
    assert min(found["map_r2"]) > 0.99
    assert len(found["map_r2"]) == DIM
    json.dumps(found, allow_nan=False)


def test_texts_of_something_else_do_not(training: list[Document]) -> None:
    some = training[:12]
    others = list(synthetic.documents(synthetic.Spec("cities", 12)))
    found = judged(copies(others, plans_of(some)), training)
    assert found["r2"]["mean"]["value"] < 0
    assert found["explained"]["mean"]["value"] < 0.2
    assert abs(found["progress"]["mean"]["value"]) < 0.4
    assert min(found["map_r2"]) > 0.99  # it is not the map that fails


def test_latents_that_were_averaged_are_compared_with_averages(training: list[Document]) -> None:
    some = training[:12]
    right, wrong = (judged(copies(some, plans_of(some, 3), s), training) for s in (3, 1))
    assert wrong["r2"]["mean"]["value"] < 0.7 < right["r2"]["mean"]["value"]


def test_averages_within_stages_are_compared_with_such_averages(training: list[Document]) -> None:
    some = training[:12]
    paths = Reader("").paths(some)
    plans = [smoothed(p, 5, stages_of(d)) for p, d in zip(paths, some, strict=True)]
    texts = copies(some, plans, 5)
    right, wrong = (judged(replace(texts, within=w), training) for w in (True, False))
    assert wrong["r2"]["mean"]["value"] < right["r2"]["mean"]["value"]
    assert right["r2"]["mean"]["value"] > 0.99


def test_the_map_is_fitted_to_averages_too(training: list[Document]) -> None:
    class Bent(Reader):
        """A judge whose points no linear map brings back."""

        def encode(self, sentences: Sequence[str]) -> Array:
            return super().encode(sentences) ** 3

    planner: Any = Reader("planner")
    judge: Any = Bent("judge")
    target, source = (np.concatenate([smoothed(p, 3) for p in reader.paths(training)])
                      for reader in (planner, judge))  # fmt: skip
    off = target - linear_map(source, target)(source)
    expected = 1 - (off**2).sum(0) / ((target - target.mean(0)) ** 2).sum(0)
    some = training[:4]
    found = adhered(copies(some, plans_of(some, 3), 3), planner, judge, training)
    np.testing.assert_allclose(found["map_r2"], expected)
    assert max(expected) < 0.95


def test_a_judge_that_reads_tags_reads_them_in_texts_too(training: list[Document]) -> None:
    some = training[:12]
    plans = plans_of(some, tags=True)
    found = judged(copies(some, plans), training, tags=True, planner_tags=True)
    assert found["r2"]["mean"]["value"] > 0.99
    judge: Any = Reader("judge", TURN, tags=True)
    planner: Any = Reader("planner", tags=True)
    adhered(copies(some[:1], plans[:1]), planner, judge, training)
    assert judge.read[-len(some[0].sentences) :] == texts_of(some[:1], tags=True)
    assert judge.read[-1] in some[0].sentences
    assert judge.read[-len(some[0].sentences)].startswith("[ TITLE ] ")


def test_documents_without_a_plan_or_a_sentence_do_not_count(training: list[Document]) -> None:
    some = training[:6]
    plans: list[Array | None] = [*plans_of(some)]
    plans[1] = None
    nothing = [*some[:5], as_document(())]
    found = judged(copies(nothing, plans), training)
    assert (found["documents"], found["empty"]) == (4, 1)
    assert found["r2"]["mean"]["value"] > 0.99  # the others still have their own plans


def test_a_single_text_has_nobody_to_change_plans_with(training: list[Document]) -> None:
    found = judged(copies(training[:1], plans_of(training[:1])), training)
    assert found["documents"] == 1
    assert found["permuted"] is None


def test_a_plan_in_the_order_of_sentences_by_hand() -> None:
    plan = np.arange(6.0)[:, None]
    assert along(plan, None) is plan
    for units, expected in (
        ([0, 1, 2], [0, 1, 2, 3, 4, 5]),  # what comes after is for others' texts
        ([0, 2, 2, 4], [0, 2, 2, 4, 5]),
        ([3], [3, 4, 5]),
        ([0, 5, 6, 7], [0, 5]),  # past its end there is nothing to compare
        ([1, 9], [1]),
        ([6], []),
        ([], [0, 1, 2, 3, 4, 5]),
    ):
        assert along(plan, units)[:, 0].tolist() == expected


@pytest.mark.parametrize("smooth", [1, 3])
def test_units_without_a_sentence_do_not_put_the_others_out_of_step(
    training: list[Document], smooth: int
) -> None:
    """Points of which nothing was written, put into plans anywhere, change no number."""
    some = training[:12]
    plans = plans_of(some, smooth)
    right = judged(copies(some, plans, smooth), training)
    state, longer, units = np.random.default_rng(0), [], []
    for plan in plans:
        gaps = np.sort(state.integers(0, len(plan), 3))  # before these sentences
        longer.append(np.insert(plan, gaps, state.standard_normal((3, DIM)), 0))
        own = np.arange(len(plan)) + (gaps[:, None] <= np.arange(len(plan))).sum(0)
        units.append([int(unit) for unit in own])
        np.testing.assert_array_equal(longer[-1][own], plan)
    texts = copies(some, [*longer], smooth)
    assert judged(replace(texts, units=[*units]), training) == right
    assert judged(texts, training)["r2"]["mean"]["value"] < 0.7 < right["r2"]["mean"]["value"]
    counted: list[list[int] | None] = [list(range(len(plan))) for plan in plans]
    assert judged(replace(copies(some, plans, smooth), units=counted), training) == right
    unknown: list[list[int] | None] = [None] * len(some)
    assert judged(replace(copies(some, plans, smooth), units=unknown), training) == right


def test_somebody_is_told_of_everything_that_is_read(training: list[Document]) -> None:
    planner: Any = Reader("planner")
    judge: Any = Reader("judge", TURN)
    adhered(copies(training[:2], plans_of(training[:2])), planner, judge, training, silent)
    assert planner.told == [silent]  # the training documents
    assert judge.told == [silent, silent]  # and the texts


def test_the_judge_must_be_another(training: list[Document]) -> None:
    planner: Any = Reader("one")
    judge: Any = Reader("one", TURN)
    texts = copies(training[:2], plans_of(training[:2]))
    with pytest.raises(TimeControlError, match="The judge is the encoder that planned"):
        adhered(texts, planner, judge, training)


def test_there_must_be_plans_of_this_encoder_and_something_to_read(
    training: list[Document],
) -> None:
    some = training[:2]
    with pytest.raises(TimeControlError, match="copies: its documents have no plans"):
        judged(copies(some, [None, None]), training)
    with pytest.raises(TimeControlError, match="whose latents have 3 numbers"):
        judged(copies(some, [np.zeros((4, 4)), np.zeros((4, 4))]), training)
    with pytest.raises(TimeControlError, match="copies: its documents have no sentences"):
        judged(copies([as_document(())] * 2, plans_of(some)), training)
