"""Instruction words of real kernels: of spaces, compiled for an architecture."""

import random
from collections.abc import Iterable

from search_spaces import Space
from simcore import CompileError, compile_cuda, gpu_names, load_gpu, read_kernel
from simcore.core.geometry import INSTRUCTION_BYTES
from simcore.machine_code.encoding.form import ENCODED


def architectures() -> dict[str, str]:
    """A GPU for each architecture there is a profile of."""
    return {load_gpu(name).architecture: name for name in gpu_names()}


def words_of(spaces: Iterable[Space], architecture: str, points: int) -> set[int]:
    """The words of some points of each space, without their scheduling bits."""
    gpu = architectures()[architecture]
    generator = random.Random(1)
    words: set[int] = set()
    for space in spaces:
        every = list(space.points())
        for point in generator.sample(every, min(points, len(every))):
            try:
                cubin = compile_cuda(
                    space.source,
                    gpu,
                    space.defines(point),
                    space.register_cap(point),
                    file_name=space.source_name,
                    headers=space.headers,
                )
            except CompileError:
                continue  # a space may hold points that some architecture has no instruction for
            words |= words_in(read_kernel(cubin, space.kernel).code)
    return words


def words_in(code: bytes) -> set[int]:
    """The words of a kernel's code, without their scheduling bits."""
    starts = range(0, len(code), INSTRUCTION_BYTES)
    return {int.from_bytes(code[at : at + INSTRUCTION_BYTES], "little") & ENCODED for at in starts}
