"""Functions of the core that are compiled by themselves, and called at the address of their machine code.

What several entry points need is not compiled into each of them. A unit takes a machine and an integer, and returns an
integer; its address stands in a field of the machine, where `run` puts it before an entry point begins.
"""

from typing import Any

from filelock import FileLock
from llvmlite import ir
from numba import config, typeof, types
from numba.extending import lower_builtin, type_callable

from simcore.core.jit.cache import compiled_core
from simcore.core.jit.reference import Reference, load_field

_LOCK = "units.lock"
"""Of the folder of the compiled core: of the processes that need a unit at the same time, one compiles it."""


class Unit:
    """A unit: its code, the machine's field for its address, and the address once it is known."""

    def __init__(self, code, field):
        self.code = code
        self.field = field
        self._address = 0

    def address(self, machine):
        """Where its machine code lies in this process; it is compiled, or loaded, the first time."""
        if not self._address:
            signature = Reference(typeof(machine)), types.int64
            with FileLock(compiled_core() / _LOCK):
                self.code.compile(signature)
            compiled = self.code.overloads[signature]
            self._address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
        return self._address


_units: list[Unit] = []


def call_by_address(function, code, field):
    """Let jitted functions that call a function call the code at the machine's address; Python calls the function."""
    _units.append(Unit(code, field))

    @type_callable(function)
    def _type_of_call(_context):
        return lambda machine, _number: types.int64 if isinstance(machine, Reference) else None

    @lower_builtin(function, Reference, types.Integer)
    def _call(context, builder, signature, arguments):
        machine, number = signature.args
        takes = machine, types.int64
        address = load_field(context, builder, machine, arguments[0], field)
        function = context.call_conv.get_function_type(types.int64, takes)
        callee = builder.inttoptr(address, ir.PointerType(function))
        given = arguments[0], context.cast(builder, arguments[1], number, types.int64)
        _status, result = context.call_conv.call_function(builder, callee, types.int64, takes, given)
        return result


def run(entry_point: Any, machine: Any, *arguments: Any) -> Any:
    """Call an entry point on a machine that knows the addresses of the units.

    An entry point that is not compiled yet is, before the units: another process may be at these meanwhile.
    """
    if not config.DISABLE_JIT:
        if not entry_point.signatures:
            entry_point.compile(tuple(typeof(argument) for argument in (machine, *arguments)))
        machine = machine._replace(**{unit.field: unit.address(machine) for unit in _units})
    return entry_point(machine, *arguments)
