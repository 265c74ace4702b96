"""Merge the times and counters of one run into a compact JSON-lines file: a header, then a record a point."""

import json
from pathlib import Path
from typing import Any


def collect(out: Path, file: Path) -> None:
    """Write `out/times.jsonl` with the counters of `out/counters.jsonl`, when there are any, joined in."""
    header, *records = _read(out / "times.jsonl")
    counters = {_key(record): record["counters"] for record in _read(out / "counters.jsonl")}
    for record in records:
        if _key(record) in counters:
            record["counters"] = counters[_key(record)]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [header, *records]))
    missing = sum("counters" not in record for record in records)
    failed = sum("error" in record for record in records)
    print(f"{file}: {len(records)} points, {failed} failed, {missing} without counters")


def _key(record: dict[str, Any]) -> tuple[str, int]:
    return record["space"], record["index"]


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
