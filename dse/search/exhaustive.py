"""Every valid point on every GPU, in index order; never waits for results."""

from collections.abc import Iterator, Sequence

from dse.search.base import Search, Suggestion, free_numbers
from dse.search.settings import SearchSettings, Stage
from search_spaces import Space


class ExhaustiveSearch(Search):
    """Walks the space once, each point on all GPUs before the next, so that GPUs can be compared early.

    An extended sweep first walks what it had before, so that its trials keep their numbers.
    """

    def __init__(self, space: Space, gpus: Sequence[str], settings: SearchSettings) -> None:
        self._suggestions = self._walk(space, gpus, settings)

    def ask(self) -> Suggestion | None:
        return next(self._suggestions, None)

    def tell(self, suggestion: Suggestion, values: Sequence[float] | None) -> None:
        """Ignore results."""

    @staticmethod
    def _walk(space: Space, gpus: Sequence[str], settings: SearchSettings) -> Iterator[Suggestion]:
        kept = [
            Suggestion(each.number, each.gpu, space.index(each.point), each.point) for each in settings.kept
        ]
        yield from kept
        places = {(each.gpu, each.index) for each in kept}
        numbers = free_numbers(settings.kept)
        stages = (*settings.stages, Stage(gpus, space.parameters))
        for place, stage in enumerate(stages):
            for point in space.override(stage.parameters).points():
                index = space.index(point)
                for gpu in stage.gpus:
                    is_had = any(earlier.holds(gpu, point) for earlier in stages[:place])
                    if not is_had and (gpu, index) not in places:
                        yield Suggestion(next(numbers), gpu, index, point)
