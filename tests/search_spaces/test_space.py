"""What a space.yaml says is what a Space answers."""

import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from search_spaces import Objective, SpaceError, load_space, parse_space
from testing.space_files import FILE, POINT, SOURCE, changed, space_of


def test_a_space_answers_what_its_file_says() -> None:
    space = space_of(FILE)
    assert (space.kernel, space.source, space.gpus) == ("scale", SOURCE, ("a100-80gb", "h200"))
    assert list(space.parameters) == ["unroll", "block_size", "register_cap"]
    assert space.parameters["register_cap"] == (None, 32)
    assert (space.size, space.count()) == (12, 10)
    assert space.objectives == (Objective("minimize", "time_us"), Objective("maximize", "ipc"))

    assert space.defines(POINT) == {"UNROLL": 2, "BLOCK_SIZE": 64}
    assert [space.register_cap({**POINT, "register_cap": cap}) for cap in (None, 32)] == [None, 32]
    launch = space.launch(POINT)
    assert (launch.grid, launch.block, launch.dynamic_shared_bytes) == ((16, 2, 1), (64, 1, 1), 256)
    x, y, n, alpha = space.arguments(POINT)
    assert (x.name, x.kind, x.dtype, x.elements, x.fill, x.value) == (
        "x",
        "buffer",
        "float32",
        1000,
        "uniform",
        None,
    )
    assert (y.elements, y.fill, y.high) == (2000, "randint", 1000)
    assert (n.kind, n.value, n.elements) == ("value", 1000, None)
    assert (alpha.value, type(alpha.value)) == (2.0, float)


def test_a_space_survives_pickling_and_its_texts() -> None:
    space = space_of(FILE)
    assert pickle.loads(pickle.dumps(space)) == space
    again = parse_space(space.yaml, space.source, space.source_path)
    assert again == space
    assert again.digest() == space.digest()


def test_the_digest_follows_what_decides_results_alone() -> None:
    digest = space_of(FILE).digest()
    assert space_of(changed(constraints=[], gpu=["b200"])).digest() == digest
    assert space_of(changed(values__n=999)).digest() != digest
    assert space_of(changed(launch__dynamic_shared_bytes=0)).digest() != digest
    assert parse_space(yaml.safe_dump(FILE, sort_keys=False), SOURCE + "//").digest() != digest


def test_a_workload_is_a_part_of_the_space_with_the_same_points() -> None:
    space = space_of(changed(workload="block_size", parameters__block_size=[64, 128, 512]))
    assert space.workload == ("block_size",)
    assert space.workloads() == [{"block_size": 64}, {"block_size": 128}]  # no valid point has 512
    parts = [space.at_workload(workload) for workload in space.workloads()]
    assert [part.count() for part in parts] == [6, 4]
    together = [point for part in parts for point in part.points()]
    assert sorted(map(space.index, together)) == list(map(space.index, space.points()))
    assert space_of(FILE).workloads() == [{}]
    assert space_of(FILE).at_workload(POINT) == space_of(FILE)


def test_a_space_loads_from_a_folder_and_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "space.yaml").write_text(yaml.safe_dump(FILE, sort_keys=False))
    with pytest.raises(SpaceError, match=r"source: kernel\.cu is not in"):
        load_space(tmp_path)
    (tmp_path / "kernel.cu").write_text(SOURCE)
    assert load_space(tmp_path) == load_space(str(tmp_path / "space.yaml"))
    assert load_space(tmp_path).source_path == tmp_path / "kernel.cu"


def test_an_unknown_space_comes_with_the_closest() -> None:
    with pytest.raises(SpaceError, match=r"no space rsqrt_chian; did you mean rsqrt_chain\?"):
        load_space("rsqrt_chian")


def test_an_override_changes_values_and_gpus_alone() -> None:
    space = space_of(FILE)
    narrowed = space.override({"unroll": [8, 2], "register_cap": ["none"]}, gpus=["b200"])
    assert narrowed.parameters == {"unroll": (8, 2), "block_size": (64, 128), "register_cap": (None,)}
    assert narrowed.gpus == ("b200",)
    assert narrowed.digest() == space.digest()
    assert narrowed.count() == 2
    assert space.override() == space


@pytest.mark.parametrize(
    ("parameters", "gpus", "message"),
    [
        ({"unrol": [1]}, None, "unknown parameter unrol; did you mean unroll"),
        ({"unroll": []}, None, "parameters.unroll: a parameter needs a list of at least one value"),
        ({"unroll": 4}, None, "parameters.unroll: a parameter needs a list"),
        ({"unroll": ["none"]}, None, "only register_cap can be none"),
        ({"register_cap": [0]}, None, "0 is not a register count"),
        ({"unroll": [64]}, None, r"constraints\[0\]: no point satisfies"),
        (None, [], "gpu: .*at least 1"),
        (None, ["h200", "h200"], "gpu: h200 is listed twice"),
    ],
)
def test_a_wrong_override_is_explained(
    parameters: dict[str, list[Any]] | None, gpus: list[str] | None, message: str
) -> None:
    with pytest.raises(SpaceError, match=message):
        space_of(FILE).override(parameters, gpus)


def test_a_catalog_name_that_is_a_folder_here_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = load_space("histogram").source_path.parent
    (tmp_path / "histogram").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load_space("histogram").source_path.parent == catalog  # a folder without a space.yaml is no space
    shutil.copytree(catalog, tmp_path / "histogram", dirs_exist_ok=True)
    assert load_space("histogram").source_path.parent == catalog  # a copy is the same
    (tmp_path / "histogram" / "kernel.cu").write_text(load_space("histogram").source + "// mine")
    with pytest.raises(SpaceError, match=r"write \./histogram for the folder"):
        load_space("histogram")
    assert load_space("./histogram").source_path == Path("histogram/kernel.cu")
    assert load_space(catalog).source_path.parent == catalog
