"""Every override is honoured exactly or refused with a reason: all numbers of a GPU, without running anything."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, get_origin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import Buffer, Gpu, LaunchError, SimcoreError, compile_cuda, load_gpu
from simcore.core import isa
from simcore.core.timing.parameters import Timing
from simcore.model.clock import at_its_clock
from simcore.model.front_end import state
from simcore.model.launch import Launch
from simcore.model.machine_model import build_timing, launch_cycles
from simcore.model.occupancy import check_launch, occupancy
from simcore.model.placement import first_wave
from simcore.model.request_coalescer import coalesced_cost
from simcore.model.sharing import (
    SMALLEST_TABLE,
    contention,
    copies_in_l2,
    first_guess,
    l2_hit_share,
    l2_write_back_share,
    left_in_l2,
    lines_of_a_side,
    table_cost,
)
from simcore.session.request import LaunchRequest
from simcore.session.sampled_l2 import SampledL2
from simcore.session.session import prepare
from testing.gpu_overrides import BASE, NUMBERS, REFUSED_ALWAYS, SCALARS, changed

SPREADS = {"l2_latency_spread": "all.l2_hit", "dram_latency_spread": "all.dram"}
"""The table that percentiles make."""

KERNEL = """extern "C" __global__ void k(float* x) {
    __shared__ float t[SHARED]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = t[threadIdx.x ^ 1];
}"""


TENSOR = """extern "C" __global__ void k(unsigned* x) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%0, %1}, {%0}, {%0, %1};"
        : "+r"(x[0]), "+r"(x[1]));
}"""


@cache
def tensor_program() -> Any:
    """The program of a kernel that uses the tensor core."""
    request = LaunchRequest(
        cubin=compile_cuda(TENSOR, "h200"), grid=1, block=32, arguments=[Buffer("uint32", 2)], gpu="h200"
    )
    return prepare(request).program


@cache
def launch_of(blocks: int, shared_words: int) -> tuple[Launch, Any]:
    """A checked launch of blocks of one warp, and its program."""
    cubin = compile_cuda(KERNEL, "h200", {"SHARED": shared_words})
    session = prepare(
        LaunchRequest(cubin=cubin, grid=blocks, block=32, arguments=[Buffer("float32", 1 << 22)], gpu="h200")
    )
    return session.launch, session.program


def numbers_of(gpu: Gpu) -> dict[str, float]:
    """All that a profile feeds: the core's numbers for some launches, limits, occupancy, sharing, launch time."""
    found: dict[str, float] = {"ghz": gpu.clock_mhz / 1e3, "sm_warps": gpu.max_warps_per_sm}
    for name, blocks, words in (("all", gpu.sms, 32), ("one", 1, 32), ("shared", gpu.sms, 12288)):
        launch, program = launch_of(blocks, words)
        room = occupancy(gpu, 32, launch.kernel.registers, launch.shared_bytes)
        sharing = first_guess(gpu, launch, room, min(gpu.sms, launch.blocks), cold=False)
        timing = build_timing(gpu, launch, room, sharing)
        found |= flattened(name, timing)
        found[f"{name}.launch"] = launch_cycles(gpu, launch, writes=True)
        found[f"{name}.front"] = state(timing, program, cold=False)["front_ready"].shape[1]
    near = replace(sharing, l2_near=np.ones_like(sharing.l2_near))
    found |= flattened("near", build_timing(gpu, launch, room, near))
    found |= {f"limit.{name}": legal for name, legal in limits(gpu)}
    for name, (threads, registers, shared) in OCCUPANCIES.items():
        found[f"blocks.{name}"] = occupancy(gpu, threads, registers, shared).blocks_per_sm
    found["tensor_ghz"] = at_its_clock(gpu, tensor_program()).clock_mhz / 1e3
    found["hit"] = l2_hit_share(gpu, 0.8 * BASE.l2_bytes)
    found["moved"] = left_in_l2(gpu, True, 0.65 * BASE.l2_bytes, 0.65 * BASE.l2_bytes)
    found["write_back"] = l2_write_back_share(gpu, 0.8 * BASE.l2_bytes, 0.0)
    found["dirty"] = l2_write_back_share(gpu, 0.0, 0.5 * BASE.l2_bytes)
    found["contention"] = contention(gpu, 132, 64 * 4096 / gpu.l2_slice_bytes, 1)
    found["replay"] = lines_of_a_side(gpu)
    found["home"] = float(SampledL2(gpu, np.arange(4096), 64).stays_home.sum())
    found["first of the others"] = int(np.flatnonzero(first_wave(gpu, gpu.sms) == 0)[0])
    nobody = np.zeros(0, np.int64), np.zeros((0, 1))
    found["together"] = float(coalesced_cost(gpu, launch, room, gpu.sms, np.ones(1), *nobody)[0])
    found["copies"] = float(copies_in_l2(gpu, np.array([3.0]))[0])
    return found


