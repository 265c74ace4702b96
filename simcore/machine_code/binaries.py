"""Machine code as other compilers leave it: a cubin, one of the cubins in a fatbin, or PTX.

A fatbin is a header and entries one after another: a header of `_ENTRY`, then the entry's content. `cuobjdump` reads
the same; the numbers were taken from files that CUDA 13.3's `fatbinary` made.
"""

import hashlib
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
_ENTRY = struct.Struct(
    "<HHIQ12xI8xQ"
)  # kind, version, bytes of this header, of the content; architecture; flags
_KIND_PTX, _KIND_CUBIN = 1, 2
_COMPRESSED = 0x2000 | 0x8000  # by LZ4, by Zstandard


def machine_code(content: bytes, gpu: str | Gpu) -> bytes:
    """The cubin for a GPU in a file's content.

    Raises:
        CubinError: the file is of no such kind, or a fatbin without machine code for the GPU.
        CompileError: PTX that is not valid, or that is for later GPUs.
    """
    if content.startswith(_ELF):
        return content
    architecture = load_gpu(gpu).architecture
    if content.startswith(struct.pack("<I", _FATBIN_MAGIC)):
        return _of_fatbin(content, architecture)
    if b".version" in content and b".target" in content:
        return _of_ptx(content.rstrip(b"\0"), architecture)
    raise CubinError("this file is neither a cubin nor a fatbin nor PTX")


@dataclass(frozen=True)
class _Entry:
    """One entry of a fatbin: machine code or PTX for an architecture."""

    kind: int
    architecture: str
    is_compressed: bool
    content: bytes


def _of_fatbin(content: bytes, architecture: str) -> bytes:
    wanted = architecture.rstrip("af")
    cubins = [entry for entry in _entries(content) if entry.kind == _KIND_CUBIN]
    for entry in cubins:
        if entry.architecture != wanted:
            continue
        if entry.is_compressed:
            advice = f"extract it with `cuobjdump -xelf {wanted} FILE`, or build with `nvcc --no-compress`"
            raise CubinError(f"the machine code for {wanted} in this fatbin is compressed; {advice}")
        return entry.content
    there = ", ".join(entry.architecture for entry in cubins) or "none"
    raise CubinError(f"this fatbin has no machine code for {wanted}, only for {there}")


def _entries(content: bytes) -> Iterator[_Entry]:
    try:
        _, _, at, size = _FATBIN.unpack_from(content)
        end = at + size
        while at < end:
            kind, _, header, length, architecture, flags = _ENTRY.unpack_from(content, at)
            start = at + header
            at = start + length
            if not _ENTRY.size <= header or at > len(content):
                raise CubinError("this fatbin is cut off")
            name = f"sm_{architecture}"
            yield _Entry(kind, name, bool(flags & _COMPRESSED), content[start:at])
    except struct.error:
        raise CubinError("this fatbin is cut off") from None


def _of_ptx(text: bytes, architecture: str) -> bytes:
    key = hashlib.sha256(b"\0".join([compiler_version().encode(), architecture.encode(), text])).hexdigest()
    entry = cache_directory("cubins") / f"{key}.cubin"
    if entry.exists():
        return entry.read_bytes()
    cubin = _link(text, architecture)
    write_atomically(entry, cubin)
    return cubin


def _link(text: bytes, architecture: str) -> bytes:
    """PTX to a cubin with nvJitLink, since NVRTC compiles CUDA C++ alone."""
    linker = _nv_jit_link()
    handle = linker.create(1, [f"-arch={architecture}"])
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
