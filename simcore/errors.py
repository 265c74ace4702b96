"""What can go wrong, each with a type of its own and a message that says where and what to do."""

import difflib
from collections.abc import Iterable
from functools import partial
from inspect import signature
from typing import Any, ClassVar


class SimcoreError(Exception):
    """Anything the simulator refuses; the message is written for the person who asked.

    Attributes:
        message: that text.
        is_deterministic: whether the same kernel, launch and GPU raise it every time, on every machine.
    """

    is_deterministic: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def data(self) -> dict[str, Any]:
        """What the error is made from: the arguments of its class, each of which it keeps under its name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self.data), ()


class UnknownGpu(SimcoreError):
    """No profile has that name, or an override names a field that a profile does not have."""

    is_deterministic = False  # a later installation may have it


class CompileError(SimcoreError):
    """The compiler refused the source.

    Attributes:
        log: the compiler's own messages, with file and line.
    """

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class CubinError(SimcoreError):
    """The file is not a cubin this simulator can read, or has no kernel of that name."""

    is_deterministic = False  # it may be the installation that lacks a disassembler


class UnsupportedInstruction(SimcoreError):
    """The machine code holds an instruction that the simulator does not model.

    Attributes:
        opcode: the instruction's full name, as in `HMMA.16816.F32`.
        address: its byte offset in the kernel.
        kernel: the kernel's name.
        line: the line in the source, when the cubin carries line information.
    """

    def __init__(self, opcode: str, address: int, kernel: str, line: int | None = None) -> None:
        place = f"{kernel}+{address:#06x}" + (f" (source line {line})" if line else "")
        super().__init__(f"{opcode} at {place} is not modelled; no prediction is made for this kernel")
        self.opcode = opcode
        self.address = address
        self.kernel = kernel
        self.line = line


class LaunchError(SimcoreError):
    """The launch breaks a limit of the GPU, or its arguments do not fit the kernel."""


class MemoryFault(SimcoreError):
    """The kernel touched memory that no buffer holds; the message names thread, address and nearest buffer."""


class Deadlock(SimcoreError):
    """Threads wait at a barrier that others never reach."""


class KernelTrap(SimcoreError):
    """The kernel ended itself, as `__trap()` does."""


class CycleLimitExceeded(SimcoreError):
    """The kernel did not end within the limit: an endless loop, or a limit set too low."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about a word that is not known: the closest of those that are, or nothing."""
    names, word = list(known), word.lower()
    close = [name for name in names if name.startswith(word)] or difflib.get_close_matches(word, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
