"""Arguments that are not those of the kernel: its signature against their kinds and types in the space.

Only what is certain is reported: machine code has no types, and a source may hide them behind templates, macros and
typedefs, or read the bits of a float as an integer on purpose.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from search_spaces.errors import Problem
from search_spaces.fields import DEFAULT_SOURCE
from search_spaces.number_types import POINTER, TYPE_NAMES, NumberType, name_in_this_format
from search_spaces.source_text import signature

#: Words of a declaration that do not change what is read.
_QUALIFIERS = {"const", "volatile", "restrict", "__restrict", "__restrict__", "__grid_constant__", "struct"}
#: A pointer to one of these may be given any bytes.
_BYTES = {"int8", "uint8", "bool"}


@dataclass(frozen=True)
class _Parameter:
    """A parameter of a kernel: the name of its type as in a space.yaml, and whether it is a pointer to such."""

    type: str
    is_pointer: bool


def type_problems(raw: Mapping[str, Any], source: str) -> Iterator[Problem]:
    """Arguments that a kernel reads as another type or of another size, or as an address instead of a value.

    Args:
        raw: the fields of the file.
        source: the text of the source.
    """
    declared = signature(source, str(raw.get("kernel")))
    arguments = raw.get("arguments")
    if declared is None or not isinstance(arguments, list) or len(arguments) != len(declared):
        return
    file = raw.get("source", DEFAULT_SOURCE)
    for position, (text, argument) in enumerate(zip(declared, arguments, strict=True)):
        parameter = _parameter(text)
        if parameter and isinstance(argument, dict):
            yield from _problems(parameter, argument, f"{file} declares `{text}`", f"arguments[{position}]")


def _problems(
    parameter: _Parameter, argument: Mapping[str, Any], declares: str, place: str
) -> Iterator[Problem]:
    given, is_value = argument.get("type"), "value" in argument
    if given not in TYPE_NAMES:
        return
    size = NumberType.of(given).bytes if is_value else POINTER.bytes
    wanted = POINTER.bytes if parameter.is_pointer else NumberType.of(parameter.type).bytes
    if is_value != parameter.is_pointer and _is_read_as_another(parameter, given, is_value):
        what = NumberType.of(parameter.type).number
        yield Problem(f"{given}, but {declares}; write {what}", f"{place}.type")
    elif size != wanted and is_value and not parameter.is_pointer:
        yield Problem(f"{given}, but {declares}; write {parameter.type}", f"{place}.type")
    elif size != wanted:
        kind, field = ("a value", "elements") if is_value else ("a buffer", "a value")
        order = "the arguments stand in the order of the kernel's parameters"
        yield Problem(f"{kind}, but {declares}; give it {field}, or move it: {order}", place)


def _is_read_as_another(parameter: _Parameter, given: str, is_value: bool) -> bool:
    wanted, found = (NumberType.of(NumberType.of(name).number) for name in (parameter.type, given))
    is_other = _is_float(wanted) != _is_float(found)
    if not parameter.is_pointer:
        return is_value and is_other
    is_other |= wanted.bytes != found.bytes
    return not is_value and _is_float(wanted) and found.name not in _BYTES and is_other


def _is_float(number: NumberType) -> bool:
    return "float" in number.name


def _parameter(text: str) -> _Parameter | None:
    """The parameter of a declaration such as `const float* __restrict__ x`; None if its type is not a plain one."""
    words = [word for word in re.findall(r"\w+|[^\w\s]", text) if word not in _QUALIFIERS]
    is_array = words[-2:] == ["[", "]"]
    kind = (words[:-2] if is_array else words)[:-1]
    is_pointer = is_array or kind[-1:] == ["*"]
    joined = "".join(each for each in kind if each != "*")
    name = name_in_this_format(re.sub(r"^unsigned(?=.)", "u", joined)).removesuffix("_t")
    return _Parameter(name, is_pointer) if name in TYPE_NAMES else None
