"""A GPU in words: `h100-sxm,sms=144,l2_bytes=100MB` is the H100 with more SMs and twice the L2.

Sizes may be written as data sheets write those of memories: KB, MB and GB are powers of 1024.
"""

import re
from collections.abc import Mapping
from typing import Any

from simcore.errors import SimcoreError
from simcore.gpu import Gpu, check_field

NUMBERS = tuple(name for name, field in Gpu.model_fields.items() if field.annotation in (int, float))
"""The fields that an override in words can name."""

_SIZES = {"GB": 1 << 30, "MB": 1 << 20, "KB": 1 << 10}
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z%/]*)")


def parse_gpu(text: str) -> tuple[str, dict[str, float]]:
    """The profile's name and the overrides after it.

    Raises:
        UnknownGpu: no such field.
        SimcoreError: a value that is no number, or has another unit than the field.
    """
    name, *changes = (part.strip() for part in text.split(","))
    overrides: dict[str, float] = {}
    for change in changes:
        field, equals, value = (part.strip() for part in change.partition("="))
        if not equals or not value:
            raise SimcoreError(f"{text}: {change!r} is not an override; write FIELD=VALUE, as in sms=144")
        if field in overrides:
            raise SimcoreError(f"{text}: {field} is set twice")
        overrides[field] = parse_number(field, value)
    return name, overrides


def parse_number(field: str, text: str) -> float:
    """A field's value from text: a number, for sizes also with KB, MB or GB.

    Raises:
        UnknownGpu: no such field.
        SimcoreError: not a number, or another unit than the field's.
    """
    check_field(field)
    if field not in NUMBERS:
        raise SimcoreError(
            f"{field} is not a single number; put it in a profile of your own, a file with `base:`"
        )
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise SimcoreError(f"{field}={text}: is not a number; give it in {Gpu.unit(field)}{_example(field)}")
    number, unit = match.groups()
    value = float(number) if re.search(r"[.eE]", number) else int(number)
    if unit and unit not in _units(field):
        raise SimcoreError(f"{field}={text}: {unit!r} is no unit of {field}; {_advice(field)}")
    scaled = value * _SIZES.get(unit, 1)
    return int(scaled) if float(scaled).is_integer() else scaled


def gpu_in_words(name: str, overrides: Mapping[str, float]) -> str:
    """The text that `parse_gpu` reads, the same for the same overrides: in the order of the fields."""
    order = list(Gpu.model_fields)
    changes = (f"{field}={_shown(field, overrides[field])}" for field in sorted(overrides, key=order.index))
    return ",".join([name, *changes])


def split_gpus(text: str) -> list[str]:
    """`h100-sxm,sms=144,b200` as `["h100-sxm,sms=144", "b200"]`: what has an equals sign belongs to the GPU before it.

    Raises:
        SimcoreError: an override without a GPU before it.
    """
    gpus: list[str] = []
    for part in (part.strip() for part in text.split(",") if part.strip()):
        if "=" not in part:
            gpus.append(part)
        elif gpus:
            gpus[-1] += f",{part}"
        else:
            raise SimcoreError(f"{part}: no GPU before it; write such as h100-sxm,{part}")
    return gpus


def _is_size(field: str) -> bool:
    return Gpu.unit(field) == "bytes"


def _units(field: str) -> tuple[str, ...]:
    return (*_SIZES, "B", "bytes") if _is_size(field) else (Gpu.unit(field),)


def _example(field: str) -> str:
    return ", as in 50MB" if _is_size(field) else ""


def _advice(field: str) -> str:
    if _is_size(field):
        return "use KB, MB, GB or plain bytes"
    return f"give it in {Gpu.unit(field)}"


def _shown(field: str, value: Any) -> str:
    if _is_size(field):
        for unit, size in _SIZES.items():
            if value and value % size == 0:
                return f"{int(value // size)}{unit}"
    return str(value)
