"""Real instructions: one of each form that the compiler made of this project's kernels, for five architectures."""

from collections import defaultdict
from functools import cache
from pathlib import Path

from simcore.machine_code.sass import Instruction, decode

_WORDS = Path(__file__).parents[1] / "simcore" / "data" / "instructions.txt"
"""A line each: the architecture, and the instruction's word in hexadecimal."""


@cache
def real_instructions() -> dict[str, list[Instruction]]:
    """The instructions by opcode."""
    codes: dict[str, bytes] = defaultdict(bytes)
    for line in _WORDS.read_text().splitlines():
        architecture, word = line.split()
        codes[architecture] += int(word, 16).to_bytes(16, "little")
    found = defaultdict(list)
    for architecture, code in codes.items():
        for instruction in decode(code, architecture):
            found[instruction.opcode].append(instruction)
    return dict(found)
