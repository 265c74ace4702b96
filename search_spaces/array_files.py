"""Reads .npy files from their bytes: the header is checked against the size first, and pickles are refused."""

import io

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_array(content: bytes) -> NDArray[np.generic]:
    """The array of an .npy file, flattened row by row; a view of the bytes where possible.

    Raises:
        ValueError: not such a file, cut off, or of Python objects.
    """
    file = io.BytesIO(content)
    try:
        version = npy.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"its version {version} is unknown; save it with numpy.save")
        shape, by_columns, dtype = _HEADERS[version](file)
    except (ValueError, SyntaxError, TypeError) as error:
        raise ValueError(f"not an .npy file: {error}") from None
    if dtype.hasobject or dtype.names or dtype.subdtype:
        raise ValueError(f"it contains {dtype}; save an array of numbers")
    elements = 1
    for side in shape:
        elements *= side
    size = len(content) - file.tell()
    if elements * dtype.itemsize != size or elements < 1:
        raise ValueError(
            f"it has {size} bytes of numbers, but its shape {shape} needs {elements * dtype.itemsize}"
        )
    array = np.frombuffer(content, dtype, elements, file.tell())
    native = array.astype(dtype.newbyteorder("="), copy=False)
    return native.reshape(shape, order="F" if by_columns else "C").reshape(-1)
