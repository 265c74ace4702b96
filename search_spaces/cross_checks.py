"""Checks across the sections of a space.yaml and its source, such as conflicting names.

They work on the raw file, so that they report problems even if another field is invalid.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from search_spaces.errors import Problem, known_or_closest, shown
from search_spaces.expression import Expression, ExpressionError
from search_spaces.fields import GPU_FIELD, REGISTER_CAP, has_unit, is_inside, is_macro, plain_name
from search_spaces.limits import (
    MAX_DATA_BYTES,
    MAX_DATA_FILES,
    MAX_ENTRIES,
    MAX_HEADERS,
    MAX_PARAMETER_VALUES,
    MAX_PARAMETERS,
    MAX_REGISTER_CAP,
    MAX_SPACE_BYTES,
)
from search_spaces.source_text import kernels


def size_problems(text: str, source: str, headers: Mapping[str, str]) -> list[Problem]:
    """Problems with the size of a space's files, and with the names of headers."""
    problems = [
        Problem(
            f"header {shown(name)}: not a path in the space's folder; use a relative path such as detail/tile.cuh"
        )
        for name in headers
        if not is_inside(name)
    ]
    if len(headers) > MAX_HEADERS:
        what = f"{len(headers)} headers; merge some, at most {MAX_HEADERS} can be included"
        problems.append(Problem(what))
    size = sum(len(part.encode(errors="replace")) for part in (text, source, *headers.values()))
    if size > MAX_SPACE_BYTES:
        what = f"{size} bytes in total, above {MAX_SPACE_BYTES}; remove what the kernel does not need"
        problems.append(Problem(what))
    return problems


def data_size_problems(files: Mapping[str, bytes]) -> list[Problem]:
    """Problems with the size of a space's files of numbers, and with their names."""
    problems = [
        Problem(f"file {shown(name)}: not a path in the space's folder")
        for name in files
        if not is_inside(name)
    ]
    if len(files) > MAX_DATA_FILES:
        problems.append(Problem(f"{len(files)} files of numbers; at most {MAX_DATA_FILES} are allowed"))
    size = sum(map(len, files.values()))
    if size > MAX_DATA_BYTES:
        what = (
            f"{size} bytes of .npy files and cubins, above {MAX_DATA_BYTES}; use a smaller problem, or a fill"
        )
        problems.append(Problem(what))
    return problems


def extent_problems(raw: Mapping[str, Any]) -> list[Problem]:
    """Problems with the number of entries in the file."""
    limits = dict.fromkeys(
        (
            *("gpu", "constraints", "values", "arguments", "metrics", "objectives", "workload"),
            *("options", "data", "variables", "reset", "expect"),
        ),
        MAX_ENTRIES,
    )
    sections = [(name, raw.get(name), limit) for name, limit in limits.items()]
    sections.append(("parameters", raw.get("parameters"), MAX_PARAMETERS))
    sections += [
        (f"parameters.{name}", values, MAX_PARAMETER_VALUES)
        for name, values in list(_section(raw, "parameters").items())[:MAX_PARAMETERS]
    ]
    whole = [Problem(f"the file: {_too_many(raw, MAX_ENTRIES)}")] if len(raw) > MAX_ENTRIES else []
    return whole + [
        Problem(_too_many(entries, limit), name)
        for name, entries, limit in sections
        if isinstance(entries, dict | list) and len(entries) > limit
    ]


def _too_many(entries: Collection[Any], limit: int) -> str:
    return f"{len(entries)} entries; at most {limit} are allowed"


def cross_checks(raw: Mapping[str, Any], files: Mapping[str, str]) -> list[Problem]:
    """All problems between the sections of one file, and between the file and its CUDA source.

    Args:
        raw: the fields of the file.
        files: texts of the source and its headers, by name.
    """
    parameters = _section(raw, "parameters")
    macros = {name.upper(): name for name in parameters if is_macro(name)}
    return [
        *special_values(parameters),
        *_macros_declared_twice(parameters),
        *_workload_names(raw.get("workload"), parameters),
        *_names_declared_twice(parameters, _section(raw, "values")),
        *_values_used_too_early(_section(raw, "values")),
        *_argument_names(raw, macros),
        *_kernel_name(raw, files, macros),
    ]


