"""A sweep's specification as stored: created from a request, extended, and turned back into a space.

Sweeps run from the stored text, since the files may have changed.
"""

import hashlib
import json
import math
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from dse.errors import InputError
from dse.requests.request import Extension, Request
from dse.requests.spaces import encoded
from dse.search import EXHAUSTIVE, KeptTrial, Plan, SearchSettings, Stage, plan_search
from dse.store import SweepSpec, TrialRecord
from search_spaces import Space, Value, parse_space
from search_spaces.expression import Expression
from simcore import SIMULATOR_VERSION, compiler_version

Item = TypeVar("Item")


def make_spec(request: Request, space: Space, plan: Plan) -> SweepSpec:
    """The specification of a request; `space` is the requested one with the requested GPUs and values."""
    return SweepSpec(
        name=space.name,
        space_yaml=space.yaml,
        source=space.source,
        gpus=tuple(space.gpus),
        parameters=dict(space.parameters),
        workload=space.workload,
        objectives=tuple((direction, metric) for direction, metric in space.objectives),
        sampler=plan.search,
        seed=request.seed,
        trials=request.trials,
        timeout_s=request.timeout_s,
        total=plan.total,
        source_file=space.source_name,
        headers=dict(space.headers),
        sampler_asked=request.sampler,
        files={name: content.decode() for name, content in encoded(space.files).items()},
        metrics=_texts(space.metrics),
        values=_texts(space.values) if space.metrics else {},
        search=request.settings.stored,
        profiles=dict(space.profiles),
    )


def restore_space(spec: SweepSpec) -> Space:
    """The space that a sweep was created from."""
    headers, files = (tuple(texts.items()) for texts in (spec.headers, spec.files))
    space = _parsed(spec.space_yaml, spec.source, spec.source_file, headers, files)
    objectives = [" ".join(objective) for objective in spec.objectives]
    return space.override(spec.parameters, spec.gpus, spec.metrics, objectives, spec.profiles)


@lru_cache(maxsize=8)  # commands ask for the space of the same sweep again and again
def _parsed(
    space_yaml: str,
    source: str,
    source_file: str,
    headers: tuple[tuple[str, str], ...],
    files: tuple[tuple[str, str], ...],
) -> Space:
    contents = {name: b64decode(content) for name, content in files}
    return parse_space(space_yaml, source, source_file, dict(headers), contents, is_new=False)


def _texts(expressions: Mapping[str, Expression]) -> dict[str, str]:
    return {name: expression.text for name, expression in expressions.items()}


def baseline_index(space: Space, point: Mapping[str, Value]) -> int:
    """The point that speedups of a point are relative to: the first valid one of its workload."""
    return space.index(next(space.at_workload(point).points()))


def extended_spec(spec: SweepSpec, extension: Extension) -> SweepSpec:
    """The specification of a sweep with its extension.

    Raises:
        InputError: the budget is smaller than the sweep's current one, or leaves nothing for additional values.
        SpaceError: an unknown parameter, or an invalid value for it.
    """
    trials = extension.trials
    if trials is not None and trials < spec.total:
        raise InputError(
            f"trials {trials}: the sweep has {spec.total} already; give at least as many", "/trials"
        )
    space = restore_space(spec).override(
        _more_values(spec.parameters, extension.parameters), _union(spec.gpus, extension.gpus)
    )
    budget = _scaled(spec.trials, len(space.gpus), len(spec.gpus)) if trials is None else trials
    asked = spec.sampler_asked if spec.sampler == EXHAUSTIVE else spec.sampler
    plan = _plan_again(spec, space, budget, asked, is_same=not (extension.gpus or extension.parameters))
    if plan.total == spec.total and dict(space.parameters) != dict(spec.parameters):
        raise InputError(
            f"the sweep's {spec.total} trials are spent on the values that it has; with --trials it tries more",
            "/trials",
        )
    return replace(
        spec,
        gpus=tuple(space.gpus),
        parameters=dict(space.parameters),
        sampler=plan.search,
        trials=budget,
        timeout_s=extension.timeout_s,
        total=plan.total,
    )


def keeping(before: SweepSpec, spec: SweepSpec, trials: Iterable[TrialRecord]) -> SweepSpec:
    """An extended specification whose search begins with the trials that the sweep has, each with its number.

    An exhaustive search that stays one numbers its points by what it tried before; else the trials are listed.
    """
    settings = SearchSettings.of(spec.search)
    if before.sampler == spec.sampler == EXHAUSTIVE:
        settings = replace(settings, stages=[*settings.stages, Stage(before.gpus, before.parameters)])
    else:
        recorded = sorted(trials, key=lambda trial: trial.number)
        kept = [KeptTrial(trial.number, trial.gpu, trial.parameters) for trial in recorded]
        settings = replace(settings, kept=kept, stages=[])
    return replace(spec, search=settings.stored)


def _scaled(trials: int | None, gpus: int, gpus_before: int) -> int | None:
    """A budget that keeps the trials per GPU when GPUs are added."""
    return None if trials is None else math.ceil(trials * gpus / gpus_before)


def chooses_alike(spec: SweepSpec, other: SweepSpec) -> bool:
    """Whether the longer of two specifications starts with the trials of the shorter, with the same numbers."""
    fixed = ("gpus", "parameters", "sampler", "search")
    return all(getattr(spec, name) == getattr(other, name) for name in fixed)


def content_key(spec: SweepSpec) -> str:
    """A sweep's key from its request and the versions used: the same request has the same key."""
    identity = [spec.asked, SIMULATOR_VERSION, compiler_version()]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    return f"{spec.name}-{digest[:10]}"


def _more_values(
    parameters: Mapping[str, Sequence[Value]], more: Mapping[str, Sequence[Value]]
) -> dict[str, tuple[Value, ...]]:
    return {name: _union(parameters.get(name, ()), values) for name, values in more.items()}


def _union(first: Sequence[Item], second: Sequence[Item]) -> tuple[Item, ...]:
    return tuple(dict.fromkeys([*first, *second]))


def _plan_again(
    spec: SweepSpec, space: Space, trials: int | None, sampler: str | None, is_same: bool
) -> Plan:
    """The plan for a changed budget or space; a sweep with a sampler because of a time limit keeps it."""
    if is_same and trials == spec.trials:
        return Plan(spec.sampler, spec.total)
    if trials is None and spec.sampler != EXHAUSTIVE:
        return Plan(spec.sampler, space.count() * len(space.gpus))
    settings = SearchSettings.of(spec.search)
    return plan_search(space, space.gpus, trials, sampler=sampler, settings=settings)
