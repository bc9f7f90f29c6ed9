import json
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.generation.examples import written
from timecontrol.corpora.layout import DIALOGUE
from timecontrol.decoder import Decoder, preset
from timecontrol.decoder.examples import smoothed
from timecontrol.errors import TimeControlError
from timecontrol.generation import Writing, write
from timecontrol.generation.request import (
    default_kind,
    default_writing,
    most_sentences,
    pins_of,
    plans_for,
    plans_from,
    sentences_for,
)
from timecontrol.latents.paths import Paths
from timecontrol.plans import KINDS, Plan, draw, write_plans
from timecontrol.plans.calm import Affine, Calm
from timecontrol.tokens import Codec

NORMAL = Writing(budget=256)
TEXT = "Mix the flour and the eggs."


@pytest.fixture(scope="module")
def decoder(decoder_run: Path) -> Decoder:
    return Decoder.load(decoder_run, "cpu")


def of(
    decoder: Decoder, name: str = "best", objective: str = "bridge", method: str = "planned"
) -> Decoder:
    """Return a decoder as if it were of another preset, encoder or method."""
    encoder = {"objective": objective} if method == "planned" else None
    changed = replace(decoder, settings=preset(name, method=method))
    changed.config = {**decoder.config, "encoder": encoder}
    if method != "planned":
        changed.encoder = None
    if method == "plain":
        changed.law = None
    return changed


def whole(plans: list[Plan | None]) -> list[Plan]:
    return [plan for plan in plans if plan is not None]


@pytest.mark.parametrize(
    ("name", "objective", "kind"),
    [
        ("best", "bridge", "bridge"),
        ("best", "brownian", "bridge"),
        ("best", "implicit", "bridge"),
        ("best", "vae", "bridge"),
        ("paper", "bridge", "euler"),
        ("paper", "brownian", "brownian"),
        ("paper", "implicit", "linear"),
        ("paper", "vae", "linear"),
        ("released", "bridge", "released"),
        ("released", "brownian", "released-brownian"),
        ("released", "implicit", "released"),
        ("released", "vae", "released"),
    ],
)
def test_preset_and_encoder_decide_the_kind(
    decoder: Decoder, name: str, objective: str, kind: str
) -> None:
    changed = of(decoder, name, objective)
    assert default_kind(changed) == kind
    assert kind in KINDS
    assert whole(plans_for(changed, 1, NORMAL, sentences=4))[0].kind == kind


@pytest.mark.parametrize("method", ["section-dense", "section-sparse"])
def test_sections_are_those_of_real_documents(decoder: Decoder, method: str) -> None:
    changed = of(decoder, method=method)
    assert default_kind(changed) == "retrieved"
    assert whole(plans_for(changed, 1, NORMAL))[0].kind == "retrieved"
    assert whole(plans_for(changed, 1, NORMAL, kind="retrieved"))
    for kind in set(KINDS) - {"retrieved"}:
        with pytest.raises(TimeControlError, match="--plan retrieved, not"):
            plans_for(changed, 1, NORMAL, kind=kind)
    with pytest.raises(TimeControlError, match="has no encoder"):
        plans_for(changed, 1, NORMAL, start=TEXT)


def test_a_clock_follows_the_outline(decoder: Decoder) -> None:
    changed = of(decoder, method="clock")
    assert default_kind(changed) == "mean"
    (plan,) = whole(plans_for(changed, 1, NORMAL))
    assert plan.kind == "mean"
    assert plan.starts[0] == 0


def test_plans_know_where_their_sections_begin(decoder: Decoder) -> None:
    """As many as there are tags in a recipe, of kinds that know."""
    for kind in KINDS:
        for plan in whole(plans_for(decoder, 3, NORMAL, kind=kind, sentences=10)):
            knows = kind in ("bridge", "mean", "retrieved", "pieced")
            assert len(plan.starts) == (3 if knows else 0)


