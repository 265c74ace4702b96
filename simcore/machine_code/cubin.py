"""Read a cubin: an ELF file with one code section per kernel, and NVIDIA's notes about each.

The notes (`.nv.info` sections) are a list of attributes, each a format byte, an attribute byte and a
16-bit value or size. `cuobjdump -elf` prints the attributes as EIATTR_*.
"""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from simcore.architectures import sm_version
from simcore.core.geometry import INSTRUCTION_BYTES
from simcore.errors import CubinError
from simcore.machine_code.elf import NO_BITS, ElfError, ElfFile
from simcore.mangling import cpp_name

# On sm_90 and later the first KiB of a block's shared memory belongs to the system, and the
# section's size counts it (CUDA C++ Programming Guide, technical specifications: "reserved").
SYSTEM_SHARED_BYTES = 1024

CONSTANT_BANKS = 32
MAX_VARIABLE_BYTES = 1 << 31
"""More is taken for damage."""
CONSTANT_BANK = 3
"""The constant bank of `__constant__` variables."""

_CUDA = 190  # the machine's number in the ELF standard

_SIZED_VALUE = 4
_MAX_THREADS = 0x05
_PARAMETER_BANK = 0x0A
_FRAME_BYTES = 0x11
_STACK_BYTES = 0x12
_PARAMETER = 0x17
_REGISTERS = 0x2F
_CLUSTER = 0x3D
_ENTRY = 0x10  # of a symbol: a kernel (`.entry`), not a device function (cuobjdump: STO_ENTRY)
_UNDEFINED = 0  # the section of a symbol that the file does not contain
_UNSTATED = 0xFFFF_FFFF  # the stack of a kernel that recurses


@dataclass(frozen=True)
class Parameter:
    """One kernel parameter: its offset from the parameter base and its size, in bytes."""

    ordinal: int
    offset: int
    size: int


@dataclass(frozen=True)
class Pointer:
    """Eight bytes that the driver fills in with the address of a variable.

    Attributes:
        bank: the constant bank that contains the pointer; None if the variables contain it.
        offset: its offset there.
        value: the offset of its target among the variables.
    """

    bank: int | None
    offset: int
    value: int


@dataclass(frozen=True)
class External:
    """Eight bytes that the driver fills in with the address of a function of its own, such as `vprintf`."""

    bank: int
    offset: int
    name: str


@dataclass(frozen=True)
class Kernel:
    """One kernel of a cubin, with what a launch needs.

    Attributes:
        architecture: as in `sm_90`.
        code: the instruction words, 16 bytes each.
        registers: 32-bit registers per thread.
        local_bytes: local memory per thread (spills, arrays, call frames).
        static_shared_bytes: static shared memory per block, without the system's reserve.
        parameters: in order of their ordinals.
        parameter_base: where the parameters start in constant bank 0.
        constant_banks: the initial bytes of each constant bank, by number.
        variables: the initial bytes of the module's `__device__` variables, one after the other.
        pointers: the places that contain addresses of variables.
        max_threads: the largest block that the kernel's `__launch_bounds__` allow; None without them.
        externals: the places that contain addresses of the driver's functions.
        cluster: blocks of a thread block cluster along each axis, as `__cluster_dims__` says.
    """

    name: str
    architecture: str
    code: bytes
    registers: int
    local_bytes: int
    static_shared_bytes: int
    parameters: tuple[Parameter, ...]
    parameter_base: int
    constant_banks: dict[int, bytes]
    variables: bytes = b""
    pointers: tuple[Pointer, ...] = ()
    max_threads: int | None = None
    externals: tuple[External, ...] = ()
    cluster: tuple[int, int, int] = (1, 1, 1)

    @property
    def called(self) -> str:
        """Its name in C++, for messages."""
        return cpp_name(self.name)

    @property
    def instruction_count(self) -> int:
        """Instruction words in the code, padding included."""
        return len(self.code) // INSTRUCTION_BYTES

    @property
    def shared_base(self) -> int:
        """The address of the first byte of shared memory that the kernel itself may use."""
        return SYSTEM_SHARED_BYTES if sm_version(self.architecture) >= 90 else 0


def read_kernel(cubin: bytes | str | Path, kernel: str | None = None) -> Kernel:
    """Read one kernel of a cubin from NVRTC, nvcc, Triton or any other compiler.

    Args:
        cubin: the file's bytes, or its path.
        kernel: its name, in the cubin or in C++ (`ns::gemm`, or `gemm` if no other is called so); optional if the cubin
            contains only one kernel.

    Raises:
        CubinError: not a cubin, or no such kernel; the message lists the kernels in the cubin.
    """
    return _kernel_in(read_cubin(cubin), kernel)


