"""Every benchmark runs to its end at its smallest size, in a process of its own, and prints what it is there for."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"


@dataclass(frozen=True)
class Smallest:
    """A program at its smallest size.

    Attributes:
        program: its module within `benchmarks`.
        arguments: its command line; `OUT` stands for a new path.
        prints: a regular expression for what it must print.
        needs: a package that an extra brings.
    """

    program: str
    arguments: str
    prints: str
    needs: str | None = None

    def __str__(self) -> str:
        return " ".join([self.program, *re.findall(r"^[a-z]+", self.arguments)])


SMALLEST = [
    Smallest("service.overhead", "--points 12 --seconds 0.01 --repeats 1 --ways bare", "bare "),
    Smallest("service.ray_tune", "--trials 2 --contenders tune-reuse", "tune-reuse .* 2 ", needs="fsspec"),
    Smallest("service.store", "--trials 200 --points 128 --seconds 0.05", "export: .* trials/s"),
    Smallest("service.clients", "--clients 1 --seconds 1 --trials 1", "2 of 2 sweeps finished; errors: none"),
    Smallest("service.report", "--trials 400", "report of 400 trials: .* MB"),
    Smallest("service.million", "--points 16", "^16 points"),
    Smallest("service.scale", "--workers 2,8 --seconds 0.02 --lasting 0.2", "│ 8 "),
    Smallest("service.nodes", "--points 12 --seconds 0.01 --repeats 1", "│ 2 "),
    Smallest("service.memory", "--spaces transpose --gpus h200 --trials 1", "transpose "),
    Smallest("service.mlflow_export", "large --trials 20", "^20 children; results.parquet"),
    Smallest(
        "service.mlflow_export",
        "kills --kills 1 --victims sqlite-exporter",
        "of 1 sweeps 1 are whole, of 120 trials 120",
    ),
    Smallest("service.waiting", "--only import help --repeats 1", "import dse, s"),
    Smallest(
        "search", "--only sgemm --seeds 1 --samplers surrogate --strategies random_sample", "surrogate "
    ),
    Smallest("search.measure", "plan OUT", "12360 points"),
    Smallest("search.share", "--spaces layer_norm --trials 4", "layer_norm .* 52 "),
    Smallest("search.bounds", "--spaces transpose --gpu h200", "h200 .* 30 .* 0 "),
    Smallest("search.transfer", "--only sgemm --seeds 1", "warm "),
    Smallest("chaos.kill", "--kills 1 --nodes 1", "0 of them more than once; failed: none"),
    Smallest(
        "chaos.service_kills",
        "--kills 1 --points 16 --victims worker",
        "1 sweeps; 0 trials missing; sweeps that differ: none",
    ),
    Smallest(
        "simulator.corpus",
        "--theme quantisation --gpu h200 --kernel half_arithmetic",
        "1 kernels, 1 runs, .* 0 wrong",
    ),
    Smallest(
        "simulator.random_programs",
        "architectures --programs 2 --seed 2 --gpu h200,rtx5090",
        "2 programs .* 0 differ",
    ),
    Smallest("simulator.instruction_forms", "bundle OUT --forms 2", "2 of 2 compiled"),
    Smallest("simulator.random_flow", "bundle OUT --programs 2", "2 of 2 compiled"),
    Smallest("simulator.random_flow.traces", "bundle OUT --programs 2", "2 of 2 compiled"),
    Smallest("simulator.random_flow.states", "bundle OUT --programs 2", "2 of 2 compiled"),
    Smallest("simulator.few_lanes", "bundle OUT", "3 kernels"),
    Smallest("simulator.lane_states", "bundle OUT", "3 kernels"),
    Smallest(
        "simulator.restored_barrier",
        "compare tests/silicon/h100-sxm",
        "300 warps: 300 took the first lane's word",
    ),
    Smallest("simulator.shared_attempts", "bundle OUT", "2 kernels"),
    Smallest("simulator.paths", "--programs 1 --seed 3 --gpu h200", "1 programs on h200: 0 differ"),
    Smallest("simulator.damage", "words --architecture sm_86 --every 4", "sm_86: .* words, 0 wrong"),
    Smallest("simulator.damage", "cubins --count 20", "20 cubins: .* 0 wrong"),
    Smallest("simulator.speed", "--skip-start", "matmul_tiled"),
    Smallest("simulator.points", "dot --points 1 --gpu h200", "mean "),
    Smallest("simulator.data_dependent", "histogram --points 1", "histogram 0"),
    Smallest(
        "simulator.utilisation", "fma_chain --gpu h200 --trials 2", "whole sweep: .* of the cores' time"
    ),
    Smallest("simulator.digest", "--per-gpu 1 --jobs 1", "14 predictions, digest"),
    Smallest(
        "simulator.encodings", "check sm_90 --words 100 --points 1 --space dot", "100 others; 0 read wrongly"
    ),
    Smallest("simulator.verdicts", "latency_hiding", "2 verdicts, 0 changed"),
    Smallest("simulator.private_lines", "--gpu h200 --every 100", "strides .* h200"),
    Smallest("simulator.private_lines", "--capacity --gpu h200", "median .* 0.76"),
    Smallest("simulator.l2_residency", "--gpu h200 --every 40", "h200: off by 0.0.* if replayed"),
    Smallest("simulator.private_lines_replay", "--blocks 132 --elements 16", "512 .* 86.*%"),
    Smallest("simulator.portable", "--families saxpy --worst 1", "worst .* 2 .*%"),
    Smallest("simulator.intervals", "--every 200", "every limit"),
    Smallest("simulator.ties", "--families saxpy --gpu h200", "h200 .* calibrated .* 2 of 2"),
    Smallest("simulator.likeness", "--families saxpy --gpu h200", "used .* 0.8"),
    Smallest("published", "--gpu rtx5090 --quantity tensor", "all .* 100%"),
    Smallest(
        "silicon.runner.measure", "bundle OUT benchmarks/silicon/micro/launch/empty", "1 spaces, 50 points"
    ),
    Smallest("silicon.runner.measure", "run --help", "--first"),
    Smallest("silicon.runner.measure", "counters --help", "--launches"),
    Smallest("silicon.runner.ports", "OUT", ": 164 points"),
    Smallest("silicon.runner.sequences", "OUT", ": 198 points"),
    Smallest("silicon.runner.read_patterns", "OUT", ": 202 points"),
    Smallest("silicon.runner.branch_stalls", "OUT", "1 spaces, 60 points"),
    Smallest("silicon.runner.cadence", "OUT --op 7", "1 spaces, .* points"),
]


@pytest.mark.parametrize("smallest", SMALLEST, ids=str)
def test_a_benchmark_runs_at_its_smallest_size(smallest: Smallest, tmp_path: Path) -> None:
    if smallest.needs and find_spec(smallest.needs) is None:
        pytest.skip(f"{smallest.needs} comes with the extra `benchmarks`")
    arguments = smallest.arguments.replace("OUT", str(tmp_path / "out")).split()
    run = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{smallest.program}", *arguments],
        cwd=ROOT,
        env={**os.environ, "DSE_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(smallest.prints, run.stdout, re.MULTILINE), run.stdout


ON_THE_GPU = BENCHMARKS / "silicon" / "micro"
"""What runs nowhere else."""


def test_every_program_is_run() -> None:
    programs = {
        ".".join(path.relative_to(BENCHMARKS).with_suffix("").parts).removesuffix(".__main__")
        for path in BENCHMARKS.rglob("*.py")
        if ON_THE_GPU not in path.parents and '__name__ == "__main__"' in path.read_text()
    }
    assert programs == {smallest.program for smallest in SMALLEST}


def test_every_program_has_its_line_in_the_readme() -> None:
    readme = (BENCHMARKS / "README.md").read_text()
    for smallest in SMALLEST:
        assert f"benchmarks.{smallest.program}" in readme
