"""The values of single fields of a space.yaml: how they are written, checked and read."""

import keyword
import math
import re
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema

from search_spaces.binaries import chosen_by, file_at
from search_spaces.compiler_options import checked_option, option_pattern
from search_spaces.errors import one_of, shown
from search_spaces.expression import RESERVED_NAMES, Expression, Value
from search_spaces.limits import (
    MAX_ENTRIES,
    MAX_KERNEL_NAME,
    MAX_MAGNITUDE,
    MAX_PARAMETER_VALUES,
    MAX_PATH_CHARACTERS,
)
from search_spaces.number_types import NUMBER_TYPES, TYPE_NAMES, name_in_this_format

DEFAULT_SOURCE = "kernel.cu"
REGISTER_CAP = "register_cap"  # the parameter that is a compiler option instead of a macro
GPU_FIELD = "gpu."  # what a parameter that is a number of the GPU starts with, as in gpu.l2_bytes
FIRST_VARIANT = "first"  # what `expect` compares with if not with a file
FILLS = ("zeros", "ones", "uniform", "iota", "randint", "permutation", "sorted", "zipf")
BOUNDED_FILLS = ("randint", "sorted", "zipf")  # those with an exclusive upper bound
RANDOM_FILLS = ("uniform", "permutation", *BOUNDED_FILLS)


class Objective(NamedTuple):
    """An objective of a search.

    Attributes:
        direction: `minimize` or `maximize`.
        metric: name of a metric, such as `time_us`.
    """

    direction: str
    metric: str


class Option(NamedTuple):
    """A compiler option.

    Attributes:
        text: such as `--fmad=false`.
        when: a condition on the point; None if it is always set.
    """

    text: str
    when: Expression | None


def _name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise ValueError(f"{shown(name)} is not a name; use letters, digits and _, a letter first")
    if name in RESERVED_NAMES or keyword.iskeyword(name):
        raise ValueError(
            f"{name} is reserved in expressions; choose another name (an argument's need not be the kernel's)"
        )
    return name


def _parameter_name(name: str) -> str:
    """A name, or `gpu.` and the name of a number of the GPU."""
    _name(name.removeprefix(GPU_FIELD))
    return name


def _buffer_name(name: str) -> str:
    """The name of an argument, or of a struct and its field, as in `x.data`."""
    for part in name.split(".", 1):
        _name(part)
    return name


def is_macro(parameter: str) -> bool:
    """Whether a parameter is a macro: neither the register cap nor a number of the GPU."""
    return parameter != REGISTER_CAP and not parameter.startswith(GPU_FIELD)


def _cpp_name(name: str) -> str:
    """A name of C++, in namespaces perhaps."""
    if len(name) > MAX_PATH_CHARACTERS or not re.fullmatch(
        r"(::)?[A-Za-z_]\w*(::[A-Za-z_]\w*)*", name, re.ASCII
    ):
        raise ValueError(f"{shown(name)} is not a name; use letters, digits and _, a letter first")
    return name


def _kernel(name: str) -> str:
    """A kernel's name, with the arguments of a template perhaps; the compiler sees it, so its characters are few."""
    bare, bracket, rest = name.partition("<")
    _cpp_name(bare.rstrip(" "))
    is_template = re.fullmatch(r"[\w :<>,()*&+.|^~!=?-]*>", rest.rstrip(" "), re.ASCII)
    if bracket and (not is_template or len(rest) > MAX_KERNEL_NAME):
        raise ValueError(
            f"{shown(name)} is not a kernel's name; write a name, or a template such as gemm<BM, BN>"
        )
    return name


def plain_name(kernel: str) -> str:
    """The name of a kernel without namespaces and template arguments: `gemm` of `ns::gemm<64, BN>`."""
    return kernel.partition("<")[0].strip().rpartition("::")[2]


def _expression(text: object, info: ValidationInfo) -> Expression:
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        raise ValueError(
            f"{shown(text)} is not an expression; write a number, a name or arithmetic in quotes"
        )
    expression = Expression(text)
    expression.check_names(info.context or ())
    return expression


def _metric(text: object) -> Expression:
    """An expression over what a simulation finds, too: who knows those names checks them."""
    if not isinstance(text, str):
        raise ValueError(
            f"{shown(text)} is not a metric; write arithmetic in quotes, such as '1e3 / time_us'"
        )
    return Expression(text)


def _parameter_value(value: object) -> Value:
    """A YAML value as a parameter's value: `none` and null are None; text must be valid as a macro, or have a unit."""
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
    if isinstance(value, str) and not (
        has_unit(value) or re.fullmatch(r"[A-Za-z_][\w ]{0,199}", value, re.ASCII)
    ):
        raise ValueError(f"{shown(value)} cannot be a macro's value; use numbers or words")
    return value


def has_unit(value: object) -> bool:
    """Whether a value is a number with a unit, which a number of the GPU may have, such as 50MB."""
    return isinstance(value, str) and bool(
        re.fullmatch(r"\d{1,15}(\.\d{1,15})? ?[A-Za-z]{1,8}", value, re.ASCII)
    )


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