def test_plans_know_how_long_their_sentences_are(decoder: Decoder) -> None:
    """As long as those of their sections are in a training document, or in all, if they know."""
    assert decoder.law is not None
    timing = decoder.law.timing
    documents = (timing.tokens / timing.totals).round(6).tolist()
    mean = (timing.tokens.sum(0) / timing.totals.sum(0)).round(6).tolist()
    assert len(set(mean)) == 3
    for kind in KINDS:
        for plan in whole(plans_for(decoder, 3, NORMAL, kind=kind, sentences=10)):
            if kind not in ("bridge", "mean", "retrieved", "pieced"):
                assert plan.pace == ()
                continue
            parts = np.split(np.array(plan.pace), plan.starts[1:])
            own = [round(float(part.mean()), 6) for part in parts]
            assert own in ([mean] if kind == "mean" else documents)
            if kind != "retrieved":  # longer and shorter as sentences are at their time
                assert max(part.max() / part.min() for part in parts) < 1.5


def test_a_plan_as_long_as_its_document_has_its_tokens(decoder: Decoder) -> None:
    assert decoder.law is not None
    tokens = decoder.law.timing.tokens.sum(1)
    for plan in whole(plans_for(decoder, 5, NORMAL, kind="bridge")):
        assert np.isclose(sum(plan.pace), tokens).any()


def test_lengths_of_texts(decoder: Decoder) -> None:
    assert decoder.window == 256
    assert default_writing(decoder, "normal") == Writing(length="normal", budget=256)
    assert default_writing(decoder, "forced") == Writing(length="forced", budget=256)
    assert default_writing(decoder, "77", seed=3) == Writing(length="forced", budget=77, seed=3)


@pytest.mark.parametrize("length", ["normal", "forced", "77"])
@pytest.mark.parametrize(("name", "own"), [("best", 0.95), ("paper", 0.99), ("released", 0.99)])
def test_presets_draw_from_their_own_mass(
    decoder: Decoder, length: str, name: str, own: float
) -> None:
    changed = of(decoder, name)
    assert default_writing(changed, length).top_p == own
    assert default_writing(changed, length, top_p=None).top_p == own
    assert default_writing(changed, length, top_p=0.5).top_p == 0.5
    with pytest.raises(TimeControlError, match="top-p is 0"):
        default_writing(changed, length, top_p=0.0)


@pytest.mark.parametrize("length", ["normal", "forced", "77"])
@pytest.mark.parametrize(
    ("name", "own"), [("best", "budget"), ("paper", "sentences"), ("released", "sentences")]
)
def test_presets_follow_in_their_own_way(
    decoder: Decoder, length: str, name: str, own: str
) -> None:
    changed = of(decoder, name)
    assert default_writing(changed, length).follow == own
    assert default_writing(changed, length, follow=None).follow == own
    for follow in ("budget", "sentences"):
        assert default_writing(changed, length, follow=follow).follow == follow
    with pytest.raises(TimeControlError, match="follow is 'sections': budget or sentences"):
        default_writing(changed, length, follow="sections")


def test_old_decoders_follow_a_point_a_sentence(decoder: Decoder) -> None:
    assert decoder.law is not None
    old = replace(decoder, law=replace(decoder.law, fitted=False))
    assert default_writing(old, "forced").follow == "sentences"
    assert default_writing(old, "forced", follow="budget").follow == "budget"
    assert default_writing(of(decoder, method="plain"), "forced").follow == "budget"  # by nothing


@pytest.mark.parametrize("length", ["", "long", "-5", "7.5", "1e3", "٣", "9" * 10, "9" * 5000])
def test_what_is_no_length(decoder: Decoder, length: str) -> None:
    with pytest.raises(TimeControlError, match="normal, forced, or a number of tokens"):
        default_writing(decoder, length)


@pytest.mark.parametrize("length", ["0", "1"])
def test_too_short_a_length(decoder: Decoder, length: str) -> None:
    with pytest.raises(TimeControlError, match=f"length is {length} tokens: 2 or more"):
        default_writing(decoder, length)


