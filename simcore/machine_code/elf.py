"""Read the sections, symbols and relocations of an ELF file: 64 bits, little-endian, as cubins are.

Only what a cubin needs, with a few calls of `struct`: every evaluation reads a cubin, and a general reader of ELF files
takes longer for that than all else that prepares a launch.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

NO_BITS = 8
"""The type of a section without content in the file, such as zeroed variables."""

_IDENTITY = b"\x7fELF\x02\x01"  # 64 bits, little-endian
_ABI_VERSION = 8
_FILE_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATIONS = {4: struct.Struct("<QQq"), 9: struct.Struct("<QQ")}  # with and without an addend


class ElfError(ValueError):
    """The bytes are not a complete ELF file of this kind."""


@dataclass(frozen=True)
class Section:
    """One section.

    Attributes:
        kind: its type, as in `NO_BITS`.
        size: in bytes; of a section with content, the length of it.
        link, info: other sections by number, depending on the type.
    """

    name: str
    kind: int
    size: int
    link: int
    info: int
    content: bytes


@dataclass(frozen=True)
class Symbol:
    """A name for a place in a section, by the section's number; `size` in bytes, `other` is the processor's own."""

    name: str
    other: int
    section: int
    value: int
    size: int


@dataclass(frozen=True)
class Relocation:
    """A place in a section that the loader fills in with the address of a symbol."""

    offset: int
    symbol: Symbol
    addend: int


class ElfFile:
    """An ELF file in memory.

    Attributes:
        machine: the kind of processor, a number of the ELF standard.
        abi_version: the version of that processor's conventions.
        flags: the processor's own.
        sections: by number.

    Raises:
        ElfError: not an ELF file, of another kind, or cut off.
    """

    machine: int
    abi_version: int
    flags: int
    sections: tuple[Section, ...]

    def __init__(self, content: bytes) -> None:
        if not content.startswith(_IDENTITY) or len(content) < _FILE_HEADER.size:
            raise ElfError("it does not start as one of 64 bits does")
        header = _FILE_HEADER.unpack_from(content)
        _, self.machine, _, _, _, table, self.flags, _, _, _, entry, count, names = header
        self.abi_version = content[_ABI_VERSION]
        if not 0 < table <= len(content) - entry * count or entry != _SECTION_HEADER.size or names >= count:
            raise ElfError("its list of sections is missing or cut off")
        headers = [_SECTION_HEADER.unpack_from(content, table + entry * number) for number in range(count)]
        contents = [_content(content, kind, at, size) for _, kind, _, _, at, size, *_ in headers]
        self.sections = tuple(
            Section(_text(contents[names], name), kind, size, link, info, own)
            for (name, kind, _, _, _, size, link, info, _, _), own in zip(headers, contents, strict=True)
        )

    def section(self, name: str) -> Section | None:
        """The first section of that name."""
        return self._by_name.get(name)

    def symbols(self, table: Section) -> list[Symbol]:
        """The symbols of a symbol table, by number."""
        names = self._at(table.link).content
        return [
            Symbol(_text(names, name), other, section, value, size)
            for name, _, other, section, value, size in _entries(_SYMBOL, table)
        ]

    def relocations(self, table: Section) -> Iterator[Relocation]:
        """The relocations of a section; none if it is of another type."""
        if table.kind not in _RELOCATIONS:
            return
        symbols = self.symbols(self._at(table.link))
        for offset, info, *addend in _entries(_RELOCATIONS[table.kind], table):
            if info >> 32 >= len(symbols):
                raise ElfError(f"{table.name} names a symbol that it does not have")
            yield Relocation(offset, symbols[info >> 32], sum(addend))

    @cached_property
    def _by_name(self) -> dict[str, Section]:
        return {section.name: section for section in reversed(self.sections)}

    def _at(self, number: int) -> Section:
        if number >= len(self.sections):
            raise ElfError(f"it has no section {number}")
        return self.sections[number]


def _content(file: bytes, kind: int, offset: int, size: int) -> bytes:
    if kind == NO_BITS:
        return b""
    if offset + size > len(file):
        raise ElfError("a section is cut off")
    return file[offset : offset + size]


def _text(names: bytes, start: int) -> str:
    end = names.find(b"\0", start)
    if end < 0:
        raise ElfError("a name is cut off")
    return names[start:end].decode(errors="replace")


def _entries(form: struct.Struct, table: Section) -> Iterator[tuple[int, ...]]:
    whole = len(table.content) // form.size * form.size
    return form.iter_unpack(table.content[:whole])
