"""A space.yaml as a mapping, to be changed field by field."""

import copy
from collections.abc import Mapping
from typing import Any

import yaml

from search_spaces import Space, parse_space

SOURCE = """
// __global__ void commented_out(int a) { A; }
extern "C" __global__ void __launch_bounds__(max(BLOCK_SIZE, 32)) scale(const float* x, float* y, int n) {
    y[0] = UNROLL;
#define STEP 2
    constexpr int LIMIT = 4 * STEP;
    y[1] = LIMIT;
}
"""


FILE: dict[str, Any] = {
    "kernel": "scale",
    "source": "kernel.cu",
    "parameters": {"unroll": [1, 2, 4], "block_size": [64, 128], "register_cap": ["none", 32]},
    "gpu": ["a100-80gb", "h200"],
    "constraints": ["unroll * block_size <= 256"],
    "launch": {"grid": ["blocks", 2], "block": "block_size", "dynamic_shared_bytes": "4 * block_size"},
    "values": {"n": 1000, "blocks": "ceil_div(n, block_size)"},
    "arguments": [
        {"name": "x", "type": "float32", "elements": "n", "fill": "uniform"},
        {"name": "y", "type": "int32", "elements": "n * unroll", "fill": "randint", "high": "n"},
        {"name": "n", "type": "int32", "value": "n"},
        {"name": "alpha", "type": "float64", "value": 2},
    ],
    "objectives": ["minimize time_us", "maximize ipc"],
}


POINT = {"unroll": 2, "block_size": 64, "register_cap": None}


def changed(**fields: Any) -> dict[str, Any]:
    """FILE with some fields replaced; `launch__grid=1` replaces a field of a section."""
    file = copy.deepcopy(FILE)
    for path, value in fields.items():
        *sections, field = path.split("__")
        place: Any = file
        for section in sections:
            place = place[section]
        place[field] = value
    return file


def with_argument(name: str = "x", **fields: Any) -> dict[str, Any]:
    """FILE with one argument alone."""
    return changed(arguments=[{"name": name, **fields}])


def space_of(file: Mapping[str, Any]) -> Space:
    return parse_space(yaml.safe_dump(file, sort_keys=False), SOURCE)
