"""Instructions as vector code, by operation. One that is not here is the interpreter's."""

from collections.abc import Callable

from simcore.native.state import Instruction, State

Emit = Callable[[State, Instruction], None]

EMITTERS: dict[int, Emit] = {}
"""What emits an operation's code."""

_CONDITIONS: dict[int, Callable[[Instruction], bool]] = {}


def emits(
    *operations: int, where: Callable[[Instruction], bool] = lambda ins: True
) -> Callable[[Emit], Emit]:
    """Register what emits operations.

    Args:
        where: the forms of them that it knows.
    """

    def register(emit: Emit) -> Emit:
        for operation in operations:
            EMITTERS[operation] = emit
            _CONDITIONS[operation] = where
        return emit

    return register


def is_known(ins: Instruction) -> bool:
    """Whether an instruction can be emitted."""
    return ins.operation in EMITTERS and _CONDITIONS[ins.operation](ins)
