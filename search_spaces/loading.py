"""Loads a Space from a name or a path: finds and reads the files, checks them, reports all errors together."""

import filecmp
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from search_spaces.binaries import BINARIES, is_binary
from search_spaces.contents import Expectation, Tolerance
from search_spaces.cross_checks import cross_checks, data_size_problems, extent_problems, size_problems
from search_spaces.enumeration import Point
from search_spaces.errors import Problem, SpaceError, known_or_closest
from search_spaces.fields import DEFAULT_SOURCE, is_inside
from search_spaces.folder import SpaceFolder, read_text
from search_spaces.limits import MAX_DATA_FILES, MAX_YAML_BYTES
from search_spaces.name_checks import (
    binaries,
    file_problems,
    macro_problems,
    named_files,
    reference_problems,
)
from search_spaces.schema import ExpectSection, SpaceFile, read_fields
from search_spaces.signature import type_problems
from search_spaces.space import Space
from search_spaces.yaml_text import parse_yaml

CATALOG = Path(__file__).parent / "catalog"
SPACE_FILE = "space.yaml"
README = "README.md"
#: What files of kernels end in.
SOURCES = (".cu", *BINARIES)


def catalog_names() -> tuple[str, ...]:
    """The names of the spaces in this package, in alphabetical order."""
    return tuple(sorted(folder.parent.name for folder in CATALOG.glob(f"*/{SPACE_FILE}")))


def catalog_readme(name: str) -> str:
    """What a space of the catalog shows, and what to look at, without the heading."""
    return (CATALOG / name / README).read_text().removeprefix(f"# {name}\n").strip()


def load_space(name_or_path: str | Path) -> Space:
    """Read a space: its space.yaml, the source that it names, and the headers included in quotes.

    Args:
        name_or_path: a catalog name, a folder with a space.yaml, or such a file; a `Path` is never a catalog name.

    Raises:
        SpaceError: there is no such space, or it has problems, each with its location in the file.
    """
    path = _find(name_or_path)
    text = read_text(path, MAX_YAML_BYTES)
    raw, problems = parse_yaml(text, str(path))
    name = str(raw.get("source", DEFAULT_SOURCE))
    folder = SpaceFolder(path.parent)
    source, headers = "", {}
    wanted = _wanted(raw)
    if is_inside(name) and not is_binary(name):  # other types are reported where the fields are read
        try:
            source = folder.source(name)
            headers = folder.headers(name, source)
        except SpaceError as error:
            problems += error.problems
    files: dict[str, bytes] = {}
    for file, place in list(wanted.items())[:MAX_DATA_FILES]:
        try:
            files |= {file: folder.content(file, place)} if is_inside(file) else {}
        except SpaceError as error:
            problems += error.problems
    texts = _Files(text, source, headers, files)
    return _build(raw, texts, path.parent / name, problems, str(path))


def parse_space(
    text: str,
    source: str,
    source_path: str | Path = "kernel.cu",
    headers: Mapping[str, str] | None = None,
    files: Mapping[str, bytes] | None = None,
    *,
    is_new: bool = True,
) -> Space:
    """Parse a space from the texts of its files, for example from a store or a request; reads no files.

    Args:
        text: text of the space.yaml.
        source: text of the CUDA source.
        source_path: where the source came from.
        headers: texts that the source may include in quotes, by path relative to the space's folder.
        files: contents of the .npy files that the space names, and of a source that is a binary.
        is_new: whether the use of names is checked; a stored space was accepted by the rules of its day.

    Raises:
        SpaceError: the space has problems, each with its location in the file.
    """
    raw, problems = parse_yaml(text, SPACE_FILE)
    texts = _Files(text, source, dict(headers or {}), dict(files or {}))
    return _build(raw, texts, Path(source_path), problems, SPACE_FILE, is_new=is_new)


def _find(name_or_path: str | Path) -> Path:
    if isinstance(name_or_path, str) and name_or_path in catalog_names():
        return _in_catalog(name_or_path)
    path = Path(name_or_path)
    if path.is_dir():
        if not (path / SPACE_FILE).is_file():
            raise SpaceError([Problem(f"{path}: the folder has no {SPACE_FILE}")])
        return path / SPACE_FILE
    if path.suffix in SOURCES:
        what = f"{path} is a kernel; name the folder of its {SPACE_FILE}, or try `simcore simulate {path}`"
        raise SpaceError([Problem(what)])
    if path.is_file():
        return path
    if is_path(name_or_path):
        raise SpaceError([Problem(f"{path}: no such folder or {SPACE_FILE}")])
    names = catalog_names()
    advice = known_or_closest(str(name_or_path), names)
    catalog = f"catalog: {', '.join(names)}; or the path of a {SPACE_FILE}"
    raise SpaceError([Problem(f"no space {name_or_path}; {advice} ({catalog})")])


