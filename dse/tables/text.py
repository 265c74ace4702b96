"""Human-readable values, variants and times."""

import json
from collections.abc import Mapping
from typing import Any

#: The heading of what `interval` says.
INTERVAL = "90% interval"


def shown(value: object) -> str:
    """A parameter's value as written in a space."""
    return str(worded(value))


def worded(value: object) -> object:
    """A parameter's value, with the word for none."""
    return "none" if value is None else value


def variant(parameters: Mapping[str, object], varied: Mapping[str, Any] | None = None) -> str:
    """A point in one line; with `varied`, only the parameters that have more than one value in it."""
    return " ".join(
        f"{name}={shown(value)}"
        for name, value in parameters.items()
        if varied is None or len(varied[name]) > 1
    )


def number(value: float) -> str:
    """A number with four significant digits, and all of those before the point unless they are very many."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"


def cell(value: object) -> str:
    """A value in a small table: four significant digits are enough."""
    return number(value) if isinstance(value, float) else shown(value)


def microseconds(time_us: float) -> str:
    """A time with four significant digits."""
    return f"{number(time_us)} µs"


def interval(metrics: Mapping[str, Any]) -> str:
    """Between which times in µs nine of ten such launches are; nothing for trials of before there were intervals."""
    low, high = metrics.get("time_low_us"), metrics.get("time_high_us")
    return "" if low is None or high is None else f"{number(low)} to {number(high)}"


def slowdown(ratio: float | None) -> str:
    """A ratio to the best in percent above it; a dash if unknown."""
    return "-" if ratio is None else f"+{ratio - 1:.1%}"


def against_first(speedup: float) -> str:
    """A speedup over the space's first point, such as `1.04x the space's first point`, or `10x slower than` it."""
    first = "the space's first point"
    return f"{speedup:.2f}x {first}" if speedup >= 0.995 else f"{1 / speedup:.3g}x slower than {first}"


def duration(seconds: float) -> str:
    """A duration in hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def flat(value: object) -> object:
    """A value as one cell of a file; structured values become JSON."""
    return json.dumps(value) if isinstance(value, list | tuple | dict) else value
