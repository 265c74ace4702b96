"""A space: the variants of a kernel, and how each is compiled and launched."""

import hashlib
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from search_spaces.array_files import read_array
from search_spaces.binaries import chosen_by, file_at, files_of
from search_spaces.contents import (
    Argument,
    Expectation,
    argument_at,
    buffers_of,
    check_expected_array,
    data_at,
)
from search_spaces.cross_checks import special_values
from search_spaces.enumeration import Lattice, Point, constraint
from search_spaces.errors import Problem, SpaceError, known_or_closest
from search_spaces.expression import Expression, Value, spelled
from search_spaces.fields import (
    DEFAULT_SOURCE,
    FIRST_VARIANT,
    GPU_FIELD,
    REGISTER_CAP,
    GpuNames,
    MetricField,
    Name,
    Objective,
    ObjectiveField,
    Option,
    ParameterValues,
    is_macro,
    plain_name,
)
from search_spaces.launch import Launch, bind, evaluate, launch_at
from search_spaces.limits import MAX_POINTS, MAX_WORKLOADS
from search_spaces.schema import (
    ArgumentSection,
    CsrSection,
    GraphSection,
    LaunchSection,
    LimitsSection,
    VariableSection,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Neighbourhood = Literal["hamming", "adjacent"]
Checked = TypeVar("Checked")

_PARAMETER_VALUES: TypeAdapter[tuple[Value, ...]] = TypeAdapter(ParameterValues)
_GPU_NAMES: TypeAdapter[tuple[str, ...]] = TypeAdapter(GpuNames)
_METRICS: TypeAdapter[dict[str, Expression]] = TypeAdapter(dict[Name, MetricField])
_OBJECTIVES: TypeAdapter[tuple[Objective, ...]] = TypeAdapter(tuple[ObjectiveField, ...])


#: Launches that a space remembers.
MOST_DERIVED = 2**14


@dataclass(frozen=True)
class Space:
    """The variants of one kernel. Created by `load_space` or `parse_space`, which check it.

    Attributes:
        kernel: the name of the `__global__` function.
        source: the text of the CUDA source.
        source_path: where that text came from.
        yaml: the text of the space.yaml, as written.
        parameters: each parameter's values in file order; None means `none`.
        workload: the parameters that describe the problem size, which a search must not choose.
        gpus: the names of the GPUs to explore for.
        profiles: for each of these names that is somebody's own, the known GPU with overrides that it stands for.
        constraints: conditions that valid points satisfy.
        launch_section: expressions for grid, block and dynamic shared memory.
        values: named expressions, each over parameters and the values before it.
        argument_sections: the kernel's arguments, in the order of its signature.
        objectives: the objectives, most important first.
        metrics: named expressions over what a simulation finds, parameters, values and the metrics before them.
        source_name: path of the source relative to the space's folder, shown in compiler messages; of machine code with
            the names of parameters, as in `{passes}.cubin`.
        headers: texts of the headers that the source includes, by path relative to the space's folder.
        options: compiler options, each with the condition under which it is set.
        data_sections: sparse matrices and graphs that arguments take their contents from.
        variable_sections: contents of the kernel's `__constant__` and `__device__` variables.
        reset: the buffers that are zeroed before each launch.
        cache: `warm` if the same launch has just run, `cold` if the caches are empty.
        bounds: `error` if every access must lie in a buffer, `warn` if a read beside one gives zero.
        expectation: what the kernel must compute; None if its output is not checked.
        files: contents of the .npy files, and of the source if it is a binary, by path relative to the folder.
        limits: what the evaluation of one point may take.
    """

    kernel: str
    source: str
    source_path: Path
    yaml: str
    parameters: dict[str, tuple[Value, ...]]
    workload: tuple[str, ...]
    gpus: tuple[str, ...]
    constraints: tuple[Expression, ...]
    launch_section: LaunchSection
    values: dict[str, Expression]
    argument_sections: tuple[ArgumentSection, ...]
    objectives: tuple[Objective, ...]
    metrics: Mapping[str, Expression] = field(default_factory=dict)
    source_name: str = DEFAULT_SOURCE
    headers: Mapping[str, str] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    data_sections: Mapping[str, CsrSection | GraphSection] = field(default_factory=dict)
    variable_sections: tuple[VariableSection, ...] = ()
    reset: tuple[str, ...] = ()
    cache: Literal["warm", "cold"] = "warm"
    bounds: Literal["error", "warn"] = "error"
    expectation: Expectation | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    limits: LimitsSection = field(default_factory=LimitsSection)
    profiles: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The kernel's name without namespaces and template arguments."""
        return plain_name(self.kernel)

    @property
    def size(self) -> int:
        """Number of points before constraints."""
        return self._lattice.size

    def points(self) -> Iterator[Point]:
        """Every valid point in index order, generated lazily."""
        return self._lattice.points()

    def count(self) -> int:
        """The number of valid points."""
        return self._lattice.count()

    def workloads(self) -> list[Point]:
        """Every combination of workload values with a valid point; a single empty one without workload parameters."""
        combinations = product(*(self.parameters[name] for name in self.workload))
        workloads = [dict(zip(self.workload, values, strict=True)) for values in combinations]
        return [workload for workload in workloads if self._first_point(workload) is not None]

    def at_workload(self, point: Mapping[str, Value]) -> "Space":
        """The subspace with a point's workload; SpaceError if it has no valid point."""
        return self.override({name: [point[name]] for name in self.workload}) if self.workload else self

    def point(self, index: int) -> Point:
        """The point at an index: mixed radix over the parameters in file order, the last one fastest.

        Constraints do not affect indices, so the point may be invalid: see `is_valid`.

        Raises:
            SpaceError: there is no such index.
        """
        if not 0 <= index < self.size:
            raise SpaceError([Problem(f"point {index}: {self.kernel} has points 0 to {self.size - 1}")])
        return self._lattice.point(index)

    def index(self, point: Mapping[str, Value]) -> int:
        """The index of a point, the inverse of `point`; SpaceError if it is not in this space."""
        self._check(point)
        return self._lattice.index(point)

    def is_valid(self, point: Mapping[str, Value]) -> bool:
        """Whether a point satisfies every constraint; SpaceError if it is not in this space."""
        self._check(point)
        return self._lattice.is_valid(point)

    def neighbours(self, point: Mapping[str, Value], kind: Neighbourhood = "hamming") -> Iterator[Point]:
        """The valid points that differ from a point in exactly one parameter.

        Args:
            point: any point of the space.
            kind: `hamming`, to any other value; `adjacent`, to the next or the previous in its list.
        """
        if kind not in ("hamming", "adjacent"):
            raise SpaceError([Problem(f"neighbours: unknown kind {kind!r}; use hamming or adjacent")])
        self._check(point)
        return self._lattice.neighbours(point, reach=1 if kind == "adjacent" else None)

    def sample(self, n: int, seed: int) -> list[Point]:
        """n distinct valid points, each equally likely, the same for the same seed; all if there are fewer."""
        return self._lattice.sample(n, seed)

    def defines(self, point: Mapping[str, Value]) -> dict[str, Value]:
        """The macros of a point: parameters except the register cap and the GPU's numbers, in capitals."""
        self._check(point)
        return {name.upper(): point[name] for name in self.parameters if is_macro(name)}

    def source_at(self, point: Mapping[str, Value]) -> str:
        """The path of the source at a point, relative to the space's folder."""
        return file_at(self.source_name, point)

    def files_at(self, point: Mapping[str, Value]) -> Mapping[str, bytes]:
        """The .npy files, and the machine code of a point."""
        if not chosen_by(self.source_name):
            return self.files
        others = set(files_of(self.source_name, self.parameters)) - {self.source_at(point)}
        return {name: content for name, content in self.files.items() if name not in others}

    def register_cap(self, point: Mapping[str, Value]) -> int | None:
        """Maximum registers per thread at a point; None leaves the choice to the compiler."""
        self._check(point)
        cap = point.get(REGISTER_CAP)
        return cap if isinstance(cap, int) else None

    def machine(self, gpu: str) -> str:
        """What one of its GPUs is: a known one, with overrides perhaps."""
        return self.profiles.get(gpu, gpu)

    def gpu_fields(self, point: Mapping[str, Value]) -> dict[str, Value]:
        """The numbers of the GPU that a point sets, by field: `{"l2_bytes": "50MB"}`."""
        if not self.gpu_parameters:
            return {}
        self._check(point)
        return {name.removeprefix(GPU_FIELD): point[name] for name in self.gpu_parameters}

    def compiler_options(self, point: Mapping[str, Value]) -> tuple[str, ...]:
        """The compiler options at a point; SpaceError if a condition has no value there."""
        if not self.options:
            return ()
        names = self._names(point)
        return tuple(
            option.text
            for position, option in enumerate(self.options)
            if option.when is None or evaluate(option.when, names, f"options[{position}].when")
        )

    def derived(self, point: Mapping[str, Value]) -> tuple[Launch, list[Value]]:
        """The launch and the named values at a point, in file order; SpaceError if one has none there."""
        key = tuple(map(point.__getitem__, self.deciding))
        if key not in self._derived:
            names = bind(self.values, point)
            found = launch_at(self.launch_section, names), [names[name] for name in self.values]
            if len(self._derived) >= MOST_DERIVED:
                self._derived.clear()
            self._derived[key] = found
        return self._derived[key]

    def launch(self, point: Mapping[str, Value]) -> Launch:
        """The launch at a point; SpaceError if an expression has no usable value there."""
        return launch_at(self.launch_section, self._names(point))

    def arguments(self, point: Mapping[str, Value]) -> tuple[Argument, ...]:
        """The arguments at a point, in the kernel's order; SpaceError as for `launch`."""
        return self._contents(self.argument_sections, "arguments", point)

    def variables(self, point: Mapping[str, Value]) -> tuple[Argument, ...]:
        """The contents of the kernel's variables at a point; SpaceError as for `launch`."""
        return self._contents(self.variable_sections, "variables", point)

    def first_point(self, point: Mapping[str, Value]) -> Point:
        """The first valid point with a point's workload, the baseline of speedups and of expected outputs."""
        workload = {name: point[name] for name in self.workload}
        key = tuple(workload.values())
        if key not in self._first_points:
            self._first_points[key] = self._first_point(workload) or point
        return self._first_points[key]

    def check_expectation(self, point: Mapping[str, Value]) -> None:
        """Raise SpaceError if an expected file is not of its output's type and size at a point."""
        if self.expectation is None:
            return
        outputs = self.expectation.outputs
        holders = {name.partition(".")[0] for name in outputs}
        arguments = self._contents(self.argument_sections, "arguments", point, only=holders)
        for name, buffer in buffers_of(arguments).items():
            if (file := outputs.get(name, FIRST_VARIANT)) != FIRST_VARIANT:
                check_expected_array(buffer, name, file, self._arrays[file])

    def digest(self) -> str:
        """A hash of all that affects a point's result: kernel, source, headers, launch, values, arguments.

        Lists of values, constraints, GPUs, metrics and objectives affect only what is explored, and in which words.
        """
        deciding = {
            "kernel": self.kernel,
            "source": self.source,
            "launch": repr(self.launch_section),
            "values": {name: expression.text for name, expression in self.values.items()},
            "arguments": [repr(section) for section in self.argument_sections],
        } | ({"headers": dict(self.headers)} if self.headers else {})
        later = {
            "options": [repr(option) for option in self.options],
            "data": {name: repr(section) for name, section in self.data_sections.items()},
            "variables": [repr(section) for section in self.variable_sections],
            "cache": self.cache if self.cache != "warm" else "",
            "bounds": self.bounds if self.bounds != "error" else "",
            "expect": repr(self.expectation) if self.expectation else "",
            "tolerances": repr(self.expectation.own) if self.expectation and self.expectation.own else "",
            "files": {name: hashlib.sha256(content).hexdigest() for name, content in self.files.items()},
            "cycles": str(self.limits.cycles or ""),
        }
        deciding |= {name: value for name, value in later.items() if value}
        return hashlib.sha256(json.dumps(deciding).encode()).hexdigest()

    def override(
        self,
        parameters: Mapping[str, Sequence[Value]] | None = None,
        gpus: Sequence[str] | None = None,
        metrics: Mapping[str, str] | None = None,
        objectives: Sequence[str] | None = None,
        profiles: Mapping[str, str] | None = None,
    ) -> "Space":
        """The same space with different values for some parameters, for different GPUs, metrics or objectives.

        Raises:
            SpaceError: an unknown parameter, an invalid value, or no valid point left.
        """
        changed: dict[str, tuple[Value, ...]] = {}
        problems: list[Problem] = []
        for name, values in (parameters or {}).items():
            if name not in self.parameters:
                advice = known_or_closest(name, self.parameters)
                problems.append(Problem(f"unknown parameter {name}; {advice}"))
            else:
                checked = _checked(f"parameters.{name}", _PARAMETER_VALUES, values, problems)
                changed[name] = checked or self.parameters[name]
        problems += special_values(changed)
        problems += self._without_file(self.parameters | changed)
        chosen = self.gpus if gpus is None else _checked("gpu", _GPU_NAMES, gpus, problems) or self.gpus
        own = _checked("metrics", _METRICS, metrics or {}, problems) or {}
        aims = _checked("objectives", _OBJECTIVES, objectives or (), problems) or self.objectives
        if problems:
            raise SpaceError(problems, self.kernel)
        space = replace(
            self,
            parameters={**self.parameters, **changed},
            gpus=chosen,
            profiles={**self.profiles, **(profiles or {})},
            metrics={**self.metrics, **own},
            objectives=aims,
        )
        space.check_reachable()
        return space

    def _without_file(self, parameters: Mapping[str, Sequence[Value]]) -> Iterator[Problem]:
        """Values for which there is no machine code."""
        for file in files_of(self.source_name, parameters) if chosen_by(self.source_name) else ():
            if file not in self.files:
                yield Problem(f"{file} is missing; add it to the space's folder", "source")

    def check_reachable(self) -> None:
        """Raise SpaceError, with the constraints to blame, if no point is valid, or if there are too many points."""
        if self.size > MAX_POINTS:
            raise SpaceError(
                [Problem(f"{self.size:.2g} points; list fewer values", "parameters")], self.kernel
            )
        workloads = math.prod(len(self.parameters[name]) for name in self.workload)
        if workloads > MAX_WORKLOADS:
            what = f"{workloads} of them; explore at most {MAX_WORKLOADS}"
            raise SpaceError([Problem(what, "workload")], self.kernel)
        if next(self.points(), None) is not None:
            return
        rules = self._lattice.constraints
        alone = [
            rule for rule in rules if next(replace(self._lattice, constraints=(rule,)).points(), None) is None
        ]
        raise SpaceError(
            [
                Problem(
                    f"no point satisfies `{rule.expression.text}`"
                    f"{'' if alone else ' together with the other constraints'}; relax it or add values",
                    rule.path,
                )
                for rule in alone or rules
            ],
            self.kernel,
        )

    def _first_point(self, fixed: Mapping[str, Value]) -> Point | None:
        parameters = self.parameters | {name: (value,) for name, value in fixed.items()}
        return next(replace(self, parameters=parameters).points(), None)

    def _contents(
        self,
        sections: Sequence[ArgumentSection],
        path: str,
        point: Mapping[str, Value],
        only: Collection[str] | None = None,
    ) -> tuple[Argument, ...]:
        """The contents at a point, of those that are named; SpaceError with the problems of all of them."""
        if not sections:
            return ()
        names = self._names(point)
        data = data_at(self.data_sections, names)
        found: list[Argument] = []
        problems: list[Problem] = []
        for position, section in enumerate(sections):
            if only is not None and section.name not in only:
                continue
            try:
                found.append(argument_at(section, names, f"{path}[{position}]", data, self._arrays))
            except SpaceError as error:
                problems += error.problems
        if problems:
            raise SpaceError(problems)
        return tuple(found)

    @cached_property
    def _arrays(self) -> "dict[str, NDArray[np.generic]]":
        return {name: read_array(content) for name, content in self.files.items() if name.endswith(".npy")}

    @cached_property
    def gpu_parameters(self) -> tuple[str, ...]:
        """The parameters that are numbers of the GPU."""
        return tuple(name for name in self.parameters if name.startswith(GPU_FIELD))

    @cached_property
    def deciding(self) -> tuple[str, ...]:
        """The parameters that the launch and the named values depend on."""
        shape = self.launch_section
        expressions = (*shape.grid, *shape.block, shape.dynamic_shared_bytes, *self.values.values())
        used = frozenset().union(*(expression.names for expression in expressions))
        return tuple(name for name in self.parameters if name in used)

    @cached_property
    def _derived(self) -> dict[tuple[Value, ...], tuple[Launch, list[Value]]]:
        """What was derived before, by the values that decide it: over a whole space few are different."""
        return {}

    @cached_property
    def _first_points(self) -> dict[tuple[Value, ...], Point]:
        return {}

    @cached_property
    def _lattice(self) -> Lattice:
        rules = [
            constraint(f"constraints[{position}]", expression, self.values, list(self.parameters))
            for position, expression in enumerate(self.constraints)
        ]
        return Lattice(self.parameters, tuple(rules))

    def _names(self, point: Mapping[str, Value]) -> dict[str, Value]:
        self._check(point)
        return bind(self.values, point)

    def _check(self, point: Mapping[str, Value]) -> None:
        problems = [
            Problem(f"unknown parameter {name}; {known_or_closest(name, self.parameters)}", "point")
            for name in point
            if name not in self.parameters
        ]
        for name, values in self.parameters.items():
            if name not in point:
                problems.append(Problem(f"has no {name}; give it one of {_listed(values)}", "point"))
            elif point[name] not in values:
                what = f"{name} = {point[name]!r} is not one of {_listed(values)}"
                problems.append(Problem(what, "point"))
        if problems:
            raise SpaceError(problems, self.kernel)


def _listed(values: Sequence[Value]) -> str:
    return ", ".join(map(spelled, values))


def _checked(
    path: str,
    kind: TypeAdapter[Checked],
    given: Sequence[object] | Mapping[str, object],
    problems: list[Problem],
) -> Checked | None:
    """A value validated as a field of that kind; None, with the reason added to the problems, if it is invalid."""
    try:
        return kind.validate_python(given)
    except ValidationError as error:
        problems += [
            Problem(details["msg"].removeprefix("Value error, "), path) for details in error.errors()
        ]
        return None
