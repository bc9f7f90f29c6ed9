import re

import pytest

from timecontrol.bases.known import BASES, BY_HUB, Base


@pytest.mark.parametrize("base", BASES.values(), ids=BASES.keys())
def test_every_base_is_described_and_packaged_weights_are_pinned(base: Base) -> None:
    assert base.about
    assert base.licence
    assert base.hub.count("/") == 1
    assert BY_HUB[base.hub] is base
    if base.packages:
        assert all(re.fullmatch(r"[a-z0-9-]+==\d[\d.]*", p) for p in base.packages)
        assert re.fullmatch(r"[0-9a-f]{64}", base.sha256)
        assert base.file


def test_rounded_weights_are_said_to_be_rounded() -> None:
    assert BASES["smollm2-135m"].precision == "Q4_1"
