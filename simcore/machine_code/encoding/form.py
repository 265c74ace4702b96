"""One form of an instruction: its fixed bits, and its text with the fields that fill it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from simcore.machine_code.encoding.immediates import FORMATS, written

OPCODE = 0xFFF
GUARD_LOW = 12
GUARD = 0xF << GUARD_LOW
"""Bits of the guard predicate: three for its number, one for negation."""
TRUE = 7
"""The number of PT and UPT."""
CONTROL_LOW = 105
"""First of the scheduling bits, which are not part of the text."""
ENCODED = (1 << CONTROL_LOW) - 1


class Line(NamedTuple):
    """An instruction as the disassembler prints it, independent of its address.

    Attributes:
        guard: e.g. `@!P0`, or empty.
        opcode: with its modifiers.
        operands: all but a branch's target.
        target: of a branch, in bytes relative to the instruction itself; printed after the operands.
    """

    guard: str
    opcode: str
    operands: str
    target: int | None = None

    def operands_at(self, address: int) -> str:
        """All operands, for an instruction at this address."""
        return self.operands if self.target is None else f"{self.operands}{address + self.target:#x}"


@dataclass(frozen=True, slots=True)
class Field:
    """A number in an instruction word.

    Attributes:
        kind: `R`, `UR`, `P`, `UP`, `B` or `SB`, for what it numbers; `X` is an integer, and one of
            `immediates.FORMATS` a floating-point number.
        constant: added to the value of the bits.
        runs: (lowest bit, bits, weight of the lowest bit); a sign bit has a negative weight.
    """

    kind: str
    constant: int
    runs: tuple[tuple[int, int, int], ...]

    @property
    def mask(self) -> int:
        """The bits of the word that it occupies."""
        if self.kind in FORMATS:
            return (1 << FORMATS[self.kind].width) - 1 << FORMATS[self.kind].low
        return sum((1 << bits) - 1 << low for low, bits, _ in self.runs)

    def number(self, word: int) -> int:
        """Its integer value in a word."""
        value = self.constant
        for low, bits, weight in self.runs:
            value += (word >> low & (1 << bits) - 1) * weight
        return value

    def text(self, word: int, urz: int) -> str:
        """Its text in a word; uniform register `urz` is URZ."""
        return written(self.kind, word) if self.kind in FORMATS else named(self.kind, self.number(word), urz)

    def to_json(self) -> list[Any]:
        """The field as JSON, part of a line of a table."""
        return [self.kind, self.constant, self.runs]

    @classmethod
    def from_json(cls, field: list[Any]) -> "Field":
        """The field from its JSON."""
        kind, constant, runs = field
        return cls(kind, constant, tuple((low, bits, weight) for low, bits, weight in runs))


@dataclass(frozen=True, slots=True)
class Form:
    """A pattern of instruction words that differ only in their fields.

    Attributes:
        mask: the fixed bits.
        value: the values of the fixed bits.
        opcode: with its modifiers.
        pieces: operand text before, between and after the fields.
        fields: in text order.
        target: the relative target of a branch, in bytes.
        guard: `P` or `UP`, the guard's register file; any other text is literal, with fixed guard bits.
        excluded: (mask, value) of words that match but have another form.
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
        """Whether a word has this form."""
        return word & self.mask == self.value and all(word & mask != value for mask, value in self.excluded)

    def line(self, word: int, urz: int) -> Line:
        """The text of a word of this form."""
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
        """The form as JSON, a line of a table."""
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
        """The form from its JSON."""
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
    """The text of a number: `RZ`, `UP3`, `-0x10`."""
    if kind == "X":
        return f"{value:#x}"
    if kind == "R":
        return "RZ" if value == 255 else f"R{value}"
    if kind == "UR":
        return "URZ" if value == urz else f"UR{value}"
    if kind in ("P", "UP"):
        return f"{kind}T" if value == TRUE else f"{kind}{value}"
    return f"{kind}{value}"
