"""The fields of a space.yaml as pydantic models, and the messages for their problems.

Expressions are parsed here, and their names are looked up among all names declared in the file, so that
misspelled fields, invalid expressions and unknown names are reported together.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import ErrorDetails

from search_spaces.errors import Problem, known_or_closest, one_of, shown
from search_spaces.expression import Expression
from search_spaces.fields import (
    BOUNDED_FILLS,
    DEFAULT_SOURCE,
    RANDOM_FILLS,
    ArrayFile,
    BufferName,
    BufferNames,
    CppName,
    Expected,
    ExpressionField,
    Extent,
    Fill,
    GpuNames,
    KernelName,
    MetricField,
    Name,
    Number,
    Objective,
    ObjectiveField,
    OptionField,
    ParameterName,
    ParameterNames,
    ParameterValues,
    SourceName,
    TypeName,
    empty_if_none,
    expected,
)
from search_spaces.limits import MAX_CYCLES
from search_spaces.number_types import NumberType


class _Section(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        arbitrary_types_allowed=True,
        defer_build=True,
        use_attribute_docstrings=True,
    )


class LaunchSection(_Section):
    """Blocks per grid, threads per block (up to three dimensions), bytes of dynamic shared memory."""

    grid: Extent
    block: Extent
    dynamic_shared_bytes: ExpressionField = Expression(0)


class _PlainSection(_Section):
    """A buffer, which has `elements` (with a `fill`), a `file` or `data`; or a number or vector, with a `value`."""

    name: Name
    type: TypeName | None = None
    elements: ExpressionField | None = None
    fill: Fill | None = None
    high: ExpressionField | None = None
    exponent: ExpressionField | None = None
    seed: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    value: Number | None = None
    file: ArrayFile | None = None
    data: str | None = None

    #: Fields of later versions: a space's digest is made of the text, in which they are only if they are set.
    _LATER: ClassVar[frozenset[str]] = frozenset({"exponent", "seed", "file", "data"})

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Without the fields of later versions that are not set: a space's digest is made of this."""
        return [
            (name, value)
            for name, value in super().__repr_args__()
            if name not in self._LATER or value is not None
        ]

    def _check(self) -> None:
        """Raise ValueError unless it is a buffer or a value, and whole."""
        if self.type is None:
            raise ValueError("has no type; add one, such as type: float32")
        is_buffer = self.elements is not None or self.file is not None or self.data is not None
        if is_buffer == (self.value is not None):
            raise ValueError("needs either elements (a buffer) or value (a number), and not both")
        if self.value is not None and self._says_how_to_fill:
            raise ValueError(
                "fill, high, exponent and seed are for buffers; remove them, or write elements instead of value"
            )
        if self.file is not None or self.data is not None:
            self._check_given_contents()
        else:
            self._check_fill()
        if self.fill == "uniform" and NumberType.of(self.type).integers:
            raise ValueError(f"uniform is in [0, 1), all 0 as {self.type}; use fill: randint with high")

    @property
    def _says_how_to_fill(self) -> bool:
        return any(each is not None for each in (self.fill, self.high, self.exponent, self.seed))

    def _check_fill(self) -> None:
        if (self.fill in BOUNDED_FILLS) != (self.high is not None):
            raise ValueError(
                f"fill: {self.fill if self.fill in BOUNDED_FILLS else 'randint'} and high go together: "
                "integers from 0 up to, not including, high"
            )
        if (self.fill == "zipf") != (self.exponent is not None):
            raise ValueError("fill: zipf and exponent go together: k is as frequent as 1 / (k + 1)**exponent")
        if self.seed is not None and self.fill not in RANDOM_FILLS:
            raise ValueError(f"seed is for the random fills: {', '.join(RANDOM_FILLS)}")

    def _check_given_contents(self) -> None:
        if self.file is not None and self.data is not None:
            raise ValueError("file and data both say what it contains; remove one")
        if self._says_how_to_fill:
            source = "file" if self.file else "data"
            raise ValueError(f"its contents come from the {source}; remove fill, high, exponent and seed")
        if self.data is not None and self.elements is not None:
            raise ValueError("the data says how many elements it has; remove elements")


class FieldSection(_PlainSection):
    """One field of a struct: a number, a vector, or a pointer to a buffer."""

    _LATER = frozenset({"elements", "fill", "high", "exponent", "seed", "file", "data"})

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Self:
        self._check()
        return self


