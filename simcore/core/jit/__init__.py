"""How the core is compiled: each entry point by itself, and what several of them need as units of their own.

The functions of the core become LLVM modules that are only linked; an entry point, or a unit, links all that it reaches
and optimises it once (`linking`). Python calls entry points past numba's dispatcher (`entries`). Units are compiled
when a kernel needs them, and called by address (`units`). The machine and the SM are passed by reference (`reference`,
`arrays`), and so are instructions (`records`). The core allocates nothing, so numba's reference counting is off: it
would touch every array of the machine at every call. It raises nothing, so divisors are not compared with 0.

A function is compiled anew for each type of its arguments, of which `widening` leaves few. A variable that begins as a
constant and goes on into calls is written `np.int64(0)`: a plain 0 has a type of its own.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import config, njit

from simcore.core.jit import cache
from simcore.core.jit.arrays import fix_extents
from simcore.core.jit.bits import lowest_bit
from simcore.core.jit.entries import Entry
from simcore.core.jit.linking import EntryCompiler, LinkOnlyCompiler, OutOfLineCompiler, SeldomCompiler
from simcore.core.jit.reference import by_reference
from simcore.core.jit.rows import ALL_AT_ONCE, AT_ONCE, at_most, least, row_at_most
from simcore.core.jit.units import Unit, call, register
from simcore.core.jit.widening import widened

__all__ = [
    "ALL_AT_ONCE",
    "AT_ONCE",
    "at_most",
    "by_reference",
    "call",
    "entry",
    "fix_extents",
    "jit",
    "jit_inline",
    "jit_out_of_line",
    "jit_seldom",
    "least",
    "lowest_bit",
    "row_at_most",
    "unit",
]


cache.register()

_core = partial(njit, _nrt=False, error_model="numpy", no_cfunc_wrapper=True)

_whole = partial(_core, pipeline_class=EntryCompiler)


def entry(*, cache: bool = True) -> Callable[[Callable[..., Any]], Any]:
    """For functions that Python calls."""
    compiled = _whole(cache=cache)
    return compiled if config.DISABLE_JIT else lambda function: Entry(compiled(function))


def unit(*numbers):
    """For functions that are compiled by themselves, with the numbers by which a machine knows them."""

    def compile_by_itself(function):
        register(numbers, Unit(function, _whole(cache=True, no_cpython_wrapper=True)(function)))
        return function

    return compile_by_itself


def jit(*, forceinline=False, pipeline_class=LinkOnlyCompiler):
    """For functions that stay functions, or that LLVM may inline."""
    compiled = _core(no_cpython_wrapper=True, pipeline_class=pipeline_class, forceinline=forceinline)
    return lambda function: widened(compiled(function), constants=forceinline)


jit_inline = partial(jit, forceinline=True)
"""For small functions on the hot path, and large ones with one caller: inlined by LLVM."""

jit_out_of_line = partial(jit, pipeline_class=OutOfLineCompiler)
"""For large functions that a loop calls: inlined, what they read that stays the same would be read before the loop,
whether or not they come to need it."""

jit_seldom = partial(jit, pipeline_class=SeldomCompiler)
"""For functions that are hardly ever called: the machine code of what is done instead stays together."""
