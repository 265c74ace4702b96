"""CUDA C++ to cubin with NVIDIA's compiler (NVRTC), which needs neither GPU nor driver.

Results are cached on disk by content: source, headers, options and compiler version. A cache entry is written
under a temporary name and renamed into place, so any number of processes may compile concurrently.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

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

#: Set unless the caller's options set them.
DEFAULT_OPTIONS = ("--std=c++17", "--generate-line-info")
_SHORT = {"--std": "-std", "--generate-line-info": "-lineinfo"}

#: Where the compiler's messages say that an instance of a template is wrong.
_NAME_MAP = "__nv_name_map(2)"

#: What ptxas says of an instruction that the architecture has in its own target alone.
_NOT_ON_TARGET = re.compile(r"not supported on \.target")
_OWN_TARGETS = ("sm_90", "sm_100", "sm_120")

#: A name in capitals, as macros have, that the compiler does not know.
_UNDEFINED_MACRO = re.compile(r'identifier "([A-Z][A-Z0-9_]*)" is undefined')

#: What it says of `kernel<<<...>>>` in a kernel.
_LAUNCHES_KERNELS = "device-side kernel launch could not be processed"

_NEEDS_INT128 = re.compile(r"\b__int128(?:_t)?\b")

#: Not part of the cache key, because it affects which files are found but not the output.
NO_SOURCE_FOLDER = "--no-source-include"

#: Neither: NVRTC leaves out what it declares of textures, surfaces, the runtime and the driver, which few kernels
#: name, and is a quarter faster for small ones. What does not compile so is compiled with all of it.
FEW_DECLARATIONS = "--minimal"


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
    unit = _unit(source, profile, defines, register_cap, options, file_name, headers)
    entry = _entry(unit, "cubin")
    if entry.exists():
        return entry.read_bytes()
    cubin, _ = _compile(unit, profile)
    write_atomically(entry, cubin)
    return cubin


def compile_kernel(
    source: str,
    kernel: str,
    gpu: str | Gpu,
    defines: Mapping[str, object] | None = None,
    register_cap: int | None = None,
    options: Sequence[str] = (),
    file_name: str = "kernel.cu",
    headers: Mapping[str, str] | None = None,
) -> tuple[bytes, str]:
    """Compile CUDA C++ for one kernel, which may be an instance of a template: `gemm<64, BN>`.

    Macros in the template's arguments are replaced, so that `BN` may be one of `defines`.

    Args:
        source: as all others, as `compile_cuda` takes it.
        kernel: the kernel's name in C++, with namespaces and template arguments; one line of text.

    Returns:
        The cubin, and the kernel's name in it.

    Raises:
        CompileError: as `compile_cuda`, or the template cannot be instantiated so.
    """
    if "<" not in kernel:
        return compile_cuda(source, gpu, defines, register_cap, options, file_name, headers), kernel
    if not kernel.isprintable():
        raise CompileError(f"{kernel!r} is not a kernel's name; use printable characters")
    profile = load_gpu(gpu) if isinstance(gpu, str) else gpu
    unit = _unit(source, profile, defines, register_cap, options, file_name, headers, kernel)
    entry, name = _entry(unit, "cubin"), _entry(unit, "name")
    if entry.exists():
        return entry.read_bytes(), name.read_text()
    cubin, symbol = _compile(unit, profile)
    write_atomically(name, symbol.encode())  # before the cubin, whose presence says that both are there
    write_atomically(entry, cubin)
    return cubin, symbol


def with_macros_to_define(error: CompileError) -> CompileError:
    """The error with the advice to define the macros that are missing, for commands that take `-D`."""
    names = dict.fromkeys(_UNDEFINED_MACRO.findall(error.log))
    if not names:
        return error
    return CompileError(
        f"{error.message}\ndefine {' '.join(f'-D {name}=VALUE' for name in names)}", error.log
    )


@cache
def compiler_version() -> str:
    """The version of NVRTC in use, e.g. `13.5`; part of every cache key and every point's identity."""
    from simcore.machine_code.nvrtc import version

    major, minor = version()
    return f"{major}.{minor}"


def _define(name: str, value: object) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or not str(value).isprintable():
        raise CompileError(f"{name!r} = {str(value)!r} is not a macro; use a name and a one-line value")
    return f"-D{name}={value}"


