"""A launch as requested by the caller. The keywords of the public calls are defined here and nowhere else."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Literal, ParamSpec, TypeVar

from simcore.gpu import Gpu
from simcore.model.arguments import Argument

CYCLE_LIMIT = 100_000_000
"""About 50 ms of GPU time, and a minute of simulation; a kernel that runs longer is assumed to loop forever.

So is one with a block of more warp instructions than an SM can issue in that time."""

Bounds = Literal["error", "warn"]

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
        arguments: numpy arrays and `Buffer`s for pointers, numpy scalars for values, `Struct`s for what holds pointers.
        gpu: a profile or its name.
        kernel: its name; optional if the cubin contains only one.
        dynamic_shared_bytes: dynamic shared memory per block.
        variables: contents of `__constant__` and `__device__` variables, by name in C++; others are as compiled.
        bounds: `error` if every access must lie in a buffer; `warn` if reads up to 2 MiB beside one give zero, and are
            counted.
        argument_names: what messages call the arguments, in their order; without, these are numbered.
    """

    cubin: bytes | str | Path
    grid: int | Sequence[int]
    block: int | Sequence[int]
    arguments: Sequence[Argument]
    gpu: str | Gpu
    kernel: str | None = None
    dynamic_shared_bytes: int = 0
    variables: Mapping[str, Argument] = field(default_factory=dict)
    bounds: Bounds = "error"
    argument_names: Sequence[str] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class TimingRequest(LaunchRequest):
    """A launch to be timed.

    Attributes:
        cold: start with empty caches; otherwise the same launch has just run with the same buffers.
        exact: time every block of the SM; otherwise long kernels with many waves are timed in part and extrapolated
            (see `simcore.model.steady_state`).
        cycle_limit: the kernel is assumed to loop forever after as many instructions as an SM can issue in so many
            cycles; waiting does not count.
    """

    cold: bool = False
    exact: bool = False
    cycle_limit: int = CYCLE_LIMIT


def takes(
    request: Callable[Keywords, Request],
) -> Callable[[Callable[[Request], Answer]], Callable[Keywords, Answer]]:
    """Turn a function of a request into a function of the request's fields.

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
