"""A space as a tuning problem in T1, version 1.0.0, with its source beside it."""

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from search_spaces.errors import Problem, SpaceError
from search_spaces.expression import Expression, Value
from search_spaces.fields import REGISTER_CAP, Extent, is_macro
from search_spaces.launch import bind
from search_spaces.number_types import NumberType
from search_spaces.schema import ArgumentSection
from search_spaces.source_text import words
from search_spaces.space import Space
from search_spaces.tuning_problem.document import AXES, TYPES, capitals

_THERE = {here: there for there, here in TYPES.items()}
_FILLS = {"zeros": ("Constant", 0), "ones": ("Constant", 1), "uniform": ("Random", 0)}


def write_problem(space: Space, gpu: str, path: Path) -> None:
    """Write the problem to a file, and the kernel to one beside it with the suffix .cu.

    Raises:
        SpaceError: the space has what the format cannot say, or a file beside it has other contents.
        OSError: a file cannot be written.
    """
    _check(space)
    source = path.with_suffix(".cu")
    document = _document(space, gpu, source.name)
    used = words("\n".join([space.source, *space.headers.values()]))
    macros = [name for name in space.parameters if used is None or name.upper() in used]
    renamed = [capitals(name) for name in macros if name != name.upper()]
    beside = {source: "".join(renamed) + space.source}
    beside |= {path.parent / name: text for name, text in space.headers.items()}
    for file, text in beside.items():
        if file == path or (file.exists() and file.read_text() != text):
            raise SpaceError(
                [Problem(f"{file} has other contents; name a file in another folder")], space.kernel
            )
    for file, text in beside.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    path.write_text(json.dumps(document, indent=1))


def _check(space: Space) -> None:
    """Refuse what would be lost."""
    lost = {
        "machine code and .npy files": space.files,
        "numbers of the GPU as parameters": [
            name for name in space.parameters if not is_macro(name) and name != REGISTER_CAP
        ],
        "the contents of variables": space.variable_sections,
        "compiler options under a condition": [each for each in space.options if each.when is not None],
    }
    if problems := [Problem(f"{what} cannot be said in T1") for what, found in lost.items() if found]:
        raise SpaceError(problems, space.kernel)


def problem_size(space: Space) -> list[str]:
    """The blocks of a grid as a problem size of Kernel Tuner, which it divides by one: expressions over parameters."""
    return _sides(space.launch_section.grid, space)


def _sides(extent: Extent, space: Space) -> list[str]:
    return [_spelled(side, space) for side in extent] + ["1"] * (3 - len(extent))


def _document(space: Space, gpu: str, source: str) -> dict[str, Any]:
    grid = problem_size(space)
    first: Mapping[str, Value] = next(space.points(), {})
    names = bind(space.values, first)
    shared = space.launch_section.dynamic_shared_bytes
    if shared.names:
        raise SpaceError(
            [Problem("T1 has a number of bytes only", "launch.dynamic_shared_bytes")], space.kernel
        )
    return {
        "ConfigurationSpace": {
            "TuningParameters": [_parameter(name, values) for name, values in space.parameters.items()],
            "Conditions": [_condition(each, space) for each in space.constraints],
        },
        "Search": {"Name": "brute_force"},
        "KernelSpecification": {
            "Language": "CUDA",
            "KernelName": space.kernel,
            "KernelFile": source,
            "CompilerOptions": [option.text for option in space.options],
            "GlobalSizeType": "CUDA",
            "GlobalSize": dict(zip(AXES, grid, strict=True)),
            "LocalSize": dict(zip(AXES, _sides(space.launch_section.block, space), strict=True)),
            "SharedMemory": shared.evaluate({}),
            "ProblemSize": grid,
            **{f"GridDiv{axis}": ["1"] for axis in AXES},
            "Arguments": [_argument(each, space, names) for each in space.argument_sections],
            "Device": {"Name": gpu},
        },
    }


def _parameter(name: str, values: tuple[Value, ...]) -> dict[str, str]:
    kinds = {type(value) for value in values}
    kind = "int" if kinds == {int} else "float" if kinds <= {int, float} else "string"
    return {"Name": name, "Type": kind, "Values": repr(list(values))}


def _condition(expression: Expression, space: Space) -> dict[str, Any]:
    text = _spelled(expression, space)
    used = _names(text)
    return {"Expression": text, "Parameters": [name for name in space.parameters if name in used]}


def _argument(section: ArgumentSection, space: Space, names: Mapping[str, Value]) -> dict[str, Any]:
    """An argument. What the format has no word for is named as its source: an expression over parameters, beside its
    value at the first point, and the space's word for other contents.
    """
    if section.type is None or section.fields is not None or isinstance(section.value, tuple):
        problem = Problem("a struct, a vector or generated data cannot be said in T1", section.name)
        raise SpaceError([problem], space.kernel)
    kind = NumberType.of(section.type)
    there = _THERE.get(kind.number, kind.number) + (str(kind.lanes) if kind.lanes > 1 else "")
    argument: dict[str, Any] = {"Name": section.name, "Type": there}
    if section.elements is None:
        value = section.value or Expression(0)
        argument |= {"MemoryType": "Scalar", "FillType": "Constant", "FillValue": value.evaluate(names)}
        text = _spelled(value, space)
        return argument | ({"FillType": "Script", "DataSource": text} if _names(text) else {})
    argument |= {"MemoryType": "Vector", "Size": _spelled(section.elements, space)}
    fill = section.fill or "zeros"
    known = _FILLS.get(fill) if isinstance(fill, str) else ("Constant", fill.evaluate(names))
    if known is None:
        return argument | {"FillType": "Generator", "DataSource": fill}
    return argument | {"FillType": known[0], "FillValue": known[1]}


def _spelled(expression: Expression, space: Space) -> str:
    """An expression in Python's words over the parameters alone."""
    return ast.unparse(_InPython(space).visit(ast.parse(expression.text.strip(), mode="eval")))


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


class _InPython(ast.NodeTransformer):
    """Puts in what values stand for, and arithmetic for the functions that Python lacks but log2 and sqrt."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "none":
            return ast.Constant(None)
        if node.id not in self._space.values:
            return node
        stands_for: ast.AST = self.visit(
            ast.parse(self._space.values[node.id].text.strip(), mode="eval").body
        )
        return stands_for

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        arguments = [self.visit(each) for each in node.args]
        if name in ("ceil_div", "round_up"):
            a, b = arguments
            whole = ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), a), ast.FloorDiv(), b))
            return whole if name == "ceil_div" else ast.BinOp(whole, ast.Mult(), b)
        if name in ("ceil", "floor"):
            (number,) = arguments
            one = ast.Constant(1)
            down = ast.BinOp(
                ast.UnaryOp(ast.USub(), number) if name == "ceil" else number, ast.FloorDiv(), one
            )
            return ast.UnaryOp(ast.USub(), down) if name == "ceil" else down
        return ast.Call(node.func, arguments, [])
