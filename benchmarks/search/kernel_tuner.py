"""Kernel Tuner's strategies on a table, in its simulation mode: the times of the points in the order it asks for them.

Kernel Tuner counts a point once, however often a strategy asks for it, and asks only for valid ones.
"""

import contextlib
import copy
import io
import json
import random
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.search.tables import Table
from search_spaces import Point, Value

#: Its strategies that need nothing but what it installs, without `minimize` and `basinhopping`, which stop after a few
#: points or take seconds for each; brute force is not a search.
STRATEGIES = (
    "random_sample",
    "diff_evo",
    "genetic_algorithm",
    "greedy_mls",
    "ordered_greedy_mls",
    "greedy_ils",
    "dual_annealing",
    "mls",
    "pso",
    "simulated_annealing",
    "firefly_algorithm",
    "bayes_opt",
    "hybrid_vndx",
    "adaptive_tabu_greywolf",
)
#: No register cap, as the number that numerical strategies need.
NO_CAP = 256


def replay(
    table: Table, strategies: Sequence[str], seeds: Sequence[int], trials: int
) -> Iterator[tuple[str, list[float]]]:
    """For each strategy and seed, its name and the times of the first points that it asks for; inf for a failed one."""
    import kernel_tuner

    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache.json"
        cache.write_text(json.dumps(_cache(table)))
        valid = {tuple(_numbers(table, point).values()) for point in table.space.points()}
        names = list(table.space.parameters)

        def is_valid(point: Mapping[str, Any]) -> bool:
            return tuple(point[name] for name in names) in valid

        for strategy in strategies:
            inside = _Inside(strategy, seeds, trials)
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kernel_tuner.tune_kernel(
                    table.space.name,
                    "",
                    lambda point: (1, 1, 1),
                    [],
                    _parameters(table),
                    lang="CUDA",
                    restrictions=is_valid,
                    strategy=inside,
                    cache=str(cache),
                    simulation_mode=True,
                    quiet=True,
                )
            yield from ((strategy, times) for times in inside.found)


class _Inside:
    """A strategy of ours that runs one of Kernel Tuner's with several seeds, so that the space is read once."""

    def __init__(self, strategy: str, seeds: Sequence[int], trials: int) -> None:
        self._strategy, self._seeds, self._trials = strategy, seeds, trials
        self.found: list[list[float]] = []

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> list[Any]:
        from kernel_tuner.interface import Options, strategy_map
        from kernel_tuner.util import TuningBudget

        trials = min(self._trials, searchspace.size)
        for seed in self._seeds:
            random.seed(seed)
            np.random.seed(seed)
            mine = copy.copy(runner)
            mine.visited_results, asked = set(), _Asked(mine, tuning_options)
            tuning_options["budget"] = TuningBudget(None, trials)
            tuning_options["max_fevals"] = trials
            tuning_options["strategy_options"] = Options({"max_fevals": trials})
            with contextlib.suppress(Exception):  # some end by an error when the budget is spent
                strategy_map[self._strategy].tune(searchspace, asked, tuning_options)
            self.found.append(asked.times[:trials])
        return []


class _Asked:
    """A runner that notes the time of each new point."""

    def __init__(self, runner: Any, tuning_options: Any) -> None:
        self._runner, self._cache = runner, tuning_options.cache
        self.times: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    def run(self, points: Sequence[Any], tuning_options: Any) -> list[Any]:
        results = []
        for point in points:
            key = ",".join(map(str, point))
            is_new = key not in self._runner.visited_results
            results += self._runner.run([point], tuning_options)
            if is_new and results[-1] is not None:
                time = self._cache[key]["time"]
                self.times.append(time * 1000 if isinstance(time, float) else float("inf"))
        return results


def _parameters(table: Table) -> dict[str, list[Any]]:
    return {
        name: sorted({_number(value, values) for value in values}, reverse=table.descending)
        for name, values in table.space.parameters.items()
    }


def _numbers(table: Table, point: Point) -> dict[str, Any]:
    values = table.space.parameters
    return {name: _number(value, values[name]) for name, value in point.items()}


def _number(value: Value, values: Sequence[Value]) -> Any:
    """A value as a number: words by their place among the parameter's values."""
    if isinstance(value, str):
        return values.index(value)
    return NO_CAP if value is None else value


def _cache(table: Table) -> Mapping[str, Any]:
    entries = {}
    for point in table.space.points():
        numbers, time = _numbers(table, point), table.time(point)
        entries[",".join(map(str, numbers.values()))] = {
            **numbers,
            "time": time / 1000 if time is not None else "RuntimeFailedConfig",
            "times": [],
            "compile_time": 0,
            "verification_time": 0,
            "benchmark_time": 0,
            "strategy_time": 0,
            "framework_time": 0,
        }
    return {
        "device_name": table.gpu,
        "kernel_name": table.space.name,
        "problem_size": "callable",
        "tune_params_keys": list(table.space.parameters),
        "tune_params": _parameters(table),
        "objective": "time",
        "cache": entries,
    }
