"""What predicts a figure: the functions that time kernels, by the names that figures use."""

from collections.abc import Callable, Mapping
from functools import cache

from benchmarks.published import bandwidths, latencies, rates
from benchmarks.published.figures import Figure, Parameter
from benchmarks.published.runs import Took
from benchmarks.published.units import UNITS

RECIPES: dict[str, Callable[..., Took]] = {
    recipe.__name__: recipe
    for recipe in (
        latencies.chase,
        latencies.chain,
        latencies.product_chain,
        latencies.barrier,
        rates.pipe,
        rates.matrix,
        rates.code_that_fits,
        bandwidths.read_chunks,
        bandwidths.read_same,
        bandwidths.stream,
        bandwidths.stride,
        bandwidths.shared_read,
        bandwidths.atomics,
        bandwidths.shared_atomics,
        bandwidths.small_launch,
    )
}

Frozen = tuple[tuple[str, str | int | float | bool | tuple[int, ...]], ...]


def predict(figure: Figure) -> float:
    """The figure that the simulator predicts, in the figure's unit."""
    return UNITS[figure.unit](_took(figure.recipe, figure.gpu, frozen(figure.parameters)))


def frozen(parameters: Mapping[str, Parameter]) -> Frozen:
    """Parameters that can be compared."""
    return tuple(
        (name, tuple(value) if isinstance(value, list) else value)
        for name, value in sorted(parameters.items())
    )


@cache
def _took(recipe: str, gpu: str, parameters: Frozen) -> Took:
    return RECIPES[recipe](gpu, **dict(parameters))
