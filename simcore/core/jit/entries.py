"""Entry points of the core: how Python gets to their machine code.

At each call numba looks at every array among the arguments, to find the code for their types: of a machine and an SM
these are hundreds, and it takes longer than many an entry point does. Here a named tuple is known by its class, whose
fields have the same types in all instances.
"""

from functools import update_wrapper

import numpy as np
from numba import typeof


class Entry:
    """A function that numba compiles, for calls from Python."""

    def __init__(self, dispatcher):
        self._dispatcher = dispatcher
        self._code = {}
        update_wrapper(self, dispatcher.py_func)

    @property
    def py_func(self):
        """The function in plain Python."""
        return self._dispatcher.py_func

    @property
    def cache_path(self):
        """The folder in which its machine code is kept."""
        return self._dispatcher.stats.cache_path

    @property
    def is_compiled(self):
        """Whether there is code for any arguments."""
        return bool(self._code)

    def compile_for(self, *arguments):
        """The machine code for arguments of such types."""
        code = self._dispatcher.compile(tuple(map(typeof, arguments)))
        self._code[tuple(map(_kind, arguments))] = code
        return code

    def __call__(self, *arguments):
        code = self._code.get(tuple(map(_kind, arguments)))
        return (code or self.compile_for(*arguments))(*arguments)


def _kind(argument):
    """What says of which type an argument is."""
    if type(argument) is not np.ndarray:
        return type(argument)
    if argument.flags.carray:
        return argument.dtype, argument.ndim
    return typeof(argument)