@dataclass(frozen=True)
class _Unit:
    """All that decides what the compiler makes: one translation unit.

    Attributes:
        flags: the compiler's options.
        instance: the instance of a template to make, in C++; empty for the kernels of the source alone.
    """

    source: str
    flags: list[str]
    file_name: str
    headers: Mapping[str, str]
    instance: str


def _unit(
    source: str,
    profile: Gpu,
    defines: Mapping[str, object] | None,
    register_cap: int | None,
    options: Sequence[str],
    file_name: str,
    headers: Mapping[str, str] | None,
    instance: str = "",
) -> _Unit:
    headers = dict(sorted((headers or {}).items()))
    defines = dict(sorted((defines or {}).items()))
    macros = {name: _define(name, value) for name, value in defines.items()}
    texts = [source, *headers.values(), *map(str, defines.values()), *options, instance]
    used = names_that_may_matter(macros, texts)
    flags = [f"--gpu-architecture={profile.architecture}"]
    flags += [flag for flag in DEFAULT_OPTIONS if not _sets_again(flag, options)]
    flags += [flag for name, flag in macros.items() if name in used]
    if register_cap is not None:
        flags.append(f"--maxrregcount={register_cap}")
    flags += options
    if _NEEDS_INT128.search("\n".join(texts)):
        flags.append("--device-int128")
    return _Unit(source, flags, file_name, headers, instance)


def _sets_again(flag: str, options: Sequence[str]) -> bool:
    """Whether options set again what a flag sets: the compiler warns of two values."""
    name = flag.partition("=")[0]
    return any(option.partition("=")[0] in (name, _SHORT[name]) for option in options)


def _entry(unit: _Unit, kind: str) -> Path:
    """The unit's place in the cache of what is compiled."""
    named = [part for header in unit.headers.items() for part in header]
    content = [compiler_version(), unit.file_name, *unit.flags, unit.source, *named]
    content += [unit.instance] if unit.instance else []
    key = hashlib.sha256("\0".join(content).encode()).hexdigest()
    return cache_directory("cubins") / f"{key}.{kind}"


def _compile(unit: _Unit, profile: Gpu) -> tuple[bytes, str]:
    """The cubin, and the symbol of the instance in it.

    What only the architecture's own target has, such as wgmma, is compiled for that (`sm_90a`), to be refused by name.
    """
    try:
        return _compile_for_target(unit)
    except CompileError as error:
        if not _NOT_ON_TARGET.search(error.log) or profile.architecture not in _OWN_TARGETS:
            raise
        own = f"--gpu-architecture={profile.architecture}a"
        try:
            return _compile_for_target(replace(unit, flags=[own, *unit.flags[1:]]))
        except CompileError:
            raise error from None


def _compile_for_target(unit: _Unit) -> tuple[bytes, str]:
    from simcore.machine_code.nvrtc import translate

    file_name, headers = unit.file_name, unit.headers
    if not file_name.isprintable():
        raise CompileError(f"{file_name!r} is not a valid file name; use printable characters")
    given = {file_name: unit.source, **headers}
    for name, text in given.items():
        check_includes(name, text, headers)
    everything = "\n".join(given.values())
    flags = [*unit.flags, NO_SOURCE_FOLDER]
    with_toolkit = needs_toolkit(everything)
    if with_toolkit:
        flags += [f"--include-path={folder}" for folder in include_paths()]
    texts = {name: with_canonical_names(name, text, headers) for name, text in given.items()}
    main = texts.pop(file_name)
    headers = {**host_headers(everything), **texts}
    if not with_toolkit:
        with suppress(CompileError):
            return translate(main, file_name, [*flags, FEW_DECLARATIONS], headers, unit.instance)
    try:
        return translate(main, file_name, flags, headers, unit.instance)
    except CompileError as error:
        log = without_folders(error.log) if with_toolkit else error.log
        what = f"{unit.instance} of {file_name}" if _NAME_MAP in log else file_name
        log = log.replace(_NAME_MAP, unit.instance)
        if _LAUNCHES_KERNELS in log:
            what = f"dynamic parallelism is not modelled: {what}"
        raise CompileError(f"{what} does not compile:\n{log}", log) from None
