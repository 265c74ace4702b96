"""What a kernel is given is checked against its machine code before any work; and what decides a point's identity."""

import dataclasses
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from dse.errors import InputError
from dse.evaluation.evaluate import evaluate
from dse.evaluation.notes import notes
from dse.evaluation.points import point_hash, task_for
from dse.requests.preflight import check_space, check_values
from dse.requests.spaces import space_argument
from search_spaces import Space, SpaceError, load_space, parse_space
from simcore import (
    SIMULATOR_VERSION,
    CompileError,
    CubinError,
    LaunchError,
    compile_cuda,
    compiler_version,
    load_gpu,
)

SOURCE = """
struct Pair { char tag; double weight; };
__constant__ float taps[4];
template <int N> __global__ void __launch_bounds__(256) k(float* y, Pair pair, const float* x)
{
    y[threadIdx.x] = taps[threadIdx.x % 4] * pair.weight * N + x[threadIdx.x];
}
"""
FILE: dict[str, Any] = {
    "kernel": "k<WIDTH>",
    "parameters": {"width": [1, 2], "block_size": [32, 64]},
    "gpu": ["h200"],
    "launch": {"grid": 1, "block": "block_size"},
    "arguments": [
        {"name": "y", "type": "float32", "elements": 64},
        {
            "name": "pair",
            "fields": [
                {"name": "tag", "type": "int8", "value": 1},
                {"name": "weight", "type": "float64", "value": 0.5},
            ],
        },
        {"name": "x", "type": "float32", "elements": 64, "fill": "uniform"},
    ],
    "variables": [{"name": "taps", "type": "float32", "elements": 4, "fill": "ones"}],
}

#: Of the space of `testing.small_space`, before spaces could say more.
DIGEST = "52820021868f34b078fb1c6a0ef5ccbd561536ca69282b573213d87caef77efb"


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def space_of(changes: dict[str, Any] | None = None, **files: bytes) -> Space:
    contents = {f"{name}.npy": content for name, content in files.items()}
    return parse_space(yaml.safe_dump({**FILE, **(changes or {})}, sort_keys=False), SOURCE, files=contents)


