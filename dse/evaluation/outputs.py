"""Whether a kernel computes what it must: its whole grid is executed, and its outputs compared with expected ones."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simcore
from dse.errors import WrongOutput
from dse.evaluation.contents import DeviceArgument, DeviceBuffer
from dse.evaluation.machine_code import launch_keywords
from dse.evaluation.tasks import Task
from search_spaces.array_files import read_array
from search_spaces.contents import Tolerance, buffers_of
from search_spaces.fields import FIRST_VARIANT
from search_spaces.number_types import NumberType
from simcore import Buffer, Struct
from simcore.errors import SimcoreError
from simcore.model.arguments import pointers_of
from simcore.model.number_formats import decode

#: The relative and absolute tolerance of each type unless the space sets them: those of `torch.testing.assert_close`,
#: and one unit in the last place for FP8.
TOLERANCES = {
    "float64": (1e-7, 1e-7),
    "float32": (1.3e-6, 1e-5),
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float8_e4m3": (0.125, 2**-9),
    "float8_e5m2": (0.25, 2**-16),
}

#: Relative differences up to this may come from the order of a summation.
MOST_BY_ROUNDING = 1e-3

#: Share of wrong elements up to which they may be those that rounding pushed over an edge, as of a quantisation.
MOST_BY_CHANCE = 1e-3

Outputs = dict[str, NDArray[Any]]


def check_outputs(task: Task) -> None:
    """Execute a task and compare its outputs with what its space expects.

    Raises:
        WrongOutput: an output differs; the message says where and by how much.
        SimcoreError: the task, or the first variant that it is compared with, cannot be executed.
    """
    expectation = task.expectation
    if expectation is None:
        return
    wanted = {
        name: file
        for name, file in expectation.outputs.items()
        if file != FIRST_VARIANT or task.baseline is not None
    }
    if not wanted:
        return  # the first variant itself
    outputs = _executed(task, tuple(wanted))
    types = {name: NumberType.of(buffer.dtype) for name, buffer in buffers_of(task.arguments).items()}
    first = _first_outputs(task, wanted)
    for name, file in wanted.items():
        kind = types[name]
        expected = first[name] if file == FIRST_VARIANT else _file_output(task.files[file], kind)
        place = "the first variant's" if file == FIRST_VARIANT else file
        tolerance = expectation.tolerance(name)
        rtol, atol = _tolerances(kind, tolerance)
        _compare(name, outputs[name], expected, place, rtol, atol, tolerance.mismatches)


def _first_outputs(task: Task, wanted: Mapping[str, str]) -> Outputs:
    names = tuple(name for name, file in wanted.items() if file == FIRST_VARIANT)
    if task.baseline is None or not names:
        return {}
    try:
        return _baseline_outputs(_ByHash(task.baseline), names)
    except SimcoreError as error:
        raise WrongOutput(f"the first variant, with which outputs are compared, fails: {error}") from error


class _ByHash:
    """A task that is equal to another with the same hash, as a key of a cache."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByHash) and other.task.point_hash == self.task.point_hash

    def __hash__(self) -> int:
        return hash(self.task.point_hash)


@lru_cache(maxsize=4)
def _baseline_outputs(baseline: _ByHash, names: tuple[str, ...]) -> Outputs:
    return _executed(baseline.task, names)


def _executed(task: Task, names: tuple[str, ...]) -> Outputs:
    """The contents of some buffers after the launch."""
    keywords = launch_keywords(task)
    arguments = [
        _writable(own.name, argument, names)
        for own, argument in zip(task.arguments, keywords["arguments"], strict=True)
    ]
    simcore.execute(**{**keywords, "arguments": arguments})
    written = [pointer.buffer for argument in arguments for pointer in pointers_of(argument)]
    return {
        name: decode(buffer, NumberType.of(own.dtype).number)
        for (name, own), buffer in zip(buffers_of(task.arguments).items(), written, strict=True)
        if name in names and isinstance(buffer, np.ndarray)
    }


def _writable(name: str, argument: DeviceArgument, outputs: Collection[str]) -> DeviceArgument:
    """The argument as one that an execution may write to; the outputs as arrays, which it does write to."""
    if isinstance(argument, Struct):
        pointers = [
            pointer._replace(buffer=_writable_buffer(pointer.buffer, f"{name}.{pointer.name}" in outputs))
            for pointer in argument.pointers
        ]
        return replace(argument, pointers=pointers)
    if isinstance(argument, np.generic):
        return argument
    return _writable_buffer(argument, name in outputs)