def flattened(name: str, timing: Timing) -> dict[str, float]:
    """Each number of the core's, or of a table of its."""
    return {
        f"{name}.{field}.{i}" if isinstance(value, np.ndarray) else f"{name}.{field}": float(number)
        for field, value in timing._asdict().items()
        for i, number in enumerate(np.atleast_1d(value))
    }


OCCUPANCIES = {
    "registers": (128, 200, 0),
    "small": (96, 129, 0),
    "shared": (32, 16, 20_000),
    "blocks": (32, 16, 0),
}


def long_launch(what: str, axis: int, n: int) -> dict[str, Any]:
    """A launch of one thread but for `n` along an axis of its block or grid."""
    return {"block": (1, 1, 1), "grid": (1, 1, 1), what: tuple(n if i == axis else 1 for i in range(3))}


def limits(gpu: Gpu) -> Iterator[tuple[str, int]]:
    """How many of some launches are legal, ever larger in one respect."""
    sizes = [*(2**k for k in range(31)), *(3 * 2**k for k in range(30))]
    launches: dict[str, Callable[[int], dict[str, Any]]] = {
        "threads": lambda n: {"block": (32, 1, n), "grid": (1, 1, 1)},
        "registers": lambda n: {"block": (1, 1, 1), "grid": (1, 1, 1), "registers_per_thread": n},
        "static": lambda n: {"block": (1, 1, 1), "grid": (1, 1, 1), "static_shared_bytes": n},
        "dynamic": lambda n: {"block": (1, 1, 1), "grid": (1, 1, 1), "dynamic_shared_bytes": n},
    }
    for what in ("block", "grid"):
        for axis in range(3):
            launches[f"{what}.{'xyz'[axis]}"] = partial(long_launch, what, axis)
    for name, launch in launches.items():
        yield name, sum(legal(gpu, launch(n)) for n in sizes)


def legal(gpu: Gpu, launch: dict[str, Any]) -> bool:
    try:
        check_launch(gpu, **launch)
    except LaunchError:
        return False
    return True


@cache
def base_numbers() -> dict[str, float]:
    return numbers_of(BASE)


def unit(kind: int) -> str:
    return f"all.unit_interval.{kind}"


def latency(kind: int) -> str:
    return f"all.latency.{kind}"


