"""Functions of the core that are compiled by themselves, once they are needed, and called by address.

What several entry points need is not compiled into each of them, and what no kernel needs is not compiled at all. A
unit takes a machine, an instruction's record, a warp slot and lanes, and returns an integer. A machine holds the
addresses of those that it needs (`prepare`), by numbers of which a unit may have several.
"""

from contextlib import suppress
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from llvmlite import ir
from numba import config, typeof, types
from numba.extending import lower_builtin, type_callable
from numpy.typing import NDArray

from simcore.core.jit.cache import compiled_core
from simcore.core.jit.records import RecordReference
from simcore.core.jit.reference import Reference


class Unit:
    """A function, what numba makes of it, and where that lies in this process once it is there."""

    def __init__(self, function, code):
        self.function = function
        self.code = code
        self.address = 0

    def name(self):
        """The function's name."""
        return self.function.__name__

    def load(self, machine, timeout):
        """Find the address; of the processes that need the unit at the same time, one compiles it.

        Raises:
            Timeout: another process is at it.
        """
        record = RecordReference(machine[machine.fields.index("code")].dtype)
        signature = Reference(machine), record, types.int64, types.uint64
        folder = compiled_core()
        folder.mkdir(exist_ok=True)
        with FileLock(folder / f"{self.name()}.lock", timeout):
            self.code.compile(signature)
        compiled = self.code.overloads[signature]
        self.address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


_units: dict[int, Unit] = {}


def register(numbers, unit):
    """Let `call` find a unit by these numbers."""
    _units.update(dict.fromkeys(numbers, unit))


def prepare(machine: Any, numbers: NDArray[np.integer]) -> None:
    """Put the addresses of units where a machine has their numbers, which is enough for plain Python.

    Those that are not compiled yet are, first those that no other process is at.
    """
    if config.DISABLE_JIT:
        return
    found = {number: _units[number] for number in set(numbers.tolist())}
    absent = {unit for unit in found.values() if not unit.address}
    for timeout in (0, -1):
        for unit in sorted(absent, key=Unit.name):
            with suppress(Timeout):
                unit.load(typeof(machine), timeout)
                absent.remove(unit)
    for number, unit in found.items():
        machine.units[number] = unit.address


def call(address: Any, machine: Any, ins: Any, w: Any, lanes: Any) -> Any:
    """Call a unit at its address, or, in plain Python, by its number."""
    return _units[address].function(machine, ins, w, lanes)


@type_callable(call)
def _type_of_call(_context):
    def typer(_address, machine, _ins, _w, _lanes):
        return types.int64 if isinstance(machine, Reference) else None

    return typer


@lower_builtin(call, types.Integer, Reference, RecordReference, types.Integer, types.Integer)
def _call(context, builder, signature, arguments):
    takes = signature.args[1], signature.args[2], types.int64, types.uint64
    function = context.call_conv.get_function_type(types.int64, takes)
    callee = builder.inttoptr(arguments[0], ir.PointerType(function))
    given = [
        context.cast(builder, value, kind, wanted)
        for value, kind, wanted in zip(arguments[1:], signature.args[1:], takes, strict=True)
    ]
    _status, result = context.call_conv.call_function(builder, callee, types.int64, takes, given)
    return result
