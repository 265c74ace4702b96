"""The minimum of a smooth function of a few numbers between bounds, by BFGS, a quasi-Newton method.

For a dozen numbers and a few steps scipy.optimize takes as long as the function itself, and its import longer.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
#: What a function is at a place, and its gradient there.
Function = Callable[[Vector], tuple[float, Vector]]

#: Share of the decrease that the gradient promises that a step must bring, and how far a refused one is shortened.
_DECREASE, _SHORTER = 1e-4, 0.3
#: How often a step is shortened before the search ends.
_ATTEMPTS = 8


def minimum(
    function: Function, start: Vector, low: Vector, high: Vector, steps: int, least_gain: float
) -> Vector:
    """Where the function is least, as far as so many steps from the start find it, each of which gains enough."""
    here = np.clip(start, low, high)
    value, gradient = function(here)
    inverse = np.eye(len(here)) / max(1.0, float(np.sqrt(gradient @ gradient)))
    for _ in range(steps):
        free = ~((here <= low) & (gradient > 0) | (here >= high) & (gradient < 0))
        step = -np.where(free, inverse @ np.where(free, gradient, 0.0), 0.0)
        for _ in range(_ATTEMPTS):
            there = np.minimum(np.maximum(here + step, low), high)
            moved = there - here
            found, slope = function(there)
            if found <= value + _DECREASE * (gradient @ moved):
                break
            step *= _SHORTER
        else:
            break
        gained = value - found
        inverse = _updated(inverse, moved, slope - gradient)
        here, value, gradient = there, found, slope
        if gained < least_gain:
            break
    return here


def _updated(inverse: NDArray[np.float64], moved: Vector, change: Vector) -> NDArray[np.float64]:
    """The inverse of the second derivatives, by how the gradient changed over a step."""
    curvature = float(moved @ change)
    if curvature <= 1e-12:
        return inverse
    through = inverse @ change
    both = np.outer(moved, through) / curvature
    scale = (1 + float(change @ through) / curvature) / curvature
    return np.asarray(inverse - both - both.T + scale * np.outer(moved, moved))