# What a field feeds where that is not the core's number of its name, and whether that grows (+) or falls (-) with it.
FEEDS: dict[str, str] = {
    "sms": "+all.block_retire_interval",
    "sms_apart": "+first of the others",
    "clock_mhz": "+ghz",
    "tensor_clock_share": "+tensor_ghz",
    "schedulers_per_sm": "+all.schedulers",
    "max_threads_per_block": "+limit.threads",
    **{f"max_{what}_{axis}": f"+limit.{what}.{axis}" for what in ("block", "grid") for axis in "xyz"},
    "max_warps_per_sm": "+all.slots_per_scheduler",
    "max_blocks_per_sm": "+blocks.blocks",
    "registers_per_sm": "+blocks.registers",
    "max_registers_per_thread": "+limit.registers",
    "register_allocation_unit": "-blocks.small",
    "warp_allocation_granularity": "-blocks.small",
    "shared_bytes_per_sm": "+blocks.shared",
    "shared_bytes_per_block": "+limit.static",
    "shared_bytes_per_block_optin": "+limit.dynamic",
    "shared_allocation_unit": "-blocks.shared",
    "shared_reserved_bytes_per_block": "-blocks.shared",
    "l1_and_shared_bytes_per_sm": "+all.l1_lines",
    "fma_heavy_interval": "+" + unit(isa.UNIT_FMA_HEAVY),
    "fma_lite_interval": "+" + unit(isa.UNIT_FMA_LITE),
    "alu_interval": "+" + unit(isa.UNIT_ALU),
    "half_interval": "+" + unit(isa.UNIT_HALF),
    "fp64_interval": "+" + unit(isa.UNIT_FP64),
    "xu_interval": "+" + unit(isa.UNIT_XU),
    "uniform_interval": "+" + unit(isa.UNIT_UNIFORM),
    "tensor_interval": "+" + unit(isa.UNIT_TENSOR),
    "tensor_short_interval": "+" + unit(isa.PACE_TENSOR_SHORT),
    "tensor_half_interval": "+" + unit(isa.PACE_TENSOR_HALF),
    "tensor_half_short_interval": "+" + unit(isa.PACE_TENSOR_HALF_SHORT),
    "tensor_integer_interval": "+" + unit(isa.PACE_TENSOR_INTEGER),
    "tensor_integer_short_interval": "+" + unit(isa.PACE_TENSOR_INTEGER_SHORT),
    "dmma_884_interval": "+" + unit(isa.PACE_DMMA_884),
    "wide_product_interval": "+" + unit(isa.PACE_WIDE_PRODUCT),
    "dmma_1684_interval": "+" + unit(isa.PACE_DMMA_1684),
    "dmma_884_latency": "+" + latency(isa.LATENCY_DMMA_884),
    "dmma_1684_latency": "+" + latency(isa.LATENCY_DMMA_1684),
    "fixed_latency": "+" + latency(isa.LATENCY_FIXED),
    "xu_latency": "+" + latency(isa.LATENCY_XU),
    "fp64_latency": "+" + latency(isa.LATENCY_FP64),
    "uniform_latency": "+" + latency(isa.LATENCY_UNIFORM),
    "shuffle_latency": "+" + latency(isa.LATENCY_SHUFFLE),
    "shuffle_by_register_latency": "+" + latency(isa.LATENCY_SHUFFLE_BY_REGISTER),
    "match_latency": "+" + latency(isa.LATENCY_MATCH),
    "redux_latency": "+" + latency(isa.LATENCY_REDUX),
    "special_register_latency": "+" + latency(isa.LATENCY_SPECIAL_REGISTER),
    "uniform_special_register_latency": "+" + latency(isa.LATENCY_UNIFORM_SPECIAL),
    "constant_latency": "+" + latency(isa.LATENCY_CONSTANT),
    "dram_latency": "+all.dram.2",
    "l2_bytes": "+all.l2_sets",
    "l2_ways": "-all.l2_sets",
    "tag_banks": "+all.last_tag_bank",
    "l2_slices": "-contention",
    "l2_slice_bytes": "+contention",
    "l2_slice_excess": "+contention",
    "l2_partitions": "+copies",
    "l2_usable_share": "+all.l2_sets",
    "l2_kept_share": "+hit",
    "l2_kept_twice_share": "+moved",
    "l2_replay_share": "+replay",
    "l2_home_share": "+home",
    "l2_lost_share": "+hit",
    "l2_moved_share": "-moved",
    "l2_write_kept_share": "-write_back",
    "l2_write_lost_share": "-write_back",
    "l2_dirty_kept_share": "-dirty",
    "l2_dirty_lost_share": "-dirty",
    "l2_bytes_per_cycle_per_sm": "-all.l2_read_cycles_per_sector.0",
    "l2_coalesced_cost": "+together",
    "l2_near_rate": "-near.l2_read_cycles_per_sector.0",
    "l2_bytes_per_cycle_one_sm": "-one.l2_read_cycles_per_sector.0",
    "l2_request_interval": "+all.l2_request_cycles.0",
    "l2_port_bytes_per_cycle": "-all.l2_own_cycles_per_sector",
    "l2_request_interval_one_sm": "+all.l2_own_request_cycles",
    "l2_write_bytes_per_cycle_per_sm": "-all.l2_write_cycles_per_sector",
    "l2_write_bytes_per_cycle_one_sm": "-one.egress_cycles_per_sector",
    "dram_gb_per_s": "-all.dram_cycles_per_byte",
    "dram_drift_time": "+all.dram_cycles_per_byte",
    "dram_drift_bytes": "+all.dram_turnaround_bytes",
    "dram_bytes_per_cycle_one_sm": "-one.dram_cycles_per_byte",
    "dram_fetch_bytes": "+all.dram_fetch_bits",
    "code_line_bytes": "+all.code_line_shift",
    "l0_instruction_bytes": "+all.front_sets.0",
    "l0_instruction_ways": "+all.front_ways.0",
    "l1_instruction_bytes": "+all.front_sets.4",
    "l1_instruction_ways": "+all.front_ways.4",
    "l15_instruction_bytes": "+all.front_sets.5",
    "l15_instruction_ways": "+all.front_ways.5",
    "l1_fetch_latency": "+one.l1_fetch_latency",
    "l1_fetch_latency_busy": "+all.l1_fetch_latency",
    "l1_fetch_interval": "+one.l1_fetch_interval",
    "l1_fetch_interval_busy": "+all.l1_fetch_interval",
    "constant_bytes": "+all.front_sets.6",
    "constant_ways": "+all.front_ways.8",
    "constant_fetch_bytes": "+all.constant_chunk_shift",
    "warp_launch_interval": "+all.block_start_latency",
    "launch_overhead_cycles": "+one.launch",
    "launch_spread_cycles": "+all.launch",
    "launch_write_cycles": "+all.launch",
}


