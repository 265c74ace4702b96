"""Numbers that a kernel reads as something else: the types in its signature against those in the space.

Only what is certain is reported: machine code has no types, and a source may hide them behind templates, macros and
typedefs, or read the bits of a float as an integer on purpose.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from search_spaces.errors import Problem
from search_spaces.fields import DEFAULT_SOURCE
from search_spaces.number_types import TYPE_NAMES, NumberType, name_in_this_format
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
    """Arguments that a kernel reads as another type: what is no float as a float, or, by value, the reverse.

    Args:
        raw: the fields of the file.
        source: the text of the source.
    """
    declared = signature(source, str(raw.get("kernel")))
    arguments = raw.get("arguments")
    if declared is None or not isinstance(arguments, list) or len(arguments) != len(declared):
        return
    for position, (text, argument) in enumerate(zip(declared, arguments, strict=True)):
        parameter = _parameter(text)
        given = argument.get("type") if isinstance(argument, dict) else None
        if parameter and given in TYPE_NAMES and _is_read_as_another(parameter, given, "value" in argument):
            place = raw.get("source", DEFAULT_SOURCE)
            what = f"{given}, but {place} declares `{text}`; write {NumberType.of(parameter.type).number}"
            yield Problem(what, f"arguments[{position}].type")


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
