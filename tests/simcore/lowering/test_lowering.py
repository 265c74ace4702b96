"""The opcode table: what it knows, and how it refuses what it does not."""

from dataclasses import replace

import pytest

from simcore import UnsupportedInstruction, compile_cuda, read_kernel
from simcore.core import isa
from simcore.core.execution.arithmetic import singles
from simcore.lowering import known_opcodes, lower
from simcore.machine_code.cubin import Kernel
from simcore.machine_code.operands import parse_operand
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
        ("VIADD", "S16x2"),
        ("WARPSYNC", "UNHEARD_OF"),
        ("REDG", "E.ADD.F64x2.RN.STRONG.GPU"),
        ("ATOMG", "E.EXCH.128.STRONG.GPU"),
        ("ISETP", "LT.U128.AND"),
        ("SEL", "128"),
        ("F2F", "BF16.F32.RP"),
        ("HMMA", "SP.16832.F32"),
        ("LDG", "E.256"),
        ("PRMT", "H4X"),
        ("I2IP", "U1.S32.SAT"),
        ("VIADD", "U32.ISAT"),
        ("FSET", "BF.GT.OR"),
        ("MUFU", "RSQ.F16"),
        ("HFMA2", "FMZ"),
        ("MEMBAR", "SC.VC"),
        ("RET", "ABS.NODEC"),
        ("SHF", "R.U16"),
        ("REDUX", "AND.S32"),
        ("I2FP", "F32"),
        ("I2FP", "S32"),
    ],
)
def test_modifier_that_would_be_misread_is_refused(
    opcode: str, modifiers: str, instructions: tuple[Instruction, ...]
) -> None:
    real = real_instructions().get(opcode, [instructions[2]])[0]
    strange = replace(real, opcode=opcode, modifiers=tuple(modifiers.split(".")))
    with pytest.raises(UnsupportedInstruction, match=modifiers):
        lower((strange,), 255, "k")


@pytest.mark.parametrize(
    ("opcode", "modifiers", "operands"),
    [
        ("VIMNMX", "S16x2", "R6 P0 P1 R2 R3 !PT"),  # the predicates that say which was greater
        ("SEL", "", "R6 R2 R3 P1 P2"),
        ("FADD", "", "R6 P0 R2 R3"),
        ("IMAD", "MOV.U32", "R6 R1 R2 R3"),
        ("MOV", "", "R6 R2 0x3"),  # some bytes alone
        ("IMNMX", "U64", "PT PT R6 R2 R4 PT P3"),
        ("ISETP", "LT.AND", "P0 PT R2 R3 PT P1"),
        ("VIADDMNMX", "U16x2", "R6 R2 ~R3 R4 !PT"),
        ("HFMA2", "", "R6 R2.H1_NH0 R3 R4"),
        ("HSETP2", "GT.AND", "P0 PT R2.H0_NH1 R3 PT"),
        ("PLOP3", "LUT", "P0 PT R2.SIGN P1 R3.SIGN 0x8 0x0"),
        ("FFMA", "", "R6 R2.H1 R3 R4"),
        ("IADD3", "", "R6 PT PT |R2| R3 RZ"),
        ("FADD", "", "R6 ~R2 R3"),
        ("FADD", "", "R6 R2 c[0x0][R3+0x160]"),
        ("LDG", "E", "P3 R6 [R2.64]"),
        ("LDG", "E", "R6 [R2.S32+UR4]"),
    ],
)
def test_operand_that_would_be_misread_is_refused(
    opcode: str, modifiers: str, operands: str, instructions: tuple[Instruction, ...]
) -> None:
    strange = replace(
        instructions[2],
        opcode=opcode,
        modifiers=tuple(modifiers.split(".")) if modifiers else (),
        operands=tuple(parse_operand(text) for text in operands.split()),
    )
    with pytest.raises(UnsupportedInstruction, match=opcode):
        lower((strange,), 255, "k")


@pytest.mark.parametrize(
    ("opcode", "feature"),
    [
        ("HGMMA", "wgmma"),
        ("UTMALDG", "TMA"),
        ("UBLKCP", "TMA"),
        ("UTCHMMA", "tensor memory"),
        ("LDTM", "tensor memory"),
        ("SYNCS", "this operation on an asynchronous barrier"),
        ("TEX", "texture access"),
        ("SULD", "surface access"),
        ("UCGABAR_ARV", "cooperation in a thread block cluster"),
    ],
)
def test_features_are_refused_by_their_names(
    opcode: str, feature: str, instructions: tuple[Instruction, ...]
) -> None:
    with pytest.raises(UnsupportedInstruction, match=rf"^{feature}.* is not modelled \({opcode}") as caught:
        lower((replace(instructions[2], opcode=opcode),), 255, "k")
    assert str(caught.value.feature).startswith(feature)


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
