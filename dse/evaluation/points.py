"""A point's identity: the hash of everything that determines its result, and nothing else.

The same variant in two sweeps has the same hash, so it is simulated only once. A new compiler or simulator
version changes the hash of every point.
"""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from dse.evaluation.machine_code import check_task_launch
from dse.evaluation.tasks import Limits, Outcome, Task
from search_spaces import Launch, Point, Problem, Space, SpaceError, Value
from simcore import SIMULATOR_VERSION, LaunchError, SimcoreError, compiler_version, load_gpu
from simcore.gpu_overrides import parse_number
from simcore.gpu_profiles import with_overrides


def point_hash(space: Space, point: Point, gpu: str) -> str:
    """The hex digest that identifies one point of a space on one GPU."""
    return task_for(space, point, gpu).point_hash


def task_for(space: Space, point: Point, gpu: str) -> Task:
    """The task of evaluating a point.

    Raises:
        SpaceError: an expression has no value at the point, or the point's GPU is impossible.
    """
    space.check_expectation(point)
    task = Task(
        point_hash="",
        kernel=space.kernel,
        source=space.source,
        file_name=space.source_at(point),
        defines=space.defines(point),
        register_cap=space.register_cap(point),
        launch=space.launch(point),
        arguments=space.arguments(point),
        gpu=_gpu_of(space, point, gpu),
        headers=space.headers,
        options=space.compiler_options(point),
        variables=space.variables(point),
        cold=space.cache == "cold",
        bounds=space.bounds,
        expectation=space.expectation,
        baseline=_baseline(space, point, gpu),
        files=space.files_at(point),
        limits=_limits(space),
    )
    return dataclasses.replace(task, point_hash=_digest(task))


def with_fields(gpu: str, fields: Mapping[str, Value]) -> str:
    """A GPU with the numbers that parameters of a space set.

    Raises:
        SimcoreError: no GPU can have these numbers.
    """
    return _in_words(gpu, tuple(fields.items()))


@lru_cache(maxsize=4096)
def _in_words(gpu: str, fields: tuple[tuple[str, Value], ...]) -> str:
    return with_overrides(gpu, {name: parse_number(name, str(value)) for name, value in fields})


def _gpu_of(space: Space, point: Point, gpu: str) -> str:
    """The point's machine: what the GPU's name stands for, with the numbers that the point sets."""
    machine, fields = space.machine(gpu), space.gpu_fields(point)
    try:
        return with_fields(machine, fields) if fields else machine
    except SimcoreError as error:
        raise SpaceError([Problem(str(error), "parameters")], space.kernel) from None


def _limits(space: Space) -> Limits:
    given = space.limits
    memory_bytes = None if given.memory_gib is None else int(given.memory_gib * 2**30)
    return Limits(given.seconds, memory_bytes, given.cycles)


def _baseline(space: Space, point: Point, gpu: str) -> Task | None:
    """The task whose outputs a point's must equal; None if there is none, or if it is the point itself."""
    if space.expectation is None or not space.expectation.compares_with_first:
        return None
    first = space.first_point(point)
    return task_for(space, first, gpu) if first != point else None


def unlaunchable(space: Space, point: Point, gpu: str, error: SpaceError) -> Outcome:
    """The failed outcome of a point that has no task, because an expression of the space has no value there."""
    identity = [space.digest(), sorted(point.items()), space.machine(gpu), type(error).__name__]
    digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()
    return Outcome.of_error(digest, error, final=True)


class Refusals:
    """Why points of a space cannot run on a GPU, found without compiling them.

    Args:
        space: the space.
        gpu: GPU name.
    """

    def __init__(self, space: Space, gpu: str) -> None:
        self._space, self._gpu = space, gpu
        self._deciding = (*space.deciding, *space.gpu_parameters)
        self._by_values: dict[tuple[Value, ...], str | None] = {}
        self._by_launch: dict[tuple[str, Launch], str | None] = {}

    def of(self, point: Point) -> str | None:
        """What the evaluation of a point would fail with; None if that is not known beforehand."""
        values = tuple(map(point.__getitem__, self._deciding))
        if values not in self._by_values:
            self._by_values[values] = self._found(point)
        return self._by_values[values]

    def _found(self, point: Point) -> str | None:
        try:
            key = _gpu_of(self._space, point, self._gpu), self._space.derived(point)[0]
        except SpaceError as error:
            return "; ".join(problem.what for problem in error.problems)
        if key not in self._by_launch:
            self._by_launch[key] = _launch_refusal(*key)
        return self._by_launch[key]


def _launch_refusal(gpu: str, launch: Launch) -> str | None:
    try:
        check_task_launch(launch, load_gpu(gpu))
    except LaunchError as error:
        return str(error)
    return None


def _digest(task: Task) -> str:
    identity: dict[str, Any] = {
        "kernel": task.kernel,
        "source": _digest_of(task.source.encode()),
        "defines": dict(task.defines),
        "register_cap": task.register_cap,
        "launch": vars(task.launch),
        "arguments": [argument.identity for argument in task.arguments],
        "gpu": gpu_digest(task.gpu),
        "compiler": compiler_version(),
        "simulator": SIMULATOR_VERSION,
    }
    # What later versions added is a part only where it is used, so that older points keep their hash.
    added = {
        "headers": {name: _digest_of(text.encode()) for name, text in task.headers.items()},
        "options": task.options,
        "variables": [variable.identity for variable in task.variables],
        "cold": task.cold,
        "bounds": task.bounds if task.bounds != "error" else None,
        "expect": task.expectation.identity() if task.expectation else None,
        "baseline": task.baseline.point_hash if task.baseline else None,
        "files": {name: _digest_of(content) for name, content in task.files.items()},
        "cycles": task.limits.cycles,
    }
    identity |= {name: value for name, value in added.items() if value}
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


@lru_cache(maxsize=256)
def _digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@lru_cache(maxsize=4096)
def gpu_digest(name: str) -> str:
    """The hex digest of all numbers of a GPU."""
    return load_gpu(name).digest()
