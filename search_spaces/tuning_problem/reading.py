"""A tuning problem in T1 as a space: its source and a space.yaml in a folder of their own."""

import ast
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from search_spaces.errors import Problem, SpaceError, shown
from search_spaces.expression import RESERVED_NAMES
from search_spaces.folder import SpaceFolder, read_text
from search_spaces.limits import MAX_YAML_BYTES
from search_spaces.loading import SPACE_FILE, load_space
from search_spaces.number_types import name_in_this_format
from search_spaces.source_text import words
from search_spaces.space import Space
from search_spaces.tuning_problem.document import (
    AXES,
    BLOCK_SIZES,
    TYPES,
    Document,
    KernelArgument,
    KernelSpecification,
    TuningParameter,
    capitals,
)

_RANGE = re.compile(r"(?:list\()?range\(\s*(-?\d+(?:\s*,\s*-?\d+){0,2})\s*\)\)?")
_FILLS = {0.0: "zeros", 1.0: "ones"}
Values = Sequence[Any]


@dataclass(frozen=True)
class TuningProblem:
    """A tuning problem that was read.

    Attributes:
        path: the file.
        document: what it says.
    """

    path: Path
    document: Document

    @property
    def device(self) -> str:
        """The GPU that it names; empty if it names none."""
        return self.document.kernel_specification.device.name

    def write_space(self, folder: Path, gpus: Sequence[str]) -> Space:
        """Write it as a space; returns the space, which is checked as any other.

        Raises:
            SpaceError: it has what a space cannot say, its source is not there, or the folder is in use.
        """
        source = self._source(self.document.kernel_specification.kernel_file)
        code, headers = self._texts(source)
        fields = self._fields(gpus)
        if folder.exists() and any(folder.iterdir()):
            raise SpaceError([Problem("is not empty; name a new folder")], str(folder))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / source.name).write_text(code)
        for name, text in headers.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        fields["source"] = self._wrapped(folder, source.name, code)
        (folder / SPACE_FILE).write_text(
            yaml.safe_dump(fields, sort_keys=False, default_flow_style=None, width=120)
        )
        return load_space(folder)

    def _fields(self, gpus: Sequence[str]) -> dict[str, Any]:
        """The fields of the space.yaml but its source."""
        configuration, kernel = self.document.configuration_space, self.document.kernel_specification
        parameters = {each.name: self._values(each) for each in configuration.tuning_parameters}

        def spelled(text: str | int) -> str | int:
            return self._spelled(text, parameters, _sizes(kernel))

        arguments, variables = list[dict[str, Any]](), list[dict[str, Any]]()
        for i, argument in enumerate(kernel.arguments):
            is_variable = argument.memory_type == "Symbol" or argument.mem_type == "Constant"
            (variables if is_variable else arguments).append(self._argument(i, argument, spelled))
        fields = {
            "kernel": kernel.kernel_name,
            "parameters": parameters,
            "gpu": [*gpus],
            "constraints": [spelled(each.expression) for each in configuration.conditions],
            "options": kernel.compiler_options,
            "launch": self._launch(kernel, parameters, spelled),
            "arguments": arguments,
            "variables": variables,
            "objectives": ["minimize time_us"],
        }
        return {name: value for name, value in fields.items() if value}

    def _values(self, parameter: TuningParameter) -> list[Any]:
        place = f"TuningParameters.{parameter.name}.Values"
        if numbers := _RANGE.fullmatch(parameter.values.strip()):
            return [*range(*map(int, numbers[1].split(",")))]
        try:
            values = ast.literal_eval(parameter.values)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise self._refused(f"{shown(parameter.values)} is neither a list nor a range", place) from None
        listed = list(values) if isinstance(values, list | tuple) else [values]
        return [int(each) if isinstance(each, bool) else "none" if each is None else each for each in listed]

    def _launch(
        self,
        kernel: KernelSpecification,
        parameters: Mapping[str, Values],
        spelled: Callable[[str | int], str | int],
    ) -> dict[str, Any]:
        tuned = [name if name in parameters else 1 for name in BLOCK_SIZES]
        block = [kernel.local_size.get(axis, side) for axis, side in zip(AXES, tuned, strict=True)]
        grid = self._divided(kernel, tuned) or self._global(kernel, block)
        launch = {"grid": [spelled(each) for each in grid], "block": [spelled(each) for each in block]}
        return launch | ({"dynamic_shared_bytes": kernel.shared_memory} if kernel.shared_memory else {})

    def _divided(self, kernel: KernelSpecification, tuned: Sequence[str | int]) -> list[str]:
        """Kernel Tuner's grid: each problem size over the product of its divisors, or over the block's size."""
        given = (kernel.grid_div_x, kernel.grid_div_y, kernel.grid_div_z)
        products = [
            " * ".join(f"({each})" for each in divisors or [side])
            for divisors, side in zip(given, tuned, strict=True)
        ]
        sizes = zip(_sizes(kernel), products, strict=False)  # of one to three dimensions
        return [f"ceil_div({size}, {divisor})" for size, divisor in sizes]

    def _global(self, kernel: KernelSpecification, block: Sequence[str | int]) -> list[str]:
        """The grid of a global size, which counts blocks, or threads as OpenCL does."""
        if not kernel.global_size:
            what = "missing; it or ProblemSize says how many blocks there are"
            raise self._refused(what, "KernelSpecification.GlobalSize")
        sizes = [str(kernel.global_size.get(axis, 1)) for axis in AXES]
        if kernel.global_size_type != "OpenCL":
            return sizes
        return [f"ceil_div({size}, {side})" for size, side in zip(sizes, block, strict=True)]

    def _argument(
        self, place: int, argument: KernelArgument, spelled: Callable[[str | int], str | int]
    ) -> dict[str, Any]:
        name = argument.name or f"argument_{place}"
        name += "_" if keyword.iskeyword(name) or name in RESERVED_NAMES else ""
        where = f"KernelSpecification.Arguments.{name}"
        kind = TYPES.get(argument.type, name_in_this_format(argument.type))
        is_whole = argument.fill_value.is_integer()
        value = int(argument.fill_value) if is_whole else argument.fill_value
        if argument.memory_type == "Local":
            raise self._refused("local memory as an argument is OpenCL's; use SharedMemory", where)
        if argument.memory_type == "Scalar":
            is_computed = argument.fill_type == "Script"
            return {
                "name": name,
                "type": kind,
                "value": spelled(argument.data_source) if is_computed else value,
            }
        if argument.fill_type == "Constant":
            fill: Any = _FILLS.get(argument.fill_value, value)
        elif argument.fill_type == "Random" and kind.startswith(("float", "bfloat")):
            fill = "uniform"
        else:
            raise self._refused(
                f"{argument.fill_type} contents of type {argument.type}; a space takes Constant and Random "
                "floats from here: choose one, and edit the `fill` afterwards",
                where,
            )
        return {"name": name, "type": kind, "elements": spelled(argument.size), "fill": fill}

    def _spelled(
        self, text: str | int, parameters: Mapping[str, Values], sizes: Sequence[str | int]
    ) -> str | int:
        """An expression as a space writes it: without ProblemSize, and without lists of values."""
        try:
            return ast.unparse(_Known(parameters, sizes).visit(ast.parse(str(text).strip(), mode="eval")))
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise self._refused(f"{shown(text)} is not an expression, or uses one that is not", "") from None

    def _source(self, name: str) -> Path:
        """Where the source is: beside the file, or beside its folder."""
        places = [Path(name), self.path.parent / name, self.path.parent.parent / name]
        found = next((each for each in places if each.is_file()), None)
        if found is None:
            raise self._refused(f"{name} is not beside the file", "KernelSpecification.KernelFile")
        return found

    def _texts(self, source: Path) -> tuple[str, Mapping[str, str]]:
        """The source, without the macros in capitals that `write_problem` put there, and its headers."""
        folder = SpaceFolder(source.parent)
        code = folder.source(source.name)
        headers = folder.headers(source.name, code)
        for each in self.document.configuration_space.tuning_parameters:
            code = code.replace(capitals(each.name), "")
        return code, headers

    def _wrapped(self, folder: Path, name: str, code: str) -> str:
        """The file to compile: one that gives macros the names that the source has, if those are not in capitals."""
        used = words(code)
        names = [each.name for each in self.document.configuration_space.tuning_parameters]
        other = [each for each in names if each != each.upper() and (used is None or each in used)]
        if not other:
            return name
        lines = [f"#define {each} {each.upper()}" for each in other]
        wrapper = f"tuned_{name}"
        (folder / wrapper).write_text("\n".join([*lines, f'#include "{name}"', ""]))
        return wrapper

    def _refused(self, what: str, place: str) -> SpaceError:
        return SpaceError([Problem(what, place)], str(self.path))


