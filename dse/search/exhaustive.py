"""Every valid point on every GPU, in index order; never waits for results."""

from collections.abc import Iterator, Sequence

from dse.search.base import Search, Suggestion
from search_spaces import Space


class ExhaustiveSearch(Search):
    """Walks the space once, each point on all GPUs before the next, so that GPUs can be compared early."""

    def __init__(self, space: Space, gpus: Sequence[str]) -> None:
        self._suggestions = self._walk(space, gpus)

    def ask(self) -> Suggestion | None:
        return next(self._suggestions, None)

    def tell(self, suggestion: Suggestion, values: Sequence[float] | None) -> None:
        """Ignore results."""

    @staticmethod
    def _walk(space: Space, gpus: Sequence[str]) -> Iterator[Suggestion]:
        number = 0
        for point in space.points():
            index = space.index(point)
            for gpu in gpus:
                yield Suggestion(number, gpu, index, point)
                number += 1
