"""Machine code as other compilers leave it: a cubin, one of the cubins in a fatbin, or PTX.

A fatbin is a header and entries one after another: a header of `_ENTRY`, then the entry's content. `cuobjdump` reads
the same; the numbers were taken from files that CUDA 13.3's `fatbinary` made.
"""

import hashlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from simcore.errors import CompileError, CubinError
from simcore.gpu import Gpu
from simcore.gpu_profiles import load_gpu
from simcore.machine_code.compiler import compiler_version
from simcore.paths import cache_directory, write_atomically

_ELF = b"\x7fELF"
_FATBIN = struct.Struct("<IHHQ")  # magic, version, bytes of this header, bytes of all entries
_FATBIN_MAGIC = 0xBA55ED50
# Kind, version, bytes of this header, of the content, of that without padding if it is compressed; architecture; flags;
# bytes when decompressed.
_ENTRY = struct.Struct("<HHIQI8xI8xQ8xQ")
_KIND_PTX, _KIND_CUBIN = 1, 2
_CODECS = {0x2000: "lz4_raw", 0x8000: "zstd"}
"""How an entry with such a flag is compressed, as pyarrow calls it."""
_TARGET = re.compile(rb"^\s*\.target\s+(?P<target>sm_\d+(?P<suffix>[af]?))\b", re.MULTILINE)
_MOST_BYTES = 1 << 30
"""Of a decompressed entry."""


def machine_code(content: bytes, gpu: str | Gpu, register_cap: int | None = None) -> bytes:
    """The cubin for a GPU in a file's content.

    Args:
        register_cap: registers a thread at most, which the compiler of PTX is told.

    Raises:
        CubinError: the file is of no such kind, a fatbin without machine code for the GPU, or machine code with a cap.
        CompileError: PTX that is not valid, or that is for later GPUs.
    """
    architecture = load_gpu(gpu).architecture
    is_ptx = b".version" in content and b".target" in content
    is_fatbin = content.startswith(struct.pack("<I", _FATBIN_MAGIC))
    if content.startswith(_ELF) or is_fatbin:
        if register_cap is not None:
            raise CubinError("a register cap changes nothing in machine code; give it with PTX or CUDA C++")
        return _of_fatbin(content, architecture) if is_fatbin else content
    if is_ptx:
        return _of_ptx(content.rstrip(b"\0"), architecture, register_cap)
    raise CubinError("this file is neither a cubin nor a fatbin nor PTX")


@dataclass(frozen=True)
class _Entry:
    """One entry of a fatbin: machine code or PTX for an architecture."""

    kind: int
    architecture: str
    codec: str | None
    content: bytes
    decompressed_bytes: int


def _of_fatbin(content: bytes, architecture: str) -> bytes:
    wanted = architecture.rstrip("af")
    cubins = [entry for entry in _entries(content) if entry.kind == _KIND_CUBIN]
    for entry in cubins:
        if entry.architecture == wanted:
            return _decompressed(entry) if entry.codec else entry.content
    there = ", ".join(entry.architecture for entry in cubins) or "none"
    raise CubinError(f"this fatbin has no machine code for {wanted}, only for {there}")


def _decompressed(entry: _Entry) -> bytes:
    try:
        import pyarrow
    except ImportError:
        advice = f"extract it with `cuobjdump -xelf {entry.architecture} FILE`, or install pyarrow"
        raise CubinError(
            f"the machine code for {entry.architecture} in this fatbin is compressed; {advice}"
        ) from None
    try:
        if entry.decompressed_bytes > _MOST_BYTES:
            raise OSError(f"{entry.decompressed_bytes:,} bytes when decompressed")
        found: bytes = pyarrow.decompress(entry.content, entry.decompressed_bytes, entry.codec, asbytes=True)
    except OSError as error:
        raise CubinError(
            f"the machine code for {entry.architecture} in this fatbin cannot be decompressed: {error}"
        ) from None
    return found


def _entries(content: bytes) -> Iterator[_Entry]:
    try:
        _, _, at, size = _FATBIN.unpack_from(content)
        end = at + size
        while at < end:
            kind, _, header, length, packed, architecture, flags, size = _ENTRY.unpack_from(content, at)
            start = at + header
            at = start + length
            if not _ENTRY.size <= header or at > len(content):
                raise CubinError("this fatbin is cut off")
            codec = next((codec for flag, codec in _CODECS.items() if flags & flag), None)
            own = content[start : start + packed] if codec else content[start:at]
            yield _Entry(kind, f"sm_{architecture}", codec, own, size)
    except struct.error:
        raise CubinError("this fatbin is cut off") from None


def _of_ptx(text: bytes, architecture: str, register_cap: int | None) -> bytes:
    options = [f"-arch={_target(text, architecture)}"]
    if register_cap is not None:
        options.append(f"-maxrregcount={register_cap}")
    key = hashlib.sha256(
        b"\0".join([compiler_version().encode(), *(option.encode() for option in options), text])
    ).hexdigest()
    entry = cache_directory("cubins") / f"{key}.cubin"
    if entry.exists():
        return entry.read_bytes()
    cubin = _link(text, options)
    write_atomically(entry, cubin)
    return cubin


def _target(text: bytes, architecture: str) -> str:
    """What PTX is compiled for: the GPU's architecture, with what it alone has (sm_90a) if the PTX is for that."""
    stated = _TARGET.search(text)
    own = f"{architecture}{stated['suffix'].decode()}" if stated else architecture
    return own if stated and stated["target"].decode() == own else architecture


def _link(text: bytes, options: list[str]) -> bytes:
    """PTX to a cubin with nvJitLink, since NVRTC compiles CUDA C++ alone."""
    linker = _nv_jit_link()
    handle = linker.create(len(options), options)
    try:
        linker.add_data(handle, linker.InputType.PTX, text, len(text), "kernel.ptx")
        linker.complete(handle)
        cubin = bytearray(linker.get_linked_cubin_size(handle))
        linker.get_linked_cubin(handle, cubin)
        return bytes(cubin)
    except linker.nvJitLinkError as error:
        log = bytearray(linker.get_error_log_size(handle))
        linker.get_error_log(handle, log)
        text_of_log = log.rstrip(b"\0").decode(errors="replace").strip() or str(error)
        raise CompileError(f"the PTX does not compile:\n{text_of_log}", text_of_log) from None
    finally:
        linker.destroy(handle)


def _nv_jit_link() -> ModuleType:
    from cuda.bindings import nvjitlink

    try:
        nvjitlink.version()
    except RuntimeError as error:  # the loader's, if there is no such library
        raise CubinError(
            "PTX is compiled by nvJitLink; install it with: pip install 'cuda-dse[ptx]'"
        ) from error
    module: ModuleType = nvjitlink
    return module
