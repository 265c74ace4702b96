"""The shared-memory carve-out against what Nsight Compute reported of launches on an H200 and an H100."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from simcore import load_gpu
from simcore.model.launch import Launch
from simcore.model.machine_model import shared_carveout
from simcore.model.occupancy import occupancy

SILICON = Path(__file__).parents[2] / "silicon"


def measured(gpu: str, name: str) -> Iterator[dict[str, Any]]:
    """The points of a measured file that have counters."""
    with gzip.open(SILICON / gpu / name, "rt") as lines:
        next(lines)
        yield from (point for point in map(json.loads, lines) if point.get("counters"))


@pytest.mark.parametrize("name", ["h200", "h100-sxm"])
@pytest.mark.parametrize("file", ["catalog.jsonl.gz", "families.jsonl.gz"])
def test_the_carve_out_is_the_drivers_in_nearly_all_launches(name: str, file: str) -> None:
    gpu = load_gpu(name)
    equal = []
    for point in measured(name, file):
        threads = point["block"][0] * point["block"][1] * point["block"][2]
        shared = point["shared_bytes"] + point["dynamic_shared_bytes"]
        room = occupancy(gpu, threads, point["registers"], shared)
        launch = cast(Launch, SimpleNamespace(shared_bytes=shared, threads_per_block=threads))
        equal.append(
            shared_carveout(gpu, room, launch) == point["counters"]["launch__shared_mem_config_size"]
        )
    assert sum(equal) >= 0.9 * len(equal) > 300
