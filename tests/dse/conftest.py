"""A small space on disk, and an evaluation that answers at once, so that the service can be tested alone."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from dse.tasks import Outcome, Task
from search_spaces import Space, load_space

SOURCE = """
extern "C" __global__ void scale(float* data, float factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int step = 0; step < UNROLL; ++step) data[i] *= factor + WIDTH;
    }
}
"""

SPACE = """
kernel: scale
source: kernel.cu
parameters:
  unroll: [1, 2, 4, 8, 16]
  width: [1, 2, 4]
  block_size: [64, 128, 256, 512]
  register_cap: [none, 32]
gpu: [a100-80gb, h100-sxm]
constraints: ["unroll >= width"]
launch: {grid: "ceil_div(n, block_size)", block: block_size}
values: {n: 4096}
arguments:
  - {name: data, type: float32, elements: n, fill: uniform}
  - {name: factor, type: float32, value: 0.5}
  - {name: n, type: int32, value: n}
objectives: [minimize time_us]
"""

Evaluate = Callable[[Task], Outcome]


@pytest.fixture
def space_file(tmp_path: Path) -> Path:
    """A space with 96 valid points of 120, on two GPUs."""
    folder = tmp_path / "scale"
    folder.mkdir()
    (folder / "kernel.cu").write_text(SOURCE)
    (folder / "space.yaml").write_text(SPACE)
    return folder / "space.yaml"


@pytest.fixture
def space(space_file: Path) -> Space:
    return load_space(space_file)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, which the command line uses too."""
    folder = tmp_path / "home"
    monkeypatch.setenv("DSE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def quick() -> Evaluate:
    """An evaluation by formula: best at unroll 8, width 4, the largest block; width 2 always fails."""

    # Nested, so that it travels to Ray's workers by value: they cannot import a test.
    def evaluate(task: Task) -> Outcome:
        unroll, width, block = (int(task.defines[name]) for name in ("UNROLL", "WIDTH", "BLOCK_SIZE"))
        if width == 2:
            return Outcome.failure(task.point_hash, "CycleLimitExceeded", f"width {width} never ends")
        time_us = 10 + abs(unroll - 8) - width + 64 / block + (task.register_cap or 0) / 100
        metrics = {
            "time_us": time_us / (2 if task.gpu == "h100-sxm" else 1),
            "cycles": time_us * 1000,
            "warp_instructions": 1000 * unroll,
            "ipc": 1.5,
            "issue_active": 0.4,
            "achieved_occupancy": 0.5,
            "theoretical_occupancy": 0.625,
            "blocks_per_sm": 5,
            "registers_per_thread": 32,
            "local_bytes_per_thread": 0,
            "shared_bytes_per_block": 0,
            "regime": "latency",
            "bottleneck": "long_scoreboard",
            "label": "calibrated",
            "advice": ["Start more loads."],
            "occupancy": {"limiters": ["registers"], "arithmetic": ["registers: 65536 / 8192 = 8 blocks"]},
            "stall_selected": 1.0,
            "stall_long_scoreboard": 3.0,
            "stall_wait": 1.0,
        }
        return Outcome(task.point_hash, "complete", metrics=metrics, simulate_s=0.001)

    return evaluate


@pytest.fixture
def unused_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
