"""What a point gives the kernel: arguments and variables, and the outputs that are expected of it."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from search_spaces.errors import Problem, SpaceError
from search_spaces.expression import Environment, Expression
from search_spaces.fields import FIRST_VARIANT
from search_spaces.launch import described_at, evaluate, whole
from search_spaces.limits import MAX_DATA_ELEMENTS, MAX_ELEMENTS, MAX_EXPONENT
from search_spaces.number_types import NumberType
from search_spaces.schema import DATA_PARTS, ArgumentSection, CsrSection, FieldSection, GraphSection

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Argument:
    """One kernel argument.

    Attributes:
        name: name in the kernel's signature.
        kind: `buffer` (device memory) or `value`.
        dtype: name of the type, such as `float32` or `float32x4`; `struct` for a struct.
        elements: length of the buffer; None for a value.
        fill: initial contents of the buffer, one of `search_spaces.fields.FILLS`, or `constant`; None for a value, and
            for a buffer from a file or from data.
        high: for randint, sorted and zipf, the exclusive upper bound; else None.
        exponent: for zipf, that of the distribution; else None.
        seed: of a random fill; None for one by the argument's position.
        value: the number, or those of a vector; the number of a constant fill; None for any other buffer.
        file: the .npy file with the contents.
        data: the part of the space's data with the contents.
        fields: of a struct, values and buffers.
    """

    name: str
    kind: Literal["buffer", "value"]
    dtype: str
    elements: int | None = None
    fill: str | None = None
    high: int | None = None
    value: int | float | tuple[int | float, ...] | None = None
    file: str | None = None
    data: "DataPart | None" = None
    fields: "tuple[Argument, ...] | None" = None
    exponent: float | None = None
    seed: int | None = None

    @property
    def identity(self) -> dict[str, Any]:
        """What the contents are made of, for hashes; what later versions added is there only if it is set."""
        described = dict(vars(self))  # `asdict` copies deeply, and this is asked for at every point
        for name in ("file", "data", "fields", "exponent", "seed"):
            if described[name] is None:
                del described[name]
        if self.data is not None:
            described["data"] = asdict(self.data)
        if self.fields is not None:
            described["fields"] = [asdict(field) for field in self.fields]
        return described


def buffers_of(arguments: Iterable[Argument]) -> dict[str, Argument]:
    """The buffers among some arguments by name; one that a struct points to is `x.data`."""
    found: dict[str, Argument] = {}
    for argument in arguments:
        for field in argument.fields or ():
            if field.kind == "buffer":
                found[f"{argument.name}.{field.name}"] = field
        if argument.kind == "buffer":
            found[argument.name] = argument
    return found


def bytes_of_buffers(arguments: Iterable[Argument]) -> int | None:
    """The bytes of all buffers; None if some are from a file or from data."""
    buffers = buffers_of(arguments).values()
    sizes = [NumberType.of(each.dtype).bytes * each.elements for each in buffers if each.elements is not None]
    return sum(sizes) if len(sizes) == len(buffers) else None


@dataclass(frozen=True)
class DataPart:
    """One array of a space's data: of a sparse matrix by rows, or of a graph.

    Attributes:
        part: `offsets`, or `columns`.
        rows: rows or nodes.
        columns: columns or nodes.
        nonzeros: nonzeros or edges.
        rows_are: how they are distributed over the rows: equal, random or power_law.
        seed: which of the space's data it is a part of.
    """

    part: Literal["offsets", "columns"]
    rows: int
    columns: int
    nonzeros: int
    rows_are: str
    seed: int

    @property
    def elements(self) -> int:
        """The length of the array."""
        return self.rows + 1 if self.part == "offsets" else self.nonzeros


@dataclass(frozen=True)
class Tolerance:
    """How far an output may be from what is expected.

    Attributes:
        rtol, atol: relative and absolute; both None for the defaults of the output's type.
        mismatches: share of the elements that may be farther, 0 to 1.
    """

    rtol: float | None = None
    atol: float | None = None
    mismatches: float = 0.0


@dataclass(frozen=True)
class Expectation:
    """What the kernel must compute.

    Attributes:
        outputs: by buffer, the .npy file with its contents after the launch, or `first` for the first variant's.
        rtol, atol: tolerances, relative and absolute; None for the defaults of the output's type.
        own: tolerances of single buffers.
    """

    outputs: Mapping[str, str]
    rtol: float | None = None
    atol: float | None = None
    own: Mapping[str, Tolerance] = dataclasses.field(default_factory=dict, repr=False)

    def tolerance(self, name: str) -> Tolerance:
        """That of one buffer."""
        own = self.own.get(name, Tolerance())
        return own if (own.rtol, own.atol) != (None, None) else replace(own, rtol=self.rtol, atol=self.atol)

    def identity(self) -> dict[str, Any]:
        """What decides whether an output is right, in JSON's types; what is left at its default is left out."""
        parts = asdict(self)
        own = parts.pop("own")
        return parts | ({"own": own} if own else {})

    @property
    def compares_with_first(self) -> bool:
        """Whether an output must be as the first variant's."""
        return FIRST_VARIANT in self.outputs.values()