@lru_cache(maxsize=32)
def _kernel_in(content: bytes, kernel: str | None) -> Kernel:
    """One kernel of a cubin; the same object for the same bytes, which are often launched again in another shape."""
    if not content.startswith(b"\x7fELF") and b"__global__" in content:
        raise CubinError("this is CUDA C++ and no cubin: compile it with compile_cuda")
    try:
        elf = ElfFile(content)
        if elf.machine != _CUDA:
            raise CubinError(
                f"this ELF file is for machine {elf.machine}, not a cubin for NVIDIA GPUs ({_CUDA})"
            )
        return _read(elf, _choose(kernel, _kernel_names(elf)))
    except (ElfError, struct.error) as error:
        raise CubinError(f"this is not a complete cubin (an ELF file for NVIDIA GPUs): {error}") from None


def kernel_names(cubin: bytes) -> tuple[str, ...]:
    """The kernels in a cubin."""
    return _kernel_names(ElfFile(cubin))


def read_cubin(cubin: bytes | str | Path) -> bytes:
    """A cubin's bytes, given as bytes or as the file's path.

    Raises:
        CubinError: the file cannot be read.
    """
    if isinstance(cubin, bytes):
        return cubin
    try:
        return Path(cubin).read_bytes()
    except OSError as error:
        raise CubinError(f"cannot read {cubin}: {error.strerror}") from None


@dataclass(frozen=True)
class Variable:
    """A `__constant__` or `__device__` variable of a cubin.

    Attributes:
        name: in C++.
        bank: the constant bank that contains it; None for a `__device__` variable.
        offset: in that bank, or among the kernel's `variables`, in bytes.
        size: in bytes.
    """

    name: str
    bank: int | None
    offset: int
    size: int


def read_variables(cubin: bytes | str | Path) -> dict[str, Variable]:
    """The variables of a cubin by their names in C++; CubinError if it is none."""
    try:
        elf = ElfFile(read_cubin(cubin))
        return {variable.name: variable for variable in _variables(elf)}
    except ElfError as error:
        raise CubinError(f"this is not a complete cubin (an ELF file for NVIDIA GPUs): {error}") from None


def _variables(elf: ElfFile) -> Iterator[Variable]:
    table = elf.section(".symtab")
    starts = _variable_starts(elf)
    for symbol in elf.symbols(table) if table else ():
        if not symbol.size or symbol.section >= len(elf.sections):
            continue
        if symbol.section in starts:
            yield Variable(cpp_name(symbol.name), None, starts[symbol.section] + symbol.value, symbol.size)
        elif elf.sections[symbol.section].name == f".nv.constant{CONSTANT_BANK}":
            yield Variable(cpp_name(symbol.name), CONSTANT_BANK, symbol.value, symbol.size)


def _variable_starts(elf: ElfFile) -> dict[int, int]:
    """Where each section of `__device__` variables starts among all of them."""
    starts, size = {}, 0
    for number, content in _variable_sections(elf):
        starts[number] = size
        size += len(content)
    return starts


def _kernel_names(elf: ElfFile) -> tuple[str, ...]:
    """The functions that can be launched, in the order of their notes."""
    prefix, table = ".nv.info.", elf.section(".symtab")
    entries = {symbol.name for symbol in elf.symbols(table) if symbol.other & _ENTRY} if table else set()
    functions = (s.name.removeprefix(prefix) for s in elf.sections if s.name.startswith(prefix))
    return tuple(name for name in functions if name in entries)


def _choose(kernel: str | None, names: tuple[str, ...]) -> str:
    listing = ", ".join(names) or "none"
    if kernel is None:
        if len(names) != 1:
            raise CubinError(f"name the kernel: the machine code contains {listing}")
        return names[0]
    if kernel in names:
        return kernel
    in_cpp = {name: cpp_name(name) for name in names}
    called_so = [name for name, own in in_cpp.items() if own == kernel.removeprefix("::")]
    called_so = called_so or [name for name, own in in_cpp.items() if own.rpartition("::")[2] == kernel]
    if len(called_so) > 1:
        raise CubinError(f"several kernels are called {kernel}; name one of {', '.join(called_so)}")
    if not called_so:
        raise CubinError(f"no kernel {kernel!r} in the machine code; it contains: {listing}")
    return called_so[0]


def _read(elf: ElfFile, name: str) -> Kernel:
    architecture = f"sm_{_sm_version(elf)}"
    symbol = _symbol_index(elf, name)
    file_notes = {
        attribute: struct.unpack("<II", value)[1]
        for attribute, value in _attributes(elf, ".nv.info")
        if len(value) == 8 and struct.unpack("<II", value)[0] == symbol
    }
    frame, stack = file_notes.get(_FRAME_BYTES, 0), file_notes.get(_STACK_BYTES, 0)
    kernel_notes = list(_attributes(elf, f".nv.info.{name}"))
    bank = next((value for attribute, value in kernel_notes if attribute == _PARAMETER_BANK), None)
    bounds = next((v for attribute, v in kernel_notes if attribute == _MAX_THREADS and len(v) == 12), None)
    cluster = next((value for attribute, value in kernel_notes if attribute == _CLUSTER), None)
    parameters = sorted(
        (_parameter(value) for attribute, value in kernel_notes if attribute == _PARAMETER),
        key=lambda parameter: parameter.ordinal,
    )
    shared = elf.section(f".nv.shared.{name}")
    reserve = SYSTEM_SHARED_BYTES if _sm_version(elf) >= 90 else 0
    return Kernel(
        name=name,
        architecture=architecture,
        code=_content(elf, f".text.{name}"),
        registers=_noted(file_notes, _REGISTERS, name),
        local_bytes=max(0, *(n for n in (frame, stack) if n != _UNSTATED)),
        static_shared_bytes=max(shared.size - reserve, 0) if shared else 0,
        parameters=tuple(parameters),
        parameter_base=struct.unpack_from("<IHH", bank)[1] if bank else 0,
        constant_banks=dict(_constant_banks(elf, name)),
        variables=b"".join(content for _, content in _variable_sections(elf)),
        pointers=tuple(_pointers(elf, name)),
        max_threads=math.prod(struct.unpack("<III", bounds)) if bounds else None,
        externals=tuple(_externals(elf, name)),
        cluster=struct.unpack("<III", cluster) if cluster else (1, 1, 1),
    )


