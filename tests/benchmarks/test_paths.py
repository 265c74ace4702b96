"""Whatever names a benchmark names one that is there: sources of numbers, docstrings, documents, commands."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("benchmarks", "docker", "docs", "dse", "search_spaces", "simcore", "tests")
TEXTS = (".cu", ".md", ".py", ".toml", ".yaml")
PATH = re.compile(r"(?<!tests/)benchmarks/[\w./-]*\w")
MODULE = re.compile(r"-m (benchmarks(?:\.\w+)+)|`(benchmarks(?:\.\w+)+)[ `]")


def texts() -> Iterator[tuple[Path, str]]:
    """The files of the repository that name things, and what is in them."""
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in TEXTS]
    for path in [*files, *ROOT.glob("*.md"), ROOT / "pyproject.toml"]:
        yield path, path.read_text()


def test_every_path_of_a_benchmark_is_there() -> None:
    named = {(path.name, found) for path, text in texts() for found in PATH.findall(text)}
    assert len(named) > 50
    assert {(name, found) for name, found in named if not (ROOT / found).exists()} == set()


def test_every_module_that_a_command_runs_is_there() -> None:
    named = {(path.name, first or second) for path, text in texts() for first, second in MODULE.findall(text)}
    assert len(named) > 20
    places = {(name, module): ROOT / module.replace(".", "/") for name, module in named}
    assert {
        named for named, place in places.items() if not (place.with_suffix(".py").exists() or place.is_dir())
    } == set()
