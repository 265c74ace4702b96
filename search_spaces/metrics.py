"""Metrics of a user's own: named expressions over what the simulator finds, such as `2*n*n*n / time_us / 1e3`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from search_spaces.errors import SpaceError
from search_spaces.expression import Environment, Expression, ExpressionError
from search_spaces.launch import bind


@dataclass(frozen=True)
class UserMetrics:
    """The metrics of a space, each over parameters, values, the simulator's metrics and the metrics before it.

    Attributes:
        metrics: the texts of their expressions, by name.
        values: those of the space's values.
    """

    metrics: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)

    def at(self, point: Environment, found: Environment) -> dict[str, float]:
        """Those that have a value at a point where the simulator found these metrics."""
        values, _ = self._evaluate(point, found)
        return values

    def refusals(self, point: Environment, found: Environment) -> dict[str, str]:
        """Why the others have none."""
        _, refusals = self._evaluate(point, found)
        return refusals

    def ingredients(self, name: str) -> set[str]:
        """All names that a metric depends on, directly or through other metrics; itself, if it is none of these."""
        expression = self._metrics.get(name)
        return (
            {each for part in expression.names for each in self.ingredients(part)} if expression else {name}
        )

    def _evaluate(self, point: Environment, found: Environment) -> tuple[dict[str, float], dict[str, str]]:
        values, refusals = dict[str, float](), dict[str, str]()
        try:
            names = {**found, **bind(self._values, point)}
        except SpaceError as error:
            return values, dict.fromkeys(self.metrics, str(error))
        for name, expression in self._metrics.items():
            try:
                value = expression.evaluate({**dict.fromkeys(expression.names), **names})
                if not isinstance(value, int | float):
                    raise ExpressionError(f"`{expression.text}` is no number")
            except ExpressionError as error:
                refusals[name] = str(error)
            else:
                names[name] = values[name] = float(value)
        return values, refusals

    @cached_property
    def _metrics(self) -> dict[str, Expression]:
        return {name: Expression(text) for name, text in self.metrics.items()}

    @cached_property
    def _values(self) -> dict[str, Expression]:
        return {name: Expression(text) for name, text in self.values.items()}


#: Of a sweep without any.
NO_METRICS = UserMetrics()