def test_lengths_of_plans(decoder: Decoder) -> None:
    """By hand, for documents of 10 sentences and 100 tokens on average."""
    assert decoder.law is not None
    decoder = replace(decoder, law=replace(decoder.law, sentences=10.0, tokens=100.0))
    for name, normal, forced, short in (
        ("best", 10, 26, 5),  # 256/100 * 10
        ("paper", 10, 16, 2),  # (256 - 100)/100 * 10; never under 2
        ("released", 100, 25, 5),  # tokens for sentences; rounded down
    ):
        changed = of(decoder, name)
        for length, n in (("normal", normal), ("forced", forced), ("50", short)):
            writing = default_writing(changed, length)
            assert sentences_for(changed, writing) == n
            assert len(whole(plans_for(changed, 1, writing, kind="linear"))[0]) == n


def test_plans_of_normal_length_are_as_long_as_documents(decoder: Decoder) -> None:
    assert decoder.law is not None
    counts = decoder.law.timing.totals.sum(1)
    for kind in ("bridge", "retrieved"):
        found = [len(plan) for plan in whole(plans_for(decoder, 60, NORMAL, kind=kind))]
        assert set(found) <= set(counts.astype(int))
        assert len(set(found)) > 1
        assert abs(np.mean(found) - counts.mean()) < 4 * counts.std() / 60**0.5 + 1e-9
    for asked in ({"kind": "mean"}, {"sentences": 7}, {"goal": TEXT}):
        found = [len(p) for p in whole(plans_for(decoder, 5, NORMAL, **asked))]
        assert len(set(found)) == 1
    paper = whole(plans_for(of(decoder, "paper"), 5, NORMAL, kind="bridge"))
    assert len({len(p) for p in paper}) == 1


def test_most_sentences_are_twice_as_many_as_usual(decoder: Decoder) -> None:
    assert decoder.law is not None
    decoder = replace(decoder, law=replace(decoder.law, sentences=10.0, tokens=100.0))
    assert most_sentences(decoder, 256) == 51  # 2 * 25.6
    assert most_sentences(decoder, 5) == 2
    assert len(whole(plans_for(decoder, 1, NORMAL, sentences=51))[0]) == 51
    assert len(whole(plans_for(decoder, 1, NORMAL, sentences=1))[0]) == 1
    for n in (52, 0, -3):
        with pytest.raises(TimeControlError) as error:
            plans_for(decoder, 1, NORMAL, sentences=n)
        assert str(error.value) == (
            f"{n} sentences are asked for: from 1 to 51 in 256 tokens, where 26 are usual; a "
            "larger --length has room for more."
        )


def test_plans_are_drawn_by_seed_and_number(decoder: Decoder) -> None:
    assert decoder.law is not None
    writing = replace(NORMAL, seed=3)
    plans = whole(plans_for(decoder, 4, writing, kind="mean", sentences=5, first=7))
    assert [(p.kind, p.seed, p.number, len(p)) for p in plans] == [
        ("mean", 3, number, 5) for number in (7, 8, 9, 10)
    ]
    plans = whole(plans_for(decoder, 4, writing, sentences=5, first=7))
    for plan in plans:
        expected = draw(decoder.law, "bridge", 5, seed=3, number=plan.number)
        assert np.array_equal(plan.points, expected)
    alone = whole(plans_for(decoder, 1, writing, sentences=5, first=9))[0]
    assert np.array_equal(alone.points, plans[2].points)
    assert not np.array_equal(plans[0].points, plans[1].points)


def test_noise_of_plans_is_multiplied_and_told(decoder: Decoder) -> None:
    usual, none, twice = (
        whole(plans_for(decoder, 2, NORMAL, sentences=6, noise=noise)) for noise in (1, 0, 2)
    )
    for one, zero, two in zip(usual, none, twice, strict=True):
        np.testing.assert_allclose(two.points - zero.points, 2 * (one.points - zero.points))
        assert "noise" not in one.about
        assert (zero.about["noise"], two.about["noise"]) == (0, 2)
    with pytest.raises(TimeControlError, match="noise is -1"):
        plans_for(decoder, 1, NORMAL, noise=-1)
    with pytest.raises(TimeControlError, match="--noise"):
        plans_for(of(decoder, method="plain"), 1, NORMAL, noise=0)


