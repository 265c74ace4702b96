"""Values of parameters with which every point that was tried failed: the answer of a sweep says nothing about them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dse.store.filters import equalities
from dse.store.queries import TrialQuery
from dse.store.records import SweepSpec, TrialRecord
from dse.tables.text import shown
from search_spaces import Value

#: Parameters with more values are not looked at: each value takes a question to the store.
MOST_VALUES = 64

Trials = Callable[[TrialQuery], Iterator[TrialRecord]]
"""Reads the trials of a sweep that match a query."""


@dataclass(frozen=True)
class FailedValues:
    """Values of one parameter with which every point that was tried failed.

    Attributes:
        parameter: its name.
        values: those values, in the order of the space.
        example: a failed trial with the first of them.
    """

    parameter: str
    values: tuple[Value, ...]
    example: TrialRecord

    @property
    def words(self) -> str:
        """The same in a sentence, with the reason of the example."""
        values = " or ".join(shown(value) for value in self.values)
        why = " ".join((self.example.message or "").split())
        return (
            f"every point with {self.parameter}={values} that was tried failed, so the answer is one of the others; "
            f"trial {self.example.number}: {self.example.reason}: {why}"
        )


def failed_values(spec: SweepSpec, trials: Trials) -> list[FailedValues]:
    """What the answer leaves out because all of it failed, parameter by parameter."""
    if not _first(trials, "state = 'failed'"):
        return []
    return [
        FailedValues(name, tuple(found), next(iter(found.values())))
        for name, values in spec.parameters.items()
        if 1 < len(values) <= MOST_VALUES
        and 0 < len(found := dict(_failed(name, values, trials))) < len(values)
    ]


def _failed(name: str, values: Sequence[Value], trials: Trials) -> Iterator[tuple[Value, TrialRecord]]:
    """The values with which points failed and none is complete, each with a failed trial."""
    for value in values:
        where = equalities({name: value})
        failed = _first(trials, f"{where} and state = 'failed'")
        if failed and not _first(trials, f"{where} and state = 'complete'"):
            yield value, failed


def _first(trials: Trials, filter: str) -> TrialRecord | None:
    return next(trials(TrialQuery(filter, limit=1)), None)