def feeds(field: str) -> tuple[str, int]:
    """The number that a field feeds, and 1 or -1: whether it grows or falls with it."""
    text = FEEDS.get(field, f"+all.{field}")
    return text[1:], 1 if text[0] == "+" else -1


def sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


def test_nothing_else_is_a_number() -> None:
    assert set(FEEDS) <= set(SCALARS)
    for field in SCALARS:
        assert feeds(field)[0] in base_numbers(), field


@pytest.mark.parametrize("field", SCALARS)
def test_each_number_changes_what_it_feeds_in_its_direction(field: str) -> None:
    before, after = changed(field)
    number, direction = feeds(field)
    difference = numbers_of(after)[number] - numbers_of(before)[number]
    assert sign(difference) == direction * sign(getattr(after, field) - getattr(before, field)), (
        number,
        difference,
    )


def values_of(field: str) -> st.SearchStrategy[Any]:
    """Values of all kinds: possible ones, fractions, none, far too many."""
    base = getattr(BASE, field)
    near = st.integers(-1, 64).map(lambda k: base * k / 8)
    whole = st.integers(-3, 64).map(lambda k: math.floor(base + k)) | st.integers(-10, 2**45)
    powers = st.integers(0, 40).map(lambda k: 2**k)
    return near | whole | powers | st.floats() | st.sampled_from([0, -1, 2.5, 10**6 + 0.5])


def tried(field: str, value: Any) -> tuple[Gpu | None, str]:
    """The GPU with an override, or None and why it was refused."""
    try:
        return load_gpu("h200", **{field: value}), ""
    except SimcoreError as error:
        return None, str(error)


def test_a_refusal_names_the_field_that_was_changed_where_another_one_is_too_small_for_it() -> None:
    _, refusal = tried("sms", 30721)
    assert "l2_bytes: " in refusal
    assert "sms times l2_ways lines of line_bytes" in refusal


