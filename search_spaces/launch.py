"""The launch of a point: the expressions of a space, evaluated at one point."""

from collections.abc import Mapping
from dataclasses import dataclass

from search_spaces.errors import Problem, SpaceError
from search_spaces.expression import Environment, Expression, ExpressionError, Value, spelled
from search_spaces.schema import LaunchSection

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


def evaluate(expression: Expression, names: Environment, path: str) -> Value:
    """The expression's value; errors become a SpaceError with the location in the file and the point."""
    try:
        return expression.evaluate(names)
    except ExpressionError as error:
        raise SpaceError([Problem(f"{error} (at {described_at(expression, names)})", path)]) from None


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
        dynamic_shared_bytes=whole(
            section.dynamic_shared_bytes, names, "launch.dynamic_shared_bytes", least=0
        ),
    )


def _extent(extent: tuple[Expression, ...], names: Environment, path: str) -> Extent3:
    sides = [
        whole(side, names, path if len(extent) == 1 else f"{path}[{axis}]", least=1)
        for axis, side in enumerate(extent)
    ]
    x, y, z = sides + [1] * (3 - len(sides))
    return x, y, z


def whole(expression: Expression, names: Environment, path: str, least: int) -> int:
    """The expression's value; SpaceError if it is not an integer of at least `least`."""
    value = evaluate(expression, names, path)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        place = described_at(expression, names)
        hint = ": // is the division of integers" if isinstance(value, float) else ""
        raise SpaceError(
            [Problem(f"{value!r} is not an integer of at least {least} (at {place}){hint}", path)]
        )
    return value


def described_at(expression: Expression, names: Environment) -> str:
    """`unroll = 4, n = 64`: the values of the names in the expression."""
    bound = [f"{name} = {spelled(names[name])}" for name in sorted(expression.names)]
    return ", ".join([f"`{expression.text}`", *bound])
