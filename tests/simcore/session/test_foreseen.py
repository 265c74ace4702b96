"""A launch that is timed once, because what its SM fetches is foreseen, is as if it had been timed twice."""

from unittest.mock import Mock

import pytest

from dse.evaluation.variants import space_variants
from simcore import simulate
from simcore.session import timing
from testing.families import FAMILIES


def test_what_is_foreseen_is_what_two_timings_show(monkeypatch: pytest.MonkeyPatch) -> None:
    variants = space_variants(FAMILIES / "stencil_3d")
    launch = variants.recipe(next(iter(variants.points()))).launch("h200")
    time_sm = Mock(wraps=timing._run_sm)
    monkeypatch.setattr(timing, "_run_sm", time_sm)
    foreseen = simulate(**launch)
    assert time_sm.call_count == 1
    monkeypatch.setattr(timing, "_is_fetched_once", lambda _demand: False)
    assert simulate(**launch) == foreseen
    assert time_sm.call_count == 3
