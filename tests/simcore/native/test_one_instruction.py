"""Each real instruction that a stretch executes leaves the machine as the interpreter does."""

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest

from simcore.core import isa
from simcore.core.execution import native, trail
from simcore.machine_code.sass import Instruction
from simcore.native import stretch_of
from simcore.native.coverage import is_known
from simcore.native.state import instructions_of
from testing.one_instruction import Form, State
from testing.plain_python import run_core_as_python
from testing.real_instructions import real_instructions

BLOCK = (32, 1, 1)
EXECUTE = np.array([isa.EXECUTE], np.uint8)
TRIALS = range(4)
INACTIVE = 0x00FF_F00F


@pytest.fixture(autouse=True)
def _python_calls_stretches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the core's functions be Python functions."""
    run_core_as_python(monkeypatch)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    monkeypatch.setattr(
        native, "_call", lambda address, *arguments: prototype(int(address))(*map(int, arguments))
    )
    with np.errstate(all="ignore"):
        yield


def known(opcode: str) -> list[Instruction]:
    """The real instructions of an opcode that stretches execute."""
    return [
        i for i in real_instructions()[opcode] if is_known(instructions_of(Form(i).program)[0], isa.EXECUTE)
    ]


def run(form: Form, state: State) -> int:
    """Execute one instruction in a stretch; returns how many were."""
    form.enter(state)
    context = np.zeros(native.CONTEXT, np.int64)
    stretch = stretch_of(form.program, EXECUTE, np.ones(1, np.uint8), BLOCK)
    context[native.STRETCH] = stretch.address
    native.prepare(form.machine, context, trail.NONE.log, 0)
    return int(native.run(form.machine, context, 0, 1000))


@pytest.mark.parametrize("full", [True, False], ids=["all lanes", "some lanes"])
@pytest.mark.parametrize("opcode", sorted(real_instructions()))
def test_a_stretch_does_what_the_interpreter_does(opcode: str, full: bool) -> None:
    for instruction in known(opcode):
        form = Form(instruction)
        done = 0
        for trial in TRIALS:
            state = form.state(trial)
            state.active = isa.FULL_MASK if full else INACTIVE
            expected, _ = form.execute(state)
            memory, barriers = form.machine.memory.copy(), form.machine.barriers.copy()
            pc = int(form.machine.pc[0])
            if not run(form, state):
                continue
            done += 1
            rows = [*range(form.trash), *range(form.own, form.own + isa.PREDICATE_TRASH)]
            np.testing.assert_array_equal(form.words()[rows], expected[rows], str(instruction))
            np.testing.assert_array_equal(form.machine.memory, memory, str(instruction))
            np.testing.assert_array_equal(form.machine.barriers, barriers, str(instruction))
            assert int(form.machine.pc[0]) == pc
        assert done or form.effects.is_control, instruction
