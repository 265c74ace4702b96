"""The profile adds up to the prediction, and names the instruction and the line that wait."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from simcore import Buffer, CubinError, compile_cuda, profile, simulate
from simcore.machine_code.elf import ElfFile
from simcore.machine_code.source_lines import read_line_table
from simcore.views.instruction_profile import CodeProfile, Profile

SOURCE = """__device__ float twice(float x) {
    return 2 * x;
}
extern "C" __global__ void gather(const float* x, const int* at, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float first = x[at[i]];
    out[i] = twice(first);
}
extern "C" __global__ void other(float* out) {
    out[threadIdx.x] = 1;
}
"""
ELEMENTS = 1024


def _gather(gpu: str = "h200") -> dict[str, Any]:
    return {
        "cubin": compile_cuda(SOURCE, gpu),
        "kernel": "gather",
        "grid": ELEMENTS // 128,
        "block": 128,
        "arguments": [
            Buffer("float32", ELEMENTS),
            Buffer("int32", ELEMENTS, "randint", high=ELEMENTS),
            np.zeros(ELEMENTS, np.float32),
        ],
        "gpu": gpu,
    }


@pytest.mark.parametrize("gpu", ["h200", "b200"])
def test_the_profile_adds_up_to_the_prediction(gpu: str) -> None:
    found, result = profile(**_gather(gpu)), simulate(**_gather(gpu))
    assert found.result == result
    issued = sum(instruction.issues for instruction in found.instructions)
    assert issued == pytest.approx(result.ipc * result.cycles)
    for reason, per_issue in result.stalls.items():
        if reason != "selected":
            total = sum(instruction.stalls.get(reason, 0) for instruction in found.instructions)
            assert total == pytest.approx(per_issue * issued), reason
    assert sum(instruction.share for instruction in found.instructions) == pytest.approx(1)


def test_lines_are_their_instructions_together() -> None:
    found = profile(**_gather())
    assert [str(line.source) for line in found.lines][:3] == ["kernel.cu:2", "kernel.cu:4", "kernel.cu:5"]
    for line in found.lines:
        own = [i for i in found.instructions if i.source == line.source]
        assert line.instructions == len(own)
        assert line.issues == sum(i.issues for i in own)
        assert line.stalled == sum(i.stalled for i in own)
        assert line.share == pytest.approx(sum(i.share for i in own))


def test_what_waits_for_memory_is_found() -> None:
    found = profile(**_gather())
    hottest = max(found.lines, key=lambda line: line.stalls.get("long_scoreboard", 0))
    assert hottest.source is not None
    assert hottest.source.line in (2, 6, 7)
    waiting = [i for i in found.instructions if i.stalls.get("long_scoreboard")]
    loads = [i.address for i in found.instructions if i.text.startswith("LDG")]
    assert min(i.address for i in waiting) > min(loads)


def test_each_kernel_has_lines_of_its_own() -> None:
    cubin = compile_cuda(SOURCE, "h200")
    first, second = read_line_table(cubin, "gather"), read_line_table(cubin, "other")
    assert first.at(0).line == 4  # type: ignore[union-attr]
    assert second.at(0).line == 9  # type: ignore[union-attr]


def test_a_kernel_that_is_named_as_in_cxx_has_its_lines() -> None:
    found = profile(**{**_gather(), "cubin": compile_cuda(SOURCE.replace('extern "C" ', ""), "h200")})
    kept = CodeProfile(found.cubin, "gather", found.issues, found.stalls)
    assert [str(line.source) for line in kept.lines][:3] == ["kernel.cu:2", "kernel.cu:4", "kernel.cu:5"]


def test_a_cubin_without_line_information_has_no_lines() -> None:
    found = profile(**{**_gather(), "cubin": _stripped(compile_cuda(SOURCE, "h200"))})
    assert {instruction.source for instruction in found.instructions} == {None}
    (line,) = found.lines
    assert line.share == pytest.approx(1)


def _stripped(cubin: bytes) -> bytes:
    """The cubin with the section of lines under a name that nobody looks for."""
    return cubin.replace(b"\0.debug_line\0", b"\0.nothing_at\0")


def test_dataframes_have_a_column_a_reason() -> None:
    found = profile(**_gather())
    table = found.to_dataframe()
    assert len(table) == len(found.instructions)
    assert {"address", "text", "file", "line", "issues", "long_scoreboard", "wait"} <= set(table)
    lines = found.to_dataframe(by="line")
    assert lines["stalled"].sum() == table["stalled"].sum() == table[list(_reasons(found))].sum().sum()


def _reasons(found: Profile) -> Iterator[str]:
    return (reason for reason in found.result.stalls if reason != "selected")


def test_damaged_line_information_is_refused() -> None:
    cubin = compile_cuda(SOURCE, "h200")
    lines = ElfFile(cubin).section(".debug_line")
    assert lines
    damaged = cubin.replace(lines.content, lines.content[:8] + b"\xff" * (lines.size - 8))
    with pytest.raises(CubinError, match=r"the line information of this cubin is damaged"):
        read_line_table(damaged, "gather")
