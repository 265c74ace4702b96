"""Schedulers that run ahead of each other end as those that take turns: what is recorded keeps them in turn."""

import pytest

from simcore.session.request import TimingRequest
from simcore.session.timing import run_launch
from testing.silicon_data import Measured, measured, smallest_of_each

LATE = 1 << 40
"""A cycle that no launch reaches."""


@pytest.mark.parametrize("gpu", ["h200", "rtx4090"])
@pytest.mark.parametrize("point", smallest_of_each(measured("families"), 1e5)[::6], ids=str)
def test_running_ahead_changes_nothing(point: Measured, gpu: str) -> None:
    request = TimingRequest(**point.launch(gpu))
    ahead, in_turn = run_launch(request), run_launch(request, window=(LATE, LATE + 1))
    assert ahead.cycles == in_turn.cycles
    assert (ahead.sm.ledger.instruction_stalls == in_turn.sm.ledger.instruction_stalls).all()
    assert (ahead.sm.counters == in_turn.sm.counters).all()
    assert (ahead.sm.retired == in_turn.sm.retired).all()
