"""Names that a source leaves undefined, in the terms of its space: a macro without a parameter, a value in words."""

import difflib
import re
from collections.abc import Iterator

from search_spaces import Space
from simcore import CompileError

_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined')


def explained(error: CompileError, space: Space) -> CompileError:
    """The error, after what to change in the space where that is known."""
    found = list(_undefined(error.log or error.message, space))
    return CompileError("\n".join([*found, error.message]), error.log) if found else error


def _undefined(log: str, space: Space) -> Iterator[str]:
    for name in dict.fromkeys(_UNDEFINED.findall(log)):
        of_value = [parameter for parameter, values in space.parameters.items() if name in values]
        if of_value:
            yield f"{of_value[0]} = {name} is a word, and {space.source_name} defines no {name}; give a number"
        elif name.isupper() and name.lower() not in space.parameters:
            close = difflib.get_close_matches(name.lower(), space.parameters, n=1)
            rename = f", or rename {close[0]}" if close else ""
            yield f"nothing defines the macro {name}: add a parameter {name.lower()}{rename}"
