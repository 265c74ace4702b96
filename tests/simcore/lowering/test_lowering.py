"""The opcode table: what it knows, and how it refuses what it does not."""

from dataclasses import replace

import pytest

from simcore import UnsupportedInstruction, compile_cuda, read_kernel
from simcore.core import isa
from simcore.core.execution.arithmetic import singles
from simcore.lowering import known_opcodes, lower
from simcore.machine_code.cubin import Kernel
from simcore.machine_code.sass import Instruction, decode
from testing.real_instructions import real_instructions

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


@pytest.mark.parametrize("opcode", sorted(real_instructions()))
def test_every_real_form_is_known(opcode: str) -> None:
    assert len(lower(tuple(real_instructions()[opcode]), 255, "k").code) == len(real_instructions()[opcode])


@pytest.mark.parametrize("opcode", sorted(real_instructions()))
def test_modifier_that_nobody_reads_is_refused(opcode: str) -> None:
    for real in real_instructions()[opcode]:
        strange = replace(real, modifiers=(*real.modifiers, "FROBNICATE"))
        with pytest.raises(UnsupportedInstruction, match=r"\.FROBNICATE"):
            lower((strange,), 255, "k")


@pytest.mark.parametrize(
    ("opcode", "modifiers"),
    [
        ("VIADD", "16x2"),
        ("WARPSYNC", "EXCLUSIVE"),
        ("REDG", "E.ADD.F32x4.FTZ.RN.STRONG.GPU"),
        ("LDG", "E.256"),
        ("LEA", "X"),
        ("SGXT", "W"),
        ("BMSK", "W"),
        ("FSET", "BF.GT.OR"),
        ("FRND", "FTZ.CEIL"),
        ("MUFU", "EX2.F16"),
        ("FMNMX", "XORSIGN"),
        ("HFMA2", "FMZ"),
        ("MEMBAR", "SC.VC"),
        ("RET", "ABS.NODEC"),
        ("SHF", "R.U16"),
        ("REDUX", "AND.S32"),
    ],
)
def test_modifier_that_would_be_misread_is_refused(
    opcode: str, modifiers: str, instructions: tuple[Instruction, ...]
) -> None:
    real = real_instructions().get(opcode, [instructions[2]])[0]
    strange = replace(real, opcode=opcode, modifiers=tuple(modifiers.split(".")))
    with pytest.raises(UnsupportedInstruction, match=modifiers):
        lower((strange,), 255, "k")


def test_uniform_twin_means_the_same_on_another_unit(instructions: tuple[Instruction, ...]) -> None:
    (plain,) = [i for i in instructions if i.opcode == "FADD"]
    twin = replace(plain, opcode="UFADD")
    assert "UFADD" not in known_opcodes()
    packed, packed_twin = lower((plain,), 32, "k").code[0], lower((twin,), 32, "k").code[0]
    assert packed["operation"] == packed_twin["operation"] == singles.FADD
    assert (packed["unit"], packed_twin["unit"]) == (isa.UNIT_FMA, isa.UNIT_UNIFORM)


def test_same_code_packs_to_same_records(kernel: Kernel, instructions: tuple[Instruction, ...]) -> None:
    first, second = (lower(instructions, kernel.registers, kernel.name) for _ in range(2))
    assert first.code.tobytes() == second.code.tobytes()
    assert len(first.code) == kernel.instruction_count
