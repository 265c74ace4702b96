"""From a name or a path to a checked Space: finds the files, reads them, reports all errors at once."""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from search_spaces.checks import cross_checks
from search_spaces.errors import SpaceError, known_or_closest
from search_spaces.schema import SpaceFile, read_fields
from search_spaces.space import Space

CATALOG = Path(__file__).parent / "catalog"
SPACE_FILE = "space.yaml"


def catalog_names() -> tuple[str, ...]:
    """The kernels that come with this package, in alphabetical order."""
    return tuple(sorted(folder.parent.name for folder in CATALOG.glob(f"*/{SPACE_FILE}")))


def load_space(name_or_path: str | Path) -> Space:
    """Read a space.

    Args:
        name_or_path: a name from the catalog, a folder with a space.yaml, or the path of such a file.

    Raises:
        SpaceError: there is no such space, or all that is wrong with it, each with its place in the file.
    """
    path = _find(name_or_path)
    text = _read(path)
    raw, problems = _parse_yaml(text, str(path))
    source_path = path.parent / str(raw.get("source", "kernel.cu"))
    source = ""
    if source_path.is_file():
        source = _read(source_path)
    else:
        problems += [
            f"source: {source_path.name} is not in {path.parent}; write it there or correct the name"
        ]
    return _build(raw, text, source, source_path, problems, str(path))


def parse_space(text: str, source: str, source_path: str | Path = "kernel.cu") -> Space:
    """A space from the texts of its two files, as when both come from a store or over a network.

    Args:
        text: of the space.yaml.
        source: of the CUDA source.
        source_path: the name that messages give to the source.

    Raises:
        SpaceError: all that is wrong with it, each with its place in the file.
    """
    raw, problems = _parse_yaml(text, SPACE_FILE)
    return _build(raw, text, source, Path(source_path), problems, SPACE_FILE)


def _find(name_or_path: str | Path) -> Path:
    if str(name_or_path) in catalog_names():
        return CATALOG / str(name_or_path) / SPACE_FILE
    path = Path(name_or_path)
    if path.is_dir():
        path = path / SPACE_FILE
    if path.is_file():
        return path
    names = catalog_names()
    advice = known_or_closest(str(name_or_path), names)
    raise SpaceError(
        [f"no space {name_or_path}; {advice} (catalog: {', '.join(names)}; or the path of a {SPACE_FILE})"]
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpaceError([f"{path} cannot be read: {error}"]) from None


class _Loader(yaml.SafeLoader):
    """Safe YAML that notes a key given twice, of which plain YAML silently keeps the last."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.problems: list[str] = []

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [(str(key.value), key.start_mark.line + 1) for key, _ in node.value]
        names = [name for name, _ in keys]
        for position, (name, line) in enumerate(keys):
            if name in names[:position]:
                self.problems.append(f"line {line}: {name} is declared twice; keep one")
        return super().construct_mapping(node, deep)


def _parse_yaml(text: str, where: str) -> tuple[dict[str, Any], list[str]]:
    """The fields of the file, and the keys that it gives twice."""
    try:
        loader = _Loader(text)
        raw = loader.get_single_data()
    except (yaml.YAMLError, RecursionError) as error:
        raise SpaceError([f"not a readable YAML file: {error}"], where) from None
    if not isinstance(raw, dict):
        raise SpaceError(["not a space: write the fields kernel, parameters, gpu, launch, arguments"], where)
    return {str(key): value for key, value in raw.items()}, loader.problems


def _build(
    raw: Mapping[str, Any], text: str, source: str, source_path: Path, problems: list[str], where: str
) -> Space:
    fields, wrong_fields = read_fields(raw)
    problems = [*problems, *wrong_fields, *cross_checks(raw, source)]
    if fields is None or problems:
        raise SpaceError(problems, where)
    space = _space(fields, text, source, source_path)
    try:
        space.check_reachable()
        _try_first_point(space)
    except SpaceError as error:
        raise SpaceError(error.problems, where) from None
    return space


def _space(fields: SpaceFile, text: str, source: str, source_path: Path) -> Space:
    return Space(
        kernel=fields.kernel,
        source=source,
        source_path=source_path,
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
    """Evaluate launch and arguments once, so that most mistakes in them show before any work."""
    first = next(space.points())
    problems: list[str] = []
    for evaluate in (space.launch, space.arguments):
        try:
            evaluate(first)
        except SpaceError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise SpaceError(problems)