def with_pair(*fields: dict[str, Any]) -> dict[str, Any]:
    y, _, x = FILE["arguments"]
    return {"arguments": [y, {"name": "pair", "fields": list(fields)}, x]}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            with_pair({"name": "weight", "type": "float64", "value": 1}),
            LaunchError,
            r"argument 1, pair \(a struct of 8 bytes: weight at 0\), of .* is 8 bytes, but the parameter takes 16",
        ),
        (
            {"variables": [{"name": "tabs", "type": "float32", "value": 1}]},
            LaunchError,
            r"has no variable tabs; its __constant__ and __device__ ones: taps \(16 bytes\)",
        ),
        (
            {"variables": [{"name": "taps", "type": "float32", "elements": 5}]},
            LaunchError,
            "the variable taps has 16 bytes, but the contents given for it have 20",
        ),
        (
            {"kernel": "k<WIDTH, 2>"},
            CompileError,
            r"(?s)k<WIDTH, 2> of kernel\.cu does not compile:\n.*error",
        ),
        ({"kernel": "k<WIDHT>"}, CompileError, "WIDHT"),
    ],
)
def test_what_does_not_fit_the_kernel_is_refused(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    if "WIDHT" in str(changes):
        changes = {**changes, "parameters": {"block_size": [32]}}
    if changes.get("kernel") == "k<WIDTH, 2>" or "kernel" not in changes:
        check_space(space_of())
    with pytest.raises(error, match=message):
        check_space(space_of(changes))


def test_a_cubin_of_another_architecture_is_refused(tmp_path: Path) -> None:
    file = {
        **FILE,
        "kernel": "scale",
        "source": "k.cubin",
        "parameters": {"block_size": [32, 64]},
        "variables": [],
    }
    file["arguments"] = [{"name": "x", "type": "float32", "elements": 64}]
    (tmp_path / "space.yaml").write_text(yaml.safe_dump(file, sort_keys=False))
    with pytest.raises(SpaceError, match=r"source: k\.cubin is not in"):
        load_space(tmp_path)
    source = "__global__ void scale(float* x) { x[threadIdx.x] *= 2; }"
    (tmp_path / "k.cubin").write_bytes(compile_cuda(source, "a100-80gb"))
    with pytest.raises(LaunchError, match="scale was compiled for sm_80, but h200 is sm_90"):
        check_space(load_space(tmp_path))
    check_space(load_space(tmp_path).override(gpus=["a100-40gb"]))
    (tmp_path / "k.cubin").write_bytes(b"not a cubin")
    with pytest.raises(CubinError, match="neither a cubin nor a fatbin nor PTX"):
        check_space(load_space(tmp_path))
    for change, message in (
        ({"options": ["--use_fast_math"]}, r"options: k\.cubin is compiled already; remove it"),
        ({"parameters": {"register_cap": [32]}}, r"parameters\.register_cap: k\.cubin is compiled already"),
        (
            {"parameters": {"block_size": [32], "unroll": [1]}},
            r"parameters\.unroll: k\.cubin is compiled already",
        ),
    ):
        (tmp_path / "space.yaml").write_text(yaml.safe_dump({**file, **change}, sort_keys=False))
        with pytest.raises(SpaceError, match=message):
            load_space(tmp_path)


def test_launch_bounds_beside_a_register_cap_are_said_to_win() -> None:
    space = space_of({"parameters": {"width": [1], "block_size": [32], "register_cap": ["none", 24]}})
    free, capped = (evaluate(task_for(space, point, "h200")).metrics for point in space.points())
    assert capped["advice"][0].startswith(
        "register_cap=24 does not limit the registers: the kernel's __launch_bounds__ wins"
    )
    assert capped["advice"][1:] == free["advice"]
    said = [line for line in notes(space) if "register_cap" in line]
    assert said == [capped["advice"][0].replace("=24", "").removesuffix(".")]
    assert not any("register_cap" in line for line in notes(space_of()))


def test_a_register_cap_that_the_compiler_cannot_keep_is_said() -> None:
    source = SOURCE.replace("__launch_bounds__(256)", "")
    assert source != SOURCE
    file = {**FILE, "parameters": {"width": [1], "block_size": [32], "register_cap": ["none", 200, 2, 1]}}
    space = parse_space(yaml.safe_dump(file, sort_keys=False), source)
    free, *_, capped = (evaluate(task_for(space, point, "h200")).metrics for point in space.points())
    least = capped["registers_per_thread"]
    why = f"is not kept: the compiler gives at least {least} registers"
    assert capped["advice"][0] == f"register_cap=1 {why}."
    assert not any("register_cap" in line for line in free["advice"])
    assert f"register_cap 1, 2 {why}" in list(notes(space))


def test_constant_memory_without_contents_is_said() -> None:
    zero = "taps of `__constant__` is all zero: give its contents in `variables`"
    assert zero in list(notes(space_of({"variables": []})))
    assert zero not in list(notes(space_of()))


def test_a_value_with_which_nothing_compiles_is_refused() -> None:
    check_values(space_of())
    wrong = space_of({"parameters": {"width": [1, "a b"], "block_size": [32, 64]}})
    check_space(wrong)
    with pytest.raises(InputError, match=r"(?s)parameters\.width: no point .* with a b compiles: .*error"):
        check_values(wrong)


def test_the_first_variants_failure_is_said() -> None:
    space = space_of({"parameters": {"width": [1], "block_size": [128, 64]}, "expect": {"y": "first"}})
    first, second = (evaluate(task_for(space, point, "h200")) for point in space.points())
    assert (first.reason, second.reason) == ("MemoryFault", "WrongOutput")
    assert "the first variant, with which outputs are compared, fails: " in (second.message or "")


def test_the_hash_takes_in_all_that_is_given_to_the_kernel() -> None:
    y, pair, _ = FILE["arguments"]
    ones, twos = npy(np.full(64, 1, np.float32)), npy(np.full(64, 2, np.float32))
    variants = [
        space_of(),
        space_of({"options": ["--use_fast_math"]}),
        space_of({"options": ["--fmad=false"]}),
        space_of({"cache": "cold"}),
        space_of({"bounds": "warn"}),
        space_of({"variables": []}),
        space_of({"variables": [{"name": "taps", "type": "float32", "elements": 4, "fill": 0.5}]}),
        space_of({"expect": {"y": "first"}}),
        space_of({"expect": {"y": "first", "rtol": 0.5}}),
        space_of({"expect": {"y": {"values": "first", "rtol": 0.5}}}),
        space_of({"expect": {"y": {"values": "first", "mismatches": 0.5}}}),
        space_of({"expect": {"y": "want.npy"}}, want=ones),
        space_of({"expect": {"y": "want.npy"}}, want=twos),
        space_of({"arguments": [y, pair, {"name": "x", "type": "float32", "file": "x.npy"}]}, x=ones),
        space_of({"arguments": [y, pair, {"name": "x", "type": "float32", "file": "x.npy"}]}, x=twos),
        space_of(with_pair(pair["fields"][0], {**pair["fields"][1], "value": 0.25})),
    ]
    points = list(space_of().points())
    hashes = {point_hash(space, points[1], "h200") for space in variants}
    assert len(hashes) == len(variants)
    again = space_of({"parameters": {"width": [2, 1], "block_size": [32, 64]}, "expect": {"y": "first"}})
    assert point_hash(again, points[1], "h200") != point_hash(variants[7], points[1], "h200")  # another first


def test_the_hash_of_a_space_without_any_of_it_is_what_it_was(space: Space) -> None:
    point = next(space.points())
    task = task_for(space, point, "h200")
    names = ("name", "kind", "dtype", "elements", "fill", "high", "value")
    identity = {
        "kernel": task.kernel,
        "source": hashlib.sha256(task.source.encode()).hexdigest(),
        "defines": dict(task.defines),
        "register_cap": task.register_cap,
        "launch": dataclasses.asdict(task.launch),
        "arguments": [{name: getattr(argument, name) for name in names} for argument in task.arguments],
        "gpu": load_gpu("h200").digest(),
        "compiler": compiler_version(),
        "simulator": SIMULATOR_VERSION,
    }
    assert task.point_hash == hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    assert space.digest() == DIGEST


def test_a_space_is_given_by_name_or_path() -> None:
    with pytest.raises(
        InputError, match=r"by its name, or the path of its folder or space\.yaml, not by a dict"
    ):
        space_argument({"kernel": "scale"})  # type: ignore[arg-type]