def test_texts_are_pinned_where_they_belong(decoder: Decoder) -> None:
    assert decoder.encoder is not None
    assert decoder.law is not None
    texts = ["Peel the apples.", "Bake it.", "Let it cool.", "Serve it."]
    latents = decoder.encoder.encode(texts)
    shares = (0, 0.3, 0.7, 1)
    expected = [decoder.law.calmed(s, z) for s, z in zip(shares, latents, strict=True)]
    plan = whole(
        plans_for(
            decoder,
            1,
            NORMAL,
            sentences=7,
            start=texts[0],
            goal=texts[3],
            waypoints=[(0.7, texts[2]), (0.3, texts[1])],
        )
    )[0]
    np.testing.assert_allclose(plan.points[[0, 2, 4, 6]], expected, atol=1e-5)
    assert plan.about == {
        "rule": "best",
        "start": texts[0],
        "goal": texts[3],
        "waypoints": [[0.7, texts[2]], [0.3, texts[1]]],
    }
    json.dumps(plan.as_dict(), allow_nan=False)


def test_several_sentences_are_pinned_at_their_mean(decoder: Decoder) -> None:
    assert decoder.encoder is not None
    assert decoder.law is not None
    sentences = ["Peel the apples.", "Bake it for an hour.", "Serve it with cream."]
    (pin,) = pins_of(decoder, goal=" ".join(sentences))
    assert pin.share == 1
    mean = np.asarray(decoder.encoder.encode(sentences)).mean(0)
    np.testing.assert_allclose(pin.point, decoder.law.calmed(1, mean), atol=1e-5)
    (other,) = pins_of(decoder, start="\n\n".join(sentences))  # a paragraph each
    np.testing.assert_allclose(other.point, decoder.law.calmed(0, mean), atol=1e-5)


def test_each_pin_is_calmed_as_its_place_asks_for(decoder: Decoder) -> None:
    assert decoder.encoder is not None
    assert decoder.law is not None
    parts = [Affine(np.eye(3) * scale, np.full(3, scale)) for scale in (0.2, 0.3, 0.5)]
    changed = replace(decoder, law=replace(decoder.law, calm=Calm(*parts)))
    pins = pins_of(changed, f"{TEXT} Stir.", TEXT, [(0.5, TEXT)])
    one, other = np.asarray(decoder.encoder.encode([TEXT, "Stir."]), np.float64)
    expected = [0.2 * (one + other) / 2 + 0.2, 0.3 * one + 0.3, 0.5 * one + 0.5]
    np.testing.assert_allclose([pin.point for pin in pins], expected, atol=1e-5)


def test_an_utterance_is_not_split(decoder: Decoder) -> None:
    assert decoder.encoder is not None
    assert decoder.law is not None
    changed = replace(decoder, codec=copy(decoder.codec))
    changed.codec.layout = replace(decoder.codec.layout, unit="utterance")
    text = "Yes. I would like\n\nto eat."
    (pin,) = pins_of(changed, goal=f" {text}\n")
    (latent,) = decoder.encoder.encode(["Yes. I would like to eat."])
    np.testing.assert_allclose(pin.point, decoder.law.calmed(1, latent), atol=1e-5)
    assert not np.allclose(pin.point, pins_of(decoder, goal=text)[0].point, atol=1e-3)
    with pytest.raises(TimeControlError, match="The text at 0 is empty"):
        pins_of(changed, start=" \n")


def test_pins_come_in_order_and_only_those_asked_for(decoder: Decoder) -> None:
    assert pins_of(decoder) == []
    shares = [p.share for p in pins_of(decoder, TEXT, TEXT, [(0.9, TEXT), (0.1, TEXT)])]
    assert shares == [0, 0.1, 0.9, 1]
    assert [p.share for p in pins_of(decoder, goal=TEXT)] == [1]


