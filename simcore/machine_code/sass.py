"""SASS, the GPU's machine code, as text and scheduling bits.

The listing provides guard, opcode and operands. The compiler's scheduling bits in each 128-bit word are decoded here
(layout: Huerta et al., MICRO 2025, section 4; the same since sm_70).

`str(instruction)` returns the disassembler's text except for `.reuse`, which is in `control`.
"""

import re
from dataclasses import dataclass

from simcore.core.geometry import INSTRUCTION_BYTES
from simcore.machine_code.encoding.form import Line
from simcore.machine_code.listing import listing
from simcore.machine_code.operands import Operand, parse_operand

NO_BARRIER = 7


@dataclass(frozen=True, slots=True)
class Control:
    """The compiler's scheduling of one instruction.

    Attributes:
        stall: cycles before the warp's next instruction may issue.
        yields: whether the scheduler should prefer another warp in the next cycle.
        write_barrier: scoreboard released when the result is available; 7 is none.
        read_barrier: scoreboard released when the sources have been read; 7 is none.
        wait_mask: the scoreboards (bit i is scoreboard i) that must be zero before issue.
        reuse: the operand slots (bit i is slot i) that stay in the register-file cache.
    """

    stall: int
    yields: bool
    write_barrier: int
    read_barrier: int
    wait_mask: int
    reuse: int

    @classmethod
    def from_word(cls, word: int) -> "Control":
        """Decode bits 105 to 125 of a 128-bit instruction word."""
        return cls(
            stall=word >> 105 & 0xF,
            yields=not word >> 109 & 1,
            write_barrier=word >> 110 & 7,
            read_barrier=word >> 113 & 7,
            wait_mask=word >> 116 & 0x3F,
            reuse=word >> 122 & 0xF,
        )


@dataclass(frozen=True, slots=True)
class Instruction:
    """One machine instruction.

    Attributes:
        address: byte offset in the kernel.
        word: the 128 bits.
        guard: the guard predicate, or None.
        opcode: the base opcode, as in `IMAD`.
        modifiers: those after it, as in ("WIDE", "U32").
    """

    address: int
    word: int
    guard: Operand | None
    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    control: Control

    @property
    def name(self) -> str:
        """The full opcode, as in `IMAD.WIDE.U32`."""
        return ".".join((self.opcode, *self.modifiers))

    @property
    def immediate(self) -> int:
        """The 32-bit immediate field, whatever its type."""
        return self.word >> 32 & 0xFFFF_FFFF

    def __str__(self) -> str:
        guard = f"@{self.guard} " if self.guard else ""
        operands = ",".join(map(str, self.operands)).replace("],[", "][")
        return f"{guard}{self.name} {operands}".strip()


def decode(code: bytes, architecture: str) -> tuple[Instruction, ...]:
    """Decode the machine code of one kernel.

    Args:
        code: instruction words, 16 bytes each.
        architecture: as in `sm_90`.
    """
    words = [
        int.from_bytes(code[start : start + INSTRUCTION_BYTES], "little")
        for start in range(0, len(code), INSTRUCTION_BYTES)
    ]
    return tuple(
        _instruction(index * INSTRUCTION_BYTES, word, line)
        for index, (word, line) in enumerate(zip(words, listing(words, architecture), strict=True))
    )


def _instruction(address: int, word: int, line: Line) -> Instruction:
    opcode, *modifiers = line.opcode.split(".")
    return Instruction(
        address=address,
        word=word,
        guard=parse_operand(line.guard.removeprefix("@")) if line.guard else None,
        opcode=opcode,
        modifiers=tuple(modifiers),
        operands=tuple(parse_operand(text) for text in _split(line.operands_at(address))),
        control=Control.from_word(word),
    )


def _split(operands: str) -> list[str]:
    """Split at commas outside brackets and braces, between two adjacent addresses, and before a cache policy.

    Before sm_90 the disassembler prints a policy without its comma, as in `R3desc,[UR4][R2.64]`.
    """
    operands = re.sub(r"(?<=[\w\]])desc,?\[", ",desc[", operands)
    operands = re.sub(r"(^|,)(\[[^\]]*\])\[", r"\1\2,[", operands)
    return re.findall(r"[^,\[{]*(?:\[[^\]]*\][^,\[{]*|\{[^}]*\}[^,\[{]*)+|[^,]+", operands)
