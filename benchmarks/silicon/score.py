"""Hold predictions against measured files: time, order of variants, regret, counts, occupancy, dominant stall.

    python benchmarks/silicon/score.py tests/silicon/h200/catalog.jsonl.gz
    python benchmarks/silicon/score.py tests/silicon/h200/families.jsonl.gz --split validation --every 4 --worst 20

Times are of one launch among many back to back in a stream; counters are Nsight Compute's.
"""

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

import numpy as np
import yaml

from simcore import Buffer, SimcoreError, compile_cuda, simulate, warm_up

STALL = "smsp__average_warps_issue_stalled_"
EXECUTED = "smsp__inst_executed.sum"


@dataclass(frozen=True)
class Score:
    """One point, predicted and measured."""

    space: str
    parameters: dict[str, Any]
    measured_us: float
    predicted_us: float
    same_instructions: bool
    same_registers: bool
    same_blocks: bool
    same_stall: bool
    warp_instructions: int
    seconds: float

    @property
    def error(self) -> float:
        """Predicted over measured time, less one."""
        return self.predicted_us / self.measured_us - 1.0


def main() -> None:
    arguments = _arguments()
    header, points = _read(arguments.file)
    if arguments.split:
        chosen = yaml.safe_load((Path(__file__).parent / "split.yaml").read_text())[arguments.split]
        points = [p for p in points if p["space"] in chosen]
    if arguments.spaces:
        points = [p for p in points if p["space"] in arguments.spaces.split(",")]
    points = [
        p for p in points[:: arguments.every] if p["counters"].get(EXECUTED, 0) <= arguments.most_instructions
    ]
    warm_up()
    jobs = [(p, header["sources"][p["space"]], arguments.gpu) for p in points]
    families: dict[str, list[Score]] = defaultdict(list)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for outcome in pool.map(_score, jobs, chunksize=2):
            if isinstance(outcome, str):
                print(outcome)
            else:
                families[outcome.space].append(outcome)
    _print_table(families)
    everything = sorted((s for scores in families.values() for s in scores), key=lambda s: -abs(s.error))
    for score in everything[: arguments.worst]:
        print(f"{score.error:+7.1%}  {score.measured_us:9.2f} us  {score.space} {score.parameters}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="a measured file, as `measure.py collect` writes it")
    parser.add_argument("--gpu", default="h200", help="the profile to predict with")
    parser.add_argument("--spaces", default="", help="only these, separated by commas")
    parser.add_argument("--split", choices=("calibration", "validation"), help="only this half of split.yaml")
    parser.add_argument("--every", type=int, default=1, help="every N-th point")
    parser.add_argument("--most-instructions", type=float, default=1e12, help="leave out larger points")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--worst", type=int, default=0, help="list so many of the worst points")
    return parser.parse_args()


def _read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    with gzip.open(path, "rt") as file:
        header, *points = (json.loads(line) for line in file)
    return header["header"], points


def _score(job: tuple[dict[str, Any], str, str]) -> Score | str:
    point, source, gpu = job
    started = perf_counter()
    try:
        result = simulate(
            cubin=compile_cuda(source, gpu, point["defines"], point["register_cap"]),
            grid=point["grid"],
            block=point["block"],
            arguments=[_argument(a) for a in point["arguments"]],
            gpu=gpu,
            dynamic_shared_bytes=point["dynamic_shared_bytes"],
        )
    except SimcoreError as error:
        return f"{point['space']} {point['parameters']}: {type(error).__name__}: {error}"
    counters = point["counters"]
    stalls = {name.removeprefix(STALL): value for name, value in counters.items() if name.startswith(STALL)}
    del stalls[next(name for name in stalls if name.startswith("selected"))]
    dominant = max(stalls, key=stalls.__getitem__).split("_per_issue_active")[0]
    return Score(
        space=point["space"],
        parameters=point["parameters"],
        measured_us=point["time_us"],
        predicted_us=result.time_us,
        same_instructions=counters[EXECUTED] == result.warp_instructions,
        same_registers=point["registers"] == result.registers_per_thread,
        same_blocks=point["blocks_per_sm"] == result.occupancy.blocks_per_sm,
        same_stall=dominant == result.bottleneck,
        warp_instructions=result.warp_instructions,
        seconds=perf_counter() - started,
    )


def _argument(argument: dict[str, Any]) -> Buffer | np.generic:
    if argument["elements"] is None:
        value: np.generic = np.dtype(argument["dtype"]).type(argument["value"])
        return value
    fill, high = argument["fill"] or "zeros", argument.get("high") or 0
    return Buffer(argument["dtype"], argument["elements"], fill, argument["seed"], high)


def _print_table(families: dict[str, list[Score]]) -> None:
    rows = sorted(map(_row, families.values()), key=lambda row: -row[2])
    columns = ("points", "error", "bias", "worst", "rank corr", "regret", "insts", "regs", "blocks", "stall")
    print(f"{'family':22}" + "".join(f"{column:>10}" for column in columns))
    for name, *figures in [*rows, _overall(rows)]:
        count, error, bias, worst, correlation, regret, *same = figures
        cells = [
            f"{count}",
            f"{error:.1%}",
            f"{bias:+.1%}",
            f"{worst:.1%}",
            f"{correlation:.3f}",
            f"{regret:.1%}",
        ]
        print(f"{name:22}" + "".join(f"{cell:>10}" for cell in [*cells, *(f"{share:.0%}" for share in same)]))
    scores = [score for family in families.values() for score in family]
    seconds = sum(score.seconds for score in scores)
    print(f"{seconds:.0f} s of prediction, {seconds / len(scores) * 1e3:.0f} ms a point, compiling included")


def _row(scores: list[Score]) -> tuple[Any, ...]:
    measured = np.array([s.measured_us for s in scores])
    predicted = np.array([s.predicted_us for s in scores])
    return (
        scores[0].space,
        len(scores),
        mean(abs(s.error) for s in scores),
        mean(s.error for s in scores),
        max(abs(s.error) for s in scores),
        _rank_correlation(measured, predicted),
        float(measured[predicted.argmin()] / measured.min() - 1.0),
        *_shares(scores),
    )


def _shares(scores: list[Score]) -> Iterator[float]:
    for name in ("same_instructions", "same_registers", "same_blocks", "same_stall"):
        yield mean(float(getattr(s, name)) for s in scores)


def _overall(rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The mean over families; of the worst error and the regret also the mean."""
    figures = np.array([row[1:] for row in rows], float)
    return ("mean over families", int(figures[:, 0].sum()), *np.nanmean(figures[:, 1:], axis=0))


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's, ties at their mean rank; not a number for fewer than three points."""
    if len(a) < 3:
        return float("nan")
    return float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])


def _ranks(values: np.ndarray) -> np.ndarray:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2.0)[inverse]


if __name__ == "__main__":
    main()
