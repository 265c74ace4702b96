"""The opcode table: what it knows, and how it refuses what it does not."""

from dataclasses import replace

import pytest

from simcore import UnsupportedInstruction, compile_cuda, read_kernel
from simcore.core import isa
from simcore.lowering import known_opcodes, lower
from simcore.machine_code.cubin import Kernel
from simcore.machine_code.sass import Instruction, decode

SOURCE = """
extern "C" __global__ void add(float* x, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) x[i] += 1;
}
"""


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return read_kernel(compile_cuda(SOURCE, "h200"))


@pytest.fixture(scope="module")
def instructions(kernel: Kernel) -> tuple[Instruction, ...]:
    return decode(kernel.code, kernel.architecture)


@pytest.mark.parametrize("opcode", ["FFMA", "IMAD", "LDG", "STS", "SHFL", "BSYNC", "HMMA", "MUFU", "ULDC"])
def test_table_knows_opcode(opcode: str) -> None:
    assert opcode in known_opcodes()


def test_unknown_opcode_is_refused_with_its_place(instructions: tuple[Instruction, ...]) -> None:
    strange = replace(instructions[2], opcode="FROBNICATE")
    with pytest.raises(UnsupportedInstruction, match="FROBNICATE") as caught:
        lower((*instructions[:2], strange, *instructions[3:]), 32, "add")
    assert caught.value.address == strange.address


def test_uniform_twin_means_the_same_on_another_unit(instructions: tuple[Instruction, ...]) -> None:
    (plain,) = [i for i in instructions if i.opcode == "FADD"]
    twin = replace(plain, opcode="UFADD")
    assert "UFADD" not in known_opcodes()
    packed, packed_twin = lower((plain,), 32, "k").code[0], lower((twin,), 32, "k").code[0]
    assert packed["operation"] == packed_twin["operation"] == isa.FADD
    assert (packed["unit"], packed_twin["unit"]) == (isa.UNIT_FMA, isa.UNIT_UNIFORM)


def test_same_code_packs_to_same_records(kernel: Kernel, instructions: tuple[Instruction, ...]) -> None:
    first, second = (lower(instructions, kernel.registers, kernel.name) for _ in range(2))
    assert first.code.tobytes() == second.code.tobytes()
    assert len(first.code) == kernel.instruction_count
