import re

from timecontrol.pages.style import STYLE


def test_every_colour_is_there_in_light_and_dark() -> None:
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)")
    named = re.compile(r"--([\w-]+):")
    assert set(named.findall(light)) == set(named.findall(dark))
    assert set(re.findall(r"var\(--([\w-]+)\)", STYLE)) <= set(named.findall(light))


def test_nothing_is_fetched() -> None:
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    assert STYLE.count("{") == STYLE.count("}")
