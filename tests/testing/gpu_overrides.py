"""Every number of a GPU, and for each another value that must show."""

from typing import Any, get_origin

from simcore import Gpu, load_gpu

BASE = load_gpu("h200")
NUMBERS = tuple(field for field in Gpu.model_fields if field not in ("name", "architecture", "label"))
REFUSED_ALWAYS = ("line_bytes", "sector_bytes", "constant_line_bytes")
"""What the model has one shape of."""

SCALARS = tuple(
    field
    for field in NUMBERS
    if field not in REFUSED_ALWAYS and get_origin(Gpu.model_fields[field].annotation) is not tuple
)

# What must change with a field so that the GPU is possible, to see the field's own effect.
ALONG: dict[str, dict[str, Any]] = {
    "shared_bytes_per_sm": {
        "shared_carveouts_bytes": (0, 98304, 466944),
        "l1_and_shared_bytes_per_sm": 524288,
        "l1_ways": 8,
    },
    "l1_and_shared_bytes_per_sm": {"l1_ways": 8},
    "shared_bytes_per_block_optin": {"shared_reserved_bytes_per_block": 0, "shared_bytes_per_block": 16},
    "l1_fetch_latency": {"l1_fetch_latency_busy": 200},
    "l1_fetch_interval": {"l1_fetch_interval_busy": 200},
    "l2_bytes_per_cycle_per_sm": {"l2_bytes_per_cycle_one_sm": 100},
    "l2_write_bytes_per_cycle_per_sm": {"l2_write_bytes_per_cycle_one_sm": 100},
    "shared_reserved_bytes_per_block": {"shared_bytes_per_block_optin": 230400},
}
# Values that show the effect where twice the H200's does not, or is refused.
SHOWN: dict[str, float] = {
    "max_registers_per_thread": 128,
    "shared_bytes_per_block_optin": 60000,
    "max_block_x": 512,
    "max_block_y": 512,
    "max_grid_x": 1000,
    "max_block_z": 128,
    "l2_kept_share": 0.75,
    "l2_kept_twice_share": 0.65,
    "l2_write_kept_share": 0.7,
    "l2_dirty_kept_share": 0.45,
    "constant_ways": 4,
    "l1_protected_ways": 3,
    "l2_near_rate": 1.2,
    "l2_coalesced_cost": 0.8,
    "tag_banks": 2,
    "l2_slice_excess": 1.0,
    "first_wave_interval": 100,
    "register_allocation_unit": 8192,
    "warp_allocation_granularity": 40,
}


def changed(field: str) -> tuple[Gpu, Gpu]:
    """A GPU, and the same with another value of one number: twice as much where that can be seen."""
    value = SHOWN.get(field, 2 * getattr(BASE, field))
    if field == "shared_bytes_per_sm":
        return BASE, load_gpu(BASE, **{field: value}, **ALONG[field])
    before = load_gpu(BASE, **ALONG.get(field, {}))
    return before, load_gpu(before, **{field: value})
