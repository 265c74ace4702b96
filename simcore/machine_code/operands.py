"""Operands of machine instructions, in the disassembler's notation."""

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand.

    Attributes:
        kind: register | uniform_register | predicate | uniform_predicate | integer | float | constant |
            address | special | barrier | scoreboard | other.
        index: register or predicate number (RZ, URZ, PT: 255, 255, 7), or the constant bank.
        value: the integer, the constant's byte offset, or the address's displacement.
        suffixes: those after the name, as in `R2.64`, `R5.H0_H0` or `R2.reuse` (which changes no result).
        base: the register in an address or an indexed constant.
        uniform: the uniform register added to an address, or indexing a constant.
        descriptor: the uniform register in `desc[UR4]`, which is not part of the address.
        text: as the disassembler printed it.
    """

    kind: str
    text: str
    index: int = 0
    value: int = 0
    negate: bool = False
    absolute: bool = False
    invert: bool = False
    suffixes: tuple[str, ...] = ()
    base: "Operand | None" = None
    uniform: "Operand | None" = None
    descriptor: "Operand | None" = None

    def __str__(self) -> str:
        return self.text


_NAMED = re.compile(r"(?P<name>UR|R|UP|P|B|SB)(?P<number>Z|T|\d+)(?P<suffixes>(?:\.\w+)*)$")
_CONSTANT = re.compile(r"c\[(?P<bank>0x[0-9a-f]+)\]\[(?P<inside>[^\]]+)\](?P<suffixes>(?:\.\w+)*)$")
_ADDRESS = re.compile(
    r"(?:desc\[(?P<descriptor>UR\d+|URZ)\])?\[(?P<inside>[^\]]*)\](?P<suffixes>(?:\.\w+)*)$"
)
_INTEGER = re.compile(r"-?0x[0-9a-f]+$")
_FLOAT = re.compile(r"[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|INF|QNAN|SNAN)(?:\s*)$")
_KINDS = {
    "R": "register",
    "UR": "uniform_register",
    "P": "predicate",
    "UP": "uniform_predicate",
    "B": "barrier",
    "SB": "scoreboard",
}


@lru_cache(maxsize=65536)
def parse_operand(text: str) -> Operand:
    """Parse one operand in the disassembler's notation."""
    text = text.strip()
    if _INTEGER.match(text):
        return Operand("integer", text, value=int(text, 16))
    if _FLOAT.match(text):
        return Operand("float", text)
    body, negate, invert, absolute = text, False, False, False
    if body[0] in "-!":
        body, negate = body[1:], True
    elif body[0] == "~":
        body, invert = body[1:], True
    if bars := re.match(r"\|(.*)\|((?:\.\w+)*)$", body):
        body, absolute = bars[1] + bars[2], True
    if named := _NAMED.match(body):
        return Operand(
            _KINDS[named["name"]], text, _number(named), suffixes=_suffixes(named),
            negate=negate, invert=invert, absolute=absolute,
        )  # fmt: skip
    if constant := _CONSTANT.match(body):
        base, uniform, offset = _inside(constant["inside"])
        return Operand(
            "constant", text, int(constant["bank"], 16), offset,
            negate=negate, invert=invert, absolute=absolute,
            suffixes=_suffixes(constant), base=base, uniform=uniform,
        )  # fmt: skip
    if address := _ADDRESS.match(body):
        base, uniform, offset = _inside(address["inside"])
        descriptor = parse_operand(address["descriptor"]) if address["descriptor"] else None
        return Operand(
            "address", text, value=offset, suffixes=_suffixes(address),
            base=base, uniform=uniform, descriptor=descriptor,
        )  # fmt: skip
    if body.startswith("SR"):
        return Operand("special", text)
    return Operand("other", text)


def _number(match: re.Match[str]) -> int:
    number = match["number"]
    return {"Z": 255, "T": 7}[number] if number in "ZT" else int(number)


def _suffixes(match: re.Match[str]) -> tuple[str, ...]:
    return tuple(match["suffixes"].split(".")[1:])


def _inside(text: str) -> tuple[Operand | None, Operand | None, int]:
    """The parts of `R2.64+UR4+0x10`: register, uniform register and displacement."""
    base = uniform = None
    offset = 0
    for part in text.replace("+-", "+~-").split("+"):
        part = part.replace("~-", "-")
        if _INTEGER.match(part):
            offset += int(part, 16)
        else:
            operand = parse_operand(part)
            if operand.kind == "uniform_register":
                uniform = operand
            else:
                base = operand
    return base, uniform, offset
