"""Executes forms for an architecture in the simulator, and compares with what a GPU left."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulator.instruction_forms.data import BLOCKS, THREADS, Words, empty, inputs
from benchmarks.simulator.instruction_forms.forms import Form
from benchmarks.simulator.instruction_forms.kernels import FORMS, cuda
from simcore import compile_cuda, execute
from simcore.architectures import sm_version
from simcore.errors import SimcoreError
from simcore.gpu_profiles import load_gpu
from simcore.machine_code.cubin import read_kernel
from simcore.machine_code.sass import decode

FORMS_A_CUBIN = 40


def existing(gpu: str) -> list[int]:
    """The places of the forms that a GPU's architecture has."""
    version = sm_version(load_gpu(gpu).architecture)
    return [place for place, form in enumerate(FORMS) if form.since <= version]


def executed(gpu: str, places: Sequence[int]) -> Iterator[tuple[int, Words | str]]:
    """Forms' places, and what they leave, or why they are refused."""
    for first in range(0, len(places), FORMS_A_CUBIN):
        some = places[first : first + FORMS_A_CUBIN]
        cubin = compile_cuda(cuda(some), gpu)
        _disassemble(cubin, some)
        for place in some:
            left = empty()
            arguments = [inputs(FORMS[place].operands), left]
            try:
                execute(
                    cubin=cubin, kernel=f"k{place}", grid=BLOCKS, block=THREADS, gpu=gpu, arguments=arguments
                )
            except SimcoreError as error:
                yield place, str(error)
            else:
                yield place, left


def _disassemble(cubin: bytes, places: Sequence[int]) -> None:
    """Have the instructions of all forms in the disassembler's cache: one call of it takes as long as another."""
    kernels = [read_kernel(cubin, f"k{place}") for place in places]
    decode(b"".join(kernel.code for kernel in kernels), kernels[0].architecture)


def difference(form: Form, ours: Words, theirs: Words) -> str | None:
    """What differs of a form, with the operands of the first thread."""
    wrong = (ours != theirs).any(0)
    if form.relative or form.absolute:
        wrong &= _too_far_apart(form, ours[0], theirs[0])
    if not wrong.any():
        return None
    first = int(np.flatnonzero(wrong)[0])
    operands = ", ".join(f"{int(value):#x}" for value in inputs(form.operands)[: len(form.operands), first])
    mine, other = (" and ".join(f"{int(v):#x}" for v in left[:, first]) for left in (ours, theirs))
    return f"{wrong.sum()} of {wrong.size} differ, first of {operands}: {mine}, not {other}"


def _too_far_apart(form: Form, ours: Words, theirs: Words) -> NDArray[np.bool_]:
    a, b = _values(form.result, ours), _values(form.result, theirs)
    with np.errstate(invalid="ignore", over="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        allowed = 2 * np.maximum(form.relative * np.abs(b), form.absolute)
        near = np.isfinite(a) & np.isfinite(b) & (np.abs(a - b) <= allowed)
        return np.asarray(~(same | near).all(0))


def _values(kind: str, bits: Words) -> NDArray[np.float64]:
    """[part, thread]: results as numbers; of two halves each."""
    if kind == "d":
        return bits.view(np.float64)[None]
    if kind == "f":
        return bits.astype(np.uint32).view(np.float32).astype(np.float64)[None]
    halves = bits.astype(np.uint32).view(np.uint16).reshape(-1, 2).T
    if kind in "hx":
        return np.ascontiguousarray(halves).view(np.float16).astype(np.float64)
    return (halves.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