@pytest.mark.parametrize("text", ["", "  ", "\n\n\t"])
def test_an_empty_text_is_refused(decoder: Decoder, text: str) -> None:
    with pytest.raises(TimeControlError, match="The text at 0 is empty"):
        plans_for(decoder, 1, NORMAL, start=text)
    with pytest.raises(TimeControlError, match=r"The text at 0\.5 is empty"):
        plans_for(decoder, 1, NORMAL, waypoints=[(0.5, text)])


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 50.0, float("nan"), float("inf")])
def test_a_waypoint_lies_inside(decoder: Decoder, share: float) -> None:
    with pytest.raises(TimeControlError, match="a share of the document between 0 and 1"):
        plans_for(decoder, 1, NORMAL, waypoints=[(share, TEXT)])


def test_what_has_no_place_in_a_plan(decoder: Decoder) -> None:
    with pytest.raises(TimeControlError, match="has no place in 2 sentences"):
        plans_for(decoder, 1, NORMAL, sentences=2, waypoints=[(0.5, TEXT)])
    with pytest.raises(TimeControlError, match=r"Two waypoints .* fall on sentence 2 of 3"):
        plans_for(decoder, 1, NORMAL, sentences=3, waypoints=[(0.4, TEXT), (0.6, TEXT)])
    with pytest.raises(TimeControlError, match="takes no goal"):
        plans_for(decoder, 1, NORMAL, kind="static", goal=TEXT)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "brige"}, "No plan named 'brige'. Did you mean 'bridge'?"),
        ({"count": 0}, "0 documents are asked for: 1 or more."),
        ({"first": -1}, "must not be negative"),
    ],
)
def test_what_cannot_be_planned(decoder: Decoder, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TimeControlError) as error:
        plans_for(decoder, **{"count": 1, "writing": NORMAL, **changes})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "asked",
    [
        {"kind": "bridge"},
        {"sentences": 3},
        {"start": TEXT},
        {"start": ""},
        {"goal": TEXT},
        {"waypoints": [(0.5, TEXT)]},
    ],
)
def test_a_decoder_without_plans_takes_none(
    decoder: Decoder, asked: dict[str, Any], tmp_path: Path
) -> None:
    plain = of(decoder, method="plain")
    assert plans_for(plain, 3, NORMAL) == [None, None, None]
    with pytest.raises(TimeControlError, match="trained without plans"):
        plans_for(plain, 3, NORMAL, **asked)
    with pytest.raises(TimeControlError, match="trained without plans"):
        plans_from(plain, tmp_path / "plans.json", None, NORMAL)


def same(some: list[Plan], others: list[Plan]) -> bool:
    """Return whether plans are the same to the last bit."""
    return [p.as_dict() for p in some] == [p.as_dict() for p in others]


def test_plans_of_written_documents_come_back(decoder: Decoder, tmp_path: Path) -> None:
    writing = Writing(budget=20, seed=2)
    plans = plans_for(decoder, 3, writing, start=TEXT, first=4)
    file = tmp_path / "texts.jsonl"
    documents = list(write(decoder, plans, writing, first=4))
    file.write_text("".join(json.dumps(d.as_dict()) + "\n" for d in documents))
    found = plans_from(decoder, file, None, writing)
    assert same(found, whole(plans))
    again = list(write(decoder, found, writing, first=4))
    assert [d.ids for d in again] == [d.ids for d in documents]


def test_plans_are_taken_over_again(decoder: Decoder, tmp_path: Path) -> None:
    plans = whole(plans_for(decoder, 2, NORMAL, sentences=3))
    file = tmp_path / "plans.json"
    write_plans(file, plans)
    assert same(plans_from(decoder, file, None, NORMAL), plans)
    assert same(plans_from(decoder, file, 5, NORMAL), [*plans, *plans, plans[0]])
    assert same(plans_from(decoder, file, 1, NORMAL), plans[:1])
    with pytest.raises(TimeControlError, match="0 documents are asked for"):
        plans_from(decoder, file, 0, NORMAL)


