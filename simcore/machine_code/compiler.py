"""CUDA C++ to cubin with NVIDIA's compiler (NVRTC), which needs neither GPU nor driver.

Results are cached on disk by content: source, headers, options and compiler version. A cache entry is written
under a temporary name and renamed into place, so any number of processes may compile concurrently.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache

from cuda.bindings import nvrtc

from simcore.errors import CompileError
from simcore.gpu import Gpu
from simcore.gpu_profiles import load_gpu
from simcore.machine_code.includes import (
    check_includes,
    host_headers,
    include_paths,
    names_that_may_matter,
    needs_toolkit,
    with_canonical_names,
    without_folders,
)
from simcore.paths import cache_directory, write_atomically

MAX_LOG = 20_000  # characters of the compiler's messages to show

_NEEDS_INT128 = re.compile(r"\b__int128(?:_t)?\b")

#: Not part of the cache key, because it affects which files are found but not the output.
NO_SOURCE_FOLDER = "--no-source-include"


def compile_cuda(
    source: str,
    gpu: str | Gpu,
    defines: Mapping[str, object] | None = None,
    register_cap: int | None = None,
    options: Sequence[str] = (),
    file_name: str = "kernel.cu",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Compile CUDA C++ for a GPU.

    The compiler sees the source, the given headers, and the CUDA toolkit headers bundled with it; an `#include` of
    any other file is refused.

    Args:
        source: the text of one translation unit.
        gpu: a profile or its name; determines the target, e.g. `sm_90`.
        defines: macros, as `-DNAME=VALUE`.
        register_cap: maximum registers per thread (`--maxrregcount`); None leaves it to the compiler.
        options: additional NVRTC options, verbatim.
        file_name: the source's name in compiler messages; its quoted includes are relative to the folder of this name.
        headers: texts that can be included, by name: a relative path with `/`, e.g. `detail/tile.cuh`.

    Returns:
        The cubin, an ELF file.

    Raises:
        CompileError: the compiler's log, with `file_name` and line.
    """
    profile = load_gpu(gpu) if isinstance(gpu, str) else gpu
    headers = dict(sorted((headers or {}).items()))
    defines = dict(sorted((defines or {}).items()))
    macros = {name: _define(name, value) for name, value in defines.items()}
    texts = [source, *headers.values(), *map(str, defines.values()), *options]
    used = names_that_may_matter(macros, texts)
    flags = [f"--gpu-architecture={profile.architecture}", "--std=c++17", "--generate-line-info"]
    flags += [flag for name, flag in macros.items() if name in used]
    if register_cap is not None:
        flags.append(f"--maxrregcount={register_cap}")
    flags += options
    if _NEEDS_INT128.search("\n".join(texts)):
        flags.append("--device-int128")

    entry = cache_directory("cubins") / f"{_content_key(source, flags, file_name, headers)}.cubin"
    if entry.exists():
        return entry.read_bytes()
    cubin = _compile(source, flags, file_name, headers)
    write_atomically(entry, cubin)
    return cubin


@cache
def compiler_version() -> str:
    """The version of NVRTC in use, e.g. `13.5`; part of every cache key and every point's identity."""
    status, major, minor = nvrtc.nvrtcVersion()
    _check(status, "nvrtcVersion")
    return f"{major}.{minor}"


def _define(name: str, value: object) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or not str(value).isprintable():
        raise CompileError(f"{name!r} = {str(value)!r} is not a macro; use a name and a one-line value")
    return f"-D{name}={value}"


def _content_key(source: str, flags: Sequence[str], file_name: str, headers: Mapping[str, str]) -> str:
    named = [part for header in headers.items() for part in header]
    content = "\0".join([compiler_version(), file_name, *flags, source, *named])
    return hashlib.sha256(content.encode()).hexdigest()


def _compile(source: str, flags: Sequence[str], file_name: str, headers: Mapping[str, str]) -> bytes:
    if not file_name.isprintable():
        raise CompileError(f"{file_name!r} is not a valid file name; use printable characters")
    given = {file_name: source, **headers}
    for name, text in given.items():
        check_includes(name, text, headers)
    everything = "\n".join(given.values())
    flags = [*flags, NO_SOURCE_FOLDER]
    with_toolkit = needs_toolkit(everything)
    if with_toolkit:
        flags += [f"--include-path={folder}" for folder in include_paths()]
    texts = {name: with_canonical_names(name, text, headers) for name, text in given.items()}
    main = texts.pop(file_name)
    try:
        return _translate(main, flags, file_name, {**host_headers(everything), **texts})
    except CompileError as error:
        log = without_folders(error.log) if with_toolkit else error.log
        raise CompileError(f"{file_name} does not compile:\n{log}", log) from None


def _translate(source: str, flags: Sequence[str], file_name: str, headers: Mapping[str, str]) -> bytes:
    names, texts = [name.encode() for name in headers], [text.encode() for text in headers.values()]
    status, program = nvrtc.nvrtcCreateProgram(
        source.encode(), file_name.encode(), len(headers), texts, names
    )
    _check(status, "nvrtcCreateProgram")
    try:
        (status,) = nvrtc.nvrtcCompileProgram(program, len(flags), [flag.encode() for flag in flags])
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise CompileError(f"{file_name} does not compile", _log(program) or str(status))
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
