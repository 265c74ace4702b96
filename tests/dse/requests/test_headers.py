"""A space's headers: found beside the source, compiled from memory, and part of a point's identity."""

from pathlib import Path

import pytest

from dse.evaluation import points
from dse.evaluation.machine_code import compile_task
from dse.evaluation.points import point_hash, task_for
from dse.requests.preflight import prepare
from dse.requests.request import Request
from dse.requests.spaces import SpaceFiles
from dse.requests.specs import restore_space
from search_spaces import Space, load_space, parse_space
from simcore import Buffer, CompileError, LaunchError, compile_cuda
from testing.small_space import SOURCE, SPACE

USING = '#include "detail/math.cuh"\n#include <cuda_fp16.h>\n' + SOURCE.replace("+ WIDTH", "* TWICE(WIDTH)")


@pytest.fixture
def with_headers(space_file: Path) -> Space:
    """The space with two headers in a folder, one of which includes the other, and a file nobody includes."""
    folder = space_file.parent
    (folder / "kernel.cu").write_text(USING)
    (folder / "detail").mkdir()
    (folder / "detail" / "math.cuh").write_text(
        '#pragma once\n#include "two.h"\n#define TWICE(x) (TWO * (x))\n'
    )
    (folder / "detail" / "two.h").write_text('#include "math.cuh"\n#define TWO 2\n')
    (folder / "detail" / "unused.h").write_text("#define UNUSED\n")
    return load_space(space_file)


def test_headers_are_found_through_each_other(with_headers: Space) -> None:
    assert list(with_headers.headers) == ["detail/math.cuh", "detail/two.h"]
    assert with_headers.headers["detail/two.h"].endswith("#define TWO 2\n")


def test_a_task_carries_its_headers_to_the_compiler(
    with_headers: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMCORE_CACHE", str(tmp_path / "cache"))
    task = task_for(with_headers, next(with_headers.points()), "h200")
    assert compile_task(task)[0].startswith(b"\x7fELF")


def test_a_mistake_in_a_header_is_reported_by_the_headers_name(with_headers: Space) -> None:
    headers = {**with_headers.headers, "detail/two.h": "\noops;\n"}
    with pytest.raises(CompileError, match=r"detail/two\.h\(2\): error"):
        compile_cuda(with_headers.source, "h200", {"UNROLL": 1, "WIDTH": 1}, headers=headers)


def test_a_source_in_a_folder_finds_headers_beside_it_and_above(space_file: Path) -> None:
    folder = space_file.parent
    (folder / "src").mkdir()
    (folder / "src" / "main.cu").write_text('#include "near.h"\n#include "../far.h"\n' + SOURCE)
    (folder / "src" / "near.h").write_text("#define NEAR 1\n")
    (folder / "far.h").write_text("#define FAR 1\n")
    space_file.write_text(SPACE.replace("source: kernel.cu", "source: src/main.cu"))
    space = load_space(space_file)
    assert list(space.headers) == ["far.h", "src/near.h"]
    task = task_for(space, next(space.points()), "h200")
    assert task.file_name == "src/main.cu"
    assert compile_task(task)[0].startswith(b"\x7fELF")


def test_headers_decide_the_hash_and_their_absence_leaves_it(
    with_headers: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(points, "compiler_version", lambda: "13.5")
    monkeypatch.setattr(points, "SIMULATOR_VERSION", "7")
    monkeypatch.setattr(points, "gpu_digest", lambda name: name)
    bare = parse_space(SPACE, SOURCE)
    point = next(bare.points())
    # As they were before spaces could have headers: results are stored under these.
    assert bare.digest() == "52820021868f34b078fb1c6a0ef5ccbd561536ca69282b573213d87caef77efb"
    known = "33cbe0653dcdaec4a73636a090f08d91e30c3650358b8eedcf377df9615ddbee"
    assert point_hash(bare, point, "h100-sxm") == known

    texts = (with_headers.yaml, with_headers.source)
    changed = {**with_headers.headers, "detail/two.h": "#define TWO 3\n"}
    spaces = [parse_space(*texts, headers=headers) for headers in (with_headers.headers, changed, {})]
    assert len({point_hash(space, point, "h100-sxm") for space in spaces}) == 3
    assert len({space.digest() for space in spaces}) == 3
    assert parse_space(*texts, headers=dict(reversed(changed.items()))).digest() == spaces[1].digest()


def test_a_sweep_keeps_its_headers(with_headers: Space) -> None:
    restored = restore_space(prepare(Request(space=SpaceFiles.of(with_headers))))
    assert (restored.source, restored.headers) == (with_headers.source, with_headers.headers)
    point = next(restored.points())
    assert point_hash(restored, point, "h200") == point_hash(with_headers, point, "h200")


def test_a_buffer_that_fits_no_memory_is_a_launch_error() -> None:
    with pytest.raises(LaunchError, match="does not fit this machine's memory"):
        Buffer("float64", 2**45, "ones").materialise()
