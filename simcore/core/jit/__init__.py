"""How the core is compiled: as one unit for each entry point.

The functions of the core become LLVM modules that are only linked; an entry point links all that it reaches and
optimises it once (`linking`). The machine and the SM are passed by reference (`reference`). The core allocates nothing,
so numba's reference counting is off: it would touch every array of the machine at every call. It raises nothing, so
divisors are not compared with 0.

A variable that begins as a constant and goes on into calls is written `np.int64(0)`: a plain 0 has a type of its own,
and all that is behind it would be compiled twice.
"""

from functools import partial

from numba import njit

from simcore.core.jit import cache
from simcore.core.jit.bits import lowest_bit
from simcore.core.jit.linking import EntryCompiler, LinkOnlyCompiler
from simcore.core.jit.reference import by_reference

__all__ = ["by_reference", "entry", "jit", "jit_inline", "lowest_bit"]


cache.register()

_core = partial(njit, _nrt=False, error_model="numpy", no_cfunc_wrapper=True)

entry = partial(_core, cache=True, pipeline_class=EntryCompiler)
"""For functions that Python calls."""

jit = partial(_core, no_cpython_wrapper=True, pipeline_class=LinkOnlyCompiler)
"""For functions that stay functions, or that LLVM may inline."""

jit_inline = partial(jit, forceinline=True)
"""For small functions on the hot path, and large ones with one caller: inlined by LLVM."""
