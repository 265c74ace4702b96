"""What steers a warp does as an H100 and an H200 do, where nothing says what it should."""

from collections.abc import Iterator

import numpy as np
import pytest

from simcore.core.execution import control
from testing.one_instruction import Form
from testing.plain_python import run_core_as_python
from testing.real_instructions import real_instructions


@pytest.fixture(autouse=True)
def _without_jit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    run_core_as_python(monkeypatch)
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize(("active", "lane"), [(0xFFFF_FFFF, 31), (0x0000_1F00, 12), (0x0000_0001, 0)])
def test_a_convergence_barrier_takes_the_word_of_the_last_lane(active: int, lane: int) -> None:
    """Where recursion has mixed depths, lanes have set aside different words."""
    forms = [Form(instruction) for instruction in real_instructions()["BMOV"]]
    restoring = [form for form in forms if form.record["operation"] == control.BMOV_FROM_REGISTER]
    assert restoring
    for form in restoring:
        state = form.state(0)
        state.active = active
        form.execute(state)
        assert form.machine.barriers[0, form.record["value"]] == state.words[form.record["a"], lane]
