"""How the core is compiled.

The core allocates nothing, so numba's reference counting is off: it would touch every array of the machine at
every call. Small functions on the hot path are inlined into their callers, where the machine's arrays are
already at hand. A variable that begins as a constant and goes on into calls is written `np.int64(0)`: a plain 0 has
a type of its own, and all that is behind it would be compiled twice.
"""

from functools import partial

from numba import njit

jit = partial(njit, cache=True, _nrt=False)
"""For functions that stay functions."""

jit_inline = partial(njit, cache=True, _nrt=False, forceinline=True)
"""For small functions on the hot path: inlined by LLVM."""

jit_splice = partial(njit, _nrt=False, inline="always")
"""For large functions with one caller: spliced into it before compilation, because LLVM optimises a function
again with each caller it is linked into."""
