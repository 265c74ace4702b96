"""JSON accepted by all databases: infinities and NaN become null."""

import json
import math
from typing import Any


def encode(value: Any) -> str:
    """The value as JSON text; infinities and NaN become null."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False)


def finite(value: Any) -> Any:
    """The value; None for infinities and NaN."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(member) for member in value]
    return finite(value)
