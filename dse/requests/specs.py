"""A sweep's question: as it is asked, as the store keeps it, and the space it came from rebuilt from there.

The stored text is what a sweep is run from: the files may have changed since.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dse.errors import InputError, SpaceNotFound
from dse.search import EXHAUSTIVE, Plan, plan_search
from dse.store import SweepSpec
from search_spaces import Space, Value, catalog_names, load_space, parse_space
from search_spaces.schema import is_inside
from simcore import SIMULATOR_VERSION, compiler_version

#: A sweep of priority p gets 2^p times the share of one of priority 0.
MAX_PRIORITY = 10

#: Points that an outline counts at most.
COUNTED_SIZE = 2**20

Item = TypeVar("Item")
Model = TypeVar("Model", bound=BaseModel)
Values = Annotated[list[Value], Field(min_length=1)]


class SpaceFiles(BaseModel):
    """A space as texts, the way it travels and is stored.

    Attributes:
        yaml: text of the `space.yaml`.
        source: text of the CUDA source.
        source_file: the name that compiler messages give to the source.
        headers: texts of the files that the source includes by quotes, by their names there.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    yaml: str
    source: str
    source_file: str = "kernel.cu"
    headers: dict[str, str] = {}

    @classmethod
    def of(cls, space: Space) -> "SpaceFiles":
        """The texts that a space was read from."""
        return cls(
            yaml=space.yaml,
            source=space.source,
            source_file=space.source_name,
            headers=dict(space.headers),
        )

    def write(self, folder: Path) -> Path:
        """Make files of the texts; the path of the `space.yaml`.

        Raises:
            InputError: one of the files is there already, or would lie outside of the folder.
        """
        texts = {"space.yaml": self.yaml, self.source_file: self.source, **self.headers}
        if outside := [name for name in texts if not is_inside(name)]:
            raise InputError(f"{outside[0]!r} would be written outside of {folder}; this is no honest space")
        if there := [name for name in texts if (folder / name).exists()]:
            raise InputError(f"{folder / there[0]} exists; choose another folder")
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder / "space.yaml"

    def parse(self) -> Space:
        """The space; SpaceError with all that is wrong with it."""
        return parse_space(self.yaml, self.source, self.source_file, self.headers)


@dataclass(frozen=True)
class SpaceOutline:
    """What a list of spaces says of one.

    Attributes:
        workload: the parameters that are the problem rather than the variant.
        points: valid points, over all workloads; None when there are too many to count.
    """

    kernel: str
    parameters: Mapping[str, Sequence[Value]]
    workload: Sequence[str]
    gpus: Sequence[str]
    points: int | None

    @classmethod
    def of(cls, space: Space) -> "SpaceOutline":
        """The outline of a space."""
        points = space.count() if space.size <= COUNTED_SIZE else None
        parameters = {name: list(values) for name, values in space.parameters.items()}
        return cls(space.kernel, parameters, list(space.workload), list(space.gpus), points)


class Request(BaseModel):
    """What a person asks for.

    Attributes:
        space: a catalog name, the name of an uploaded space, or the texts of one.
        gpus: where; empty means the space's own list.
        trials: the most trials, over all GPUs; None means every valid point.
        timeout_s: seconds of wall clock; None means no limit.
        sampler: who chooses when not all points are explored; None means `tpe`.
        seed: the sampler's.
        parameters: values that replace the space's, by parameter.
        id: the sweep's name of the asker's choice; asking the same again under the same id is one sweep.
        priority: -10 to 10; each step doubles the sweep's share of the workers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    space: str | SpaceFiles = Field(examples=["rsqrt_chain"])
    gpus: tuple[str, ...] = Field((), examples=[["h100-sxm", "b200"]])
    trials: int | None = Field(None, examples=[100], le=2**31 - 1)
    timeout_s: float | None = Field(None, allow_inf_nan=False)
    sampler: str | None = Field(None, examples=["tpe"])
    seed: int = Field(0, ge=0, lt=2**31)
    parameters: dict[str, Values] = Field({}, examples=[{"unroll": [1, 2, 4]}])
    id: str | None = Field(None, min_length=1, examples=["rsqrt-on-hopper"])
    priority: int = Field(0, ge=-MAX_PRIORITY, le=MAX_PRIORITY)

    def read_space(self) -> Space:
        """The space as the catalog or the texts have it; SpaceError when there is none or it is wrong."""
        if isinstance(self.space, SpaceFiles):
            return self.space.parse()
        if self.space in catalog_names():
            return load_space(self.space)
        raise SpaceNotFound(self.space, catalog_names())


class Extension(BaseModel):
    """What is asked of a sweep beyond what it holds.

    Attributes:
        trials: the new budget, over all GPUs; None keeps what each GPU had, or all points of a sweep without.
        gpus: further GPUs.
        parameters: further values, by parameter.
        timeout_s: seconds of wall clock from now; None means no limit.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    trials: int | None = Field(None, examples=[200], le=2**31 - 1)
    gpus: tuple[str, ...] = Field((), examples=[["a100-80gb"]])
    parameters: dict[str, Values] = Field({}, examples=[{"unroll": [32]}])
    timeout_s: float | None = Field(None, allow_inf_nan=False)

    @property
    def asks_nothing(self) -> bool:
        """Whether it is no extension, but for time."""
        return self.trials is None and not self.gpus and not self.parameters


