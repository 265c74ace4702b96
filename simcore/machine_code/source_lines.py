"""Which line of the CUDA source each machine instruction comes from.

With line information enabled (NVRTC's `--generate-line-info`, nvcc's `-lineinfo`, Triton always), compilers emit a
DWARF line program in `.debug_line`, with a sequence for each kernel. Each sequence starts with the address of its
kernel's section, which the linker fills in: the relocations, in order, name the kernels. For an inlined function, the
table names the line in that function.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from elftools.common.utils import struct_parse
from elftools.dwarf.lineprogram import LineProgram
from elftools.dwarf.structs import DWARFStructs
from elftools.elf.elffile import ELFFile

from simcore.errors import CubinError
from simcore.machine_code.cubin import read_cubin


@dataclass(frozen=True, order=True)
class SourceLine:
    """A line of a source file.

    Attributes:
        file: its name, as passed to the compiler.
        line: counted from 1.
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class LineTable:
    """The source lines of one kernel's code; empty if the cubin has none."""

    def __init__(self, rows: list[tuple[int, SourceLine]]) -> None:
        rows = sorted(rows, key=lambda row: row[0])
        self._addresses = [address for address, _ in rows]
        self._lines = [line for _, line in rows]

    def at(self, address: int) -> SourceLine | None:
        """The source line of the instruction at a byte offset in the kernel."""
        row = bisect_right(self._addresses, address) - 1
        return self._lines[row] if row >= 0 else None


def read_line_table(cubin: bytes | str | Path, kernel: str) -> LineTable:
    """Read the line table of one kernel.

    Args:
        cubin: the file's bytes, or its path.
        kernel: its (mangled) name.

    Raises:
        CubinError: no such file, or what it says of lines is damaged.
    """
    content = read_cubin(cubin)
    try:
        return _read(content, kernel)
    except Exception as error:  # elftools checks little of what it reads
        raise CubinError(f"the line information of this cubin is damaged: {error}") from None


def _read(cubin: bytes, kernel: str) -> LineTable:
    elf = ELFFile(BytesIO(cubin))
    section = elf.get_section_by_name(".debug_line")
    if section is None:
        return LineTable([])
    owners = _owners(elf)
    sequences = _sequences(section.data())
    own = (rows for owner, rows in zip(owners, sequences, strict=False) if owner == f".text.{kernel}")
    return LineTable([row for rows in own for row in rows])


def _owners(elf: Any) -> list[str]:
    """The code section of each sequence, in order."""
    relocations = elf.get_section_by_name(".rela.debug_line") or elf.get_section_by_name(".rel.debug_line")
    if relocations is None:
        return [s.name for s in elf.iter_sections() if s.name.startswith(".text.")]
    symbols = elf.get_section(relocations["sh_link"])
    ordered = sorted(relocations.iter_relocations(), key=lambda relocation: relocation["r_offset"])
    sections = (symbols.get_symbol(relocation["r_info_sym"])["st_shndx"] for relocation in ordered)
    return [elf.get_section(section).name for section in sections]


def _sequences(content: bytes) -> Iterator[list[tuple[int, SourceLine]]]:
    """The rows of each sequence: first byte of the code, and source line."""
    stream = BytesIO(content)
    structs = DWARFStructs(little_endian=True, dwarf_format=32, address_size=8, dwarf_version=2)
    start = 0
    while start < len(content):
        header = struct_parse(structs.Dwarf_lineprog_header, stream, start)
        end = start + header.unit_length + structs.initial_length_field_size()
        program = LineProgram(header, stream, structs, stream.tell(), end)
        rows: list[tuple[int, SourceLine]] = []
        for state in (entry.state for entry in program.get_entries() if entry.state):
            if state.end_sequence:
                yield rows
                rows = []
            else:
                name = header.file_entry[state.file - 1].name.decode(errors="replace")
                rows.append((state.address, SourceLine(name, state.line)))
        start = end
