"""Turns a request into a sweep's specification, or reports its errors, before any work is done.

Each check raises one error with the location and the fix. A space that passes may still have points that
fail, which does not prevent the others from running.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice

from dse.errors import InputError
from dse.evaluation.machine_code import check_machine_code, check_task_launch, compile_task
from dse.evaluation.points import task_for, with_fields
from dse.evaluation.tasks import Task
from dse.requests.gpus import Gpus, name_gpus
from dse.requests.metrics import check_metrics
from dse.requests.request import Extension, Request
from dse.requests.spaces import SpaceFiles, SpaceOutline
from dse.requests.specs import extended_spec, make_spec, restore_space
from dse.requests.undefined import explained
from dse.search import plan_search
from dse.store import SweepSpec
from dse.tables.text import shown, variant
from search_spaces import Launch, Space, SpaceError, Value
from search_spaces.fields import GPU_FIELD
from simcore import CompileError, LaunchError, SimcoreError, load_gpu

#: Points that are compiled before a source is refused: the first one, and some from all over the space.
POINTS_TO_COMPILE = 4

#: Points that are compiled to find a value of a parameter with which nothing compiles, and values that are checked.
POINTS_OF_A_VALUE, VALUES_TO_COMPILE = 4, 256

#: Points with a value whose launches are checked before the value is assumed to fit.
POINTS_TO_LAUNCH = 20_000


@dataclass(frozen=True)
class Checks:
    """Checks of requests before anything is stored; each raises InputError, SpaceError or SimcoreError.

    Attributes:
        prepare: turns a request into a sweep's specification.
        prepare_extension: combines a specification and an extension.
        outline: turns a space into its outline for lists of spaces.
    """

    prepare: Callable[[Request], SweepSpec]
    prepare_extension: Callable[[SweepSpec, Extension], SweepSpec]
    outline: Callable[[SpaceFiles], SpaceOutline]


def prepare(request: Request) -> SweepSpec:
    """The specification of a sweep, checked to be feasible.

    Raises:
        InputError, SpaceError, SimcoreError: the request cannot be carried out.
    """
    space = resolve_space(request)
    plan = plan_search(
        space, space.gpus, request.trials, request.timeout_s, request.sampler, request.settings
    )
    _check_first(space, request.first)
    check_space(space)
    return make_spec(request, space, plan)


def prepare_extension(spec: SweepSpec, extension: Extension) -> SweepSpec:
    """The specification of a sweep with its extension; raises as `prepare` does."""
    _check_budget(extension.trials, extension.timeout_s)
    gpus = name_gpus(extension.gpus)
    _check_same_profiles(spec, gpus)
    named = replace(spec, profiles={**spec.profiles, **gpus.profiles})
    extended = extended_spec(named, extension.model_copy(update={"gpus": gpus.names}))
    if extension.gpus or extension.parameters:
        space = restore_space(extended)
        _check_values(space, extension.parameters)
        check_space(space)
    return extended


def outline(files: SpaceFiles) -> SpaceOutline:
    """The outline of a space, checked to be feasible."""
    return checked_space(files.parse())


def checked_space(space: Space) -> SpaceOutline:
    """The outline of a space, its GPUs and all else checked as `check_space` does."""
    gpus = name_gpus(space.gpus)
    space = space.override(None, gpus.names, profiles=gpus.profiles)
    check_space(space)
    return SpaceOutline.of(space)


#: The checks in this process, for trusted requests.
CHECKS = Checks(prepare, prepare_extension, outline)


def resolve_space(request: Request) -> Space:
    """The requested space with the requested GPUs and values.

    Raises:
        SpaceError: the space, a parameter or a value does not exist or is malformed.
        UnknownGpu: a GPU does not exist.
        InputError: another part of the request cannot be carried out.
    """
    _check_budget(request.trials, request.timeout_s)
    asked = name_gpus(request.gpus)
    space = request.read_space()
    space = space.override(request.parameters or None)
    _check_values(space, request.parameters)
    gpus = asked if asked.names else name_gpus(space.gpus)
    return space.override(None, gpus.names, request.metrics, request.objectives, gpus.profiles)


def _check_same_profiles(spec: SweepSpec, gpus: Gpus) -> None:
    """Refuse to extend a sweep by a GPU of another profile under a name that it has."""
    for name, words in gpus.profiles.items():
        if name in spec.gpus and (known := spec.profiles.get(name)) != words:
            raise InputError(f"{name} is {known} in this sweep, not {words}; choose another name", "/gpus")


def _check_budget(trials: int | None, timeout_s: float | None) -> None:
    if trials is not None and trials < 1:
        raise InputError(f"trials {trials}: must be an integer of at least 1", "/trials")
    if timeout_s is not None and timeout_s <= 0:
        raise InputError(f"timeout {timeout_s:g}: must be a positive number of seconds", "/timeout_s")


def _check_values(space: Space, parameters: Mapping[str, Sequence[Value]]) -> None:
    for parameter, values in parameters.items():
        for value in values:
            _check_reachable(space, parameter, value)


def _check_reachable(space: Space, parameter: str, value: Value) -> None:
    """Refuse a requested value that the constraints exclude; it would otherwise be omitted silently."""
    try:
        space.override({parameter: [value]})
    except SpaceError as error:
        problems = "; ".join(map(str, error.problems))
        what = f"no valid point has {parameter} = {shown(value)}: {problems}"
        raise InputError(what, f"/parameters/{parameter}") from error


def _check_first(space: Space, first: Sequence[Mapping[str, Value]]) -> None:
    """Refuse points to begin with that the space does not have."""
    for place, point in enumerate(first):
        workloads = [{**workload, **point} for workload in space.workloads()]
        try:
            if any(space.is_valid(each) for each in workloads):
                continue
            what = "no valid point of the space: the constraints exclude it"
        except SpaceError as error:
            what = "; ".join(problem.what for problem in error.problems)
        raise InputError(f"{variant(point)}: {what}", f"/first/{place}")


def check_space(space: Space) -> None:
    """Refuse a space whose points cannot run: a value that fits no GPU, or an invalid source.

    Raises:
        InputError: a parameter's value exceeds a launch limit in every point, or a metric has no value.
        CompileError: the source does not compile.
        LaunchError: the arguments do not fit the kernel.
    """
    check_metrics(space)
    _check_gpu_fields(space)
    _check_launches(space)
    for gpu in space.gpus:
        _check_source(space, gpu)


def _check_gpu_fields(space: Space) -> None:
    """Refuse a number of the GPU that none of the GPUs can have."""
    for parameter, values in space.parameters.items():
        for value in values if parameter.startswith(GPU_FIELD) else ():
            one = {parameter.removeprefix(GPU_FIELD): value}
            refusals = [error for gpu in space.gpus if (error := _impossible(space.machine(gpu), one))]
            if len(refusals) == len(space.gpus):
                raise InputError(f"parameters.{parameter}: {refusals[0]}", "/space")


def _impossible(gpu: str, fields: Mapping[str, Value]) -> SimcoreError | None:
    try:
        with_fields(gpu, fields)
    except SimcoreError as error:
        return error
    return None


def _check_launches(space: Space) -> None:
    """Refuse a value with which no point can be launched on any requested GPU."""
    for parameter, values in space.parameters.items():
        used = [value for value in values if any(_launches(space, parameter, value))]
        for value in (value for value in values if value not in used):
            _check_expressions(space, parameter, value, is_alone=bool(used))
        refused = {value: error for value in used if (error := _refusal(space, parameter, value))}
        if not refused:
            continue
        value, error = next(iter(refused.items()))
        if len(refused) == len(used):
            what = f"no point can be launched, as {variant(next(space.points()))} shows"
        else:
            what = f"{parameter} = {shown(value)} cannot be launched on any of {', '.join(space.gpus)}"
        raise InputError(f"{what}: {error}; remove such values", "/space") from error


def _check_expressions(space: Space, parameter: str, value: Value, is_alone: bool) -> None:
    """Refuse a value for which the launch expressions have no value in any valid point.

    Args:
        is_alone: whether they have one with another value of the parameter; else it may be another one's fault.
    """
    try:
        point = next(space.override({parameter: [value]}).points())
    except SpaceError:
        return
    try:
        space.launch(point)
    except SpaceError as error:
        problems = "; ".join(map(str, error.problems))
        what = (
            f"{parameter} = {shown(value)} cannot be launched in any point"
            if is_alone
            else f"no point can be launched, as {variant(point)} shows"
        )
        raise InputError(f"{what}: {problems}", "/space") from error


def _refusal(space: Space, parameter: str, value: Value) -> LaunchError | None:
    """Why no launch with that value fits any GPU; None if one does, or if there are too many to check."""
    refusal: LaunchError | None = None
    for launch in _launches(space, parameter, value):
        if launch is None:
            return None
        for gpu in space.gpus:
            try:
                check_task_launch(launch, load_gpu(space.machine(gpu)))
            except LaunchError as error:
                refusal = refusal or error
            else:
                return None
    return refusal


def _launches(space: Space, parameter: str, value: Value) -> Iterator[Launch | None]:
    """The distinct launches of the points with that value; points where an expression has no value are skipped.

    The last is None if there are too many points to check.
    """
    try:
        points = space.override({parameter: [value]}).points()
    except SpaceError:
        return
    seen: set[Launch] = set()
    for number, point in enumerate(points):
        if number == POINTS_TO_LAUNCH:
            yield None
            return
        try:
            launch = space.launch(point)
        except SpaceError:
            continue
        if launch not in seen:
            seen.add(launch)
            yield launch


def _check_source(space: Space, gpu: str) -> None:
    """Compile a few points; refuse the source if none compiles, or if its arguments do not match."""
    refusal: CompileError | None = None
    for task in _tasks_to_compile(space, gpu):
        try:
            check_machine_code(task)
        except CompileError as error:
            macros = " ".join(f"-D{name}={macro}" for name, macro in task.defines.items())
            told = explained(error, space)
            refusal = refusal or CompileError(f"{told.message}\n(with {macros})", error.log)
        else:
            return
    if refusal:
        raise refusal


def _tasks_to_compile(space: Space, gpu: str) -> Iterator[Task]:
    """The space's first point and, generated lazily, a few from all over the space."""
    yield task_for(space, next(space.points()), gpu)
    for point in space.sample(POINTS_TO_COMPILE - 1, seed=0):
        yield task_for(space, point, gpu)