def checked(model: type[Model], **fields: Any) -> Model:
    """A request of that kind; InputError, with the names of the fields, when they cannot be one."""
    try:
        return model(**fields)
    except ValidationError as error:
        wrong = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise InputError("; ".join(wrong)) from None


def make_spec(request: Request, space: Space, plan: Plan) -> SweepSpec:
    """The request as stored; `space` is the requested one with the requested GPUs and values."""
    return SweepSpec(
        name=space.kernel,
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
    )


def restore_space(spec: SweepSpec) -> Space:
    """The space that a sweep was made from."""
    space = parse_space(spec.space_yaml, spec.source, spec.source_file, spec.headers)
    return space.override(spec.parameters, spec.gpus)


def extended_spec(spec: SweepSpec, extension: Extension) -> SweepSpec:
    """The question that a sweep and its extension are together.

    Raises:
        InputError: the budget is below what the sweep holds already.
        SpaceError: an unknown parameter, or a value that it cannot have.
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
    return replace(
        spec,
        gpus=tuple(space.gpus),
        parameters=dict(space.parameters),
        sampler=plan.search,
        trials=budget,
        timeout_s=extension.timeout_s,
        total=plan.total,
    )


def _scaled(trials: int | None, gpus: int, gpus_before: int) -> int | None:
    """A budget that leaves each GPU what it had when others come."""
    return None if trials is None else math.ceil(trials * gpus / gpus_before)


def chooses_alike(spec: SweepSpec, other: SweepSpec) -> bool:
    """Whether the longer of two questions begins with the trials of the shorter, numbers included."""
    fixed = ("gpus", "parameters", "sampler")
    return all(getattr(spec, name) == getattr(other, name) for name in fixed)


def content_key(spec: SweepSpec) -> str:
    """A sweep's key from what is asked and who answers it: the same question has the same key."""
    identity = [spec.asked, SIMULATOR_VERSION, compiler_version()]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    return f"{spec.name}-{digest[:10]}"


def space_argument(space: str | Path) -> str | SpaceFiles:
    """A space as a request takes it: a name as it is, a folder or a file as its texts.

    Raises:
        SpaceError: there is such a path, and it holds no correct space.
    """
    path = Path(space)
    if isinstance(space, str) and (space in catalog_names() or not path.exists()):
        return space
    return SpaceFiles.of(load_space(path))


def _more_values(
    parameters: Mapping[str, Sequence[Value]], more: Mapping[str, Sequence[Value]]
) -> dict[str, tuple[Value, ...]]:
    return {name: _union(parameters.get(name, ()), values) for name, values in more.items()}


def _union(first: Sequence[Item], second: Sequence[Item]) -> tuple[Item, ...]:
    return tuple(dict.fromkeys([*first, *second]))


def _plan_again(
    spec: SweepSpec, space: Space, trials: int | None, sampler: str | None, is_same: bool
) -> Plan:
    """The plan for a changed budget or space; one that a time limit once decided stays with its sampler."""
    if is_same and trials == spec.trials:
        return Plan(spec.sampler, spec.total)
    if trials is None and spec.sampler != EXHAUSTIVE:
        return Plan(spec.sampler, space.count() * len(space.gpus))
    return plan_search(space, space.gpus, trials, sampler=sampler)