def _writable_buffer(buffer: DeviceBuffer, is_output: bool) -> DeviceBuffer:
    if isinstance(buffer, Buffer):
        return buffer.materialise().copy() if is_output else buffer
    return buffer.copy()


def _file_output(content: bytes, kind: NumberType) -> NDArray[Any]:
    array = read_array(content)
    is_stored_so = array.dtype.kind in "uV" and kind.integers is None
    return decode(array, kind.number) if is_stored_so else array


def _tolerances(kind: NumberType, tolerance: Tolerance) -> tuple[float, float]:
    """The relative and the absolute tolerance; without any, those of the type."""
    if tolerance.rtol is None and tolerance.atol is None:
        return TOLERANCES.get(kind.number, (0.0, 0.0))
    return tolerance.rtol or 0.0, tolerance.atol or 0.0


def _compare(
    name: str,
    output: NDArray[Any],
    expected: NDArray[Any],
    place: str,
    rtol: float,
    atol: float,
    mismatches: float,
) -> None:
    """Raise WrongOutput unless |output - expected| <= atol + rtol |expected| for all but a share `mismatches` of the
    elements; NaN equals NaN."""
    if not _are_integers(output, expected):
        differs = ~np.isclose(output.astype(float), expected.astype(float), rtol, atol, equal_nan=True)
    elif rtol or atol:
        differs = _distance(output, expected) > atol + rtol * np.abs(expected.astype(float))
    else:
        differs = output != expected
    wrong = np.flatnonzero(differs)
    if len(wrong) <= mismatches * output.size:
        return
    first = wrong[0]
    distance = _distance(output[wrong], expected[wrong])
    farthest = wrong[np.argmax(np.where(np.isnan(distance), np.inf, distance))]
    most = (
        f", most at [{farthest}]: {output[farthest]} instead of {expected[farthest]}"
        if len(wrong) > 1
        else ""
    )
    more = f", and {mismatches:g} of them may" if mismatches else ""
    raise WrongOutput(
        f"{name}[{first}] is {output[first]}, but {place} is {expected[first]}; {len(wrong):,} of {output.size:,} "
        f"elements differ by more than rtol {rtol:g}, atol {atol:g}{more}{most}{_rounding(expected[wrong], distance)}"
        f"{_few(len(wrong), output.size)}"
    )


def _are_integers(output: NDArray[Any], expected: NDArray[Any]) -> bool:
    return output.dtype.kind in "iub" and expected.dtype.kind in "iub"


def _distance(output: NDArray[Any], expected: NDArray[Any]) -> NDArray[Any]:
    """|output - expected|, exact for integers of all sizes."""
    if _are_integers(output, expected):
        type_ = np.result_type(output.dtype, expected.dtype)
        if type_.kind in "iub":
            a, b = output.astype(type_), expected.astype(type_)
            apart: NDArray[Any] = np.maximum(a, b).astype(np.uint64) - np.minimum(a, b).astype(np.uint64)
            return apart
    with np.errstate(invalid="ignore"):
        distance: NDArray[Any] = np.abs(output.astype(float) - expected.astype(float))
    return distance


def _few(wrong: int, elements: int) -> str:
    """What would permit so few wrong elements."""
    if wrong > MOST_BY_CHANCE * elements:
        return ""
    permits = 10.0 ** np.ceil(np.log10(wrong / elements))
    return f"; `mismatches: {permits:g}` permits so few of this buffer"


def _rounding(expected: NDArray[Any], distance: NDArray[np.float64]) -> str:
    """What would permit the differences, if they are as small as those of another order of summation."""
    if expected.dtype.kind in "iu":
        return "; rounding, perhaps: `atol: 1` permits it" if distance.max() <= 1 else ""
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = float(np.max(distance / np.abs(expected.astype(float))))
    if not relative <= MOST_BY_ROUNDING:
        return ""
    permits = 10.0 ** np.ceil(np.log10(relative))
    return f"; rounding, perhaps: `rtol: {permits:g}` permits it"
