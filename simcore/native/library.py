"""Functions that the code of many kernels calls: made once per installation, loaded once per process.

They are most of what a kernel's code would be otherwise. LLVM finds them by their names.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

import llvmlite.binding as llvm
from llvmlite import ir

from simcore.core.jit.cache import core_digest
from simcore.native.target import target_machine
from simcore.native.vectors import declared
from simcore.paths import cache_directory, write_atomically

Emit = Callable[[ir.Function], None]
"""Emits a function's body."""

_engines: dict[str, llvm.ExecutionEngine] = {}


def function(module: ir.Module, name: str, returns: ir.Type, takes: list[ir.Type], emit: Emit) -> ir.Function:
    """The declaration of a function in a module that may call it.

    Args:
        name: says all that its body depends on.
    """
    if name not in _engines:
        _engines[name] = _loaded(name, _code(name, ir.FunctionType(returns, takes), emit))
    return declared(module, name, returns, takes)


def _loaded(name: str, code: bytes) -> llvm.ExecutionEngine:
    """Load a function, and let other modules find it."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    llvm.add_symbol(name, engine.get_function_address(name))
    return engine


def _code(name: str, kind: ir.FunctionType, emit: Emit) -> bytes:
    """A function's machine code, from the cache if it is there, and kept there if that can be written."""
    file = _folder() / f"{name}.o"
    with suppress(OSError):
        return file.read_bytes()
    module = ir.Module(name)
    emit(ir.Function(module, kind, name))
    code: bytes = target_machine().emit_object(llvm.parse_assembly(str(module)))
    with suppress(OSError):
        write_atomically(file, code)
    return code


@cache
def _folder() -> Path:
    """The cache of functions as these sources and this LLVM make them for this processor."""
    target = target_machine()
    digest = hashlib.sha256(f"{core_digest()} {version('llvmlite')} {target.triple}".encode())
    digest.update(f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    folder = cache_directory("native") / digest.hexdigest()[:16]
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
    return folder
