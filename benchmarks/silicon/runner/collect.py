"""Merge a bundle's plan with the times and counters of one run into one JSON-lines file that stands alone.

The header tells the machine, the compiler and every kernel's source; each record then holds one point: how it
was compiled and launched, what it took, and Nsight Compute's counters. The name's ending `.gz` compresses it.
"""

import gzip
import json
from pathlib import Path
from typing import Any


def collect(bundle: Path, out: Path, file: Path) -> None:
    """Write the plan's points with `out/times.jsonl` and `out/counters.jsonl` joined in."""
    plan = json.loads((bundle / "plan.json").read_text())
    header, *times = _read(out / "times.jsonl")
    measured = {_key(record): record for record in times}
    counters = {_key(record): record["counters"] for record in _read(out / "counters.jsonl")}
    header["header"]["sources"] = {space["space"]: space["source"] for space in plan["spaces"]}
    records = []
    for space in plan["spaces"]:
        for point in space["points"]:
            key = space["space"], point["index"]
            record = {"space": space["space"], **point, **measured.get(key, {"error": "not measured"})}
            del record["cubin"]
            records.append(record | ({"counters": counters[key]} if key in counters else {}))
    lines = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [header, *records])
    file.parent.mkdir(parents=True, exist_ok=True)
    packed = file.suffix == ".gz"
    file.write_bytes(gzip.compress(lines.encode(), mtime=0) if packed else lines.encode())
    missing = sum("counters" not in record for record in records)
    failed = sum("error" in record for record in records)
    print(f"{file}: {len(records)} points, {failed} failed, {missing} without counters")


def _key(record: dict[str, Any]) -> tuple[str, int]:
    return record["space"], record["index"]


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
