"""Conditions on a GPU in addition to the limits of each field.

A value is honoured or refused, never rounded or capped. Refused are values that no machine can have or that the model
cannot represent, sizes that are not whole sets, and rates that exceed a bound set by another field.
"""

from collections.abc import Iterator
from itertools import pairwise

from simcore.core.geometry import (
    CONSTANT_LINE_BYTES,
    CONSTANT_LINES_PER_BANK,
    INSTRUCTION_BYTES,
    L1_SETS,
    LINE_BYTES,
    SECTOR_BYTES,
)
from simcore.gpu import Gpu

Refusal = tuple[str, str]
"""A field, and why its value is not possible."""


def refusals(gpu: Gpu) -> Iterator[Refusal]:
    """All impossible values, and why."""
    yield from _shapes_of_the_core(gpu)
    yield from _powers_of_two(gpu)
    yield from _sub_partitions(gpu)
    yield from _shared_memory(gpu)
    yield from _l1(gpu)
    yield from _l2(gpu)
    yield from _code_and_constants(gpu)
    yield from _latencies(gpu)


def _shapes_of_the_core(gpu: Gpu) -> Iterator[Refusal]:
    for field, size, what in (
        ("line_bytes", LINE_BYTES, "lines"),
        ("sector_bytes", SECTOR_BYTES, "sectors"),
        ("constant_line_bytes", CONSTANT_LINE_BYTES, "lines of constants"),
    ):
        if getattr(gpu, field) != size:
            yield field, f"the model has {what} of {size} bytes"


def _powers_of_two(gpu: Gpu) -> Iterator[Refusal]:
    for field, least, most in (
        ("tag_banks", 1, 4),
        ("dram_fetch_bytes", SECTOR_BYTES, LINE_BYTES),
        ("code_line_bytes", INSTRUCTION_BYTES, 1 << 20),
        ("constant_fetch_bytes", CONSTANT_LINE_BYTES, CONSTANT_LINE_BYTES * CONSTANT_LINES_PER_BANK),
    ):
        value = getattr(gpu, field)
        if not least <= value <= most or value & (value - 1):
            yield field, f"must be a power of two from {least} to {most}"


def _sub_partitions(gpu: Gpu) -> Iterator[Refusal]:
    for field in ("max_warps_per_sm", "registers_per_sm"):
        if getattr(gpu, field) % gpu.schedulers_per_sm:
            yield field, f"does not divide among {gpu.schedulers_per_sm} sub-partitions (schedulers_per_sm)"
    if gpu.max_threads_per_block > 32 * gpu.max_warps_per_sm:
        yield "max_threads_per_block", f"an SM holds {gpu.max_warps_per_sm} warps (max_warps_per_sm)"


def _shared_memory(gpu: Gpu) -> Iterator[Refusal]:
    carveouts = gpu.shared_carveouts_bytes
    if carveouts[0] < 0 or any(a >= b for a, b in pairwise(carveouts)):
        yield "shared_carveouts_bytes", "must be ascending sizes"
    if gpu.shared_bytes_per_sm != carveouts[-1]:
        yield "shared_bytes_per_sm", f"must be the last of shared_carveouts_bytes, {carveouts[-1]}"
    largest = gpu.shared_bytes_per_sm - gpu.shared_reserved_bytes_per_block
    if gpu.shared_bytes_per_block_optin > largest:
        yield (
            "shared_bytes_per_block_optin",
            f"an SM has {largest} (shared_bytes_per_sm less shared_reserved_bytes_per_block)",
        )
    if gpu.shared_bytes_per_block > gpu.shared_bytes_per_block_optin:
        yield (
            "shared_bytes_per_block",
            f"a block that opts in gets {gpu.shared_bytes_per_block_optin} (shared_bytes_per_block_optin)",
        )


