"""What a sampler excludes could not have won: it cannot be launched, which evaluations and measurements confirm."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from dse.evaluation.evaluate import evaluate
from dse.evaluation.points import Refusals, task_for
from dse.search import plan_search, start_search
from search_spaces import load_space, parse_space
from testing.small_space import SOURCE, SPACE

SILICON = Path(__file__).parents[2] / "silicon"
GPUS = ("l4", "h200")
HALF_IMPOSSIBLE = (
    SPACE.replace("width: [1, 2, 4]", "width: [1, 16, 48, 96, 240]")
    .replace("block_size: [64, 128, 256, 512]", "block_size: [64, 1024, 2048]")
    .replace("block: block_size}", "block: block_size, dynamic_shared_bytes: width * 1024}")
    .replace('constraints: ["unroll >= width"]\n', "")
)


@pytest.mark.parametrize("gpu", GPUS)
def test_every_excluded_point_fails_for_the_reason_that_is_given(gpu: str) -> None:
    space = parse_space(HALF_IMPOSSIBLE, SOURCE)
    refusals = Refusals(space, gpu)
    reasons = {space.index(point): refusals.of(point) for point in space.points()}
    search = start_search(space, [gpu], plan_search(space, [gpu], trials=60), seed=0)
    assert search.excluded == Counter((gpu, reason) for reason in reasons.values() if reason)
    assert len(search.excluded) >= 2
    for point in space.points():
        if reason := reasons[space.index(point)]:
            outcome = evaluate(task_for(space, point, gpu))
            assert (outcome.state, outcome.final, outcome.message) == ("failed", True, reason)


@pytest.mark.parametrize("gpu", ["h200", "h100-sxm"])
def test_no_point_that_was_measured_is_excluded(gpu: str) -> None:
    with gzip.open(SILICON / gpu / "catalog.jsonl.gz", "rt") as file:
        records = [record for record in map(json.loads, file) if record.get("time_us")]
    refusals = {name: Refusals(load_space(name), gpu) for name in {record["space"] for record in records}}
    assert len(records) > 300
    assert not any(refusals[record["space"]].of(record["parameters"]) for record in records)
