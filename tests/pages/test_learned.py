import numpy as np
import pytest

from tests.pages.made import FIT, PATHS, learned
from tests.pages.seen import of, parsed
from tests.pages.test_report import EVIL, Checked
from timecontrol.figures import by_time
from timecontrol.latents import diagnose, fit_paths
from timecontrol.latents.fit import residuals
from timecontrol.pages.learned import COORDINATES, hero, learned_part
from timecontrol.pages.profile import Profile

OWN = learned()
ORDER, SHARES = by_time(PATHS, FIT)


def test_the_coordinate_that_time_explains_best_is_shown_first() -> None:
    best = ORDER[0] + 1
    charts = list(parsed(hero(OWN)).iter("svg"))
    assert len(charts) == 2
    for chart, order in zip(charts, ("in order", "shuffled"), strict=True):
        assert f"Coordinate {best} of 24 documents, sentences {order}" in (
            chart.get("aria-label") or ""
        )
    assert f"One of {len(SHARES)} latent coordinates of 24 documents" in Checked(hero(OWN)).text


def test_coordinates_come_by_how_much_time_explains_in_order_and_shuffled() -> None:
    page = parsed(f"<div>{learned_part(OWN)}</div>")
    titles = [e.text for e in of(of(page, "div", "fours")[0], "text", "title")]
    named = [f"z{k + 1}, {100 * max(0.0, SHARES[k]):.0f} % by time" for k in ORDER]
    assert titles[::2] == named[:COORDINATES]
    assert titles[1::2] == ["Shuffled"] * len(named)


@pytest.mark.parametrize("d", [1, 2, 9])
def test_any_number_of_coordinates_can_be_shown(d: int) -> None:
    state = np.random.default_rng(0)
    paths = [np.cumsum(state.normal(size=(9, d)), 0) for _ in range(6)]
    fit = fit_paths(paths)
    more = {"paths": tuple(paths), "fit": fit, "diagnostics": diagnose(paths, fit, shuffles=1)}
    markup = hero(learned(**more)) + learned_part(learned(**more))
    page = Checked(markup)
    assert page.tags.count("svg") == 2 + 2 * min(d, COORDINATES) + 2
    assert "nan" not in markup


def test_residuals_are_shown_about_the_line_and_about_the_mean_path() -> None:
    line = Profile.of([residuals(p) for p in PATHS], FIT.line_sigma)
    bent = Profile.of([residuals(p, FIT.mean_path) for p in PATHS], FIT.mean_sigma)
    text = Checked(learned_part(OWN)).text
    assert f"R² {line.r2:.2f}, σ {FIT.line_sigma:.3f}." in text
    assert f"R² {bent.r2:.2f}, σ {FIT.mean_sigma:.3f}." in text
    assert FIT.line_sigma > FIT.mean_sigma  # two coordinates are bent


def test_what_was_found_is_said() -> None:
    text = Checked(learned_part(OWN)).text
    found = OWN.diagnostics
    assert f"of 2 shuffles of each, {100 * found.shuffled_larger:.0f} % stray further" in text
    assert f"Correlation of neighbouring steps: {found.step_correlation:+.2f}." in text
    assert "trained on 24 made documents (synthetic:cities), over a frozen base (minilm)" in text


def test_another_seed_shuffles_otherwise() -> None:
    assert hero(OWN) == hero(learned())
    assert hero(OWN) != hero(learned(seed=1))


def test_text_is_escaped() -> None:
    markup = learned_part(learned(corpus=EVIL, base=EVIL))
    page = Checked(markup)
    assert "<script" not in markup
    assert "script" not in page.tags
    assert page.text.count(EVIL) == 2
