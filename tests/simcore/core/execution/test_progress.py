"""Loops without end are told from long ones, and from those that wait for other warps."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simcore import CycleLimitExceeded, EndlessLoop, execute, simulate
from simcore.session import counting, timing
from testing.tiny_kernels import two_blocks

ENDLESS = {
    "a fence": "while (f >= 0) __threadfence();",
    "a flag of memory": "while (a[0] == 0) {}",
    "a lock that nobody holds any more": "while (atomicCAS((int*)a, 0, 0) == 0) {}",
    "some warps": "if (threadIdx.x < 32) while (f >= 0) __threadfence(); __syncthreads();",
}
HANDED_ON = """
    if (threadIdx.x < 32) { for (int i = 0; i < 3; ++i) {
        while (s != 2 * i + 1) {}
        if (threadIdx.x == 0) s = 2 * i + 2;
        __syncwarp();
    } }
    else { for (int i = 0; i < 3; ++i) {
        if (threadIdx.x == 32) s = 2 * i + 1;
        __syncwarp();
        while (s != 2 * i + 2) {}
    } }
    a[threadIdx.x] = s;"""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "PATIENCE", 1 << 12)


def launch(body: str, a: np.ndarray[Any, Any]) -> dict[str, Any]:
    source = f"""extern "C" __global__ void k(volatile int* a, float f) {{
        __shared__ volatile int s; if (threadIdx.x == 0) s = 0; __syncthreads(); {body} }}"""
    return two_blocks(source, [a, np.float32(1)])


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
def test_a_loop_that_changes_nothing_is_endless(body: str) -> None:
    with pytest.raises(EndlessLoop, match=r"warp \d repeats \d+ instructions, and neither .* loops forever"):
        simulate(**launch(body, np.zeros(64, np.int32)))


def test_a_loop_that_counts_is_not_called_endless() -> None:
    counts = "unsigned i = 0; while (f >= 0) { if (++i == -1u) f = -1; __threadfence(); }"
    with pytest.raises(
        CycleLimitExceeded, match=r"not finished after 2,000,00\d warp instructions"
    ) as caught:
        simulate(**launch(counts, np.zeros(64, np.int32)), cycle_limit=1_000_000)
    assert type(caught.value) is CycleLimitExceeded


@pytest.mark.parametrize("blocks", [1, 2])
def test_a_kernel_that_takes_long_but_does_little_is_not_stopped(blocks: int) -> None:
    """Progress is what counts, not cycles: this one takes 200 ms, all but some microseconds of which it sleeps."""
    sleeps = "for (int i = 0; i < 200; ++i) { __nanosleep(1000000); a[threadIdx.x] += 1; }"
    one = launch(sleeps, np.zeros(64, np.int32)) | {"grid": blocks}
    assert 200_000 < simulate(**one).time_us < 200_100
    with pytest.raises(CycleLimitExceeded):
        simulate(**one, cycle_limit=100)


@pytest.mark.parametrize("run", [execute, simulate])
def test_a_block_that_waits_for_a_later_one_says_for_what(run: Callable[..., Any]) -> None:
    body = "if (blockIdx.x == 0) while (((volatile int*)a)[threadIdx.x + 3] == 0) {} else a[threadIdx.x + 3] = 1;"
    message = (
        r"block \(0, 0, 0\): warp \d .* until a block after its own changes byte \d+ of flags \(argument 0\)$"
    )
    with pytest.raises(EndlessLoop, match=message):
        run(**launch(body, np.zeros(128, np.int32)), argument_names=["flags"])


def test_a_long_loop_ends() -> None:
    a = np.zeros(64, np.int32)
    execute(**launch("int v = 1; for (int i = 0; i < 20000; ++i) v = v * 5 + (int)f; a[threadIdx.x] = v;", a))
    v = np.uint32(1)
    for _ in range(20000):
        v = np.uint32((int(v) * 5 + 1) & 0xFFFF_FFFF)
    assert (a == v.astype(np.int32)).all()


def test_warps_that_wait_for_each_other_get_their_turns() -> None:
    a = np.zeros(64, np.int32)
    execute(**launch(HANDED_ON, a))
    assert (a == 6).all()
    assert simulate(**launch(HANDED_ON, a)).time_us < 20


def test_a_launch_of_one_block_goes_on_where_it_was_once_it_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = "int v = 1; for (int i = 0; i < 300; ++i) v = v * a[v & 63] + i; a[threadIdx.x] = v;"
    one = launch(body, np.ones(64, np.int32)) | {"grid": 1}
    undisturbed = simulate(**one)
    monkeypatch.setattr(timing, "SUSPICIOUS_CYCLES", 1000)
    assert undisturbed.cycles > 2000
    assert simulate(**one) == undisturbed
    with pytest.raises(EndlessLoop, match=r"it loops forever$"):
        simulate(**launch(ENDLESS["a fence"], np.zeros(64, np.int32)) | {"grid": 1})
