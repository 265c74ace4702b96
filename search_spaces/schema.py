"""The fields of a space.yaml as pydantic models, and the messages for their problems.

Expressions are parsed here, and their names are looked up among all names declared in the file, so that
misspelled fields, invalid expressions and unknown names are reported together.
"""

import keyword
import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import ErrorDetails

from search_spaces.errors import Problem, known_or_closest, shown
from search_spaces.expression import RESERVED_NAMES, Expression, Value
from search_spaces.limits import MAX_ENTRIES, MAX_MAGNITUDE, MAX_PARAMETER_VALUES, MAX_PATH_CHARACTERS

DEFAULT_SOURCE = "kernel.cu"
REGISTER_CAP = "register_cap"  # the only parameter that is a compiler option instead of a macro
INTEGER_BITS = {"int8": 8, "int32": 32, "int64": 64, "uint8": 8, "uint32": 32, "uint64": 64}

Dtype = Literal["float32", "float64", "float16", "int32", "int64", "uint32", "uint64", "int8", "uint8"]
Fill = Literal["zeros", "ones", "uniform", "iota", "randint"]


class Objective(NamedTuple):
    """An objective of a search.

    Attributes:
        direction: `minimize` or `maximize`.
        metric: name of a metric, such as `time_us`.
    """

    direction: str
    metric: str


def _name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise ValueError(f"{shown(name)} is not a name; use letters, digits and _, a letter first")
    if name in RESERVED_NAMES or keyword.iskeyword(name):
        raise ValueError(f"{name} is reserved in expressions; choose another name")
    return name


def _expression(text: object, info: ValidationInfo) -> Expression:
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        raise ValueError(
            f"{shown(text)} is not an expression; write a number, a name or arithmetic in quotes"
        )
    expression = Expression(text)
    expression.check_names(info.context or ())
    return expression


def _parameter_value(value: object) -> Value:
    """A YAML value as a parameter's value: `none` and null are None; text must be valid as a macro."""
    if value is None or value == "none":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(
            f"{shown(value)} cannot be a macro's value; use numbers or words (0 and 1 for no and yes)"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} cannot be a macro's value; use a finite number")
    if isinstance(value, int) and abs(value) >= MAX_MAGNITUDE:
        raise ValueError(f"{shown(value)} cannot be a macro's value; C++ integers are below 2**64")
    if isinstance(value, str) and not re.fullmatch(r"[A-Za-z_][\w ]{0,199}", value, re.ASCII):
        raise ValueError(f"{shown(value)} cannot be a macro's value; use numbers or words")
    return value


def _distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{value} is listed twice; list each value once")
        seen.add(value)
    return values


def _parameter_list(values: object) -> object:
    if not isinstance(values, list | tuple) or not values:
        raise ValueError("a parameter needs a list of at least one value, such as [1, 2, 4]")
    if len(values) > MAX_PARAMETER_VALUES:
        raise ValueError(f"{len(values)} values; a parameter has at most {MAX_PARAMETER_VALUES}")
    return tuple(values)


def _as_list(value: object) -> object:
    return value if isinstance(value, list | tuple) else [value]


def _empty_if_none(value: object) -> object:
    return {} if value is None else value


def _objective(text: object) -> Objective:
    match str(text).split():
        case ["minimize" | "maximize" as direction, metric]:
            return Objective(direction, metric)
    raise ValueError(f"{shown(text)} is not an objective; write minimize or maximize and a metric")


def is_inside(name: str) -> bool:
    """Whether a name is the path of a file inside a space's folder: relative, with `/`, without `.` or `..`."""
    parts = name.split("/")
    return len(name) <= MAX_PATH_CHARACTERS and all(re.fullmatch(r"[\w+-][\w.+ -]*", part) for part in parts)


def _file_name(name: str) -> str:
    if not is_inside(name):
        raise ValueError(
            f"{shown(name)} is not a file in the space's folder; use a relative path such as {DEFAULT_SOURCE}"
        )
    return name


