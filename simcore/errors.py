"""The errors, each with its own type and a message that states where and what to do."""

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import partial
from inspect import signature
from types import MappingProxyType
from typing import Any, ClassVar

from simcore.mangling import cpp_name


class SimcoreError(Exception):
    """Anything the simulator refuses; the message is written for the user.

    Attributes:
        message: its text.
        is_deterministic: whether the same kernel, launch and GPU raise it every time, on every machine.
    """

    is_deterministic: ClassVar[bool] = True

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def data(self) -> dict[str, Any]:
        """The arguments of its class; each is an attribute of the same name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self.data), ()


class UnknownGpu(SimcoreError):
    """No profile has that name, or an override names a field that a profile does not have."""

    is_deterministic = False  # a later installation may have it


class CacheNotWritable(SimcoreError):
    """The folder for compiled code and known results cannot be created."""

    is_deterministic = False


class CompileError(SimcoreError):
    """The compiler refused the source.

    Attributes:
        log: the compiler's own messages, with file and line.
    """

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class CubinError(SimcoreError):
    """The file is not a cubin that this simulator can read, or has no kernel with that name."""

    is_deterministic = False  # the installation may lack a disassembler


class UnsupportedInstruction(SimcoreError):
    """The machine code contains an instruction that the simulator does not model.

    Attributes:
        opcode: the instruction's full name, as in `HMMA.16816.F32`.
        address: its byte offset in the kernel.
        kernel: the kernel's name, as the cubin has it; the message says it as C++ does.
        line: the source line, as in `kernel.cu:41`, if the cubin has line information.
        feature: what people call the part of the GPU, or of CUDA, that is missing, if that has a name.
    """

    def __init__(
        self, opcode: str, address: int, kernel: str, line: str | None = None, feature: str | None = None
    ) -> None:
        at = f"{cpp_name(kernel)}+{address:#06x}"
        place = f"{line}, {at}" if line else at
        what = f"{feature} is not modelled ({opcode} at {place})"
        if feature is None:
            what = f"{opcode} at {place} is not modelled"
        super().__init__(f"{what}; no prediction is made for this kernel")
        self.opcode = opcode
        self.address = address
        self.kernel = kernel
        self.line = line
        self.feature = feature


class LaunchError(SimcoreError):
    """The launch exceeds a limit of the GPU, or its arguments do not match the kernel."""


class MemoryFault(SimcoreError):
    """The kernel accessed memory outside every buffer, or jumped out of its code.

    The message names source line, thread and nearest buffer.
    """


class Deadlock(SimcoreError):
    """Threads wait at a barrier that others never reach."""


class KernelTrap(SimcoreError):
    """The kernel terminated itself, as `__trap()` does."""


class CycleLimitExceeded(SimcoreError):
    """The kernel did not finish within the limit: an infinite loop, or a limit that is too low."""


class EndlessLoop(CycleLimitExceeded):
    """All warps of a block that still run repeat some instructions, and change neither their state nor memory."""


#: Number of known words in a question.
MOST_MEANT = 3


def did_you_mean(word: str, known: Iterable[str], meanings: Mapping[str, str] = MappingProxyType({})) -> str:
    """The end of a message about an unknown word: the closest known one, those that begin so, or nothing.

    Args:
        word: the unknown one.
        known: the known ones.
        meanings: what they mean, for words that are close to none: those are meant that have every part of the word in
            their name or meaning.
    """
    names, word = list(known), word.lower()
    longer = sorted((name for name in names if name.startswith(word)), key=len)
    is_one_short = bool(longer) and len(longer[0]) <= len(word) + 1
    close = longer[:1] if is_one_short else longer or difflib.get_close_matches(word, names, n=1)
    close = close or [name for name, said in meanings.items() if _parts(word) <= _parts(name) | _parts(said)]
    return f"; did you mean {' or '.join(map(repr, close[:MOST_MEANT]))}?" if close else ""


def _parts(text: str) -> set[str]:
    """The words of a text, and of a name, which underscores join."""
    return set(re.findall(r"[^\W_]+", text.lower()))