def _in_catalog(name: str) -> Path:
    """The file of a catalog space, unless another space in a folder here could be meant as well."""
    path = CATALOG / name / SPACE_FILE
    if (Path(name) / SPACE_FILE).is_file() and not _is_copy(Path(name), path.parent):
        what = f"{name} is a space of the catalog and another one in a folder here"
        raise SpaceError([Problem(f"{what}; write ./{name} for the folder, {path.parent} for the catalog's")])
    return path


def _is_copy(folder: Path, original: Path) -> bool:
    """Whether a folder has the same space.yaml and sources as another one."""
    files = [file.name for file in original.iterdir() if file.suffix in (".yaml", *SOURCES)]
    return filecmp.cmpfiles(original, folder, files, shallow=False)[0] == files


def is_path(name_or_path: str | Path) -> bool:
    """Whether a space is given by a path, rather than by a name."""
    return "/" in (text := str(name_or_path)) or text.startswith(".") or text.endswith((".yaml", ".yml"))


class _Files(NamedTuple):
    """The files of a space, in the words of `parse_space`."""

    text: str
    source: str
    headers: Mapping[str, str]
    files: Mapping[str, bytes]


def _build(
    raw: Mapping[str, Any],
    given: _Files,
    source_path: Path,
    problems: Sequence[Problem],
    where: str,
    is_new: bool = True,
) -> Space:
    too_much = [
        *size_problems(given.text, given.source, given.headers),
        *data_size_problems(given.files),
        *extent_problems(raw),
    ]
    if too_much:
        raise SpaceError([*problems, *too_much], where)
    fields, wrong_fields = read_fields(raw)
    texts = {str(raw.get("source", DEFAULT_SOURCE)): given.source, **given.headers}
    problems = [
        *problems,
        *wrong_fields,
        *cross_checks(raw, texts),
        *reference_problems(raw),
        *((*macro_problems(raw, texts), *type_problems(raw, given.source)) if is_new else ()),
    ]
    problems += file_problems(raw, given.files) if not problems else ()
    if fields is None or problems:
        raise SpaceError(problems, where)
    space = _space(raw, fields, given, source_path)
    try:
        space.check_reachable()
        _try_first_point(space)
    except SpaceError as error:
        raise SpaceError(error.problems, where) from None
    return space


def _wanted(raw: Mapping[str, Any]) -> dict[str, str]:
    """The files of numbers and machine code that a space names, each with the place where it does so."""
    return named_files(raw) | dict.fromkeys(binaries(raw), "source")


def _expectation(expect: ExpectSection) -> Expectation:
    own = {name: Tolerance(each.rtol, each.atol, each.mismatches) for name, each in expect.outputs.items()}
    return Expectation(
        {name: each.values for name, each in expect.outputs.items()},
        expect.rtol,
        expect.atol,
        {name: tolerance for name, tolerance in own.items() if tolerance != Tolerance()},
    )


def _space(raw: Mapping[str, Any], fields: SpaceFile, given: _Files, source_path: Path) -> Space:
    return Space(
        kernel=fields.kernel,
        source=given.source,
        source_path=source_path,
        source_name=fields.source,
        headers=dict(sorted(given.headers.items())),
        yaml=given.text,
        parameters=fields.parameters,
        workload=fields.workload,
        gpus=fields.gpu,
        constraints=fields.constraints,
        launch_section=fields.launch,
        values=fields.values,
        argument_sections=fields.arguments,
        objectives=fields.objectives,
        metrics=fields.metrics,
        options=fields.options,
        data_sections=fields.data,
        variable_sections=fields.variables,
        reset=fields.reset,
        cache=fields.cache,
        bounds=fields.bounds,
        expectation=_expectation(fields.expect) if fields.expect else None,
        files={name: given.files[name] for name in sorted(_wanted(raw))},
        limits=fields.limits,
    )


_EVALUATED: tuple[Callable[[Space, Point], object], ...] = (
    Space.launch,
    Space.arguments,
    Space.variables,
    Space.compiler_options,
    Space.check_expectation,
)


def _try_first_point(space: Space) -> None:
    """Evaluate launch and contents once, so that most mistakes in them are found before any work is done."""
    first = next(space.points())
    problems: list[Problem] = []
    for evaluate in _EVALUATED:
        try:
            evaluate(space, first)
        except SpaceError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise SpaceError(problems)
