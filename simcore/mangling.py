"""C++ names of the symbols in a cubin: what people call a function that the compiler calls `_ZN2ns4gemmILi64EEvPf`.

Only names are read (Itanium C++ ABI, 5.1.2): namespaces and the name itself, without template arguments and parameters.
"""

import re
from collections.abc import Iterator

_LENGTH = re.compile(r"\d+")
_INTERNAL = "_INTERNAL_"  # the namespace that the compiler makes of a file, for what is static there


def cpp_name(symbol: str) -> str:
    """The name of a symbol in C++, such as `ns::gemm`; a symbol that is not mangled as it is."""
    if not symbol.startswith("_Z"):
        return symbol
    is_nested = symbol.startswith("_ZN")
    parts = list(_names(symbol, 3 if is_nested else 2))
    if not is_nested:
        parts = parts[:1]
    return "::".join(part for part in parts if not part.startswith(_INTERNAL)) or symbol


def _names(symbol: str, at: int) -> Iterator[str]:
    """The names, each written as its length and its letters, from a position on; tags of names are left out."""
    is_tag = False
    if symbol[at : at + 1] == "L":  # of internal linkage
        at += 1
    while at < len(symbol):
        length = _LENGTH.match(symbol, at)
        if length:
            at = length.end() + int(length[0])
            if not is_tag and at <= len(symbol):
                yield symbol[length.end() : at]
            is_tag = False
        elif symbol[at] in "BL":
            is_tag = symbol[at] == "B"
            at += 1
        else:
            return
