"""The ask-and-tell interface of searches.

A search is deterministic: the point of a number depends on the space, the seed and the results, never
on the order in which results arrive. So a sweep can be stopped and resumed with the same rows.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from dse.search.settings import KeptTrial
from search_spaces import Point


@dataclass(frozen=True)
class Suggestion:
    """A point to evaluate on a GPU.

    Attributes:
        number: of the trial, from 0; unique in the sweep. Without an extension, the position in the sweep's order.
        gpu: GPU name.
        index: the point's index in its space.
        point: the parameters.
    """

    number: int
    gpu: str
    index: int
    point: Point


class Search(ABC):
    """Chooses points; suggests each point of a GPU at most once."""

    @property
    def excluded(self) -> Mapping[tuple[str, str], int]:
        """How many points of each GPU are impossible, and so never asked for, by the reason."""
        return {}

    @abstractmethod
    def ask(self) -> Suggestion | None:
        """The next point; None if more results must be told first, or if there are no more points."""

    @abstractmethod
    def tell(self, suggestion: Suggestion, values: Sequence[float] | None) -> None:
        """Report the outcome of a suggestion: a value per objective, or None for a failed point."""


def free_numbers(kept: Iterable[KeptTrial]) -> Iterator[int]:
    """The numbers from 0 on that no kept trial has."""
    taken = {each.number for each in kept}
    return (number for number in count() if number not in taken)
