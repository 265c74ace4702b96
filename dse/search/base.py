"""What a sweep asks of whatever chooses its points: ask for one, tell what became of it.

A search is deterministic: which point a number stands for depends on the space, the seed and the results, never
on the order in which results arrive. That is what lets a sweep be stopped and taken up again with the same rows.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from search_spaces import Point


@dataclass(frozen=True)
class Suggestion:
    """A point to evaluate on a GPU.

    Attributes:
        number: place in the sweep's order, from 0; unique in the sweep.
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

    @abstractmethod
    def ask(self) -> Suggestion | None:
        """The next point; None when there is none until more results are told, or none at all."""

    @abstractmethod
    def tell(self, suggestion: Suggestion, values: Sequence[float] | None) -> None:
        """What became of a suggestion: a value for each objective, or None for a failed point."""