def _section(raw: Mapping[str, Any], name: str) -> dict[str, Any]:
    section = raw.get(name)
    return {str(key): value for key, value in section.items()} if isinstance(section, dict) else {}


def special_values(parameters: Mapping[str, Any]) -> Iterator[Problem]:
    """Values that only some parameters can have: none, register counts, sizes, texts."""
    for name, values in parameters.items():
        for value in values if isinstance(values, list | tuple) else []:
            if has_unit(value) and not name.startswith(GPU_FIELD):
                yield Problem(
                    f"{value} has a unit, which only {GPU_FIELD}<field> takes; use a number",
                    f"parameters.{name}",
                )
            elif (
                name.startswith(GPU_FIELD)
                and isinstance(value, str)
                and value != "none"
                and not has_unit(value)
            ):
                yield Problem(
                    f"{shown(value)} is not a number; write such as 144 or 50MB", f"parameters.{name}"
                )
    yield from _none_and_register_caps(parameters)


def _none_and_register_caps(parameters: Mapping[str, Any]) -> Iterator[Problem]:
    for name, values in parameters.items():
        for value in values if isinstance(values, list | tuple) else []:
            if name != REGISTER_CAP:
                if value in (None, "none"):
                    yield Problem(
                        f"only {REGISTER_CAP} can be none; use a number or a word", f"parameters.{name}"
                    )
            elif value not in (None, "none", *range(1, MAX_REGISTER_CAP + 1)):
                given = shown(value).strip("'")
                yield Problem(
                    f"{given} is not a register count; use none or 1 to {MAX_REGISTER_CAP}",
                    f"parameters.{name}",
                )


def _macros_declared_twice(parameters: Mapping[str, Any]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for name in parameters:
        if first.setdefault(name.upper(), name) != name:
            yield Problem(
                f"is the macro {name.upper()}, as {first[name.upper()]} is; rename one", f"parameters.{name}"
            )


def _workload_names(workload: object, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    for position, name in enumerate(workload if isinstance(workload, list) else [workload]):
        if name == REGISTER_CAP:
            yield Problem(
                f"{REGISTER_CAP} changes the code, not the problem; remove it", f"workload[{position}]"
            )
        elif isinstance(name, str) and name not in parameters:
            advice = known_or_closest(name, parameters)
            yield Problem(f"unknown parameter {name}; {advice}", f"workload[{position}]")


def _names_declared_twice(parameters: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[Problem]:
    for name in values:
        if name in parameters:
            yield Problem(f"{name} is also a parameter; rename one", f"values.{name}")


def _values_used_too_early(values: Mapping[str, Any]) -> Iterator[Problem]:
    order = list(values)
    for position, (name, text) in enumerate(values.items()):
        try:
            used = Expression(text).names
        except ExpressionError:
            continue  # reported where the field is read
        for later in sorted(used.intersection(order[position:])):
            yield Problem(
                f"uses {later} before it is declared; declare {later} above {name}", f"values.{name}"
            )


def _argument_names(raw: Mapping[str, Any], macros: Mapping[str, str]) -> Iterator[Problem]:
    arguments = raw.get("arguments")
    seen: set[str] = set()
    for position, argument in enumerate(arguments if isinstance(arguments, list) else []):
        name = argument.get("name") if isinstance(argument, dict) else None
        if not isinstance(name, str):
            continue
        if name in seen:
            yield Problem(f"{name} is declared twice; rename one", f"arguments[{position}].name")
        if name in macros:
            parameter = macros[name]
            yield Problem(
                f"parameter {parameter}'s macro replaces {name}; rename one", f"arguments[{position}].name"
            )
        seen.add(name)


def _kernel_name(
    raw: Mapping[str, Any], files: Mapping[str, str], macros: Mapping[str, str]
) -> Iterator[Problem]:
    name = raw.get("kernel")
    code = "\n".join(files.values())
    if not isinstance(name, str) or not code:
        return
    plain = plain_name(name)
    if plain in macros:
        yield Problem(f"parameter {macros[plain]}'s macro replaces {plain}; rename one", "kernel")
    known = kernels(code)
    if plain not in known:
        advice = known_or_closest(plain, known) if known else "it has no __global__ function"
        yield Problem(f"the source defines no kernel {plain}; {advice}", "kernel")
