"""Checks that names in a space.yaml reach what they name: macros in the source, arguments, data, variables.

They work on the raw file, as `search_spaces.cross_checks` does.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from search_spaces.array_files import read_array
from search_spaces.binaries import chosen_by, files_of, is_binary, is_ptx
from search_spaces.errors import Problem, known_or_closest, shown
from search_spaces.expression import Expression, ExpressionError
from search_spaces.fields import DEFAULT_SOURCE, REGISTER_CAP, is_macro
from search_spaces.limits import MAX_DATA_FILES
from search_spaces.schema import DATA_PARTS
from search_spaces.source_text import declarations, words


def macro_problems(raw: Mapping[str, Any], files: Mapping[str, str]) -> list[Problem]:
    """Parameters whose macro nothing uses, or whose macro the source declares itself.

    A parameter of the workload may be a mere label, so it need not be used.

    Args:
        raw: the fields of the file.
        files: texts of the source and its headers, by name; without a text nothing is known, and nothing said.
    """
    workload = raw.get("workload")
    exempt = workload if isinstance(workload, list) else [workload]
    parameters = [name for name in _mapping(raw, "parameters") if is_macro(name) and name not in exempt]
    source = str(raw.get("source", DEFAULT_SOURCE))
    used = _with_meant(_names_in_expressions(raw), parameters, raw)
    if is_binary(source):
        what = f"{source} is compiled already, and nothing else uses it; remove it"
        used |= set(chosen_by(source))
        return [Problem(what, f"parameters.{name}") for name in parameters if name not in used]
    named = words("\n".join(files.values()))
    if not any(files.values()) or named is None:
        return []
    named |= words(" ".join([str(raw.get("kernel")), *_option_texts(raw)])) or set()
    free = {name for name in named if name.isupper()}.difference(map(str.upper, _mapping(raw, "parameters")))
    place = source if len(files) == 1 else f"{source} and its headers"
    problems = []
    for name in _mapping(raw, "parameters"):
        macro = name.upper()
        if macro not in named:
            if name in parameters and name not in used:
                close = difflib.get_close_matches(macro, sorted(free), n=1)
                advice = f"did you mean {close[0].lower()}?" if close else "use it, or remove the parameter"
                what = f"the macro {macro} is used nowhere in {place}; {advice}"
                problems.append(Problem(what, f"parameters.{name}"))
            continue
        for declared in declarations(files, macro):
            what = f"its macro {macro} replaces the kernel's own {macro} ({declared}); rename one"
            problems.append(Problem(what, f"parameters.{name}"))
    return problems


def reference_problems(raw: Mapping[str, Any]) -> Iterator[Problem]:
    """Names of arguments, of parts of data and of compiler options that do not fit the rest of the file."""
    yield from _unknown_parts(raw)
    yield from _wrong_resets(raw)
    yield from _wrong_outputs(raw)
    source = str(raw.get("source", DEFAULT_SOURCE))
    parameters = _mapping(raw, "parameters")
    if is_binary(source) and raw.get("options"):
        yield Problem(f"{source} is compiled already; remove it", "options")
    if is_binary(source) and not is_ptx(source) and REGISTER_CAP in parameters:
        what = f"{source} is compiled already; remove it, or give PTX"
        yield Problem(what, f"parameters.{REGISTER_CAP}")
    for name in chosen_by(source):
        if name not in parameters:
            what = f"{{{name}}} is no parameter; {known_or_closest(name, parameters)}"
            yield Problem(what, "source")


def binaries(raw: Mapping[str, Any]) -> list[str]:
    """The files of machine code that the space names; a parameter that is wrong or missing is reported elsewhere."""
    source, parameters = str(raw.get("source", DEFAULT_SOURCE)), _mapping(raw, "parameters")
    if not is_binary(source):
        return []
    listed = {name: parameters.get(name) for name in chosen_by(source)}
    lists = {name: values for name, values in listed.items() if isinstance(values, list)}
    if len(lists) < len(listed):
        return []
    return list(dict.fromkeys(islice(files_of(source, lists), MAX_DATA_FILES + 1)))


def named_files(raw: Mapping[str, Any]) -> dict[str, str]:
    """The files of numbers that the space names, each with the place where it does so."""
    names: dict[str, str] = {}
    for path, _, entry in _contents(raw):
        if isinstance(entry.get("file"), str):
            names.setdefault(entry["file"], f"{path}.file")
    for output, entry in _mapping(raw, "expect").items():
        file = entry.get("values") if isinstance(entry, dict) else entry
        if isinstance(file, str) and file.endswith(".npy"):
            names.setdefault(file, f"expect.{output}")
    return names


def file_problems(raw: Mapping[str, Any], files: Mapping[str, bytes]) -> Iterator[Problem]:
    """Files that the space names but that are missing, or that are no arrays."""
    yield from (
        Problem(f"{file} is missing; add it", "source") for file in binaries(raw) if file not in files
    )
    for name, place in named_files(raw).items():
        if name not in files:
            yield Problem(f"{name} is missing; add it", place)
            continue
        try:
            read_array(files[name])
        except ValueError as error:
            yield Problem(f"{name}: {error}", place)


def _names_in_expressions(raw: Mapping[str, Any]) -> set[str]:
    """The names that launch, contents and options depend on, directly or through values."""
    launch, values = _mapping(raw, "launch"), _mapping(raw, "values")
    texts: list[object] = list(launch.values())
    for _, _, entry in _contents(raw):
        texts += [entry.get(field) for field in ("elements", "high", "exponent", "value", "fill")]
    texts += [
        text for each in _mapping(raw, "data").values() if isinstance(each, dict) for text in each.values()
    ]
    texts += [entry.get("when") for entry in _entries(raw, "options")]
    used = {name for text in texts for name in _names(text)}
    for name, text in reversed(values.items()):
        if name in used:
            used |= _names(text)
    return used


def _with_meant(used: set[str], parameters: Sequence[str], raw: Mapping[str, Any]) -> set[str]:
    """The names with the parameters that unknown ones among them seem to mean, which is a problem of its own."""
    unknown = used.difference(_mapping(raw, "parameters"), _mapping(raw, "values"))
    return used | {close for name in unknown for close in difflib.get_close_matches(name, parameters, n=1)}


def _names(text: object) -> set[str]:
    if isinstance(text, list):
        return {name for part in text for name in _names(part)}
    try:
        return set(Expression(text).names) if isinstance(text, str) else set()
    except ExpressionError:
        return set()  # reported where the field is read


def _option_texts(raw: Mapping[str, Any]) -> Iterator[str]:
    options = raw.get("options")
    for option in options if isinstance(options, list) else []:
        yield str(option.get("option")) if isinstance(option, dict) else str(option)


def _unknown_parts(raw: Mapping[str, Any]) -> Iterator[Problem]:
    known = [
        f"{name}.{part}"
        for name, section in _mapping(raw, "data").items()
        if isinstance(section, dict)
        for part in DATA_PARTS.get(str(section.get("kind")), ())
    ]
    for path, _, entry in _contents(raw):
        part = entry.get("data")
        if part is not None and part not in known:
            what = f"unknown data {shown(part)}; {known_or_closest(str(part), known)}"
            yield Problem(what, f"{path}.data")


def _wrong_resets(raw: Mapping[str, Any]) -> Iterator[Problem]:
    entries = {name: entry for _, name, entry in _contents(raw)}
    reset = raw.get("reset")
    for position, name in enumerate(reset if isinstance(reset, list) else [reset] if reset else []):
        path = f"reset[{position}]"
        if name not in entries:
            yield Problem(f"unknown buffer {shown(name)}; {known_or_closest(str(name), entries)}", path)
        elif "elements" not in entries[name] or entries[name].get("fill", "zeros") != "zeros":
            yield Problem(
                f"{name} is not a buffer of zeros, so a launch cannot start with zeros; remove one", path
            )


def _wrong_outputs(raw: Mapping[str, Any]) -> Iterator[Problem]:
    buffers = [
        name
        for path, name, entry in _contents(raw)
        if path.startswith("arguments") and any(field in entry for field in ("elements", "file", "data"))
    ]
    for name in _mapping(raw, "expect"):
        if name not in (*buffers, "rtol", "atol"):
            yield Problem(f"unknown buffer {name}; {known_or_closest(name, buffers)}", f"expect.{name}")


def _contents(raw: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Where each argument, variable and field of a struct is declared, its name, and the entry."""
    for section in ("arguments", "variables"):
        for position, entry in enumerate(_entries(raw, section)):
            path, name = f"{section}[{position}]", str(entry.get("name"))
            yield path, name, entry
            for place, field in enumerate(_entries(entry, "fields")):
                yield f"{path}.fields[{place}]", f"{name}.{field.get('name')}", field


def _mapping(raw: Mapping[str, Any], name: str) -> dict[str, Any]:
    section = raw.get(name)
    return {str(key): value for key, value in section.items()} if isinstance(section, dict) else {}


def _entries(raw: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The entries of a list that are mappings; positions of others are kept as empty ones."""
    section = raw.get(name)
    return (
        [entry if isinstance(entry, dict) else {} for entry in section] if isinstance(section, list) else []
    )
