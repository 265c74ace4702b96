"""Blocks that are not run, because one that was run is like them, do exactly what they would do."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simcore import Buffer, MemoryFault, compile_cuda
from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.execution import native, trail
from simcore.core.machine import Machine
from simcore.session import likes
from simcore.session.likes import Likes
from simcore.session.request import LaunchRequest
from simcore.session.running import Counts, run_some
from simcore.session.session import Session, prepare
from testing.families import FAMILIES, session_of

MOST_BLOCKS, MOST_INSTRUCTIONS = 400, 100_000
"""Of a kernel that a test interprets, warp instructions."""

SAMPLED = 3
"""Mask of the sample of lines."""

ELEMENTS = 1 << 14
ROOM = 1 << 18
"""Entries of a trail."""


@pytest.fixture(autouse=True)
def _always_look_for_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Likes, "_pays", lambda _: True)
    monkeypatch.setattr(likes, "FEW_BLOCKS", 0)


Done = tuple[Counts, NDArray[np.int64], int]


def done(session: Session, what: slicing.Slice, blocks: NDArray[np.int64], compares: bool) -> Done:
    """What blocks execute and touch, and how many of them were not run."""

    def core(machine: Machine) -> Done:
        notes = trail.trail_of(ROOM, SAMPLED, isa.NEVER)
        context, spared, counts = np.zeros(native.CONTEXT, np.int64), 0, []
        if compares:
            known = Likes(session, machine, blocks, most=isa.NEVER)
            counts.append(known.run(blocks, notes))
            spared = len(counts[0]) - known.runs
        rest = blocks[sum(map(len, counts)) :]
        behind = notes._replace(first=len(blocks) - len(rest))
        counts.append(run_some(machine, context, rest, noted=behind))
        return Counts.joined(counts), notes.entries[: notes.noted[0]].copy(), spared

    return session.run(what, session.launch.warps_per_block, 1, core)


def spared(session: Session, blocks: NDArray[np.int64]) -> list[int]:
    """How many blocks need not be run to count instructions, and to know what they touch; they would do the same."""
    found = []
    for what in (slicing.for_counting, slicing.for_tracing):
        counts, entries, none = done(session, what, blocks, compares=False)
        like_counts, like_entries, some = done(session, what, blocks, compares=True)
        np.testing.assert_array_equal(like_counts.executed, counts.executed)
        np.testing.assert_array_equal(like_counts.longest, counts.longest)
        np.testing.assert_array_equal(like_entries, entries)
        assert none == 0
        found.append(some)
    return found


def some_blocks(session: Session) -> NDArray[np.int64]:
    """The grid's first blocks and its last ones, as far as a test has time for them."""
    one = done(session, slicing.for_counting, np.zeros(1, np.int64), compares=False)[0].executed[0]
    half = max(min(MOST_INSTRUCTIONS // int(one), MOST_BLOCKS, session.launch.blocks) // 2, 1)
    return np.unique(np.append(np.arange(half), session.launch.blocks - half + np.arange(half)))


@pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "b200"])
@pytest.mark.parametrize("family", sorted(folder.parent.name for folder in FAMILIES.glob("*/space.yaml")))
def test_families_do_the_same(family: str, gpu: str) -> None:
    session = session_of(family, gpu)
    spared(session, some_blocks(session))


@pytest.mark.parametrize("family", ["stencil_2d", "stencil_3d", "matmul_tiled", "saxpy"])
def test_most_blocks_of_a_regular_kernel_need_not_be_run(family: str) -> None:
    session = session_of(family, "h200")
    blocks = some_blocks(session)
    counted, traced = spared(session, blocks)
    assert counted > len(blocks) / 2
    assert traced > len(blocks) / 2


@pytest.mark.parametrize("seed", range(40))
def test_random_kernels_do_the_same(seed: int) -> None:
    spared(*random_launch(seed))


def test_many_blocks_of_random_kernels_need_not_be_run() -> None:
    """Else the test before says little."""
    launches = [random_launch(seed) for seed in range(100, 110)]
    assert sum(sum(spared(*launch)) for launch in launches) > sum(len(blocks) for _, blocks in launches)


@pytest.mark.parametrize(
    "body",
    [
        "x[seen[blockIdx.x]] = 1;",
        "if (seen[blockIdx.x] > 1) x[threadIdx.x] = 1;",
        "__shared__ int t[64]; t[threadIdx.x] = blockIdx.x; __syncthreads(); x[t[63 - threadIdx.x]] = 1;",
        "if (atomicAdd(x, 1) == 3) x[threadIdx.x] = 1;",
    ],
)
def test_what_depends_on_data_is_run(body: str) -> None:
    assert spared(*launch_of(body, grid=(40, 1, 1)))[1] == 0