class ArgumentSection(_PlainSection):
    """One kernel argument, in the order of the kernel's parameters: a buffer, a value, or a struct of `fields`."""

    fields: Annotated[tuple[FieldSection, ...] | None, Field(min_length=1)] = None

    _LATER = frozenset({"exponent", "seed", "file", "data", "fields"})

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Self:
        if self.fields is None:
            self._check()
        elif self.model_fields_set - {"name", "fields"}:
            raise ValueError("a struct has name and fields alone; remove the others, or the fields")
        return self


class VariableSection(ArgumentSection):
    """The contents of one `__constant__` or `__device__` variable, described as an argument is."""

    name: CppName

    @model_validator(mode="after")
    def _holds_no_pointer(self) -> Self:
        if any(field.value is None for field in self.fields or ()):
            raise ValueError("a variable holds no pointers to buffers; pass the struct as an argument")
        return self


class CsrSection(_Section):
    """A sparse matrix by rows: `offsets` into its `columns`, which ascend within a row.

    `rows_are` distributes the nonzeros over the rows: all alike, at random, or few rows with many of them.
    """

    kind: Literal["csr"]
    rows: ExpressionField
    columns: ExpressionField
    nonzeros: ExpressionField
    rows_are: Literal["equal", "random", "power_law"] = "random"


class GraphSection(_Section):
    """A graph by nodes: `offsets` into the `neighbours`; `nodes_are` distributes the edges as CSR's `rows_are`."""

    kind: Literal["graph"]
    nodes: ExpressionField
    edges: ExpressionField
    nodes_are: Literal["equal", "random", "power_law"] = "random"


DataSection = Annotated[CsrSection | GraphSection, Field(discriminator="kind")]
#: The parts of each kind of data, in the order in which a kernel takes them.
DATA_PARTS = {"csr": ("offsets", "columns"), "graph": ("offsets", "neighbours")}


def _outputs_apart(given: object) -> object:
    """`{out: first, rtol: 1e-5}` as the outputs and the tolerances."""
    if not isinstance(given, dict):
        return given
    tolerances = {name: given[name] for name in ("rtol", "atol") if name in given}
    outputs = {name: each for name, each in given.items() if name not in tolerances}
    return {"outputs": outputs, **tolerances}


def _values_alone(given: object) -> object:
    """`first` as the section that it is short for."""
    return given if isinstance(given, dict) else {"values": expected(given)}


class _Tolerances(_Section):
    rtol: Annotated[float, Field(ge=0)] | None = None
    atol: Annotated[float, Field(ge=0)] | None = None


class OutputSection(_Tolerances):
    """What one buffer must contain, with tolerances of its own."""

    values: Expected
    mismatches: Annotated[float, Field(ge=0, lt=1)] = 0.0


class ExpectSection(_Tolerances):
    """What the kernel must compute: for each output an .npy file, or `first` for the first variant's output.

    Without tolerances, those of `torch.testing.assert_close` for the output's type; integers must be equal.
    """

    outputs: Annotated[
        dict[BufferName, Annotated[OutputSection, BeforeValidator(_values_alone)]], Field(min_length=1)
    ]


_FILE_OR_FIRST = {"type": "string", "pattern": r"^first$|\.npy$"}
# A string too: YAML 1.1, which is read here, takes 1e-5 for one.
_TOLERANCE_SCHEMAS = {name: {"type": ["number", "string"], "minimum": 0} for name in ("rtol", "atol")}
_EXPECT_SCHEMA = WithJsonSchema(
    {
        "type": "object",
        "properties": _TOLERANCE_SCHEMAS,
        "additionalProperties": {
            "anyOf": [
                _FILE_OR_FIRST,
                {
                    "type": "object",
                    "properties": {
                        "values": _FILE_OR_FIRST,
                        **_TOLERANCE_SCHEMAS,
                        "mismatches": {"type": ["number", "string"], "minimum": 0, "exclusiveMaximum": 1},
                    },
                    "required": ["values"],
                    "additionalProperties": False,
                },
            ]
        },
    }
)


class LimitsSection(_Section):
    """What the evaluation of one point may take."""

    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Of wall clock; a point that takes longer fails as TimeLimit."""
    memory_gib: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Of memory in addition to the idle process; a point that needs more fails as MemoryLimit."""
    cycles: Annotated[int, Field(gt=0, le=MAX_CYCLES)] | None = None
    """Of an SM; a kernel that runs longer fails as CycleLimitExceeded."""


