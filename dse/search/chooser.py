"""What chooses the points of a search's studies: told of each choice and, in their order, of the results."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from search_spaces import Point, Space


@dataclass(frozen=True)
class Study:
    """The search of one workload on one GPU.

    Attributes:
        space: the space at that workload.
        gpu: GPU name.
        points: the candidates, in index order.
    """

    space: Space
    gpu: str
    points: Sequence[Point]


class Chooser(ABC):
    """Chooses among the candidates of each study, which are numbered from 0."""

    @abstractmethod
    def choose(self, study: int) -> int | None:
        """A candidate that was not chosen before; None if there is none left."""

    @abstractmethod
    def note(self, study: int, candidate: int) -> None:
        """A candidate was chosen, by `choose` or by someone else."""

    @abstractmethod
    def learn(self, values: Sequence[float] | None) -> None:
        """The result of the oldest choice whose result is not known yet; None if it failed."""
