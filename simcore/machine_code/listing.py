"""Instruction words to text: with the table of forms, or with the disassembler if no form covers a word."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from simcore.core.geometry import INSTRUCTION_BYTES
from simcore.errors import CubinError
from simcore.machine_code.disassembler import disassemble
from simcore.machine_code.encoding import load_table
from simcore.machine_code.encoding.form import ENCODED, Line
from simcore.paths import cache_directory, write_atomically


def listing(words: Sequence[int], architecture: str) -> list[Line]:
    """Disassemble each 128-bit word of a kernel's code.

    Raises:
        CubinError: a word is not an instruction of the architecture.
    """
    table = load_table(architecture)
    lines = [table.line(word) for word in words]
    strangers = sorted(
        {word & ENCODED: word for word, line in zip(words, lines, strict=True) if not line}.values()
    )
    read = _disassembled(strangers, architecture) if strangers else {}
    return [
        line or _legal(read[word & ENCODED], index * INSTRUCTION_BYTES, architecture)
        for index, (word, line) in enumerate(zip(words, lines, strict=True))
    ]


def _disassembled(words: Sequence[int], architecture: str) -> dict[int, Line | None]:
    """The disassembler's output, cached on disk; words that are not cached are disassembled in one call."""
    folder = cache_directory(f"sass/{version('nvidia-cuda-nvdisasm')}/{architecture}")
    entries = {word: folder / f"{word & ENCODED:027x}.json" for word in words}
    missing = [word for word, entry in entries.items() if not entry.exists()]
    for word, line in zip(missing, disassemble(missing, architecture), strict=True):
        write_atomically(entries[word], json.dumps(line).encode())
    return {word & ENCODED: _read(entry) for word, entry in entries.items()}


def _read(entry: Path) -> Line | None:
    fields = json.loads(entry.read_bytes())
    return Line(*fields) if fields else None


def _legal(line: Line | None, address: int, architecture: str) -> Line:
    if line is None:
        raise CubinError(f"the word at {address:#x} is not an instruction of {architecture}")
    return line
