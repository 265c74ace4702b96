"""Resolution of names in filters and orders: columns of `trials` and `results`, and parameters of a trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import SQLColumnExpression, case
from sqlalchemy.orm import InstrumentedAttribute

from dse.store.errors import FilterError
from dse.store.records import SweepSpec
from dse.store.schema.models import METRIC_COLUMNS, Result, Trial
from search_spaces import Value
from search_spaces.fields import GPU_FIELD
from simcore.errors import did_you_mean
from simcore.gpu_overrides import parse_number

#: Names that need no prefix.
ATTRIBUTES: Mapping[str, InstrumentedAttribute[Any]] = {
    column.key: column
    for column in (
        *(Trial.gpu, Trial.number, Trial.point_index, Trial.point_hash, Trial.source, Trial.same_code_as),
        *(Trial.state, Trial.reason, Result.regime, Result.bottleneck),
    )
}


def metric_column(name: str, spec: SweepSpec) -> SQLColumnExpression[Any]:
    """The column of a metric, or the place of one of the sweep's own.

    Raises:
        FilterError: there is no such metric.
    """
    if name in spec.metrics:
        own: SQLColumnExpression[Any] = Trial.user_metrics[name].as_float()
        return own
    return _simulated(name, spec)


def _simulated(name: str, spec: SweepSpec) -> InstrumentedAttribute[Any]:
    if name not in METRIC_COLUMNS:
        known = (*spec.metrics, *METRIC_COLUMNS)
        every = f"; there are {', '.join(known)}"
        raise FilterError(f"no metric {name!r}{did_you_mean(name, known) or every}")
    return getattr(Result, name)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Column:
    """A resolved name: an expression to compare with text, one to compare with numbers, or both."""

    name: str
    text: SQLColumnExpression[Any] | None
    number: SQLColumnExpression[Any] | None

    @property
    def any(self) -> SQLColumnExpression[Any]:
        """The expression for ordering and null checks, which do not depend on the type."""
        expression = self.text if self.number is None else self.number
        assert expression is not None
        return expression


def column_of(name: str, spec: SweepSpec) -> Column:
    """Resolve a name in a sweep; a parameter or a metric without prefix, if it is not both.

    Raises:
        FilterError: unknown name; the message lists the known ones.
    """
    parameters = spec.parameters
    prefix, _, rest = name.partition(".")
    if prefix == "params" and rest in parameters:
        return _parameter(rest, parameters[rest])
    if prefix == "metrics" and rest in spec.metrics:
        return Column(name, text=None, number=metric_column(rest, spec))
    if prefix == "metrics" and rest:
        return _typed(name, _simulated(rest, spec))
    if name in ATTRIBUTES:
        return _typed(name, ATTRIBUTES[name])
    if prefix == "params":
        every = f"; this sweep has {', '.join(parameters)}"
        raise FilterError(f"no parameter {rest!r}{did_you_mean(rest, parameters) or every}")
    known = {"params": (*parameters,), "metrics": (*spec.metrics, *METRIC_COLUMNS)}
    meant = [f"{prefix}.{name}" for prefix, names in known.items() if name in names]
    if len(meant) == 1:
        return column_of(meant[0], spec)
    if meant:
        raise FilterError(f"{name} is a parameter and a metric; write {' or '.join(meant)}")
    every = f"; there are params.<name>, metrics.<name>, {', '.join(ATTRIBUTES)}; workloads are params"
    near = did_you_mean(name, (*known["params"], *ATTRIBUTES, *known["metrics"]))
    raise FilterError(f"no name {name!r}{near or every}")


def _typed(name: str, expression: InstrumentedAttribute[Any]) -> Column:
    if expression.type.python_type is str:
        return Column(name, text=expression, number=None)
    return Column(name, text=None, number=expression)


def _parameter(name: str, values: Sequence[Value]) -> Column:
    """A parameter in the JSON column; its type follows from the sweep's values.

    If it has both numbers and text, text becomes null as a number, since PostgreSQL refuses to cast it. A number of the
    GPU with its unit, such as `50MB`, is text, and also a number as in the tables of results.
    """
    member = Trial.parameters[name]
    holds_numbers = not all(isinstance(value, str) for value in values)
    texts = [value for value in values if isinstance(value, str)]
    if name.startswith(GPU_FIELD) and texts:
        field = name.removeprefix(GPU_FIELD)
        known = [(member.as_string() == text, parse_number(field, text)) for text in texts]
        number = case(*known, else_=member.as_float() if holds_numbers else None)
        return Column(f"params.{name}", text=member.as_string(), number=number)
    number = case((member.as_string().not_in(texts), member.as_float())) if texts else member.as_float()
    return Column(
        f"params.{name}",
        text=member.as_string() if texts else None,
        number=number if holds_numbers else None,
    )
