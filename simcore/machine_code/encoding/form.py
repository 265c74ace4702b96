"""One form of an instruction: the bits that are fixed, and the text with what fills it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from simcore.machine_code.encoding.immediates import FORMATS, written

OPCODE = 0xFFF
GUARD_LOW = 12
GUARD = 0xF << GUARD_LOW
"""Bits of the guard predicate: three of its number, one that negates it."""
TRUE = 7
"""The number of PT and UPT."""
CONTROL_LOW = 105
"""The scheduling bits begin here; they do not show in the text."""
ENCODED = (1 << CONTROL_LOW) - 1


class Line(NamedTuple):
    """An instruction as the disassembler writes it, wherever it lies.

    Attributes:
        guard: as in `@!P0`, or nothing.
        opcode: with its modifiers.
        operands: all but a branch's target.
        target: of a branch, bytes from the instruction itself; its place is behind the operands.
    """

    guard: str
    opcode: str
    operands: str
    target: int | None = None

    def operands_at(self, address: int) -> str:
        """All operands of the instruction at an address."""
        return self.operands if self.target is None else f"{self.operands}{address + self.target:#x}"


@dataclass(frozen=True, slots=True)
class Field:
    """A number in an instruction word.

    Attributes:
        kind: `R`, `UR`, `P`, `UP`, `B` or `SB`, for what is numbered; `X` is an integer, and one of
            `immediates.FORMATS` a floating-point number.
        constant: added to what the bits give.
        runs: (lowest bit, bits, weight of the lowest bit); a negative weight is a sign's.
    """

    kind: str
    constant: int
    runs: tuple[tuple[int, int, int], ...]

    @property
    def mask(self) -> int:
        """The bits of the word that it takes."""
        if self.kind in FORMATS:
            return (1 << FORMATS[self.kind].width) - 1 << FORMATS[self.kind].low
        return sum((1 << bits) - 1 << low for low, bits, _ in self.runs)

    def number(self, word: int) -> int:
        """The integer that it holds in a word."""
        value = self.constant
        for low, bits, weight in self.runs:
            value += (word >> low & (1 << bits) - 1) * weight
        return value

    def text(self, word: int, urz: int) -> str:
        """What it stands for in a word, where uniform register `urz` is URZ."""
        return written(self.kind, word) if self.kind in FORMATS else named(self.kind, self.number(word), urz)

    def to_json(self) -> list[Any]:
        """The field as a part of a table's line."""
        return [self.kind, self.constant, self.runs]

    @classmethod
    def from_json(cls, field: list[Any]) -> "Field":
        """The field that a part of a line states."""
        kind, constant, runs = field
        return cls(kind, constant, tuple((low, bits, weight) for low, bits, weight in runs))


@dataclass(frozen=True, slots=True)
class Form:
    """A pattern of instruction words that differ in their fields alone.

    Attributes:
        mask: the fixed bits.
        value: what they are.
        opcode: with its modifiers.
        pieces: text of the operands before, between and after the fields.
        fields: in the order of the text.
        target: of a branch, its distance in bytes.
        guard: `P` or `UP`, the guard's register file; any other text is literal, and the guard's bits are fixed.
        excluded: (mask, value) of words that match and yet are of another form.
    """

    mask: int
    value: int
    opcode: str
    pieces: tuple[str, ...]
    fields: tuple[Field, ...]
    guard: str
    target: Field | None = None
    excluded: tuple[tuple[int, int], ...] = ()

    def covers(self, word: int) -> bool:
        """Whether a word is of this form."""
        return word & self.mask == self.value and all(word & mask != value for mask, value in self.excluded)

    def line(self, word: int, urz: int) -> Line:
        """What a word of this form says."""
        operands = self.pieces[0]
        for field, piece in zip(self.fields, self.pieces[1:], strict=True):
            operands += field.text(word, urz) + piece
        return Line(
            self._guard(word), self.opcode, operands, self.target.number(word) if self.target else None
        )

    def _guard(self, word: int) -> str:
        if self.guard not in ("P", "UP"):
            return self.guard
        guard = word >> GUARD_LOW & 0xF
        return "" if guard == TRUE else f"@{'!' if guard > TRUE else ''}{named(self.guard, guard & TRUE)}"

    def to_json(self) -> dict[str, Any]:
        """The form as a line of a table."""
        return {
            "mask": f"{self.mask:#x}",
            "value": f"{self.value:#x}",
            "opcode": self.opcode,
            "pieces": self.pieces,
            "fields": [field.to_json() for field in self.fields],
            "target": self.target.to_json() if self.target else None,
            "guard": self.guard,
            "excluded": [[f"{mask:#x}", f"{value:#x}"] for mask, value in self.excluded],
        }

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> "Form":
        """The form that a line of a table states."""
        return cls(
            mask=int(line["mask"], 16),
            value=int(line["value"], 16),
            opcode=line["opcode"],
            pieces=tuple(line["pieces"]),
            fields=tuple(Field.from_json(field) for field in line["fields"]),
            target=Field.from_json(line["target"]) if line["target"] else None,
            guard=line["guard"],
            excluded=tuple((int(mask, 16), int(value, 16)) for mask, value in line["excluded"]),
        )


def named(kind: str, value: int, urz: int | None = None) -> str:
    """A number as text: `RZ`, `UP3`, `-0x10`."""
    if kind == "X":
        return f"{value:#x}"
    if kind == "R":
        return "RZ" if value == 255 else f"R{value}"
    if kind == "UR":
        return "URZ" if value == urz else f"UR{value}"
    if kind in ("P", "UP"):
        return f"{kind}T" if value == TRUE else f"{kind}{value}"
    return f"{kind}{value}"
