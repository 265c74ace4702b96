"""Kernel arguments on the command line."""

import re
from collections.abc import Sequence

import numpy as np

from simcore.errors import LaunchError
from simcore.model.arguments import Argument, Buffer

_BUFFER = re.compile(r"(?P<dtype>\w+)\[(?P<elements>[\d_]+)\](:(?P<fill>\w+)(:(?P<high>[\d_]+))?)?")
_VALUE = re.compile(r"(?P<dtype>\w+)=(?P<value>.+)")


def parse_arguments(words: Sequence[str]) -> list[Argument]:
    """Arguments from `dtype[elements]:fill`, `file.npy` and `dtype=value`; random fills differ by position.

    Raises:
        LaunchError: names the argument and the problem.
    """
    return [_argument(word, position) for position, word in enumerate(words)]


def _argument(word: str, position: int) -> Argument:
    if word.endswith(".npy"):
        return _array(word)
    if stated := _BUFFER.fullmatch(word):
        return _buffer(stated, position)
    if stated := _VALUE.fullmatch(word):
        return _value(stated)
    raise LaunchError(
        f"--arg {word}: write a buffer as float32[1024] or float32[1024]:uniform or data.npy, "
        "a value as int32=1024"
    )


def _array(file: str) -> Argument:
    try:
        array: Argument = np.load(file, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise LaunchError(f"--arg {file}: {error}") from None
    return array


def _buffer(stated: re.Match[str], position: int) -> Buffer:
    fill, high = stated["fill"] or "zeros", int(stated["high"] or 0)
    if (fill == "randint") != bool(high):
        raise LaunchError(
            f"--arg {stated[0]}: randint needs a bound, as in int32[1000]:randint:50, and no other fill has one"
        )
    buffer = Buffer(_dtype(stated), int(stated["elements"]), fill, position, high)
    Buffer(buffer.dtype, 1, fill, position, high).materialise()  # an unknown fill is refused here
    return buffer


def _value(stated: re.Match[str]) -> np.generic:
    kind, value = np.dtype(_dtype(stated)), stated["value"]
    try:
        scalar: np.generic = kind.type(int(value, 0) if kind.kind in "iub" else float(value))
    except (ValueError, OverflowError):
        raise LaunchError(f"--arg {stated[0]}: {value} is not a value of {stated['dtype']}") from None
    return scalar


def _dtype(stated: re.Match[str]) -> str:
    try:
        return np.dtype(stated["dtype"]).name
    except TypeError:
        raise LaunchError(
            f"--arg {stated[0]}: no such type {stated['dtype']}; "
            "use numpy's names: float32, float64, float16, int32, uint64, ..."
        ) from None
