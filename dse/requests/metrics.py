"""Checks of a space's metrics and objectives: their names, and that every metric has a value."""

from itertools import islice

from dse.errors import InputError
from dse.store import METRIC_TYPES
from dse.tables.columns import EXTRA_COLUMNS, PARTS
from dse.tables.text import variant
from search_spaces import Space
from search_spaces.errors import one_of
from search_spaces.expression import ExpressionError
from search_spaces.fields import is_macro
from search_spaces.metrics import UserMetrics

#: Points at which metrics are tried.
POINTS = 1000
#: What stands for a number that only a simulation finds: not 0, and unlikely to equal anything in an expression.
STAND_IN = 0.7390851332151607


def check_metrics(space: Space) -> None:
    """Refuse metrics that have no value whatever is simulated, and objectives that nobody knows.

    Raises:
        InputError: names the metric and the place in its expression.
    """
    known = [*(name for name in space.parameters if is_macro(name)), *space.values, *METRIC_TYPES]
    for name, expression in space.metrics.items():
        if name in (*space.parameters, *known, *EXTRA_COLUMNS, *PARTS):
            raise InputError(f"metrics.{name}: {name} is taken already; rename it", "/space")
        try:
            expression.check_names(known)
        except ExpressionError as error:
            raise InputError(f"metrics.{name}: {error}", "/space") from error
        known.append(name)
    _check_values(space)
    numbers = [*space.metrics, *(name for name, kind in METRIC_TYPES.items() if kind is not str)]
    for _, metric in space.objectives:
        if metric not in numbers:
            raise InputError(f"objectives: unknown metric {metric!r}; {one_of(metric, numbers)}", "/space")


def _check_values(space: Space) -> None:
    """Evaluate the metrics at a few points, with stand-ins for what is simulated."""
    metrics = UserMetrics(
        *({name: each.text for name, each in texts.items()} for texts in (space.metrics, space.values))
    )
    found = {name: "" if kind is str else STAND_IN for name, kind in METRIC_TYPES.items()}
    for point in islice(space.points(), POINTS if space.metrics else 0):
        for name, why in metrics.refusals(point, found).items():
            raise InputError(f"metrics.{name}: {why} (at {variant(point)})", "/space")
