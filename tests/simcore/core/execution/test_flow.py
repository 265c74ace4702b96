"""What steers a warp does as an H100 and an H200 do, where nothing says what it should."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulator.restored_barrier import taken
from simcore.core.execution import control
from testing.one_instruction import Form
from testing.plain_python import run_core_as_python
from testing.real_instructions import real_instructions

MIXED = Path(__file__).parents[3] / "silicon" / "h100-sxm" / "restored_barrier.npz"


@pytest.fixture(autouse=True)
def _without_jit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    run_core_as_python(monkeypatch)
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize(("active", "lane"), [(0xFFFF_FFFF, 0), (0x0000_1F00, 8), (0x8000_0000, 31)])
def test_a_convergence_barrier_takes_the_word_of_the_first_lane(active: int, lane: int) -> None:
    """Where recursion has mixed depths, lanes have set aside different words: 300 warps of an H100 (`MIXED`)."""
    assert (taken(MIXED) == 0).all()
    forms = [Form(instruction) for instruction in real_instructions()["BMOV"]]
    restoring = [form for form in forms if form.record["operation"] == control.BMOV_FROM_REGISTER]
    assert restoring
    for form in restoring:
        state = form.state(0)
        state.active = active
        form.execute(state)
        assert form.machine.barriers[0, form.record["value"]] == state.words[form.record["a"], lane]
