"""What decides a simulation, by contents: points of which the compiler makes the same are simulated once on a machine.

Their outputs are executed and compared once, too, and what happened at each of their instructions is kept.

A register cap that binds nothing, an unroll factor beyond the loop: their machine code is that of another variant.
"""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

import simcore
from dse.errors import WrongOutput
from dse.evaluation.points import gpu_digest
from dse.evaluation.tasks import Task
from search_spaces.contents import buffers_of
from search_spaces.fields import FIRST_VARIANT
from simcore import SIMULATOR_VERSION, read_variables
from simcore.machine_code.cubin import Kernel
from simcore.paths import cache_directory, write_atomically

if TYPE_CHECKING:
    from simcore.views.instruction_profile import CodeProfile, Profile

MOST_BYTES = 1 << 29
"""Of all results of a kind that are kept: some hundred thousand simulations, some ten thousand profiles."""
PRUNES = "00"
"""What the digests begin with after which that is looked at: one of 256."""


def simulation_digest(task: Task, cubin: bytes, kernel: Kernel) -> str:
    """The hex digest of all that a task's simulation depends on; sources and the kernel's name are not among it.

    Args:
        task: the task.
        cubin: its machine code.
        kernel: the kernel in it.
    """
    code = {field.name: getattr(kernel, field.name) for field in dataclasses.fields(kernel)}
    del code["name"]
    contents = (*task.arguments, *task.variables)
    files = sorted({buffer.file for buffer in buffers_of(contents).values() if buffer.file})
    surroundings = {
        "launch": dataclasses.asdict(task.launch),
        "contents": [argument.identity for argument in contents],
        "files": [hashlib.sha256(task.files[name]).hexdigest() for name in files],
        "gpu": gpu_digest(task.gpu),
        "cold": task.cold,
        "bounds": task.bounds,
        "cycles": task.limits.cycles,
        "simulator": [SIMULATOR_VERSION, _sources()],
    }
    places = sorted(read_variables(cubin).items()) if task.variables else []
    identity = f"{code!r}{places!r}{json.dumps(surroundings, sort_keys=True)}"
    return hashlib.sha256(identity.encode()).hexdigest()[:32]


def simulated_once(digest: str, simulate: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """What the simulation of this digest reports, in JSON's types; other processes of the machine wait for it.

    Raises:
        SimcoreError: of `simulate`; it is not kept.
    """
    return _once("simulations", digest, simulate)


def profiled_once(
    digest: str, cubin: bytes | str | Path, kernel: str, profile: "Callable[[], Profile]"
) -> "CodeProfile":
    """What happens at each instruction of this cubin's kernel, whose simulation has this digest.

    Raises:
        SimcoreError: of `profile`; it is not kept.
    """
    from simcore.views.instruction_profile import CodeProfile

    def counts() -> dict[str, Any]:
        found = profile()
        return {"issues": found.issues, "stalls": found.stalls}

    return CodeProfile(cubin, kernel, **_once("profiles", digest, counts))


def compared_once(simulation: str, task: Task, compare: Callable[[Task], None]) -> None:
    """Compare the outputs of a task, unless the outputs of the same machine code were compared with the same ones.

    Args:
        simulation: the digest of its simulation.
        task: the task.
        compare: executes and compares.

    Raises:
        WrongOutput: of `compare`, now or then.
        SimcoreError: of `compare`; it is not kept.
    """
    expectation = task.expectation
    if expectation is None:
        return
    files = {
        file: hashlib.sha256(task.files[file]).hexdigest()
        for file in expectation.outputs.values()
        if file != FIRST_VARIANT
    }
    baseline = task.baseline.point_hash if task.baseline else None
    identity = [simulation, expectation.identity(), files, baseline]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]

    def differs() -> dict[str, Any]:
        try:
            compare(task)
        except WrongOutput as error:
            return {"differs": error.message}
        return {"differs": None}

    if message := _once("comparisons", digest, differs)["differs"]:
        raise WrongOutput(message)


def _once(kind: str, digest: str, make: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """What is made of this digest, kept in a folder of this name."""
    folder = cache_directory(kind)
    entry = folder / f"{digest}.json"
    if (kept := _kept(entry)) is not None:
        return kept
    lock = entry.with_suffix(".lock")
    with FileLock(lock):
        try:
            if (kept := _kept(entry)) is None:
                content = json.dumps(make()).encode()
                write_atomically(entry, content)
                kept = dict(json.loads(content))
        finally:
            lock.unlink(missing_ok=True)
    if digest.startswith(PRUNES):
        prune(folder, MOST_BYTES)
    return kept


def _kept(entry: Path) -> dict[str, Any] | None:
    try:
        return dict(json.loads(entry.read_bytes()))
    except FileNotFoundError:
        return None


def prune(folder: Path, most_bytes: int) -> None:
    """Remove the oldest results, if they are larger together, until a tenth is free."""
    kept = []
    for entry in folder.glob("*.json"):
        with suppress(FileNotFoundError):  # another process removes them, too
            kept.append((entry.stat().st_mtime_ns, entry.stat().st_size, entry))
    size = sum(each for _, each, _ in kept)
    if size <= most_bytes:
        return
    for _, each, entry in sorted(kept):
        if size <= 0.9 * most_bytes:
            return
        entry.unlink(missing_ok=True)
        size -= each


@cache
def _sources() -> str:
    """A stamp of the simulator's sources, so that a changed simulator never reads what the one before it wrote."""
    folder = Path(simcore.__file__).parent
    stamps = [
        (str(source.relative_to(folder)), (at := source.stat()).st_size, at.st_mtime_ns)
        for source in sorted(folder.rglob("*.py"))
    ]
    return hashlib.sha256(repr(stamps).encode()).hexdigest()
