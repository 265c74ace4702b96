"""NVIDIA's compiler library, NVRTC. It is loaded by whoever imports this module: when something is compiled."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from cuda.bindings import nvrtc

from simcore.errors import CompileError

MAX_LOG = 20_000  # characters of the compiler's messages to show


def version() -> tuple[int, int]:
    """Its version, major and minor."""
    status, major, minor = nvrtc.nvrtcVersion()
    _check(status, "nvrtcVersion")
    return major, minor


def install_headers(folder: Path) -> str:
    """Write the CUDA headers that come with it to a folder; returns what it says if it cannot, or nothing."""
    status, log = nvrtc.nvrtcInstallBundledHeaders(str(folder).encode(), 0)
    return "" if status == nvrtc.nvrtcResult.NVRTC_SUCCESS else str(log or status)


def translate(
    source: str, file_name: str, flags: Sequence[str], headers: Mapping[str, str], instance: str
) -> tuple[bytes, str]:
    """One translation unit to a cubin, and the symbol of the template's instance in it; empty without one.

    Raises:
        CompileError: the compiler's log.
    """
    names, texts = [name.encode() for name in headers], [text.encode() for text in headers.values()]
    status, program = nvrtc.nvrtcCreateProgram(source.encode(), file_name.encode(), len(names), texts, names)
    _check(status, "nvrtcCreateProgram")
    try:
        if instance:
            (status,) = nvrtc.nvrtcAddNameExpression(program, instance.encode())
            _check(status, "nvrtcAddNameExpression")
        (status,) = nvrtc.nvrtcCompileProgram(program, len(flags), [flag.encode() for flag in flags])
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise CompileError(f"{file_name} does not compile", _log(program) or str(status))
        status, size = nvrtc.nvrtcGetCUBINSize(program)
        _check(status, "nvrtcGetCUBINSize")
        cubin = b" " * size
        (status,) = nvrtc.nvrtcGetCUBIN(program, cubin)
        _check(status, "nvrtcGetCUBIN")
        return bytes(cubin), _symbol(program, instance)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _symbol(program: object, instance: str) -> str:
    """The name of the instance in the machine code; empty without one."""
    if not instance:
        return ""
    status, name = nvrtc.nvrtcGetLoweredName(program, instance.encode())
    _check(status, "nvrtcGetLoweredName")
    return bytes(name).decode()


def _log(program: object) -> str:
    status, size = nvrtc.nvrtcGetProgramLogSize(program)
    _check(status, "nvrtcGetProgramLogSize")
    log = b" " * max(
        size, 2
    )  # NVRTC writes to it in place; Python shares one-byte objects, so use at least two
    (status,) = nvrtc.nvrtcGetProgramLog(program, log)
    _check(status, "nvrtcGetProgramLog")
    text = bytes(log).rstrip(b"\0 ").decode(errors="replace").strip()
    text = text.replace("could not open", "cannot open").replace(" (no directories in search list)", "")
    text = "".join(character for character in text if character.isprintable() or character in "\n\t")
    return text if len(text) <= MAX_LOG else f"{text[:MAX_LOG]}\n... (shortened)"


def _check(status: object, call: str) -> None:
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CompileError(f"{call} failed: {status}", f"{call} failed: {status}")
