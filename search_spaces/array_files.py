"""Reads .npy files from their bytes, which are untrusted: the header is checked before any array is made.

The format is NumPy's (NEP 1). Only arrays of booleans, integers, floats and raw bytes are read, so no pickles.
"""

import ast
import math
import re
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAGIC = b"\x93NUMPY"
_LENGTHS = {1: struct.Struct("<H"), 2: struct.Struct("<I")}  # of the header, by version
_MAX_HEADER = 1000  # bytes; numpy.save writes 118 for a common array


def read_array(content: bytes) -> "NDArray[np.generic]":
    """The array of an .npy file, flattened row by row; a view of the bytes where possible.

    Raises:
        ValueError: not such a file, cut off, or of anything but numbers.
    """
    import numpy as np  # most spaces have no such file

    header, start = _header(content)
    description, shape, by_columns = (header.get(key) for key in ("descr", "shape", "fortran_order"))
    if not isinstance(description, str) or not re.fullmatch(r"[<>|=]?([biuf]\d|V[1-8])", description):
        raise ValueError(f"it contains {description}; save an array of numbers")
    if not isinstance(shape, tuple) or not all(type(side) is int and side > 0 for side in shape):
        raise ValueError(f"its shape is {shape}; save an array that is not empty")
    dtype, elements = np.dtype(description), math.prod(shape)
    size = len(content) - start
    if elements * dtype.itemsize != size:
        raise ValueError(f"it has {size} bytes of numbers, but its shape needs {elements * dtype.itemsize}")
    array = np.frombuffer(content, dtype, elements, start).astype(dtype.newbyteorder("="), copy=False)
    return array.reshape(shape, order="F" if by_columns else "C").reshape(-1)


def _header(content: bytes) -> tuple[dict[str, Any], int]:
    """The file's own description of its array, and where the numbers start."""
    length = _LENGTHS.get(content[len(_MAGIC)]) if len(content) > len(_MAGIC) else None
    first = len(_MAGIC) + 2 + (length.size if length else 0)
    if not content.startswith(_MAGIC) or length is None or len(content) < first:
        raise ValueError("it is not an .npy file; save it with numpy.save")
    (size,) = length.unpack_from(content, first - length.size)
    if size > _MAX_HEADER or first + size > len(content):
        raise ValueError("its header is cut off or too long; save it with numpy.save")
    try:
        header = ast.literal_eval(content[first : first + size].decode("ascii").strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        header = None
    if not isinstance(header, dict):
        raise ValueError("its header is not readable; save it with numpy.save")
    return header, first + size