def _noted(notes: dict[int, int], attribute: int, kernel: str) -> int:
    if attribute not in notes:
        raise ElfError(f"it does not say how many registers {kernel} has")
    return notes[attribute]


def _sm_version(elf: ElfFile) -> int:
    """ELF ABI 8 stores the SM version in the second byte of the flags; ABI 7 in the first."""
    return (elf.flags >> 8) & 0xFF if elf.abi_version >= 8 else elf.flags & 0xFF


def _symbol_index(elf: ElfFile, name: str) -> int:
    table = elf.section(".symtab")
    symbols = elf.symbols(table) if table else []
    found = next((index for index, symbol in enumerate(symbols) if symbol.name == name), None)
    if found is None:
        raise ElfError(f"it has no symbol {name}")
    return found


def _content(elf: ElfFile, section_name: str) -> bytes:
    section = elf.section(section_name)
    if section is None:
        raise ElfError(f"it has no section {section_name}")
    return section.content


def _attributes(elf: ElfFile, section_name: str) -> Iterator[tuple[int, bytes]]:
    section = elf.section(section_name)
    data = section.content if section else b""
    offset = 0
    while offset + 4 <= len(data):
        kind, attribute, value = struct.unpack_from("<BBH", data, offset)
        offset += 4
        if kind == _SIZED_VALUE:
            yield attribute, data[offset : offset + value]
            offset += value
        else:
            yield attribute, struct.pack("<H", value)


def _parameter(value: bytes) -> Parameter:
    _, ordinal, offset, flags = struct.unpack("<IHHI", value)
    return Parameter(ordinal, offset, flags >> 18)


def _constant_banks(elf: ElfFile, name: str) -> Iterator[tuple[int, bytes]]:
    for section in elf.sections:
        if (number := _bank_of(section.name, name)) is not None:
            yield number, section.content


def _bank_of(section: str, kernel: str) -> int | None:
    """The number of the constant bank that a section initialises, for every kernel or for this one."""
    prefix = ".nv.constant"
    number, _, owner = section.removeprefix(prefix).partition(".")
    if not section.startswith(prefix) or owner not in ("", kernel):
        return None
    if not number.isdecimal() or int(number) >= CONSTANT_BANKS:
        raise ElfError(f"it has a section {section}, but constant banks have numbers below {CONSTANT_BANKS}")
    return int(number)


def _variable_sections(elf: ElfFile) -> Iterator[tuple[int, bytes]]:
    """The sections of `__device__` variables with their numbers, each padded to a multiple of 256 bytes."""
    for number, section in enumerate(elf.sections):
        if section.name in (".nv.global.init", ".nv.global"):
            if section.size > MAX_VARIABLE_BYTES:
                raise ElfError(f"{section.name} has {section.size:,} bytes")
            content = bytes(section.size) if section.kind == NO_BITS else section.content
            yield number, content + bytes(-len(content) % 256)


def _externals(elf: ElfFile, kernel: str) -> Iterator[External]:
    """The relocations of constant banks that name a function which the file does not contain."""
    for section in elf.sections:
        target = section.info
        bank = _bank_of(elf.sections[target].name, kernel) if target < len(elf.sections) else None
        if bank is None:
            continue
        for relocation in elf.relocations(section):
            if relocation.symbol.section == _UNDEFINED:
                yield External(bank, relocation.offset, relocation.symbol.name)


def _pointers(elf: ElfFile, kernel: str) -> Iterator[Pointer]:
    """The relocations of constant banks and of variables that name a variable."""
    starts = _variable_starts(elf)
    for section in elf.sections if starts else ():
        target = section.info
        bank = _bank_of(elf.sections[target].name, kernel) if target < len(elf.sections) else None
        if bank is None and target not in starts:
            continue
        for relocation in elf.relocations(section):
            symbol = relocation.symbol
            if symbol.section in starts:
                at = relocation.offset + (starts[target] if bank is None else 0)
                yield Pointer(bank, at, starts[symbol.section] + symbol.value + relocation.addend)