def _l1(gpu: Gpu) -> Iterator[Refusal]:
    least = max(gpu.shared_carveouts_bytes) + gpu.line_bytes
    if gpu.l1_and_shared_bytes_per_sm < least:
        yield (
            "l1_and_shared_bytes_per_sm",
            f"must hold the largest of shared_carveouts_bytes and a line, {least} bytes",
        )
    if gpu.l1_and_shared_bytes_per_sm % gpu.line_bytes:
        yield "l1_and_shared_bytes_per_sm", f"must be whole lines of {gpu.line_bytes} bytes (line_bytes)"
    if any(size % gpu.line_bytes for size in gpu.shared_carveouts_bytes):
        yield "shared_carveouts_bytes", f"must be whole lines of {gpu.line_bytes} bytes (line_bytes)"
    tagged = L1_SETS * gpu.l1_ways * gpu.line_bytes
    if gpu.l1_and_shared_bytes_per_sm - gpu.shared_carveouts_bytes[0] > tagged:
        yield (
            "l1_and_shared_bytes_per_sm",
            f"L1 has tags for {tagged} bytes ({L1_SETS} sets of l1_ways lines) beside the smallest carve-out",
        )
    if gpu.l1_protected_ways >= gpu.l1_ways:
        yield "l1_protected_ways", f"must leave one of {gpu.l1_ways} ways (l1_ways)"


def _l2(gpu: Gpu) -> Iterator[Refusal]:
    least = gpu.sms * gpu.line_bytes * gpu.l2_ways
    if gpu.l2_bytes < least:
        yield "l2_bytes", f"must be at least {least}, sms times l2_ways lines of line_bytes"
    if gpu.l2_slice_bytes % gpu.line_bytes:
        yield "l2_slice_bytes", f"must be whole lines of {gpu.line_bytes} bytes"
    for kind in ("l2", "l2_write", "l2_dirty"):
        lost = getattr(gpu, f"{kind}_lost_share")
        if getattr(gpu, f"{kind}_kept_share") >= lost:
            yield f"{kind}_kept_share", f"must be less than {kind}_lost_share, {lost}"
    if gpu.l2_kept_twice_share > gpu.l2_kept_share:
        yield "l2_kept_twice_share", f"must not be more than l2_kept_share, {gpu.l2_kept_share}"
    for kind in ("l2", "l2_write"):
        alone = f"{kind}_bytes_per_cycle_one_sm"
        if getattr(gpu, f"{kind}_bytes_per_cycle_per_sm") > getattr(gpu, alone):
            yield (
                f"{kind}_bytes_per_cycle_per_sm",
                f"an SM alone gets no more than {getattr(gpu, alone)} ({alone})",
            )


def _code_and_constants(gpu: Gpu) -> Iterator[Refusal]:
    for size, line, ways in (
        ("l0_instruction_bytes", "code_line_bytes", "l0_instruction_ways"),
        ("l1_instruction_bytes", "code_line_bytes", "l1_instruction_ways"),
        ("l15_instruction_bytes", "code_line_bytes", "l15_instruction_ways"),
        ("l15_instruction_bytes", "constant_fetch_bytes", "constant_ways"),
        ("constant_bytes", "constant_line_bytes", "constant_ways"),
    ):
        set_bytes = getattr(gpu, line) * getattr(gpu, ways)
        if getattr(gpu, size) % set_bytes:
            yield size, f"must be whole sets of {set_bytes} ({line} times {ways})"


def _latencies(gpu: Gpu) -> Iterator[Refusal]:
    for field in ("l2_latency_spread", "dram_latency_spread"):
        spread = getattr(gpu, field)
        if spread[0] <= 0 or spread[-1] > 1000 or any(a > b for a, b in pairwise(spread)):
            yield field, "must be four ascending shares of the mean, above 0 and up to 1000"
    costs = gpu.l2_table_costs
    if costs[-1] < 1 or costs[0] > 1000 or any(a < b for a, b in pairwise(costs)):
        yield "l2_table_costs", "must be nine descending numbers of requests, from 1 to 1000"
    if not all(0.001 <= cost <= 1 for cost in gpu.l2_coalesced_costs_apart):
        yield "l2_coalesced_costs_apart", "must be seven numbers of requests, from 0.001 to 1"
    for field in ("l1_fetch_latency", "l1_fetch_interval"):
        alone, busy = getattr(gpu, field), f"{field}_busy"
        if getattr(gpu, busy) < alone:
            yield busy, f"must be at least {field}, {alone}"
