"""Machine code in place of a source: one file, or one for each value of some parameters, as in `{passes}.cubin`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from search_spaces.expression import spelled

BINARIES = (".cubin", ".fatbin", ".ptx")

_PARAMETER = re.compile(r"\{([A-Za-z_]\w*)\}")


def is_binary(source: str) -> bool:
    """Whether a source is machine code already."""
    return source.endswith(BINARIES)


def is_ptx(source: str) -> bool:
    """Whether a source is PTX, which is compiled for each GPU."""
    return source.endswith(".ptx")


def chosen_by(source: str) -> list[str]:
    """The parameters whose values are a part of the file's name."""
    return list(dict.fromkeys(_PARAMETER.findall(source))) if is_binary(source) else []


def file_at(source: str, point: Mapping[str, Any]) -> str:
    """The file's name at a point."""
    if not is_binary(source):
        return source
    return _PARAMETER.sub(lambda name: spelled(point[name[1]]), source)


def files_of(source: str, parameters: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """The names of all files, over the values of the parameters that choose them."""
    names = chosen_by(source)
    for values in product(*(parameters[name] for name in names)):
        yield file_at(source, dict(zip(names, values, strict=True)))
