"""Files of auto-tuners: Kernel Tuner's cache, and results in the T4 schema that several tuners write.

Neither contains code, grid or block: the parameters identify the variant, and the tuned space provides the rest.
Kernel Tuner's times are in milliseconds; a failed variant has the name of its error instead.
Formats: https://github.com/KernelTuner/kernel_tuner (`schema/cache`), https://github.com/odgaard/TuningSchema.
"""

import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from statistics import mean
from typing import Any

from simcore.validation.measurement import MeasuredFile, Measurement, MeasurementError

MICROSECONDS = {
    **dict.fromkeys(("s", "seconds"), 1e6),
    **dict.fromkeys(("", "ms", "milliseconds"), 1e3),  # Kernel Tuner writes times without a unit in ms
    **dict.fromkeys(("us", "µs", "microseconds"), 1.0),
    **dict.fromkeys(("ns", "nanoseconds"), 1e-3),
}
#: The time of a failed variant in files of Kernel Tuner before 1.0.
FAILED_MS = 1e20


def read_tuner(path: Path, text: str) -> MeasuredFile:
    """The variants of a Kernel Tuner cache or a T4 results file.

    Raises:
        MeasurementError: names the key and the problem.
    """
    document = _parse(path, text)
    if isinstance(document.get("cache"), dict):
        return _read_cache(path, document)
    if isinstance(document.get("results"), list):
        return _read_t4(path, document)
    raise MeasurementError(
        f"{path}: has neither `cache` (Kernel Tuner) nor `results` (T4); give the file that the tuner wrote"
    )


def _parse(path: Path, text: str) -> dict[str, Any]:
    """The document; an unfinished cache ends in a comma and lacks two braces."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        try:
            document = json.loads(text.rstrip().rstrip(",") + "}}")
        except json.JSONDecodeError:
            raise MeasurementError(f"{path}:{error.lineno}: is not JSON: {error.msg}") from error
    if not isinstance(document, dict):
        raise MeasurementError(f"{path}: is not a JSON object; give the file that the tuner wrote")
    return document


def _read_cache(path: Path, document: dict[str, Any]) -> MeasuredFile:
    keys = document.get("tune_params_keys")
    if not isinstance(keys, list):
        raise MeasurementError(f"{path}: `tune_params_keys` is missing; it lists the parameters' names")
    family = str(document.get("kernel_name", path.stem))
    measurements = []
    for name, entry in document["cache"].items():
        place = f"{path}: cache[{name!r}]"
        time = _milliseconds(place, entry)
        if time is None:
            continue
        absent = [key for key in keys if key not in entry]
        if absent:
            raise MeasurementError(f"{place}: has no {absent[0]!r}, which `tune_params_keys` lists")
        measurements.append(Measurement(family, place, {key: entry[key] for key in keys}, time * 1e3))
    return MeasuredFile(
        tuple(measurements),
        failed=len(document["cache"]) - len(measurements),
        device=document.get("device_name"),
    )


def _milliseconds(place: str, entry: Mapping[str, Any]) -> float | None:
    """The mean time of a variant; None for one that failed."""
    time = entry.get("time")
    if isinstance(time, str):
        return None
    if not isinstance(time, int | float):
        raise MeasurementError(f"{place}: `time` is {time!r}; it is the mean time in milliseconds")
    return float(time) if isfinite(time) and time < FAILED_MS else None


def _read_t4(path: Path, document: dict[str, Any]) -> MeasuredFile:
    told, results = document.get("metadata"), document["results"]
    metadata = told if isinstance(told, dict) else {}
    family = str(metadata.get("kernel_name", path.stem))
    measurements = []
    for position, result in enumerate(results):
        place = f"{path}: results[{position}]"
        if not isinstance(result, dict) or not isinstance(result.get("configuration"), dict):
            raise MeasurementError(
                f"{place}: has no `configuration`, which contains the variant's parameters"
            )
        if result.get("invalidity", "correct") == "correct":
            time_us = _t4_time_us(place, result)
            measurements.append(Measurement(family, place, result["configuration"], time_us))
    return MeasuredFile(
        tuple(measurements),
        failed=len(results) - len(measurements),
        device=metadata.get("device_name"),
    )


def _t4_time_us(place: str, result: Mapping[str, Any]) -> float:
    """The measurement called `time`, or otherwise the mean of the runtimes, which are in milliseconds."""
    for entry in result.get("measurements", ()):
        if entry.get("name") == "time":
            unit = str(entry.get("unit", "")).lower()
            if unit not in MICROSECONDS:
                raise MeasurementError(f"{place}: the unit of `time` is {unit!r}; use s, ms, us or ns")
            return float(entry["value"]) * MICROSECONDS[unit]
    runtimes = result.get("times", {}).get("runtimes")
    if not runtimes:
        raise MeasurementError(f"{place}: has neither a measurement `time` nor `times.runtimes`")
    return float(mean(runtimes)) * 1e3
