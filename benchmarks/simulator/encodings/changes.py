"""What changes in the text when one bit of an instruction word does; from that, the form of the word.

A bit whose flip changes one number of the text, and nothing else, belongs to that number's field; the difference is its
weight. All other bits are fixed. Weights add up, so single flips find a whole field; `derive` then tests whether that
holds for any combination.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from simcore.machine_code.encoding.form import CONTROL_LOW, ENCODED, GUARD, Field, Form, Line, named
from simcore.machine_code.encoding.immediates import FORMATS, written
from simcore.machine_code.encoding.table import urz

EXPLICIT_DESCRIPTOR = 101
"""With this bit in any word, nvdisasm writes the descriptors of all words of sm_80 and sm_86 differently."""

OPERAND_BITS = [bit for bit in range(GUARD.bit_length(), CONTROL_LOW) if bit != EXPLICIT_DESCRIPTOR]
MAX_LOST_BITS = 12
"""Bits of a floating-point field whose flip may change more than the number: signs of zeros, infinities."""

_NUMBER = re.compile(
    r"(?P<kind>(?<![\w.])(?:UR|UP|SB|R|P|B))(?P<number>Z|T|\d+)(?!\w)"
    r"|(?<![\w.])(?P<integer>-?0x[0-9a-f]+)"
    r"|(?:(?<=,)|^)(?P<float>[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|INF|QNAN|SNAN) ?)(?=$|,)"
)
FLOAT = "F"


@dataclass(frozen=True)
class Number:
    """A number in the text.

    Attributes:
        kind: as in `Field`; `F` is any floating-point number.
        text: as it is written.
        value: of all but those.
    """

    kind: str
    text: str
    value: int = 0


@dataclass(frozen=True)
class Shape:
    """A line without its numbers; lines of one form have one shape."""

    guard: str
    opcode: str
    pieces: tuple[str, ...]
    kinds: tuple[str, ...]
    has_target: bool


def taken_apart(line: Line, architecture: str) -> tuple[Shape, tuple[Number, ...]]:
    """The shape of a line, and its numbers; a target's distance comes last."""
    numbers, pieces, end = [], [], 0
    for match in _NUMBER.finditer(line.operands):
        numbers.append(_number(match, architecture))
        pieces.append(line.operands[end : match.start()])
        end = match.end()
    pieces.append(line.operands[end:])
    kinds = tuple(number.kind for number in numbers)
    if line.target is not None:
        numbers.append(Number("X", "", line.target))
    return Shape(line.guard, line.opcode, tuple(pieces), kinds, line.target is not None), tuple(numbers)


def _number(match: re.Match[str], architecture: str) -> Number:
    if kind := match["kind"]:
        last = {"T": 7, "Z": urz(architecture) if kind == "UR" else 255}
        return Number(
            kind, match[0], last[match["number"]] if match["number"] in last else int(match["number"])
        )
    if match["integer"]:
        return Number("X", match[0], int(match["integer"], 16))
    return Number(FLOAT, match[0])


def form_of(
    word: int,
    line: Line,
    flips: Mapping[int, Line | None],
    guard: Line | None,
    architecture: str,
    strict: bool,
) -> Form:
    """The form of a word.

    Args:
        line: what it says.
        flips: what it says with each bit of its operands flipped; None where that is no instruction.
        guard: what it says under a guard predicate.
        strict: fix registers, predicates and integers with special values (RZ, PT, 0), and floats: for instructions
            that the disassembler calls by another name when an operand is special.
    """
    shape, numbers = taken_apart(line, architecture)
    weights = _weights(word, shape, numbers, flips, architecture)
    pieces, fields = [""], []
    for index, (kind, piece) in enumerate(zip(shape.kinds, shape.pieces, strict=False)):
        pieces[-1] += piece
        number = numbers[index]
        is_fixed = strict and _is_special(number, architecture)
        field = None if is_fixed else _field(word, number, weights[index])
        if field is None:
            pieces[-1] += number.text
        else:
            fields.append(field)
            pieces.append("")
        assert kind == number.kind
    pieces[-1] += shape.pieces[-1]
    target = None
    if shape.has_target:
        target = _field(word, numbers[-1], weights[len(numbers) - 1]) or Field("X", numbers[-1].value, ())
    mask = ENCODED
    for field in [*fields, *([target] if target else [])]:
        mask &= ~field.mask
    if not line.guard:
        mask &= ~GUARD
    register_file = "UP" if guard and guard.guard.lstrip("@!").startswith("UP") else "P"
    return Form(
        mask, word & mask, line.opcode, tuple(pieces), tuple(fields), line.guard or register_file, target
    )


def _weights(
    word: int, shape: Shape, numbers: tuple[Number, ...], flips: Mapping[int, Line | None], architecture: str
) -> list[dict[int, int]]:
    """For each number, the bits that change it alone, with the difference that they make when they are set."""
    weights: list[dict[int, int]] = [{} for _ in numbers]
    for bit, flipped in flips.items():
        if flipped is None:
            continue
        other, changed = taken_apart(flipped, architecture)
        if other != shape:
            continue
        moved = [index for index, number in enumerate(changed) if number != numbers[index]]
        if len(moved) == 1:
            difference = changed[moved[0]].value - numbers[moved[0]].value
            weights[moved[0]][bit] = -difference if word >> bit & 1 else difference
    return weights


def _field(word: int, number: Number, weights: Mapping[int, int]) -> Field | None:
    """The field of a number; None where no bits change it."""
    if number.kind == FLOAT:
        for name, form in FORMATS.items():
            inside = all(form.low <= bit < form.low + form.width for bit in weights)
            if inside and len(weights) >= form.width - MAX_LOST_BITS and written(name, word) == number.text:
                return Field(name, 0, ())
        return None
    if not weights:
        return None
    constant = number.value - sum(weight for bit, weight in weights.items() if word >> bit & 1)
    return Field(number.kind, constant, _runs(weights))


def _runs(weights: Mapping[int, int]) -> tuple[tuple[int, int, int], ...]:
    runs: list[tuple[int, int, int]] = []
    for bit, weight in sorted(weights.items()):
        low, bits, first = runs[-1] if runs else (0, 0, 0)
        if runs and bit == low + bits and weight == first << bits:
            runs[-1] = (low, bits + 1, first)
        else:
            runs.append((bit, 1, weight))
    return tuple(runs)


def _is_special(number: Number, architecture: str) -> bool:
    if number.kind == FLOAT or (number.kind == "X" and number.value == 0):
        return True
    return (
        number.kind in ("R", "UR", "P", "UP")
        and named(number.kind, number.value, urz(architecture))[-1] in "ZT"
    )