Name = Annotated[str, AfterValidator(_name)]
FileName = Annotated[str, AfterValidator(_file_name)]
ExpressionField = Annotated[Expression, PlainValidator(_expression)]
ParameterValue = Annotated[Value, PlainValidator(_parameter_value)]
ParameterValues = Annotated[
    tuple[ParameterValue, ...], BeforeValidator(_parameter_list), AfterValidator(_distinct)
]
GpuNames = Annotated[
    tuple[str, ...],
    BeforeValidator(_as_list),
    Field(min_length=1, max_length=MAX_ENTRIES),
    AfterValidator(_distinct),
]
ParameterNames = Annotated[tuple[Name, ...], BeforeValidator(_as_list), AfterValidator(_distinct)]
Extent = Annotated[tuple[ExpressionField, ...], BeforeValidator(_as_list), Field(min_length=1, max_length=3)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class LaunchSection(_Section):
    """Blocks per grid, threads per block (up to three dimensions), bytes of dynamic shared memory."""

    grid: Extent
    block: Extent
    dynamic_shared_bytes: ExpressionField = Expression(0)


class ArgumentSection(_Section):
    """One kernel argument: a buffer (`elements`, `fill`) or a `value`, in the order of the kernel's parameters."""

    name: Name
    type: Dtype
    elements: ExpressionField | None = None
    fill: Fill | None = None
    high: ExpressionField | None = None
    value: ExpressionField | None = None

    @model_validator(mode="after")
    def _is_buffer_or_value(self) -> Self:
        if (self.elements is None) == (self.value is None):
            raise ValueError("needs either elements (a buffer) or value (a number), and not both")
        if self.value is not None and (self.fill is not None or self.high is not None):
            raise ValueError("fill and high are for buffers; remove them, or write elements instead of value")
        if (self.fill == "randint") != (self.high is not None):
            raise ValueError("fill: randint and high go together: integers from 0 up to, not including, high")
        if self.fill == "uniform" and self.type in INTEGER_BITS:
            raise ValueError(f"uniform is in [0, 1), all 0 as {self.type}; use fill: randint with high")
        return self


class SpaceFile(_Section):
    """A whole space.yaml."""

    kernel: Name
    source: FileName = DEFAULT_SOURCE
    parameters: Annotated[dict[Name, ParameterValues], Field(min_length=1)]
    workload: ParameterNames = ()
    gpu: GpuNames
    constraints: tuple[ExpressionField, ...] = ()
    launch: LaunchSection
    values: Annotated[dict[Name, ExpressionField], BeforeValidator(_empty_if_none)] = {}
    arguments: tuple[ArgumentSection, ...] = ()
    objectives: tuple[Annotated[Objective, PlainValidator(_objective)], ...] = (
        Objective("minimize", "time_us"),
    )


def read_fields(raw: Mapping[str, Any]) -> tuple[SpaceFile | None, list[Problem]]:
    """The validated file, or None and the problems of its fields."""
    declared = [*_keys(raw.get("parameters")), *_keys(raw.get("values"))]
    try:
        return SpaceFile.model_validate(raw, context=declared), []
    except ValidationError as error:
        return None, [Problem(_sentence(details), _path(details["loc"], raw)) for details in error.errors()]


def _keys(section: object) -> list[str]:
    return [str(key) for key in section] if isinstance(section, dict) else []


#: Names of C types in this format.
_C_TYPES = {
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "unsigned": "uint32",
    "half": "float16",
    "float": "float32",
    "double": "float64",
}


def _sentence(details: ErrorDetails) -> str:
    """A message of pydantic in terms of this format."""
    match details["type"]:
        case "extra_forbidden":
            fields = _fields_at(details["loc"])
            return f"unknown field; {known_or_closest(str(details['loc'][-1]), fields)}"
        case "missing":
            return "missing; add it"
        case "literal_error":
            given = shown(details["input"])
            known = re.findall(r"'(\w+)'", details["ctx"]["expected"])
            name = given.strip("'")
            closest = known_or_closest(_C_TYPES.get(name, name), known)
            return f"unknown {details['loc'][-1]} {given}; {closest} (one of {', '.join(known)})"
        case "value_error":
            return str(details["ctx"]["error"])
        case "tuple_type":
            return f"{shown(details['input'])} is not a list; write it as [...]"
        case "dict_type" | "model_type":
            return (
                f"{shown(details['input'])} is not a mapping; write it as names with values, {{name: value}}"
            )
    return f"{details['msg']}, not {shown(details['input'])}"


def _fields_at(location: tuple[int | str, ...]) -> list[str]:
    sections: dict[object, type[BaseModel]] = {"launch": LaunchSection, "arguments": ArgumentSection}
    section = sections.get(location[0], SpaceFile) if len(location) > 1 else SpaceFile
    return list(section.model_fields)


def _path(location: tuple[int | str, ...], raw: object) -> str:
    """`("arguments", 1, "type")` as `arguments[1].type`; without an index if the file has no list there."""
    path, place = "", raw
    for part in location:
        if not isinstance(part, int):
            path += "" if part == "[key]" else f".{part}" if path else part
            place = place.get(part) if isinstance(place, dict) else None
        elif isinstance(place, list):
            path += f"[{part}]"
            place = place[part]
    return path
