"""Our own measurement files: JSON lines, a header with every kernel's source, then one point per line.

`benchmarks/silicon/runner/collect.py` writes them; a name ending in `.gz` is compressed.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from simcore.model.arguments import Argument, Buffer
from simcore.validation.measurement import MeasuredFile, Measurement, MeasurementError, Recipe


def read_own(path: Path, text: str) -> MeasuredFile:
    """The points of one of our files, each with its recipe.

    Raises:
        MeasurementError: names the line and the problem.
    """
    lines = text.splitlines()
    header = _parse(path, 1, lines[0]).get("header")
    if not isinstance(header, dict) or "sources" not in header:
        raise MeasurementError(
            f"{path}:1: has no header with `sources`; write the file with `measure.py collect`"
        )
    records = [(number, _parse(path, number, line)) for number, line in enumerate(lines[1:], 2)]
    measured = [(number, record) for number, record in records if "error" not in record]
    return MeasuredFile(
        tuple(_measurement(path, number, record, header["sources"]) for number, record in measured),
        failed=len(records) - len(measured),
        device=header.get("gpu"),
    )


def _parse(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise MeasurementError(f"{path}:{number}: is not JSON ({error}); was the file cut short?") from error
    if not isinstance(record, dict):
        raise MeasurementError(f"{path}:{number}: is not an object; each line contains one point")
    return record


def _measurement(path: Path, number: int, record: dict[str, Any], sources: dict[str, str]) -> Measurement:
    place = f"{path}:{number}"
    try:
        recipe = Recipe(
            source=sources[record["space"]],
            grid=tuple(record["grid"]),
            block=tuple(record["block"]),
            arguments=tuple(map(_argument, record["arguments"])),
            defines=record["defines"],
            register_cap=record["register_cap"],
            dynamic_shared_bytes=record["dynamic_shared_bytes"],
        )
        return Measurement(
            family=record["space"],
            place=place,
            parameters=record["parameters"],
            time_us=record["time_us"],
            counters=record.get("counters", {}),
            registers=record["registers"],
            blocks_per_sm=record["blocks_per_sm"],
            grid=recipe.grid,
            block=recipe.block,
            recipe=recipe,
        )
    except KeyError as error:
        raise MeasurementError(f"{place}: has no {error}; collect the file again") from error


def _argument(entry: dict[str, Any]) -> Argument:
    if entry["kind"] == "value":
        value: np.generic = np.dtype(entry["dtype"]).type(entry["value"])
        return value
    return Buffer(
        entry["dtype"], entry["elements"], entry["fill"] or "zeros", entry["seed"], entry["high"] or 0
    )
