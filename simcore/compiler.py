"""CUDA C++ to cubin with NVIDIA's own compiler (NVRTC), which needs neither GPU nor driver.

Results are cached on disk by content: source, options and compiler version. A cache entry is written
under a temporary name and renamed into place, so any number of processes may ask at once.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache

from cuda.bindings import nvrtc

from simcore.errors import CompileError
from simcore.gpu import Gpu, load_gpu
from simcore.paths import cache_directory, write_atomically


def compile_cuda(
    source: str,
    gpu: str | Gpu,
    defines: Mapping[str, object] | None = None,
    register_cap: int | None = None,
    options: Sequence[str] = (),
    file_name: str = "kernel.cu",
) -> bytes:
    """Compile CUDA C++ for a GPU.

    Args:
        source: the text of one translation unit.
        gpu: a profile or its name; decides the target, as in `sm_90`.
        defines: macros, as `-DNAME=VALUE`.
        register_cap: the most registers a thread may use (`--maxrregcount`); None leaves it to the compiler.
        options: further NVRTC options, verbatim.
        file_name: the name that the compiler's messages give to the source.

    Returns:
        The cubin, an ELF file.

    Raises:
        CompileError: the compiler's log, with `file_name` and line.
    """
    profile = load_gpu(gpu) if isinstance(gpu, str) else gpu
    flags = [f"--gpu-architecture={profile.architecture}", "--std=c++17", "--generate-line-info"]
    flags += [f"-D{name}={value}" for name, value in sorted((defines or {}).items())]
    if register_cap is not None:
        flags.append(f"--maxrregcount={register_cap}")
    flags += options

    entry = cache_directory("cubins") / f"{_content_key(source, flags, file_name)}.cubin"
    if entry.exists():
        return entry.read_bytes()
    cubin = _compile(source, flags, file_name)
    write_atomically(entry, cubin)
    return cubin


@cache
def compiler_version() -> str:
    """The version of NVRTC in use, as in `13.5`; part of every cache key and every point's identity."""
    status, major, minor = nvrtc.nvrtcVersion()
    _check(status, "nvrtcVersion")
    return f"{major}.{minor}"


def _content_key(source: str, flags: Sequence[str], file_name: str) -> str:
    content = "\0".join([compiler_version(), file_name, *flags, source])
    return hashlib.sha256(content.encode()).hexdigest()


def _compile(source: str, flags: Sequence[str], file_name: str) -> bytes:
    status, program = nvrtc.nvrtcCreateProgram(source.encode(), file_name.encode(), 0, [], [])
    _check(status, "nvrtcCreateProgram")
    try:
        (status,) = nvrtc.nvrtcCompileProgram(program, len(flags), [flag.encode() for flag in flags])
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = _log(program)
            raise CompileError(f"{file_name} does not compile:\n{log}", log)
        status, size = nvrtc.nvrtcGetCUBINSize(program)
        _check(status, "nvrtcGetCUBINSize")
        cubin = b" " * size
        (status,) = nvrtc.nvrtcGetCUBIN(program, cubin)
        _check(status, "nvrtcGetCUBIN")
        return bytes(cubin)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _log(program: object) -> str:
    status, size = nvrtc.nvrtcGetProgramLogSize(program)
    _check(status, "nvrtcGetProgramLogSize")
    log = b" " * max(size, 2)  # written to in place, which a one-byte literal, shared by Python, must not be
    (status,) = nvrtc.nvrtcGetProgramLog(program, log)
    _check(status, "nvrtcGetProgramLog")
    return bytes(log).rstrip(b"\0 ").decode(errors="replace").strip()


def _check(status: object, call: str) -> None:
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CompileError(f"{call} failed: {status}")