def argument_at(
    section: ArgumentSection,
    names: Environment,
    path: str,
    data: Mapping[str, DataPart],
    arrays: "Mapping[str, NDArray[np.generic]]",
) -> Argument:
    """The argument under these names.

    Args:
        section: its declaration.
        names: the point and its values.
        path: where the declaration is in the file.
        data: the parts of the space's data, such as `matrix.offsets`.
        arrays: the contents of the space's .npy files.

    Raises:
        SpaceError: a number does not fit its type, or a file is of another type or size.
    """
    if section.fields is None:
        return _plain_at(section, names, path, data, arrays)
    fields = tuple(
        _plain_at(field, names, f"{path}.fields[{place}]", data, arrays)
        for place, field in enumerate(section.fields)
    )
    return Argument(section.name, "value", "struct", fields=fields)


def _plain_at(
    section: ArgumentSection | FieldSection,
    names: Environment,
    path: str,
    data: Mapping[str, DataPart],
    arrays: "Mapping[str, NDArray[np.generic]]",
) -> Argument:
    """A buffer, a number or a vector under these names."""
    assert section.type is not None  # the schema: a type unless it is a struct
    if section.value is not None:
        number = _typed(section.value, section.type, names, f"{path}.value")
        return Argument(section.name, "value", section.type, value=number)
    if section.data is not None:
        part = data[section.data]
        return Argument(section.name, "buffer", section.type, elements=part.elements, data=part)
    elements = None if section.elements is None else _elements(section.elements, names, path)
    if section.file is not None:
        held = _checked_array(arrays, section.file, section.type, elements, path)
        return Argument(section.name, "buffer", section.type, elements=held, file=section.file)
    if isinstance(section.fill, Expression):
        value = _typed(section.fill, NumberType.of(section.type).number, names, f"{path}.fill")
        return Argument(section.name, "buffer", section.type, elements=elements, fill="constant", value=value)
    return Argument(
        section.name,
        "buffer",
        section.type,
        elements=elements,
        fill=section.fill or "zeros",
        high=None if section.high is None else _high(section, names, path),
        exponent=None if section.exponent is None else _exponent(section.exponent, names, f"{path}.exponent"),
        seed=section.seed,
    )


def _high(section: ArgumentSection | FieldSection, names: Environment, path: str) -> int:
    assert section.high is not None
    high = whole(section.high, names, f"{path}.high", least=1)
    if section.fill == "zipf" and high > MAX_DATA_ELEMENTS:
        what = f"{high} numbers of a Zipf distribution are more than {MAX_DATA_ELEMENTS}"
        raise SpaceError([Problem(what, f"{path}.high")])
    return high


def _exponent(expression: Expression, names: Environment, path: str) -> float:
    value = evaluate(expression, names, path)
    if not isinstance(value, int | float) or not 0 < value <= MAX_EXPONENT:
        what = f"{value!r} is not above 0 and at most {MAX_EXPONENT} (at {described_at(expression, names)})"
        raise SpaceError([Problem(what, path)])
    return float(value)


def data_at(sections: Mapping[str, CsrSection | GraphSection], names: Environment) -> dict[str, DataPart]:
    """The parts of a space's data under these names, such as `matrix.offsets`; SpaceError as `launch_at`."""
    parts: dict[str, DataPart] = {}
    for seed, (name, section) in enumerate(sections.items()):
        path = f"data.{name}"
        if isinstance(section, CsrSection):
            rows = _sized(section.rows, names, f"{path}.rows")
            columns = _sized(section.columns, names, f"{path}.columns")
            nonzeros = _sized(section.nonzeros, names, f"{path}.nonzeros")
            rows_are = section.rows_are
        else:
            rows = columns = _sized(section.nodes, names, f"{path}.nodes")
            nonzeros = _sized(section.edges, names, f"{path}.edges")
            rows_are = section.nodes_are
        if nonzeros > rows * columns:
            raise SpaceError([Problem(f"{nonzeros} do not fit into {rows} x {columns}", path)])
        for written, part in zip(DATA_PARTS[section.kind], ("offsets", "columns"), strict=True):
            parts[f"{name}.{written}"] = DataPart(part, rows, columns, nonzeros, rows_are, seed)  # type: ignore[arg-type]
    return parts