@settings(max_examples=500, deadline=None)
@given(st.data(), st.sampled_from(NUMBERS))
def test_an_override_is_honoured_exactly_or_refused_by_name(data: st.DataObject, field: str) -> None:
    if get_origin(Gpu.model_fields[field].annotation) is tuple:
        value = tuple(data.draw(st.lists(st.floats() | st.integers(-5, 2**20), max_size=6)))
    else:
        value = data.draw(values_of(field))
    gpu, refusal = tried(field, value)
    if gpu is None:
        assert field in refusal
        assert "is not possible; " in refusal
        return
    assert getattr(gpu, field) == value
    if field not in SCALARS:
        return
    number, direction = feeds(field)
    difference = sign(numbers_of(gpu)[number] - base_numbers()[number])
    assert difference in (0, direction * sign(value - getattr(BASE, field)))


@pytest.mark.parametrize("field", REFUSED_ALWAYS)
def test_the_shapes_of_the_core_are_refused_by_their_size(field: str) -> None:
    size = getattr(BASE, field)
    with pytest.raises(
        SimcoreError, match=rf"{field}: {2 * size} is not possible; the model has .* of {size} bytes"
    ):
        load_gpu("h200", **{field: 2 * size})


@pytest.mark.parametrize("field", SPREADS)
@pytest.mark.parametrize("percentile", range(4))
def test_each_percentile_moves_the_latencies_that_it_is_of(field: str, percentile: int) -> None:
    spread = list(getattr(BASE, field))
    spread[percentile] += 0.01
    table = f"{SPREADS[field]}.{percentile + 1}"
    assert numbers_of(load_gpu("h200", **{field: spread}))[table] > base_numbers()[table]


@pytest.mark.parametrize("place", range(len(BASE.l2_table_costs)))
def test_each_cost_of_a_table_moves_the_requests_for_tables_of_its_size(place: int) -> None:
    costs = [cost + 0.01 * (at <= place) for at, cost in enumerate(BASE.l2_table_costs)]
    size = np.array([SMALLEST_TABLE << place])
    assert table_cost(load_gpu("h200", l2_table_costs=costs), size) == pytest.approx(costs[place])


def test_a_carve_out_leaves_l1_the_rest() -> None:
    gpu = load_gpu("h200", shared_carveouts_bytes=(102400, 233472))
    assert numbers_of(gpu)["all.l1_lines"] < base_numbers()["all.l1_lines"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"line_bytes": 64}, "line_bytes: 64 is not possible; the model has lines of 128 bytes"),
        ({"schedulers_per_sm": 3.5}, "schedulers_per_sm: 3.5 is not possible; must be a valid integer"),
        ({"schedulers_per_sm": 5}, "max_warps_per_sm: 64 is not possible; does not divide among 5 sub-part"),
        ({"xu_latency": 17.5}, "xu_latency: 17.5 is not possible; must be a valid integer"),
        ({"dram_latency": math.inf}, "dram_latency: inf is not possible; must be a finite number"),
        (
            {"lg_queue_depth": 10**6},
            "lg_queue_depth: 1000000 is not possible; must be less than or equal to 4096",
        ),
        (
            {"l0_instruction_bytes": 8200},
            "l0_instruction_bytes: 8200 is not possible; must be whole sets of 2048",
        ),
        (
            {"l1_and_shared_bytes_per_sm": 204800},
            "must hold the largest of shared_carveouts_bytes and a line, 233600",
        ),
        (
            {"l2_bytes_per_cycle_per_sm": 50},
            r"an SM alone gets no more than 47.0 \(l2_bytes_per_cycle_one_sm\)",
        ),
        ({"tag_banks": 3}, "tag_banks: 3 is not possible; must be a power of two from 1 to 4"),
        ({"max_warps_per_sm": 16}, r"max_threads_per_block: 1024 is not possible; an SM holds 16 warps"),
        ({"l2_table_costs": range(9)}, "must be nine descending numbers of requests, from 1 to 1000"),
        ({"shared_bytes_per_sm": 102400}, "must be the last of shared_carveouts_bytes, 233472"),
    ],
)
def test_a_refusal_names_field_value_and_limit(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(SimcoreError, match=message):
        load_gpu("h200", **overrides)
