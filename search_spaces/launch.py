"""The launch and the arguments of a point: the expressions of a space, evaluated at one point."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from search_spaces.errors import Problem, SpaceError
from search_spaces.expression import Environment, Expression, ExpressionError, Value
from search_spaces.limits import MAX_ELEMENTS
from search_spaces.schema import INTEGER_BITS, ArgumentSection, LaunchSection

Extent3 = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    """The shape of one launch.

    Attributes:
        grid: blocks in x, y and z.
        block: threads per block in x, y and z.
        dynamic_shared_bytes: dynamic shared memory per block in bytes, in addition to the kernel's static one.
    """

    grid: Extent3
    block: Extent3
    dynamic_shared_bytes: int


@dataclass(frozen=True)
class Argument:
    """One kernel argument.

    Attributes:
        name: name in the kernel's signature.
        kind: `buffer` (device memory) or `value`.
        dtype: NumPy's name of the type, such as `float32`.
        elements: length of the buffer; None for a value.
        fill: initial contents of the buffer: zeros, ones, uniform, iota or randint; None for a value.
        high: for randint, the exclusive upper bound; else None.
        value: the number; None for a buffer.
    """

    name: str
    kind: Literal["buffer", "value"]
    dtype: str
    elements: int | None = None
    fill: str | None = None
    high: int | None = None
    value: int | float | None = None


def evaluate(expression: Expression, names: Environment, path: str) -> Value:
    """The expression's value; errors become a SpaceError with the location in the file and the point."""
    try:
        return expression.evaluate(names)
    except ExpressionError as error:
        raise SpaceError([Problem(f"{error} (at {_describe(expression, names)})", path)]) from None


def bind(values: Mapping[str, Expression], point: Environment) -> dict[str, Value]:
    """The point's parameters and the named values that follow from them, in file order."""
    names = dict(point)
    for name, expression in values.items():
        names[name] = evaluate(expression, names, f"values.{name}")
    return names


def launch_at(section: LaunchSection, names: Environment) -> Launch:
    """The launch under these names; SpaceError if an extent is not an integer of at least 1."""
    return Launch(
        grid=_extent(section.grid, names, "launch.grid"),
        block=_extent(section.block, names, "launch.block"),
        dynamic_shared_bytes=_whole(
            section.dynamic_shared_bytes, names, "launch.dynamic_shared_bytes", least=0
        ),
    )


def argument_at(section: ArgumentSection, names: Environment, path: str) -> Argument:
    """The argument under these names; SpaceError if a number does not fit its type."""
    if section.elements is not None:
        elements = _whole(section.elements, names, f"{path}.elements", least=1)
        if elements > MAX_ELEMENTS:
            place = _describe(section.elements, names)
            what = f"{elements} are more than {MAX_ELEMENTS} (at {place})"
            raise SpaceError([Problem(what, f"{path}.elements")])
        high = None if section.high is None else _whole(section.high, names, f"{path}.high", least=1)
        fill = section.fill or "zeros"
        return Argument(section.name, "buffer", section.type, elements=elements, fill=fill, high=high)
    assert section.value is not None  # ArgumentSection: a buffer or a value
    number = _typed(section.value, section.type, names, f"{path}.value")
    return Argument(section.name, "value", section.type, value=number)


def _extent(extent: tuple[Expression, ...], names: Environment, path: str) -> Extent3:
    sides = [
        _whole(side, names, path if len(extent) == 1 else f"{path}[{axis}]", least=1)
        for axis, side in enumerate(extent)
    ]
    x, y, z = sides + [1] * (3 - len(sides))
    return x, y, z


def _whole(expression: Expression, names: Environment, path: str, least: int) -> int:
    value = evaluate(expression, names, path)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        place = _describe(expression, names)
        raise SpaceError([Problem(f"{value!r} is not an integer of at least {least} (at {place})", path)])
    return value


def _typed(expression: Expression, dtype: str, names: Environment, path: str) -> int | float:
    value = evaluate(expression, names, path)
    bits = INTEGER_BITS.get(dtype)
    if bits is None and isinstance(value, int | float):
        return float(value)
    if bits is not None and isinstance(value, int):
        low = 0 if dtype.startswith("u") else -(2 ** (bits - 1))
        if low <= value < low + 2**bits:
            return int(value)
    what = f"{value!r} is not a value of {dtype} (at {_describe(expression, names)})"
    raise SpaceError([Problem(what, path)])


def _describe(expression: Expression, names: Environment) -> str:
    """`unroll = 4, n = 64`: the values of the names in the expression."""
    bound = [f"{name} = {_spelled(names[name])}" for name in sorted(expression.names)]
    return ", ".join([f"`{expression.text}`", *bound])


def _spelled(value: Value) -> str:
    return "none" if value is None else str(value)
