"""Values are followed through spilled registers, and what is left out changes neither cycles nor counts."""

from typing import Any

import numpy as np
import pytest

from simcore import Buffer, compile_cuda, execute, simulate
from simcore.analysis import slicing
from simcore.analysis.control_flow import blocks_of
from simcore.analysis.stack_slots import with_slots, without_slots
from simcore.core import isa
from simcore.lowering.program import Program
from simcore.model.arguments import Argument
from simcore.session.counting import count_instructions
from simcore.session.request import LaunchRequest
from simcore.session.session import prepare

HEAD = 'extern "C" __global__ void k(float* x, const int* seen, int n) {\n'
SPILLED = """
    float a[40];
    int at[12];
    for (int k = 0; k < 40; ++k) a[k] = x[threadIdx.x + k];
    for (int k = 0; k < 12; ++k) at[k] = seen[threadIdx.x + k];
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 40; ++k) a[k] = a[k] * a[(k + 7) % 40] + 1;
        for (int k = 0; k < 12; ++k) {
            if (at[(k + 1) % 12] & 1) at[k] = at[k] * 5 % 61;
            a[k] += x[at[k]];
        }
    }
    for (int k = 0; k < 40; ++k) x[64 * k + threadIdx.x] = a[k];
"""
INDEXED = """
    int at[32];
    for (int k = 0; k < 32; ++k) at[k] = seen[threadIdx.x + k];
    for (int i = 0; i < n; ++i) x[at[seen[i] & 31]] = at[seen[i + 9] & 31];
"""
CALLING = """
    x[threadIdx.x] = fold(seen, n, threadIdx.x % 8);
"""
FOLD = """
__device__ __noinline__ float fold(const int* seen, int n, int deep) {
    int at[16];
    for (int k = 0; k < n; ++k) at[k] = seen[k];
    return deep > 0 ? at[seen[deep] & 15] + fold(seen, n, deep - 1) : 0;
}
"""
GPUS = pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "b200"])
ELEMENTS = 4096


def launch(gpu: str, body: str = SPILLED, functions: str = "") -> dict[str, Any]:
    cubin = compile_cuda(f"{functions}{HEAD}{body}}}", gpu, register_cap=32)
    return {"cubin": cubin, "grid": 3, "block": 64, "gpu": gpu}


def arguments() -> list[Argument]:
    return [Buffer("float32", ELEMENTS, "uniform"), Buffer("int32", ELEMENTS, "randint", high=9), np.int32(5)]


def program_of(gpu: str, body: str, functions: str = "") -> Program:
    return prepare(LaunchRequest(**launch(gpu, body, functions), arguments=arguments())).program


def slots(program: Program) -> int:
    return with_slots(program, blocks_of(program)).width - without_slots(program).width


@GPUS
def test_of_spilled_registers_only_those_of_addresses_are_executed(gpu: str) -> None:
    program = program_of(gpu, SPILLED)
    action = slicing.for_timing(program, False)
    actions = {(i.opcode, int(a)) for i, a in zip(program.instructions, action, strict=False)}
    assert slots(program)
    assert {("STL", isa.ADDRESS_ONLY), ("STL", isa.EXECUTE)} <= actions
    assert ("FFMA", isa.SKIP) in actions
    assert ("FFMA", isa.EXECUTE) not in actions


@GPUS
def test_cycles_are_those_of_executing_everything(gpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sliced = simulate(**launch(gpu), arguments=arguments())
    monkeypatch.setattr(slicing, "for_timing", slicing.everything)
    assert simulate(**launch(gpu), arguments=arguments()) == sliced


@GPUS
def test_count_is_that_of_executing_everything(gpu: str) -> None:
    contents = [a.materialise().copy() if isinstance(a, Buffer) else a for a in arguments()]
    executed = execute(**launch(gpu), arguments=contents)
    session = prepare(LaunchRequest(**launch(gpu), arguments=arguments()))
    assert count_instructions(session).executed.sum() == executed


@GPUS
def test_arrays_that_are_indexed_at_run_time_have_no_slots(gpu: str) -> None:
    program = program_of(gpu, INDEXED)
    assert any(i.opcode == "LDL" for i in program.instructions)
    assert not slots(program)


@GPUS
def test_frames_of_functions_have_no_slots(gpu: str) -> None:
    program = program_of(gpu, CALLING, FOLD)
    assert any(i.opcode in ("LDL", "STL") for i in program.instructions)
    assert not slots(program)
