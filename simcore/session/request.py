"""A launch as a caller asks for it. What the public calls take as keywords is written here, and nowhere else."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from simcore.gpu import Gpu
from simcore.model.arguments import Argument

CYCLE_LIMIT = 100_000_000
"""About 50 ms of the GPU's time, and a minute of ours; a kernel that runs longer is taken to loop for ever."""

Keywords = ParamSpec("Keywords")
Request = TypeVar("Request")
Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False, kw_only=True)
class LaunchRequest:
    """One launch of one kernel.

    Attributes:
        cubin: the file's bytes or path.
        grid: blocks, one to three numbers.
        block: threads, one to three numbers.
        arguments: numpy arrays and `Buffer`s for pointers, numpy scalars for values.
        gpu: a profile or its name.
        kernel: its name; may be left out when the cubin holds one only.
        dynamic_shared_bytes: shared memory a block asks for at launch.
    """

    cubin: bytes | str | Path
    grid: int | Sequence[int]
    block: int | Sequence[int]
    arguments: Sequence[Argument]
    gpu: str | Gpu
    kernel: str | None = None
    dynamic_shared_bytes: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class TimingRequest(LaunchRequest):
    """A launch to be timed.

    Attributes:
        cold: nothing is in the caches; otherwise the same launch has just run with the same buffers.
        exact: time every block of the SM; otherwise long kernels of many waves are timed in part and go on at the
            pace of that part (see `simcore.model.steady_state`).
        cycle_limit: SM cycles after which the kernel is taken to loop for ever.
    """

    cold: bool = False
    exact: bool = False
    cycle_limit: int = CYCLE_LIMIT


def takes(
    request: Callable[Keywords, Request],
) -> Callable[[Callable[[Request], Answer]], Callable[Keywords, Answer]]:
    """Give a function of a request the request's fields as its parameters.

    Args:
        request: the class of the request.
    """

    def decorate(function: Callable[[Request], Answer]) -> Callable[Keywords, Answer]:
        @wraps(function)
        def with_keywords(*arguments: Keywords.args, **keywords: Keywords.kwargs) -> Answer:
            return function(request(*arguments, **keywords))

        signature = inspect.signature(request)
        returned = inspect.signature(function).return_annotation
        with_keywords.__signature__ = signature.replace(return_annotation=returned)  # type: ignore[attr-defined]
        return with_keywords

    return decorate
