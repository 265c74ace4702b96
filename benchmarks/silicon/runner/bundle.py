"""Compile every point of some spaces into a folder that a GPU machine can run without this project.

A bundle holds `plan.json` (who compiled what; for every point its parameters, cubin, grid, block and
arguments) and the cubins, each once, named by content.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from search_spaces import Space, load_space
from search_spaces.number_types import NumberType
from simcore.gpu_profiles import load_gpu
from simcore.machine_code.compiler import compile_cuda, compiler_version

PACER = Path(__file__).with_name("pacer.cu")


def found(places: Iterable[str]) -> list[Space]:
    """The spaces of some places: names of the catalog, and folders that hold a `space.yaml` at any depth."""
    spaces = []
    for place in places:
        inside: list[Path] = sorted(path.parent for path in Path(place).rglob("space.yaml"))
        spaces += [load_space(each) for each in inside] or [load_space(place)]
    return spaces


def write_bundle(folder: Path, spaces: Iterable[Space], gpu: str) -> None:
    """Compile all valid points of `spaces` for `gpu` and write the bundle.

    Args:
        folder: where the bundle goes; made if missing.
        spaces: what is measured.
        gpu: name of a GPU profile; decides the target architecture.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plan: dict[str, Any] = {
        "compiler": f"nvrtc {compiler_version()}",
        "gpu": gpu,
        "architecture": load_gpu(gpu).architecture,
        "pacer": store(folder, compile_cuda(PACER.read_text(), gpu)),
        "spaces": [_plan_space(folder, space, gpu) for space in spaces],
    }
    (folder / "plan.json").write_text(json.dumps(plan))
    points = sum(len(space["points"]) for space in plan["spaces"])
    print(
        f"{folder}: {len(plan['spaces'])} spaces, {points} points, {len(list(folder.glob('*.cubin')))} cubins"
    )


def _plan_space(folder: Path, space: Space, gpu: str) -> dict[str, Any]:
    if space.variable_sections or space.data_sections or space.files or "<" in space.kernel:
        raise ValueError(
            f"{space.kernel}: variables, data, files and templates are not measured; use plain buffers"
        )
    points = []
    for point in space.points():
        launch = space.launch(point)
        options = space.compiler_options(point)
        cubin = compile_cuda(space.source, gpu, space.defines(point), space.register_cap(point), options)
        points.append(
            {
                "index": space.index(point),
                "parameters": point,
                "defines": space.defines(point),
                "register_cap": space.register_cap(point),
                "cubin": store(folder, cubin),
                "grid": launch.grid,
                "block": launch.block,
                "dynamic_shared_bytes": launch.dynamic_shared_bytes,
                "arguments": [
                    _plan_argument(argument.identity, seed)
                    for seed, argument in enumerate(space.arguments(point))
                ],
            }
        )
    return {"space": space.kernel, "source": space.source, "points": points}


def _plan_argument(identity: dict[str, Any], seed: int) -> dict[str, Any]:
    """What an argument is filled with; a buffer of vectors as one of their numbers."""
    planned = {**identity, "seed": seed}
    if planned["kind"] == "buffer":
        kind = NumberType.of(planned["dtype"])
        planned |= {"dtype": kind.number, "elements": planned["elements"] * kind.lanes}
    return planned


def plan_point(
    index: int,
    parameters: dict[str, Any],
    cubin: str,
    blocks: int,
    buffers: Iterable[tuple[str, str, int, str]],
    values: Iterable[tuple[str, str, float]] = (),
) -> dict[str, object]:
    """The plan of a point whose machine code was rewritten, launched with `parameters["block_size"]` threads a block.

    Args:
        index: the point's number.
        parameters: what distinguishes it.
        cubin: name of its cubin in the bundle.
        blocks: of the grid.
        buffers: name, type, elements and fill of the first arguments.
        values: name, type and value of those after them.
    """
    arguments: list[dict[str, object]] = [
        {"name": name, "kind": "buffer", "dtype": dtype, "elements": elements, "fill": fill, "seed": seed}
        for seed, (name, dtype, elements, fill) in enumerate(buffers)
    ]
    arguments += [
        {"name": name, "kind": "value", "dtype": dtype, "value": value} for name, dtype, value in values
    ]
    return {
        "index": index,
        "parameters": parameters,
        "cubin": cubin,
        "grid": [blocks, 1, 1],
        "block": [parameters["block_size"], 1, 1],
        "dynamic_shared_bytes": 0,
        "arguments": arguments,
    }


def write_rewritten(
    folder: Path, space: str, source: str, points: list[dict[str, object]], what: str
) -> None:
    """Write the plan of a bundle of one kernel for an H200, in whose machine code something was rewritten.

    Args:
        folder: has the points' cubins.
        space: the kernel's name.
        source: of the kernel.
        points: see `plan_point`.
        what: was rewritten.
    """
    plan = {
        "compiler": f"nvrtc {compiler_version()}, {what}",
        "gpu": "h200",
        "architecture": load_gpu("h200").architecture,
        "pacer": store(folder, compile_cuda(PACER.read_text(), "h200")),
        "spaces": [{"space": space, "source": source, "points": points}],
    }
    (folder / "plan.json").write_text(json.dumps(plan))
    print(f"{folder}: {len(points)} points")


def store(folder: Path, cubin: bytes) -> str:
    """Write a cubin into a bundle under the hash of its content; return the file's name."""
    name = f"{hashlib.sha256(cubin).hexdigest()[:16]}.cubin"
    (folder / name).write_bytes(cubin)
    return name
