"""Measuring on a GPU, without one: the bundle that goes there, and what is made of the figures that come back."""

import json
from pathlib import Path

import pytest

from benchmarks.silicon.runner.bundle import found, write_bundle
from benchmarks.silicon.runner.collect import collect
from benchmarks.silicon.runner.counters import parse_raw_page
from benchmarks.silicon.runner.device import fill
from simcore import Buffer
from simcore.validation import read_measurements

ROOT = Path(__file__).parents[2]
SILICON = ROOT / "benchmarks" / "silicon"
HEADER = {"header": {"gpu": "NVIDIA H200", "compiler": "nvrtc 13.5", "date": "2026-11-21"}}


def test_a_bundle_and_its_times_become_measurements(tmp_path: Path) -> None:
    write_bundle(tmp_path, found([str(SILICON / "families" / "saxpy")]), "h200")
    (space,) = json.loads((tmp_path / "plan.json").read_text())["spaces"]
    assert all((tmp_path / point["cubin"]).is_file() for point in space["points"])
    figures = {"time_us": 1.5, "registers": 16, "blocks_per_sm": 16}
    times = [{"space": "saxpy", "index": point["index"], **figures} for point in space["points"]]
    (tmp_path / "times.jsonl").write_text("\n".join(map(json.dumps, [HEADER, *times])))
    counters = {"space": "saxpy", "index": times[0]["index"], "counters": {"smsp__inst_executed.sum": 7}}
    (tmp_path / "counters.jsonl").write_text(json.dumps(counters))
    collect(tmp_path, tmp_path, tmp_path / "saxpy.jsonl.gz")
    measured = read_measurements(tmp_path / "saxpy.jsonl.gz").measurements
    assert [each.time_us for each in measured] == [1.5] * len(times)
    assert [each.warp_instructions for each in measured[:2]] == [7, None]
    assert measured[0].recipe is not None


def test_spaces_are_found_by_name_and_at_any_depth() -> None:
    dram = found(["dot", str(SILICON / "micro" / "dram")])
    assert [space.kernel for space in dram] == [
        "dot",
        "access_latency",
        "bandwidth",
        "copy_latency",
        "copy_order",
        "dram_stores",
        "gathered_rows",
        "loaded_latency",
        "many_streams",
        "mixed_streams",
        "neighbours_in_place",
        "parts_of_lines",
        "phased_rows",
        "reduced_rows",
        "row_pieces",
        "sm_shares",
        "write_meets_fetch",
    ]
    micro = {space.kernel for space in found([str(SILICON / "micro")])}
    assert micro > {
        "access_latency",
        "bank_conflicts",
        "empty",
        "jump_chain",
        "operation_chain",
        "store_rate",
    }


def test_the_profilers_raw_page_is_one_record_a_launch() -> None:
    page = ROOT / "tests" / "simcore" / "data" / "measurements" / "nsight_raw.csv"
    first, *_ = records = parse_raw_page(page.read_text())
    assert len(records) == 4
    assert first["smsp__inst_executed.sum"] == 458752
    assert first["smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"] == 27.01
    assert parse_raw_page("==PROF== No kernels were profiled.") == []


@pytest.mark.parametrize("content", ["zeros", "ones", "iota", "uniform", "randint", "sorted", "permutation"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bfloat16"])
def test_the_gpu_gets_the_buffers_that_the_simulator_has(content: str, dtype: str) -> None:
    high = 100 if content in ("randint", "sorted") else 0
    here = Buffer(dtype, 1000, content, seed=3, high=high).materialise()
    there = fill({"dtype": dtype, "elements": 1000, "fill": content, "seed": 3, "high": high})
    assert here.dtype == there.dtype
    assert (here == there).all()


def test_a_buffer_of_vectors_is_one_of_their_numbers_on_the_gpu(tmp_path: Path) -> None:
    folder = tmp_path / "vectors"
    folder.mkdir()
    (folder / "kernel.cu").write_text('extern "C" __global__ void vectors(float2* x) { x[N].y = 1; }')
    (folder / "space.yaml").write_text(
        "kernel: vectors\nsource: kernel.cu\nparameters: {n: [1]}\nlaunch: {grid: 1, block: 32}\n"
        "arguments: [{name: x, type: float32x2, elements: 100, fill: zeros}]\n"
        "objectives: [minimize time_us]\ngpu: [h200]\n"
    )
    write_bundle(tmp_path / "bundle", found([str(folder)]), "h200")
    (space,) = json.loads((tmp_path / "bundle" / "plan.json").read_text())["spaces"]
    (argument,) = space["points"][0]["arguments"]
    assert (argument["dtype"], argument["elements"]) == ("float32", 200)