def test_paths_of_documents_are_smoothed_once(decoder: Decoder, tmp_path: Path) -> None:
    latents = np.random.default_rng(0).normal(size=(9, 3)).astype(np.float32)
    file = tmp_path / "latents.parquet"
    Paths(["a", "b"], [None, "test"], [4, 5], [None] * 9, latents).write(file)
    raw = [latents[:4].astype(np.float64), latents[4:].astype(np.float64)]
    found = plans_from(decoder, file, None, NORMAL)
    assert decoder.settings.smooth == 5
    for plan, points in zip(found, raw, strict=True):
        np.testing.assert_array_equal(plan.points, smoothed(points, 5))
    np.testing.assert_allclose(found[1].points[2], raw[1].mean(0))
    known = [replace(plan, points=raw[1], about={}, starts=(0, 2)) for plan in found[1:]]
    write_plans(tmp_path / "known.json", known)
    [within] = plans_from(decoder, tmp_path / "known.json", None, NORMAL)
    np.testing.assert_allclose(within.points, smoothed(raw[1], 5, [0, 0, 1, 1, 1]), atol=1e-6)
    abouts = [{"document": "a", "smooth": 5}, {"document": "b", "split": "test", "smooth": 5}]
    assert [(plan.kind, plan.about) for plan in found] == [("document", a) for a in abouts]
    write_plans(tmp_path / "plans.json", found)
    assert same(plans_from(decoder, tmp_path / "plans.json", None, NORMAL), found)
    as_they_are = plans_from(of(decoder, "paper"), file, None, NORMAL)
    for plan, points in zip(as_they_are, raw, strict=True):
        np.testing.assert_array_equal(plan.points, points)


def test_plans_of_a_file_must_fit(decoder: Decoder, tmp_path: Path) -> None:
    file = tmp_path / "plan.npy"
    most = most_sentences(decoder, 256)
    np.save(file, np.zeros((most, 3)))
    assert len(plans_from(decoder, file, None, NORMAL)[0]) == most
    np.save(file, np.zeros((most + 1, 3)))
    with pytest.raises(TimeControlError, match=f"{most + 1} points; the window of 256 tokens"):
        plans_from(decoder, file, None, NORMAL)
    np.save(file, np.zeros((2, 4)))
    with pytest.raises(TimeControlError, match="4 numbers; this model reads points of 3"):
        plans_from(decoder, file, None, NORMAL)


def test_plans_as_long_as_the_preset_makes_them_come_back(decoder: Decoder, tmp_path: Path) -> None:
    """The authors' code counts tokens: its plans are longer than any text."""
    released = of(decoder, "released")
    plans = whole(plans_for(released, 1, NORMAL))
    assert len(plans[0]) > most_sentences(released, 256)
    write_plans(tmp_path / "plans.json", plans)
    assert same(plans_from(released, tmp_path / "plans.json", None, NORMAL), plans)


def test_what_was_asked_for_is_written(decoder: Decoder) -> None:
    plans = plans_for(decoder, 2, Writing(budget=24), sentences=2)
    documents = written(decoder, plans, budget=24)
    assert [document.plan for document in documents] == plans


def test_paths_of_documents_are_smoothed_within_their_stages(
    decoder: Decoder, tmp_path: Path
) -> None:
    tags = [*decoder.codec.layout.tags][:2]
    sections = [None, tags[0], tags[0], tags[1], tags[0], tags[1], tags[1]]
    latents = np.random.default_rng(0).normal(size=(7, 3)).astype(np.float32)
    file = tmp_path / "latents.parquet"
    Paths(["a", "b"], [None, None], [4, 3], sections, latents).write(file)
    found = plans_from(decoder, file, None, NORMAL)
    assert [plan.starts for plan in found] == [(1, 3), (0, 1)]
    for plan, own, stages in zip(
        found, (latents[:4], latents[4:]), (sections[:4], sections[4:]), strict=True
    ):
        expected = smoothed(own.astype(np.float64), 5, stages)
        np.testing.assert_allclose(plan.points, expected, atol=1e-9)
    spoken = replace(decoder, codec=Codec(decoder.codec.tokenizer, DIALOGUE))
    for plan in plans_from(spoken, file, None, NORMAL):
        assert plan.starts == ()
