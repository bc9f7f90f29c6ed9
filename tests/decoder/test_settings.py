import pytest

from timecontrol.decoder.settings import FUSIONS, METHODS, PRESETS, TRIMS, YOUNGER, Settings, preset
from timecontrol.errors import TimeControlError


def test_the_paper_s_settings_and_the_authors_code_s() -> None:
    paper = preset("paper")
    assert (paper.form, paper.depths, paper.trim, paper.end_weight) == ("paper", 1, "drop", 1.0)
    told = (paper.clock, paper.end_row, paper.standardise, paper.early)
    assert not any(told)
    assert (paper.smooth, paper.noise, paper.latent_dropout) == (1, 0.0, 0.0)
    assert paper.apart == 0.0
    assert preset("best").apart == 30.0
    assert paper.rate == paper.projection_rate
    released, own = preset("released").as_dict(), paper.as_dict()
    changed = {name for name in own if own[name] != released[name]}
    assert changed == {"preset", "form", "early"}
    assert released["early"]


def test_a_preset_says_its_name_and_changes_are_kept() -> None:
    for name, settings in PRESETS.items():
        assert settings.preset == name
        assert preset(name) == settings
    settings = preset("best", lora=16, seed=None, method="plain")
    assert (settings.lora, settings.seed, settings.method) == (16, 0, "plain")
    assert not settings.follows
    assert preset("best").follows


@pytest.mark.parametrize("method", ["section-dense", "section-sparse"])
def test_a_section_is_no_number_to_be_averaged(method: str) -> None:
    settings = preset("best", method=method)
    assert (settings.smooth, settings.noise) == (1, 0.0)
    assert (settings.standardise, settings.clock) == (False, False)
    assert settings.follows
    assert settings.depths == preset("best").depths
    assert preset("best", method=method, smooth=3).smooth == 3


def test_a_clock_tells_the_time_and_nothing_else() -> None:
    for name in PRESETS:
        settings = preset(name, method="clock")
        assert (settings.clock, settings.end_row) == (True, True)
        assert (settings.smooth, settings.noise, settings.standardise) == (1, 0.0, False)
        assert settings.follows
    assert not preset("best", method="clock", end_row=False).end_row


def test_settings_come_back_from_plain_data() -> None:
    settings = preset("released", window=64, units=8)
    assert Settings.from_dict(settings.as_dict()) == settings
    assert Settings.from_dict({**settings.as_dict(), "of_a_later_version": 1}) == settings
    old = {k: v for k, v in settings.as_dict().items() if k not in ("fusion", "look")}
    assert Settings.from_dict(old) == settings
    early = {k: v for k, v in preset("best").as_dict().items() if k not in YOUNGER}
    assert {k: getattr(Settings.from_dict(early), k) for k in YOUNGER} == YOUNGER
    changed = preset("best", apart=7.0)
    assert Settings.from_dict(changed.as_dict()).apart == 7.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "planed"}, "No method named 'planed'. Did you mean 'planned'"),
        ({"trim": "chop"}, "No trim named 'chop'"),
        ({"form": "papers"}, "No form named 'papers'. Did you mean 'paper'"),
        ({"fusion": "ad"}, "No fusion named 'ad'. Did you mean 'add'"),
        ({"look": -1}, "look is -1: 0 or more"),
        ({"depths": 0}, "depths is 0: 1 or more"),
        ({"smooth": 0}, "smooth is 0: 1 or more"),
        ({"accumulate": -1}, "accumulate is -1: 1 or more"),
        ({"rate": 0.0}, "rate is 0: more than 0"),
        ({"rate": float("nan")}, "rate is nan: more than 0"),
        ({"projection_rate": float("inf")}, "projection rate is inf: more than 0"),
        ({"end_weight": 0.0}, "end weight is 0: more than 0"),
        ({"noise": -0.1}, r"noise is -0\.1: 0 or more"),
        ({"lora": -1}, "lora is -1: 0 or more"),
        ({"apart": -0.5}, r"apart is -0\.5: 0 or more"),
        ({"apart": float("inf")}, "apart is inf: 0 or more"),
        ({"apart": float("nan")}, "apart is nan: 0 or more"),
        ({"latent_dropout": 1.1}, r"latent dropout is 1\.1: from 0 to 1"),
        ({"warm_up": -1.0}, "warm up is -1: from 0 to 1"),
        ({"window": 8}, "window is 8: 16 tokens or more, or 0 for all"),
        ({"seed": -1}, "seed is -1: 0 or more"),
        ({"seed": 2**31}, "below 2147483648"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(TimeControlError, match=message):
        preset("best", **changes)


def test_bounds_themselves_are_allowed() -> None:
    settings = preset("best", latent_dropout=1.0, warm_up=0.0, window=16, noise=0.0, patience=0)
    assert settings.window == 16
    assert preset("best", apart=0.0).apart == 0
    assert preset("best", window=0).window == 0
    for method in METHODS:
        assert preset("best", method=method).method == method
    for trim in TRIMS:
        assert preset("best", trim=trim).trim == trim
    for fusion in FUSIONS:
        assert preset("best", fusion=fusion).fusion == fusion
    assert preset("best", look=3).look == 3


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(TimeControlError, match=r"No preset named 'bset'\. Did you mean 'best'"):
        preset("bset")


def test_a_model_that_fills_gaps_has_settings_of_its_own() -> None:
    from timecontrol.decoder.settings import FILLING

    found = preset("best", arrangement="right-first")
    assert found.fills
    assert {name: getattr(found, name) for name in FILLING} == FILLING
    assert preset("best", arrangement="blanks", smooth=3).smooth == 3
    assert not preset("best", arrangement="forward").fills
    assert preset("best", arrangement="forward") == preset("best")
    old = {k: v for k, v in preset("best").as_dict().items() if k not in ("arrangement", "gap")}
    assert not Settings.from_dict(old).fills
    for wrong in ({"arrangement": "sideways"}, {"gap": 0}, {"documents": -1}, {"lora_dropout": 1}):
        with pytest.raises(TimeControlError):
            preset("best", **wrong)


@pytest.mark.parametrize(
    ("documents", "batch"), [(2, 1), (63, 1), (64, 2), (200, 6), (256, 8), (7000, 8)]
)
def test_small_corpora_have_small_batches_so_that_there_are_steps(
    documents: int, batch: int
) -> None:
    assert preset("best", batch=0).settled(documents).batch == batch
    assert preset("best", batch=0, documents=64).settled(7000).batch == 2


def test_a_batch_that_was_asked_for_is_kept() -> None:
    assert preset("best", batch=5).settled(10).batch == 5
    assert preset("paper").settled(10).batch == 1


def test_batches_of_one_step_count_together() -> None:
    assert preset("best", batch=0, accumulate=4).settled(256).batch == 2
