"""Nsight Compute's raw page, as `ncu --csv --page raw` prints it: one row per launch, one column per metric.

The second line contains the units, which the profiler scales unless `--print-units base` is given; numbers may have
thousands separators. Additional columns, added by hand, are the variant's parameters.
"""

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from simcore.validation.measurement import MeasuredFile, Measurement, MeasurementError

TIME = "gpu__time_duration.sum"
REGISTERS = "launch__registers_per_thread"
BLOCK_LIMITS = tuple(
    f"launch__occupancy_limit_{name}" for name in ("blocks", "registers", "shared_mem", "warps")
)
INFORMATION = frozenset(
    {"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context", "Stream"}
    | {"Block Size", "Grid Size", "Device", "CC"}
)
#: Nsight scales times with these units, and counts with a letter before theirs.
MICROSECONDS = {
    **dict.fromkeys(("s", "sec", "second"), 1e6),
    **dict.fromkeys(("ms", "msec", "msecond"), 1e3),
    **dict.fromkeys(("us", "usec", "usecond"), 1.0),
    **dict.fromkeys(("ns", "nsec", "nsecond"), 1e-3),
}
COUNT_SCALES = {"inst": 1.0, "Kinst": 1e3, "Minst": 1e6, "Ginst": 1e9}


def read_nsight(path: Path, text: str) -> MeasuredFile:
    """The launches of a raw page; other output of the profiler and the program is skipped.

    Raises:
        MeasurementError: names the row and the problem.
    """
    table = csv.DictReader(line for line in text.splitlines() if line.startswith('"'))
    columns = table.fieldnames or []
    if "Metric Name" in columns:
        raise MeasurementError(f"{path}: is not the raw page; print it with `ncu --csv --page raw`")
    if TIME not in columns:
        raise MeasurementError(f"{path}: has no column {TIME}; add it to the profiler's --metrics")
    rows = list(table)
    units = next((row for row in rows if not row["ID"].strip()), dict.fromkeys(columns, ""))
    launches = [row for row in rows if row["ID"].strip()]
    return MeasuredFile(tuple(_measurement(path, row, units) for row in launches))


def _measurement(path: Path, row: Mapping[str, str], units: Mapping[str, str]) -> Measurement:
    place = f"{path}: ID {row['ID']}"
    counters = {
        name: number * COUNT_SCALES.get(units[name], 1.0)
        for name, text in row.items()
        if "__" in name and (number := _number(text)) is not None
    }
    if TIME not in counters:
        raise MeasurementError(f"{place}: {TIME} is {row[TIME]!r}, not a number; profile in the C locale")
    unit = units[TIME] or "ns"
    if unit not in MICROSECONDS:
        raise MeasurementError(f"{place}: the unit of {TIME} is {unit!r}; print it with `--print-units base`")
    return Measurement(
        family=row.get("Kernel Name", path.stem).partition("(")[0].strip(),
        place=place,
        parameters={
            name: _parameter(text)
            for name, text in row.items()
            if name not in INFORMATION and "__" not in name and ":" not in name
        },
        time_us=counters[TIME] * MICROSECONDS[unit],
        counters=counters,
        registers=int(counters[REGISTERS]) if REGISTERS in counters else None,
        blocks_per_sm=_blocks_per_sm(counters),
        grid=_extent(row.get("Grid Size")),
        block=_extent(row.get("Block Size")),
    )


def _blocks_per_sm(counters: Mapping[str, float]) -> int | None:
    """The smallest of the four occupancy limits; None unless all were profiled."""
    limits = [counters[name] for name in BLOCK_LIMITS if name in counters]
    return int(min(limits)) if len(limits) == len(BLOCK_LIMITS) else None


def _extent(text: str | None) -> tuple[int, ...] | None:
    """`(256, 1, 1)` as three numbers."""
    numbers = tuple(map(int, re.findall(r"\d+", text or "")))
    return numbers if len(numbers) == 3 else None


def _number(text: str | None) -> float | None:
    if not text or not re.fullmatch(r"-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?(e[+-]?\d+)?", text):
        return None
    return float(text.replace(",", ""))


def _parameter(text: str) -> int | float | str | None:
    number = _number(text)
    if number is None:
        return None if text in ("", "none") else text
    return int(number) if number.is_integer() else number
