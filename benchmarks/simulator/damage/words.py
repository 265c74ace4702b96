"""Real instructions with a bit flipped, as the disassembler and the tables read them, and as they are packed."""

import re
from collections.abc import Iterator
from pathlib import Path

from simcore.core.execution import control
from simcore.core.geometry import INSTRUCTION_BYTES
from simcore.errors import SimcoreError
from simcore.lowering import lower
from simcore.lowering.table import find
from simcore.machine_code.disassembler import disassemble
from simcore.machine_code.encoding import load_table
from simcore.machine_code.encoding.form import ENCODED
from simcore.machine_code.sass import Instruction, decode

ARCHITECTURES = ("sm_80", "sm_86", "sm_90", "sm_100", "sm_120")
WORDS = Path(__file__).parents[3] / "tests" / "simcore" / "data" / "instructions.txt"
"""A line each: the architecture, and a word in hexadecimal."""

REGISTERS = 256
REUSE = 15 << 122
"""The bits that keep operands for the next instruction; the disassembler refuses them where there is no operand."""
TOGETHER = 2000
"""Words that the disassembler reads in one call."""


def wrong_words(architecture: str, every: int = 1) -> tuple[int, list[str]]:
    """How many words were tried, and what is wrong with which."""
    lines = (line.split() for line in WORDS.read_text().splitlines())
    words = [int(word, 16) & ~REUSE for owner, word in lines if owner == architecture][::every]
    flipped = [(word, word ^ 1 << bit) for word in words for bit in range(128) if ENCODED >> bit & 1]
    parts = (flipped[first : first + TOGETHER] for first in range(0, len(flipped), TOGETHER))
    wrong = [line for part in parts for line in _wrong(architecture, part)]
    return len(flipped), wrong


def _wrong(architecture: str, pairs: list[tuple[int, int]]) -> Iterator[str]:
    table = load_table(architecture)
    read = disassemble([word for _, word in pairs], architecture)
    legal = [pair for pair, line in zip(pairs, read, strict=True) if line]
    for (_, word), line in zip(pairs, read, strict=True):
        if line is None and table.line(word) is not None:
            yield f"{word:032x} is no instruction, but is read as one"
    befores = _decoded([word for word, _ in legal], architecture)
    afters = _decoded([word for _, word in legal], architecture)
    for before, after in zip(befores, afters, strict=True):
        if what := _wrong_of(before, after):
            yield f"{after.word:032x} {after}: {what}"


def _decoded(words: list[int], architecture: str) -> tuple[Instruction, ...]:
    return decode(b"".join(word.to_bytes(INSTRUCTION_BYTES, "little") for word in words), architecture)


def _wrong_of(before: Instruction, after: Instruction) -> str | None:
    """What is wrong with how an instruction is packed that was another before a bit was flipped."""
    try:
        packed = _packed(after)
    except SimcoreError:
        return None
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if _meaning(before) == _meaning(after) or packed != _packed(before) or _is_advice(after):
        return None
    return f"packed as {before}"


def _packed(instruction: Instruction) -> tuple[object, ...]:
    """All that the core and the analyses know of an instruction."""
    program = lower((instruction,), REGISTERS, "k")
    return program.code.tobytes(), program.effects, tuple(program.rows.shared), program.rows.uniforms


_SYNONYMS = {
    "UPT": "PT",
    "ADD.S32": "ADD",
    "ADD.S64": "ADD.64",
    "SUM.S32": "SUM",
    "TRANS64.RED": "TRANS64",
    "POPC.INC.32": "POPC.INC",
}
"""Always true; sums of two's complements; a result that RZ receives; a count, of words in any case."""


_STORES = ("ST", "STG", "STS", "STL")
"""What is stored of a word has no sign."""


def _is_advice(instruction: Instruction) -> bool:
    """Whether the core does the same, whatever it names: a prefetch, the end of an asynchronous barrier, a trap."""
    entry = find(instruction.opcode)
    alike = (control.NOP, control.TRAP)
    return "CCTL" in instruction.modifiers or (entry is not None and entry.operation in alike)


def _meaning(instruction: Instruction) -> str:
    """An instruction's text without what is declared to have no effect."""
    text = str(instruction)
    for name, synonym in _SYNONYMS.items():
        text = re.sub(rf"\b{name}\b", synonym, text)
    entry = find(instruction.opcode)
    harmless = (entry.without_effect | entry.suffixes | {"reuse"}) if entry else set()
    text = re.sub(r"\[(R\d+)\.64", r"[\1", text)  # an address in global memory, which has 64 bits in any case
    text = re.sub(r"\.MERGE_C(\S*) (\w+),(\S+),RZ$", r".PACK_AB\1 \2,RZ,\3", text)  # a half below zeros
    if instruction.opcode in _STORES:
        text = re.sub(r"\.S(8|16)\b", r".U\1", text)
    return re.sub(r"\.(\w+)", lambda found: "" if found[1] in harmless else found[0], text)
