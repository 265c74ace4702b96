"""A form of an instruction: its PTX, the types of its operands and its result, where it exists, how far it may err."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

C_TYPES = {
    "f": "float", "d": "double", "h": "unsigned short", "b": "unsigned short", "r": "unsigned", "l": "u64",
    "x": "unsigned", "y": "unsigned",
}  # fmt: skip
"""By the letters of types: single and double, half float and bfloat16, words of 32 and 64 bits, two half floats and two
bfloat16s."""

ROUNDINGS = ("rn", "rz", "rm", "rp")
INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")


@dataclass(frozen=True)
class Form:
    """One form.

    Attributes:
        text: PTX; its operands are $a to $e, its result $z, and $w a word more. $m is the address of a cell of the
            thread's own, in the memory that `cell` names, which holds $a before.
        result: the letter of its type.
        operands: the letters of theirs.
        since: the first architecture that has it.
        relative, absolute: the larger of the errors that it may have on either side.
        cell: "global" or "shared".
    """

    text: str
    result: str
    operands: str
    since: int = 80
    relative: float = 0.0
    absolute: float = 0.0
    cell: str = ""


def optional(*suffixes: str) -> Iterator[str]:
    """All choices among suffixes that may be there or not, in their order."""
    for chosen in product(*(("", suffix) for suffix in suffixes)):
        yield "".join(chosen)


def letter(kind: str) -> str:
    """The letter of a type of PTX."""
    if kind[0] in "us":
        return {8: "r", 16: "h", 32: "r", 64: "l"}[int(kind[1:])]
    return {"f16": "h", "bf16": "b", "f16x2": "x", "bf16x2": "y", "f32": "f", "f64": "d"}[kind]


def carrier(kind: str) -> str:
    """The letter of a word of a type's size, as bits."""
    return {"f": "r", "d": "l", "b": "h", "x": "r", "y": "r"}.get(letter(kind), letter(kind))
