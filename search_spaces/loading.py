"""Loads a Space from a name or a path: finds and reads the files, checks them, reports all errors together."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from search_spaces.cross_checks import cross_checks, extent_problems, size_problems
from search_spaces.errors import Problem, SpaceError, known_or_closest
from search_spaces.folder import SpaceFolder, read_text
from search_spaces.limits import MAX_YAML_BYTES
from search_spaces.schema import DEFAULT_SOURCE, SpaceFile, is_inside, read_fields
from search_spaces.space import Space
from search_spaces.yaml_text import parse_yaml

CATALOG = Path(__file__).parent / "catalog"
SPACE_FILE = "space.yaml"


def catalog_names() -> tuple[str, ...]:
    """The names of the spaces in this package, in alphabetical order."""
    return tuple(sorted(folder.parent.name for folder in CATALOG.glob(f"*/{SPACE_FILE}")))


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
    files = SpaceFolder(path.parent)
    source, headers = "", {}
    if is_inside(name):  # other types are reported where the fields are read
        try:
            source = files.source(name)
            headers = files.headers(name, source)
        except SpaceError as error:
            problems += error.problems
    return _build(raw, text, source, headers, path.parent / name, problems, str(path))


def parse_space(
    text: str,
    source: str,
    source_path: str | Path = "kernel.cu",
    headers: Mapping[str, str] | None = None,
) -> Space:
    """Parse a space from the texts of its files, for example from a store or a request; reads no files.

    Args:
        text: text of the space.yaml.
        source: text of the CUDA source.
        source_path: where the source came from.
        headers: texts that the source may include in quotes, by path relative to the space's folder.

    Raises:
        SpaceError: the space has problems, each with its location in the file.
    """
    raw, problems = parse_yaml(text, SPACE_FILE)
    return _build(raw, text, source, dict(headers or {}), Path(source_path), problems, SPACE_FILE)


def _find(name_or_path: str | Path) -> Path:
    if isinstance(name_or_path, str) and name_or_path in catalog_names():
        return CATALOG / name_or_path / SPACE_FILE
    path = Path(name_or_path)
    if path.is_dir():
        if not (path / SPACE_FILE).is_file():
            raise SpaceError([Problem(f"{path}: the folder has no {SPACE_FILE}")])
        return path / SPACE_FILE
    if path.is_file():
        return path
    names = catalog_names()
    advice = known_or_closest(str(name_or_path), names)
    catalog = f"catalog: {', '.join(names)}; or the path of a {SPACE_FILE}"
    raise SpaceError([Problem(f"no space {name_or_path}; {advice} ({catalog})")])


def _build(
    raw: Mapping[str, Any],
    text: str,
    source: str,
    headers: Mapping[str, str],
    source_path: Path,
    problems: Sequence[Problem],
    where: str,
) -> Space:
    too_much = [*size_problems(text, source, headers), *extent_problems(raw)]
    if too_much:
        raise SpaceError([*problems, *too_much], where)
    fields, wrong_fields = read_fields(raw)
    problems = [*problems, *wrong_fields, *cross_checks(raw, "\n".join([source, *headers.values()]))]
    if fields is None or problems:
        raise SpaceError(problems, where)
    space = _space(fields, text, source, headers, source_path)
    try:
        space.check_reachable()
        _try_first_point(space)
    except SpaceError as error:
        raise SpaceError(error.problems, where) from None
    return space


def _space(fields: SpaceFile, text: str, source: str, headers: Mapping[str, str], source_path: Path) -> Space:
    return Space(
        kernel=fields.kernel,
        source=source,
        source_path=source_path,
        source_name=fields.source,
        headers=dict(sorted(headers.items())),
        yaml=text,
        parameters=fields.parameters,
        workload=fields.workload,
        gpus=fields.gpu,
        constraints=fields.constraints,
        launch_section=fields.launch,
        values=fields.values,
        argument_sections=fields.arguments,
        objectives=fields.objectives,
    )


def _try_first_point(space: Space) -> None:
    """Evaluate launch and arguments once, so that most mistakes in them are found before any work is done."""
    first = next(space.points())
    problems: list[Problem] = []
    for evaluate in (space.launch, space.arguments):
        try:
            evaluate(first)
        except SpaceError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise SpaceError(problems)
