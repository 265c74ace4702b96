"""What machine code keeps to if a compiler made it; in a damaged file it may not."""

from simcore.core.execution import control
from simcore.errors import CubinError
from simcore.lowering.program import Program
from simcore.machine_code.operands import Operand
from simcore.machine_code.sass import Instruction

RZ = 255
_ENDS = {control.EXIT, control.BRA, control.BRX, control.RET, control.TRAP}


def check_code(program: Program, registers: int, kernel: str) -> None:
    """Refuse code that names registers which the kernel does not have, or that jumps or runs out of itself.

    Raises:
        CubinError: with the instruction.
    """
    code, instructions = program.code, program.instructions
    for instruction, target in zip(instructions, code["target"].tolist(), strict=True):
        for operand in instruction.operands:
            if (named := _highest_register(operand)) >= registers:
                place = _place(instruction, kernel)
                raise CubinError(f"{place} names R{named}, but the kernel has {registers} registers")
        if target >= program.end:
            place = _place(instruction, kernel)
            raise CubinError(f"{place} leads out of the kernel, which has {len(code) * 16:#x} bytes of code")
    last = program.end - 1
    if last < 0 or code["operation"][last] not in _ENDS or instructions[last].guard:
        raise CubinError(f"the code of {kernel} does not end with a jump or an EXIT")


def _place(instruction: Instruction, kernel: str) -> str:
    return f"{instruction} at {kernel}+{instruction.address:#06x}"


def _highest_register(operand: Operand) -> int:
    parts = (operand, operand.base)
    return max((p.index for p in parts if p and p.kind == "register" and p.index != RZ), default=-1)