def _sized(expression: Expression, names: Environment, path: str) -> int:
    number = whole(expression, names, path, least=1)
    if number > MAX_DATA_ELEMENTS:
        raise SpaceError([Problem(f"{number} are more than {MAX_DATA_ELEMENTS}", path)])
    return number


def _elements(expression: Expression, names: Environment, path: str) -> int:
    elements = whole(expression, names, f"{path}.elements", least=1)
    if elements > MAX_ELEMENTS:
        place = described_at(expression, names)
        what = f"{elements} are more than {MAX_ELEMENTS} (at {place})"
        raise SpaceError([Problem(what, f"{path}.elements")])
    return elements


def _checked_array(
    arrays: "Mapping[str, NDArray[np.generic]]", file: str, type_name: str, elements: int | None, path: str
) -> int:
    """The number of elements in a file; SpaceError if it is of another type or size than declared."""
    kind, array = NumberType.of(type_name), arrays[file]
    if not _is_stored_as(kind, array.dtype):
        what = f"{file} contains {array.dtype}, not {kind.number}; convert it, or change the type"
        raise SpaceError([Problem(what, f"{path}.file")])
    held, left = divmod(array.size, kind.lanes)
    if left or (elements is not None and elements != held):
        wanted = f"{elements}" if elements is not None else f"a multiple of {kind.lanes}"
        what = f"{file} has {array.size} numbers, but {wanted} x {type_name} are declared"
        raise SpaceError([Problem(what, f"{path}.file")])
    return held


def check_expected_array(output: Argument, name: str, file: str, array: "NDArray[np.generic]") -> None:
    """Raise SpaceError if a file cannot be an output's contents: of another size, or integers instead of fractions."""
    path = f"expect.{name}"
    kind = NumberType.of(output.dtype)
    numbers = (output.elements or 0) * kind.lanes
    if array.size != numbers:
        what = f"{file} has {array.size} numbers, but {name} has {numbers}; save an array of that size"
        raise SpaceError([Problem(what, path)])
    if not _is_stored_as(kind, array.dtype) and (array.dtype.kind == "f") == (kind.integers is not None):
        what = f"{file} contains {array.dtype}, but {name} is {kind.number}; convert it"
        raise SpaceError([Problem(what, path)])


def _is_stored_as(kind: NumberType, dtype: "np.dtype[Any]") -> bool:
    """Whether numbers of a type are stored so: as NumPy's type, or as the bits of one that NumPy does not have."""
    if kind.number in ("bfloat16", "float8_e4m3", "float8_e5m2"):
        return dtype.kind in "uV" and dtype.itemsize == kind.bytes // kind.lanes
    return dtype.name == kind.number


def _typed(
    number: Expression | tuple[Expression, ...], type_name: str, names: Environment, path: str
) -> int | float | tuple[int | float, ...]:
    """The number, or those of a vector, as the type has them."""
    kind = NumberType.of(type_name)
    if not isinstance(number, tuple):
        if kind.lanes > 1:
            raise SpaceError(
                [Problem(f"{type_name} has {kind.lanes} numbers; list them, as in [1, 2]", path)]
            )
        return _component(number, kind, names, path)
    if len(number) != kind.lanes or kind.lanes == 1:
        raise SpaceError(
            [Problem(f"{type_name} has {kind.lanes} numbers, not a list of {len(number)}", path)]
        )
    return tuple(_component(each, kind, names, path) for each in number)


def _component(expression: Expression, kind: NumberType, names: Environment, path: str) -> int | float:
    value = evaluate(expression, names, path)
    if kind.integers is None and isinstance(value, int | float):
        return float(value)
    if kind.integers is not None and isinstance(value, int):
        least, greatest = kind.integers
        if least <= value <= greatest:
            return int(value)
    what = f"{value!r} is not a value of {kind.number} (at {described_at(expression, names)})"
    raise SpaceError([Problem(what, path)])