def test_what_all_blocks_load_is_the_same() -> None:
    session, blocks = launch_of("x[blockIdx.x * 64 + threadIdx.x + seen[0]] = 1;", grid=(40, 1, 1))
    assert spared(session, blocks)[1] == 39


def test_a_block_out_of_bounds_is_found() -> None:
    session, blocks = launch_of("x[blockIdx.x * 512 + threadIdx.x] = 1;", grid=(40, 1, 1))
    with pytest.raises(MemoryFault, match=r"block \(32, 0, 0\)"):
        done(session, slicing.for_tracing, blocks, compares=True)


# --- Random kernels ---------------------------------------------------------------------------------------

HEAD = 'extern "C" __global__ void k(int* x, const int* __restrict__ seen, int n, int pitch) {\n'


def launch_of(body: str, grid: tuple[int, int, int]) -> tuple[Session, NDArray[np.int64]]:
    """A kernel's launch, and its blocks."""
    arguments: Sequence[Any] = (
        Buffer("int32", ELEMENTS),
        Buffer("int32", ELEMENTS, fill="zeros"),
        np.int32(1000),
        np.int32(96),
    )
    request = LaunchRequest(
        cubin=compile_cuda(HEAD + body + "\n}", "h200"),
        grid=grid,
        block=(32, 2, 1),
        arguments=arguments,
        gpu="h200",
    )
    return prepare(request), np.arange(int(np.prod(grid)))


def random_launch(seed: int) -> tuple[Session, NDArray[np.int64]]:
    """A kernel whose addresses and branches are made of indices by random arithmetic."""
    draw = random.Random(seed)
    grid = draw.choice([(60, 1, 1), (12, 6, 1), (5, 4, 4)])
    lines = [f"{draw.choice(('int', 'unsigned'))} v{i} = {_leaf(draw)};" for i in range(3)]
    for _ in range(draw.randrange(2, 6)):
        lines.append(_statement(draw))
    lines.append(f"long long at = {_expression(draw, 2)};")
    lines.append(f"if (at >= 0 && at < {ELEMENTS}) x[at] = seen[at];")
    return launch_of("\n".join(lines), grid)


INDICES = ("blockIdx.x", "blockIdx.y", "blockIdx.z")
THREADS = ("threadIdx.x", "threadIdx.y")


def _leaf(draw: random.Random) -> str:
    block, thread = draw.choice(INDICES), draw.choice(THREADS)
    scale = draw.choice((1, 2, 3, 32, 64, 96, 128, 1000))
    return draw.choice(
        (
            f"{block} * {scale} + {thread}",
            f"{block} * pitch + {thread}",
            f"{block} + {scale}",
            f"{thread} * {block}",
        )
    )


def _expression(draw: random.Random, depth: int) -> str:
    if depth == 0:
        return draw.choice(
            ("v0", "v1", "v2", "n", "(int)" + draw.choice(INDICES + THREADS), str(draw.randrange(100)))
        )
    a, b = _expression(draw, depth - 1), _expression(draw, depth - 1)
    power, number = draw.randrange(1, 8), draw.choice((3, 7, 32, 100))
    return draw.choice(
        (
            f"({a} + {b})", f"({a} - {b})", f"({a} * {number})", f"({a} << {power})", f"({a} >> {power})",
            f"({a} & {(1 << power) - 1})", f"({a} & ~{(1 << power) - 1})", f"({a} | {b})", f"({a} ^ {b})", f"(~{a})",
            f"({a} / {number})", f"({a} % {number})", f"min((int){a}, (int){b})", f"max((int){a}, (int){b})",
            f"min((int){a} + {number}, n)", f"max((int){a} - {number}, (int){b})",
            f"({a} < {b} ? {a} : {b})", f"abs((int){a})", f"((long long){a} * {number} + {b})",
            f"(int)((float){a} * 0.5f)", f"__shfl_xor_sync(-1, (int){a}, 1)", f"({a} + {b})", f"({a} + {b})",
        )
    )  # fmt: skip


def _statement(draw: random.Random) -> str:
    to, value = f"v{draw.randrange(3)}", _expression(draw, draw.randrange(1, 3))
    condition = f"{_expression(draw, 1)} {draw.choice(('<', '<=', '==', '!=', '>'))} {_expression(draw, 1)}"
    access = f"if ({to} >= 0 && {to} < {ELEMENTS}) x[{to}] = 1;"
    return draw.choice(
        (
            f"{to} = {value};",
            f"{to} += {value};",
            f"if ({condition}) {to} = {value};",
            f"if ({condition}) {{ {access} }}",
            f"for (int i = 0; i < ({value} & 3); ++i) {{ {to} += i * pitch; {access} }}",
            access,
        )
    )