def _one_or_list(item: dict[str, Any]) -> WithJsonSchema:
    """The schema of a field that takes one item or a list of them."""
    return WithJsonSchema({"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]})


def empty_if_none(value: object) -> object:
    return {} if value is None else value


def _option(given: object, info: ValidationInfo) -> Option:
    """`--ftz=true`, or `{option: --use_fast_math, when: fast_math}`."""
    if isinstance(given, dict) and set(given) == {"option", "when"} and isinstance(given["option"], str):
        return Option(checked_option(given["option"]), _expression(given["when"], info))
    if not isinstance(given, str):
        raise ValueError(
            f"{shown(given)} is not an option; write text such as --use_fast_math, "
            "or {option: --use_fast_math, when: fast_math}"
        )
    return Option(checked_option(given), None)


def _fill(given: object, info: ValidationInfo) -> str | Expression:
    """A kind of contents, or the number that is every element."""
    if isinstance(given, str):
        if given in FILLS:
            return given
        raise ValueError(f"unknown fill {shown(given)}; {one_of(given, FILLS, (*FILLS, 'a number'))}")
    return _expression(given, info)


def _number(given: object, info: ValidationInfo) -> Expression | tuple[Expression, ...]:
    """A number, or a list of them for a vector."""
    if isinstance(given, list | tuple):
        return tuple(_expression(each, info) for each in given)
    return _expression(given, info)


def _type_name(name: object) -> str:
    if isinstance(name, str) and name in TYPE_NAMES:
        return name
    listed = (*NUMBER_TYPES, "and vectors such as float32x4")
    advice = one_of(name_in_this_format(str(name)), TYPE_NAMES, listed)
    raise ValueError(f"unknown type {shown(name)}; {advice}")


def _array_file(name: str) -> str:
    if not is_inside(name) or not name.endswith(".npy"):
        raise ValueError(f"{shown(name)} is not an .npy file in the space's folder; write such as inputs.npy")
    return name


def expected(given: object) -> str:
    """What an output must be: an .npy file, or `first`."""
    if given == FIRST_VARIANT:
        return FIRST_VARIANT
    if not isinstance(given, str):
        raise ValueError(
            f"{shown(given)} is not an .npy file; write one, or {FIRST_VARIANT} for the first variant's"
        )
    return _array_file(given)


def _objective(text: object) -> Objective:
    match str(text).split():
        case ["minimize" | "maximize" as direction, metric]:
            return Objective(direction, metric)
    raise ValueError(f"{shown(text)} is not an objective; write minimize or maximize and a metric")


def is_inside(name: str) -> bool:
    """Whether a name is the path of a file inside a space's folder: relative, with `/`, without `.` or `..`."""
    parts = name.split("/")
    return len(name) <= MAX_PATH_CHARACTERS and all(re.fullmatch(r"[\w+-][\w.+ -]*", part) for part in parts)


def _source_name(name: str) -> str:
    if not is_inside(file_at(name, dict.fromkeys(chosen_by(name), 0))):
        raise ValueError(
            f"{shown(name)} is not a file in the space's folder; use a relative path such as {DEFAULT_SOURCE}"
        )
    return name


_NUMBER_OR_TEXT = WithJsonSchema({"type": ["number", "string"]})

Name = Annotated[str, AfterValidator(_name)]
ParameterName = Annotated[str, AfterValidator(_parameter_name)]
BufferName = Annotated[str, AfterValidator(_buffer_name)]
CppName = Annotated[str, AfterValidator(_cpp_name)]
KernelName = Annotated[str, AfterValidator(_kernel)]
SourceName = Annotated[str, AfterValidator(_source_name)]
ArrayFile = Annotated[str, AfterValidator(_array_file)]
ExpressionField = Annotated[Expression, PlainValidator(_expression), _NUMBER_OR_TEXT]
MetricField = Annotated[Expression, PlainValidator(_metric), WithJsonSchema({"type": "string"})]
TypeName = Annotated[str, PlainValidator(_type_name), WithJsonSchema({"enum": list(TYPE_NAMES)})]
Fill = Annotated[
    str | Expression,
    PlainValidator(_fill),
    WithJsonSchema({"anyOf": [{"enum": list(FILLS)}, {"type": "number"}]}),
]
_OPTION = {"type": "string", "pattern": option_pattern()}
OptionField = Annotated[
    Option,
    PlainValidator(_option),
    WithJsonSchema(
        {
            "anyOf": [
                _OPTION,
                {
                    "type": "object",
                    "properties": {"option": _OPTION, "when": {"type": ["number", "string"]}},
                    "required": ["option", "when"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]
ObjectiveField = Annotated[
    Objective,
    PlainValidator(_objective),
    WithJsonSchema({"type": "string", "pattern": r"^\s*(minimize|maximize)\s+\S+\s*$"}),
]
Expected = Annotated[
    str,
    PlainValidator(expected),
    WithJsonSchema({"anyOf": [{"const": FIRST_VARIANT}, {"type": "string", "pattern": r"\.npy$"}]}),
]
ParameterValue = Annotated[
    Value, PlainValidator(_parameter_value), WithJsonSchema({"type": ["number", "string", "null"]})
]
ParameterValues = Annotated[
    tuple[ParameterValue, ...], BeforeValidator(_parameter_list), AfterValidator(_distinct)
]
GpuNames = Annotated[
    tuple[str, ...],
    BeforeValidator(_as_list),
    Field(min_length=1, max_length=MAX_ENTRIES),
    AfterValidator(_distinct),
    _one_or_list({"type": "string"}),
]
ParameterNames = Annotated[
    tuple[ParameterName, ...],
    BeforeValidator(_as_list),
    AfterValidator(_distinct),
    _one_or_list({"type": "string"}),
]
BufferNames = Annotated[
    tuple[BufferName, ...],
    BeforeValidator(_as_list),
    AfterValidator(_distinct),
    _one_or_list({"type": "string"}),
]
Extent = Annotated[
    tuple[ExpressionField, ...],
    BeforeValidator(_as_list),
    Field(min_length=1, max_length=3),
    _one_or_list({"type": ["number", "string"]}),
]
Number = Annotated[
    Expression | tuple[Expression, ...], PlainValidator(_number), _one_or_list({"type": ["number", "string"]})
]