def check_values(space: Space) -> None:
    """Refuse a value of a parameter with which no point compiles; a few points of each are tried.

    Raises:
        InputError: names the value, with the compiler's message.
    """
    values = ((name, value) for name in space.parameters for value in space.parameters[name])
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # the compiler runs without Python's lock
        chosen = list(islice(values, VALUES_TO_COMPILE))
        refusals = pool.map(lambda each: _value_refusal(space, *each), chosen)
        for (name, value), refusal in zip(chosen, refusals, strict=True):
            if refusal:
                why = explained(refusal, space)
                what = f"parameters.{name}: no point that was tried with {shown(value)} compiles: {why}"
                raise InputError(what, "/space") from refusal


def _value_refusal(space: Space, name: str, value: Value) -> CompileError | None:
    """Why a point with that value does not compile; None if one does, or if no valid point has it."""
    refusal: CompileError | None = None
    try:
        with_value = space.override({name: [value]})
        points = [next(with_value.points()), *with_value.sample(POINTS_OF_A_VALUE - 1, seed=0)]
    except SpaceError:
        return None
    for point in points:
        try:
            compile_task(task_for(space, point, space.gpus[0]))
        except CompileError as error:
            refusal = refusal or error
        except (SpaceError, SimcoreError):
            continue
        else:
            return None
    return refusal