class SpaceFile(_Section):
    """A whole space.yaml."""

    kernel: KernelName
    """The `__global__` function as C++ calls it, such as saxpy, tools::saxpy or gemm<BM, BN>."""
    source: SourceName = DEFAULT_SOURCE
    """The source in the folder of the space.yaml; or a cubin, fatbin or PTX, `{NAME}.cubin` for one for each value."""
    parameters: Annotated[dict[ParameterName, ParameterValues], Field(min_length=1)]
    """Names with lists of values; each is a macro with its name in capitals, except register_cap and gpu.FIELD."""
    workload: ParameterNames = ()
    """The parameters that describe the problem rather than the variant."""
    gpu: GpuNames
    """The GPUs to explore for."""
    constraints: tuple[ExpressionField, ...] = ()
    """Conditions that valid points satisfy."""
    launch: LaunchSection
    values: Annotated[dict[Name, ExpressionField], BeforeValidator(empty_if_none)] = {}
    """Named expressions over parameters and the values above them."""
    arguments: tuple[ArgumentSection, ...] = ()
    """The kernel's arguments, in the order of its parameters."""
    metrics: Annotated[dict[Name, MetricField], BeforeValidator(empty_if_none)] = {}
    """Metrics of your own: named expressions over the simulator's, parameters, values and the metrics above them."""
    objectives: tuple[ObjectiveField, ...] = (Objective("minimize", "time_us"),)
    """`minimize` or `maximize` with a metric, most important first."""
    options: tuple[OptionField, ...] = ()
    """Compiler options, such as --use_fast_math."""
    data: Annotated[dict[Name, DataSection], BeforeValidator(empty_if_none)] = {}
    """Sparse matrices and graphs, of which arguments take parts."""
    variables: tuple[VariableSection, ...] = ()
    """Contents of the kernel's `__constant__` and `__device__` variables."""
    reset: BufferNames = ()
    """The buffers that are zeroed before each launch."""
    cache: Literal["warm", "cold"] = "warm"
    """`warm`: the same launch has just run; `cold`: the caches are empty."""
    bounds: Literal["error", "warn"] = "error"
    """`error`: an access outside of all buffers fails; `warn`: a read beside one gives zero, and is counted."""
    expect: Annotated[ExpectSection, BeforeValidator(_outputs_apart), _EXPECT_SCHEMA] | None = None
    """What the kernel must compute: for each output an .npy file, or `first` for the first variant's; rtol, atol."""
    limits: LimitsSection = LimitsSection()
    """What the evaluation of one point may take: seconds, memory_gib, cycles."""


def read_fields(raw: Mapping[str, Any]) -> tuple[SpaceFile | None, list[Problem]]:
    """The validated file, or None and the problems of its fields."""
    declared = [*_keys(raw.get("parameters")), *_keys(raw.get("values"))]
    try:
        return SpaceFile.model_validate(raw, context=declared), []
    except ValidationError as error:
        return None, [Problem(_sentence(details), _path(details["loc"], raw)) for details in error.errors()]


def _keys(section: object) -> list[str]:
    return [str(key) for key in section] if isinstance(section, dict) else []


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
            return f"unknown {details['loc'][-1]} {given}; {one_of(given.strip(chr(39)), known)}"
        case "union_tag_invalid" | "union_tag_not_found":
            return f"unknown kind; write kind: {' or kind: '.join(DATA_PARTS)}"
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
    sections: dict[object, type[BaseModel]] = {
        "launch": LaunchSection,
        "arguments": ArgumentSection,
        "variables": VariableSection,
        "csr": CsrSection,
        "graph": GraphSection,
        "fields": FieldSection,
        "limits": LimitsSection,
        "outputs": OutputSection,
    }
    named = [sections[part] for part in location[:-1] if part in sections]
    return list((named[-1] if named else SpaceFile).model_fields)


#: Parts of pydantic's locations that are not in the file: keys, and what a section was read as.
_UNWRITTEN = ("[key]", "outputs", *DATA_PARTS)


def _path(location: tuple[int | str, ...], raw: object) -> str:
    """`("arguments", 1, "type")` as `arguments[1].type`; without an index if the file has no list there."""
    path, place = "", raw
    for part in location:
        if part in _UNWRITTEN and not (isinstance(place, dict) and part in place):
            continue
        if not isinstance(part, int):
            path += f".{part}" if path else part
            place = place.get(part) if isinstance(place, dict) else None
        elif isinstance(place, list):
            path += f"[{part}]"
            place = place[part]
    return path
