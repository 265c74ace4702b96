"""Kernel arguments on the command line."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from simcore.errors import LaunchError
from simcore.model.arguments import Argument, Buffer

_BUFFER = re.compile(
    r"(?P<dtype>\w+)\[(?P<elements>[\d_]+)\](:(?P<fill>\w+)(:(?P<number>[^:]+)(:(?P<exponent>[^:]+))?)?)?"
)
_VALUE = re.compile(r"(?P<dtype>\w+)=(?P<value>.+)")

NUMBERED = ("randint", "sorted", "zipf", "constant")
"""The fills with a number: a bound, or the value."""
IN_C = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "uint": "uint32",
    "unsigned": "uint32",
}
"""C's types, by the names with which numpy may mean others."""


def parse_arguments(words: Sequence[str]) -> list[Argument]:
    """Arguments from `dtype[elements]:fill`, `file.npy` and `dtype=value`; random fills differ by position.

    Raises:
        LaunchError: names the argument and the problem.
    """
    return [_stated("--arg", word, position) for position, word in enumerate(words)]


def parse_variables(words: Sequence[str]) -> dict[str, Argument]:
    """Contents of variables by name, from `NAME=` and what `parse_arguments` takes; LaunchError as for those."""
    contents = {}
    for position, word in enumerate(words):
        name, equals, content = word.partition("=")
        if not equals:
            raise LaunchError(f"--variable {word}: write NAME=CONTENTS, as in taps=float32[4]:ones")
        contents[name] = _stated("--variable", content, position)
    return contents


def _stated(option: str, word: str, position: int) -> Argument:
    try:
        return _argument(word, position)
    except LaunchError as error:
        raise LaunchError(f"{option} {word}: {error}") from None


def _argument(word: str, position: int) -> Argument:
    if word.endswith(".npy"):
        return _array(word)
    if stated := _BUFFER.fullmatch(word):
        return _buffer(stated, position)
    if stated := _VALUE.fullmatch(word):
        return _value(stated)
    raise LaunchError(
        "write a buffer as float32[1024] or float32[1024]:uniform or data.npy, a value as int32=1024"
    )


def _array(file: str) -> Argument:
    try:
        array: Argument = np.load(file, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise LaunchError(str(error)) from None
    return array


def _buffer(stated: re.Match[str], position: int) -> Buffer:
    fill, number = stated["fill"] or "zeros", stated["number"]
    if (fill in NUMBERED) != bool(number) or (fill == "zipf") != bool(stated["exponent"]):
        raise LaunchError(
            "randint and sorted need a bound, as in int32[1000]:randint:50, constant a value, as in "
            "float32[4]:constant:0.25, zipf a bound and an exponent, as in int32[1000]:zipf:50:1.2, and no other fill "
            "has a number"
        )
    kind, elements = _dtype(stated), int(stated["elements"])
    if fill == "constant":
        return Buffer(kind, elements, fill, value=_scalar(kind, number).item())
    high = int(_scalar("int64", number)) if number else 0
    exponent = _scalar("float64", stated["exponent"] or "1").item()
    buffer = Buffer(kind, elements, fill, position, high, exponent=exponent)
    replace(buffer, elements=1).materialise()  # an unknown fill is refused here
    return buffer


def _value(stated: re.Match[str]) -> np.generic:
    return _scalar(_dtype(stated), stated["value"])


def _scalar(dtype: str, value: str) -> np.generic:
    kind = np.dtype(dtype)
    try:
        scalar: np.generic = kind.type(int(value, 0) if kind.kind in "iub" else float(value))
    except (ValueError, OverflowError):
        raise LaunchError(f"{value} is not a value of {dtype}") from None
    return scalar


def _dtype(stated: re.Match[str]) -> str:
    given = stated["dtype"]
    try:
        name = np.dtype(given).name
    except TypeError:
        name = ""
    if name != given:
        sized = f"; C's is {IN_C[given]}" if given in IN_C else ""
        raise LaunchError(
            f"no such type {given}{sized}; use numpy's names: float32, float64, float16, int32, uint64, ..."
        )
    return name
