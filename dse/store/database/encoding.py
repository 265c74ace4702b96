"""JSON as every database takes it: numbers that JSON does not have are missing values."""

import json
import math
from typing import Any


def encode(value: Any) -> str:
    """The value as JSON text; infinities and what is not a number become null."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False)


def finite(value: Any) -> Any:
    """The value; None of a number that is infinite or none at all."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(member) for member in value]
    return finite(value)
