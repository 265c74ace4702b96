"""A sweep's question as the store keeps it, and the space it came from rebuilt from there.

The stored text is what a sweep is resumed from: the files may have changed since.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dse.store import SweepSpec
from dse.tasks import Value
from search_spaces import Space, parse_space


@dataclass(frozen=True)
class Request:
    """What a person asks for.

    Attributes:
        space: a catalog name, a folder or the path of a `space.yaml`.
        gpus: where; empty means the space's own list.
        trials: the most trials, over all GPUs; None means every valid point.
        timeout_s: seconds of wall clock; None means no limit.
        sampler: who chooses when not all points are explored; None means `tpe`.
        seed: the sampler's.
        parameters: values that replace the file's, by parameter.
    """

    space: str | Path
    gpus: Sequence[str] = ()
    trials: int | None = None
    timeout_s: float | None = None
    sampler: str | None = None
    seed: int = 0
    parameters: Mapping[str, Sequence[Value]] = field(default_factory=dict)


def make_spec(request: Request, space: Space, search: str, planned: int) -> SweepSpec:
    """The request as stored; `search` is the search's name and `planned` its number of trials."""
    return SweepSpec(
        name=space.kernel,
        space_yaml=space.yaml,
        source=space.source,
        gpus=tuple(space.gpus),
        parameters=dict(space.parameters),
        workload=space.workload,
        objectives=tuple((direction, metric) for direction, metric in space.objectives),
        sampler=search,
        seed=request.seed,
        trials=request.trials,
        timeout_s=request.timeout_s,
        planned=planned,
        extra={
            "source_file": space.source_name,
            "headers": dict(space.headers),
            "sampler_asked": request.sampler,
        },
    )


def restore_space(spec: SweepSpec) -> Space:
    """The space that a sweep was made from."""
    space = parse_space(spec.space_yaml, spec.source, spec.extra["source_file"], spec.extra.get("headers"))
    return space.override(spec.parameters, spec.gpus)