def read_problem(path: Path) -> TuningProblem:
    """Read a tuning problem in T1, of CUDA.

    Raises:
        SpaceError: the file is not there, or is no such problem; names each place.
    """
    text = read_text(path, MAX_YAML_BYTES)
    try:
        document = Document.model_validate_json(text)
    except ValidationError as error:
        problems = [Problem(each["msg"], ".".join(map(str, each["loc"]))) for each in error.errors()]
        raise SpaceError(problems, str(path)) from None
    kernel = document.kernel_specification
    if kernel.language.upper() != "CUDA":
        problem = Problem(f"{kernel.language} is not simulated; only CUDA is", "KernelSpecification.Language")
        raise SpaceError([problem], str(path))
    return TuningProblem(path, document)


def _sizes(kernel: KernelSpecification) -> list[str | int]:
    """The problem size by dimension; empty if the document has none."""
    size = kernel.problem_size
    return [] if size is None else [*size] if isinstance(size, list) else [size]


class _Known(ast.NodeTransformer):
    """Puts in the sizes of the problem, and the least and the greatest value of a parameter."""

    def __init__(self, parameters: Mapping[str, Values], sizes: Sequence[str | int]) -> None:
        self._parameters, self._sizes = parameters, sizes

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id="ProblemSize"), slice=ast.Constant(value=int(axis))):
                if 0 <= axis < len(self._sizes):
                    return ast.parse(str(self._sizes[axis]), mode="eval").body
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "ProblemSize" and len(self._sizes) == 1:
            return ast.parse(str(self._sizes[0]), mode="eval").body
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="max" | "min" as name), args=[ast.Name(id=parameter)]):
                if parameter in self._parameters:
                    values = self._parameters[parameter]
                    return ast.Constant(max(values) if name == "max" else min(values))
        return self.generic_visit(node)
