"""What no single field of a space.yaml can tell: names that meet across sections, and with the source.

These look at the raw file, so that they speak up even when a field elsewhere is wrong.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from search_spaces.errors import known_or_closest, shown
from search_spaces.expression import Expression, ExpressionError
from search_spaces.limits import (
    MAX_ENTRIES,
    MAX_HEADERS,
    MAX_PARAMETER_VALUES,
    MAX_PARAMETERS,
    MAX_SPACE_BYTES,
)
from search_spaces.schema import REGISTER_CAP, is_inside

MAX_REGISTER_CAP = 255  # registers a thread, every architecture since sm_35 (CUDA C++ Programming Guide)


def size_problems(text: str, source: str, headers: Mapping[str, str]) -> list[str]:
    """What is too large or too much about the texts of a space, and headers with names that cannot be."""
    problems = [
        f"header {shown(name)}: no path in the space's folder; write it from there, as in detail/tile.cuh"
        for name in headers
        if not is_inside(name)
    ]
    if len(headers) > MAX_HEADERS:
        problems.append(f"{len(headers)} headers; join some, at most {MAX_HEADERS} can be included")
    size = sum(len(part.encode(errors="replace")) for part in (text, source, *headers.values()))
    if size > MAX_SPACE_BYTES:
        problems.append(
            f"{size} bytes in all; leave out what the kernel does not need, above {MAX_SPACE_BYTES}"
        )
    return problems


def extent_problems(raw: Mapping[str, Any]) -> list[str]:
    """What the file has too many of."""
    limits = dict.fromkeys(
        ("gpu", "constraints", "values", "arguments", "objectives", "workload"), MAX_ENTRIES
    )
    sections = [(name, raw.get(name), limit) for name, limit in limits.items()]
    sections.append(("parameters", raw.get("parameters"), MAX_PARAMETERS))
    sections.append(("the file", raw, MAX_ENTRIES))
    sections += [
        (f"parameters.{name}", values, MAX_PARAMETER_VALUES)
        for name, values in list(_section(raw, "parameters").items())[:MAX_PARAMETERS]
    ]
    return [
        f"{name}: {len(entries)} entries; at most {limit} can be given"
        for name, entries, limit in sections
        if isinstance(entries, dict | list) and len(entries) > limit
    ]


def cross_checks(raw: Mapping[str, Any], code: str) -> list[str]:
    """All problems between the sections of one file, and between the file and its CUDA source."""
    parameters = _section(raw, "parameters")
    macros = {name.upper(): name for name in parameters if name != REGISTER_CAP}
    return [
        *none_and_register_caps(parameters),
        *_macros_declared_twice(parameters),
        *_workload_names(raw.get("workload"), parameters),
        *_names_declared_twice(parameters, _section(raw, "values")),
        *_values_used_too_early(_section(raw, "values")),
        *_argument_names(raw, macros),
        *_kernel_name(raw, code, macros),
    ]


def _section(raw: Mapping[str, Any], name: str) -> dict[str, Any]:
    section = raw.get(name)
    return {str(key): value for key, value in section.items()} if isinstance(section, dict) else {}


def none_and_register_caps(parameters: Mapping[str, Any]) -> Iterator[str]:
    for name, values in parameters.items():
        for value in values if isinstance(values, list | tuple) else []:
            if name != REGISTER_CAP:
                if value in (None, "none"):
                    yield f"parameters.{name}: only {REGISTER_CAP} can be none; use a number or a word"
            elif value not in (None, "none", *range(1, MAX_REGISTER_CAP + 1)):
                given = shown(value).strip("'")
                yield f"parameters.{name}: {given} is no register count; use none or 1 to {MAX_REGISTER_CAP}"


def _macros_declared_twice(parameters: Mapping[str, Any]) -> Iterator[str]:
    first: dict[str, str] = {}
    for name in parameters:
        if first.setdefault(name.upper(), name) != name:
            yield f"parameters.{name}: is the macro {name.upper()}, as {first[name.upper()]} is; rename one"


def _workload_names(workload: object, parameters: Mapping[str, Any]) -> Iterator[str]:
    for position, name in enumerate(workload if isinstance(workload, list) else [workload]):
        if name == REGISTER_CAP:
            yield f"workload[{position}]: {REGISTER_CAP} changes the code and not the work; leave it out"
        elif isinstance(name, str) and name not in parameters:
            advice = known_or_closest(name, parameters)
            yield f"workload[{position}]: unknown parameter {name}; {advice}"


def _names_declared_twice(parameters: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[str]:
    for name in values:
        if name in parameters:
            yield f"values.{name}: {name} is a parameter too; rename one"


def _values_used_too_early(values: Mapping[str, Any]) -> Iterator[str]:
    order = list(values)
    for position, (name, text) in enumerate(values.items()):
        try:
            used = Expression(text).names
        except ExpressionError:
            continue  # reported where the field is read
        for later in sorted(used.intersection(order[position:])):
            yield f"values.{name}: uses {later} before it is declared; declare {later} above {name}"


def _argument_names(raw: Mapping[str, Any], macros: Mapping[str, str]) -> Iterator[str]:
    arguments = raw.get("arguments")
    seen: set[str] = set()
    for position, argument in enumerate(arguments if isinstance(arguments, list) else []):
        name = argument.get("name") if isinstance(argument, dict) else None
        if not isinstance(name, str):
            continue
        if name in seen:
            yield f"arguments[{position}].name: {name} is declared twice; rename one"
        if name in macros:
            parameter = macros[name]
            yield f"arguments[{position}].name: parameter {parameter}'s macro replaces {name}; rename one"
        seen.add(name)


def _kernel_name(raw: Mapping[str, Any], code: str, macros: Mapping[str, str]) -> Iterator[str]:
    name = raw.get("kernel")
    if not isinstance(name, str) or not code:
        return
    if name in macros:
        yield f"kernel: parameter {macros[name]}'s macro replaces {name}; rename one"
    kernels = _kernels(code)
    if name not in kernels:
        advice = known_or_closest(name, kernels) if kernels else "it has no __global__ function"
        yield f"kernel: the source defines no kernel {name}; {advice}"


def _kernels(code: str) -> list[str]:
    """The names of the `__global__` functions of a CUDA source.

    Between `__global__` and the name stand words alone, and attributes such as `__launch_bounds__(...)`.
    """
    bare = re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", " ", code, flags=re.DOTALL)
    names: list[str] = []
    word: str | None = None  # the last one since a __global__; None outside such a declaration
    depth = 0  # of the parentheses of an attribute
    for token in re.findall(r"\w+|[^\w\s]", bare):
        if depth:
            depth += (token == "(") - (token == ")")
        elif token == "__global__":
            word = ""
        elif word is None:
            continue
        elif token == "(" and word.startswith("__") and word.endswith("__"):
            depth = 1
        elif token == "(":
            names.append(word)
            word = None
        else:
            word = token if re.match(r"\w", token) else None
    return names
