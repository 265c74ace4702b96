"""SASS, the GPU's machine code, as text and scheduling bits.

NVIDIA's own disassembler (the `nvidia-cuda-nvdisasm` wheel) gives predicate, opcode and operands. What
it does not print in JSON, the scheduling bits that the compiler put in each 128-bit word, is read here
(layout: Huerta et al., MICRO 2025, section 4; the same from sm_70 on).

`str(instruction)` gives back the disassembler's text, so nothing is lost in the parsing.
"""

import hashlib
import json
import re
import subprocess
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from simcore.core.geometry import INSTRUCTION_BYTES
from simcore.errors import CubinError
from simcore.paths import cache_directory, write_atomically

NO_BARRIER = 7


@dataclass(frozen=True, slots=True)
class Control:
    """The compiler's scheduling of one instruction.

    Attributes:
        stall: cycles before the warp's next instruction may issue.
        yields: whether the scheduler should prefer another warp in the next cycle.
        write_barrier: dependence counter released when the result is there; 7 is none.
        read_barrier: dependence counter released when the sources are read; 7 is none.
        wait_mask: the counters (bit i is counter i) that must be zero before issue.
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
class Operand:
    """One operand.

    Attributes:
        kind: register | uniform_register | predicate | uniform_predicate | integer | float | constant |
            address | special | barrier | scoreboard | other.
        index: register or predicate number (RZ, URZ, PT: 255, 255, 7), or the constant bank.
        value: the integer, the constant's byte offset, or the address's displacement.
        suffixes: what follows the name, as in `R2.64` or `R5.H0_H0`.
        base: the register in an address or an indexed constant.
        uniform: the uniform register added in an address, or indexing a constant.
        descriptor: the uniform register in `desc[UR4]`, which holds no address.
        text: as the disassembler wrote it.
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


@dataclass(frozen=True, slots=True)
class Instruction:
    """One machine instruction.

    Attributes:
        address: byte offset in the kernel.
        word: the 128 bits.
        guard: the guard predicate, or None.
        opcode: the base opcode, as in `IMAD`.
        modifiers: what follows it, as in ("WIDE", "U32").
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
    return tuple(
        _instruction(index * INSTRUCTION_BYTES, _word(code, index), line)
        for index, line in enumerate(disassemble([code], architecture)[0])
    )


def disassemble(codes: Sequence[bytes], architecture: str) -> list[list[dict[str, Any]]]:
    """The disassembler's JSON for several pieces of code, cached on disk by content.

    All that is not cached goes through one call, because a call costs 0.2 s whatever its size.
    """
    entries = [cache_directory("sass") / f"{_content_key(code, architecture)}.json" for code in codes]
    missing = {entry: code for entry, code in zip(entries, codes, strict=True) if not entry.exists()}
    if missing:
        for entry, lines in zip(missing, _run_nvdisasm(list(missing.values()), architecture), strict=True):
            write_atomically(entry, json.dumps(lines).encode())
    return [json.loads(entry.read_bytes()) for entry in entries]


@cache
def nvdisasm() -> Path:
    """The disassembler that the `nvidia-cuda-nvdisasm` wheel installed."""
    site = Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    found = sorted(site.glob("**/bin/nvdisasm"))
    if not found:
        raise CubinError(f"no nvdisasm under {site}; install the nvidia-cuda-nvdisasm package")
    return found[-1]


def _content_key(code: bytes, architecture: str) -> str:
    return hashlib.sha256(f"{architecture}\0{nvdisasm()}\0".encode() + code).hexdigest()


def _run_nvdisasm(codes: Sequence[bytes], architecture: str) -> list[list[dict[str, Any]]]:
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(b"".join(codes))
        file.flush()
        target = architecture.replace("_", "").upper()
        run = subprocess.run(
            [nvdisasm(), "--emit-json", "--binary", target, file.name], capture_output=True, text=True
        )
    if run.returncode:
        raise CubinError(f"nvdisasm cannot read this {architecture} code: {run.stderr.strip()}")
    (function,) = json.loads(run.stdout)[1]
    lines = function["sass-instructions"]
    pieces, start = [], 0
    for code in codes:
        count = len(code) // INSTRUCTION_BYTES
        pieces.append([_rebase(line, start * INSTRUCTION_BYTES) for line in lines[start : start + count]])
        start += count
    return pieces


def _rebase(line: dict[str, Any], base: int) -> dict[str, Any]:
    """Make branch targets relative to the piece's own start."""
    control_flow = "control-flow" in line.get("other-attributes", {})
    operands = line.get("operands", "")
    if control_flow and base:
        operands = re.sub(
            r"(^|,)(0x[0-9a-f]+)$", lambda m: f"{m[1]}{max(int(m[2], 16) - base, 0):#x}", operands
        )
    return {"predicate": line.get("predicate", ""), "opcode": line["opcode"], "operands": operands}


def _word(code: bytes, index: int) -> int:
    start = index * INSTRUCTION_BYTES
    return int.from_bytes(code[start : start + INSTRUCTION_BYTES], "little")


def _instruction(address: int, word: int, line: dict[str, Any]) -> Instruction:
    opcode, *modifiers = line["opcode"].split(".")
    guard = line["predicate"]
    return Instruction(
        address=address,
        word=word,
        guard=parse_operand(guard.removeprefix("@")) if guard else None,
        opcode=opcode,
        modifiers=tuple(modifiers),
        operands=tuple(parse_operand(text) for text in _split(line["operands"])),
        control=Control.from_word(word),
    )


def _split(operands: str) -> list[str]:
    """Split at the commas outside brackets and braces, and between two addresses side by side."""
    operands = re.sub(r"(^|,)(\[[^\]]*\])\[", r"\1\2,[", operands)
    return re.findall(r"[^,\[{]*(?:\[[^\]]*\][^,\[{]*|\{[^}]*\}[^,\[{]*)+|[^,]+", operands)


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
