"""Integers in calls between jitted functions: 32-bit signed ones are passed as 64-bit ones.

Numba compiles a function anew for each combination of its arguments' types, and a constant, such as a plain 0, has a
type of its own. To functions that are inlined, constants are passed as what they are constants of: LLVM finds them
there again.
"""

from numba import config, types


def widened(dispatcher, constants):
    """The dispatcher, for its callers.

    Args:
        constants: whether these are widened too.
    """

    def wide(argument):
        kind = types.unliteral(argument) if constants else argument
        return types.int64 if kind == types.int32 else kind

    def get_call_template(arguments, keywords):
        return resolve(tuple(map(wide, arguments)), {name: wide(kind) for name, kind in keywords.items()})

    if not config.DISABLE_JIT:
        resolve = dispatcher.get_call_template
        dispatcher.get_call_template = get_call_template
    return dispatcher
