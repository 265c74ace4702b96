"""A point's identity: the hash of everything that determines its result, and nothing else.

The same variant in two sweeps has the same hash, so it is simulated only once. A new compiler or simulator
version changes the hash of every point.
"""

import dataclasses
import hashlib
import json
from functools import cache

from dse.evaluation.tasks import Outcome, Task
from search_spaces import Point, Space, SpaceError
from simcore import SIMULATOR_VERSION, compiler_version, load_gpu


def point_hash(space: Space, point: Point, gpu: str) -> str:
    """The hex digest that identifies one point of a space on one GPU."""
    return task_for(space, point, gpu).point_hash


def task_for(space: Space, point: Point, gpu: str) -> Task:
    """The task of evaluating a point."""
    task = Task(
        point_hash="",
        kernel=space.kernel,
        source=space.source,
        file_name=space.source_name,
        defines=space.defines(point),
        register_cap=space.register_cap(point),
        launch=space.launch(point),
        arguments=space.arguments(point),
        gpu=gpu,
        headers=space.headers,
    )
    return dataclasses.replace(task, point_hash=_digest(task))


def unlaunchable(space: Space, point: Point, gpu: str, error: SpaceError) -> Outcome:
    """The failed outcome of a point that has no task, because an expression of the space has no value there."""
    identity = [space.digest(), sorted(point.items()), gpu, type(error).__name__]
    digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()
    return Outcome.of_error(digest, error, final=True)


def _digest(task: Task) -> str:
    identity = {
        "kernel": task.kernel,
        "source": _text_digest(task.source),
        "defines": dict(task.defines),
        "register_cap": task.register_cap,
        "launch": dataclasses.asdict(task.launch),
        "arguments": [dataclasses.asdict(argument) for argument in task.arguments],
        "gpu": _gpu_digest(task.gpu),
        "compiler": compiler_version(),
        "simulator": SIMULATOR_VERSION,
    }
    if task.headers:
        identity["headers"] = {name: _text_digest(text) for name, text in task.headers.items()}
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


@cache
def _text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _gpu_digest(name: str) -> str:
    return load_gpu(name).digest()
