"""What a space.yaml says is what a Space answers; what is wrong with one is said at once, with its place."""

import copy
import pickle

import pytest
import yaml

from search_spaces import Objective, SpaceError, load_space, parse_space

SOURCE = """
// __global__ void commented_out(int a) {}
extern "C" __global__ void __launch_bounds__(max(BLOCK_SIZE, 32)) scale(const float* x, float* y, int n) {}
"""
FILE = {
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


def changed(**fields):
    """FILE with some fields replaced; `launch__grid=1` replaces a field of a section."""
    file = copy.deepcopy(FILE)
    for path, value in fields.items():
        *sections, field = path.split("__")
        place = file
        for section in sections:
            place = place[section]
        place[field] = value
    return file


def with_argument(name="x", **fields):
    """FILE with one argument alone."""
    return changed(arguments=[{"name": name, **fields}])


def space_of(file):
    return parse_space(yaml.safe_dump(file, sort_keys=False), SOURCE)


def test_a_space_answers_what_its_file_says():
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


def test_a_space_survives_pickling_and_its_texts():
    space = space_of(FILE)
    assert pickle.loads(pickle.dumps(space)) == space
    again = parse_space(space.yaml, space.source, space.source_path)
    assert again == space
    assert again.digest() == space.digest()


def test_the_digest_follows_what_decides_results_alone():
    digest = space_of(FILE).digest()
    assert space_of(changed(constraints=[], gpu=["b200"])).digest() == digest
    assert space_of(changed(values__n=999)).digest() != digest
    assert space_of(changed(launch__dynamic_shared_bytes=0)).digest() != digest
    assert parse_space(yaml.safe_dump(FILE, sort_keys=False), SOURCE + "//").digest() != digest


WRONG = {
    "unknown field": (changed(unrol=1), r"unrol: unknown field"),
    "misspelled field": (changed(constraint=[]), r"constraint: unknown field; did you mean constraints\?"),
    "misspelled launch": (changed(launch__gird=1), r"launch\.gird: unknown field; did you mean grid\?"),
    "unknown name": (
        changed(constraints=["unrol > 1"]),
        r"constraints\[0\]: unknown name unrol; did you mean unroll\?",
    ),
    "unknown name in a list": (
        changed(launch__grid=[1, "blcks"]),
        r"launch\.grid\[1\]: .*did you mean blocks\?",
    ),
    "bad expression": (changed(launch__grid="n +"), r"launch\.grid: `n \+` is not an expression"),
    "four sides": (changed(launch__grid=[1, 1, 1, 1]), r"launch\.grid: .*at most 3"),
    "no list": (changed(constraints="n > 1"), r"constraints: 'n > 1' is no list"),
    "no mapping": (changed(launch=[1, 32]), r"launch: \[1, 32\] is no mapping"),
    "no launch": ({k: v for k, v in FILE.items() if k != "launch"}, r"launch: missing; add it"),
    "unknown type": (
        with_argument(type="float23", value=1),
        r"arguments\[0\]\.type: .*did you mean float32\?",
    ),
    "unknown fill": (
        with_argument(type="int8", elements=1, fill="zeroes"),
        r"arguments\[0\]\.fill: .*did you mean zeros\?",
    ),
    "buffer and value": (
        with_argument(type="int8", elements=1, value=1),
        r"arguments\[0\]: needs either elements",
    ),
    "neither": (with_argument(type="int8"), r"arguments\[0\]: needs either elements"),
    "fill of a value": (with_argument(type="int8", value=1, fill="ones"), r"fill and high are of a buffer"),
    "randint without high": (
        with_argument(type="int8", elements=1, fill="randint"),
        r"randint and high go together",
    ),
    "uniform integers": (with_argument(type="int8", elements=1, fill="uniform"), r"use fill: randint"),
    "negative elements": (
        with_argument(type="int8", elements="0 - unroll"),
        r"arguments\[0\]\.elements: -1 is not a whole number of at least 1 .*unroll = 1",
    ),
    "fractional grid": (changed(launch__grid="n / 3"), r"launch\.grid: 333\.\d+ is not a whole number"),
    "value too large": (
        with_argument(type="uint8", value="n"),
        r"arguments\[0\]\.value: 1000 is not a value of uint8",
    ),
    "fraction as integer": (with_argument(type="int32", value=0.5), r"0\.5 is not a value of int32"),
    "argument twice": (
        changed(arguments=[{"name": "x", "type": "int8", "value": 1}] * 2),
        r"arguments\[1\]\.name: x is declared twice",
    ),
    "argument is a macro": (
        with_argument(name="UNROLL", type="int8", value=1),
        r"arguments\[0\]\.name: parameter unroll's macro replaces UNROLL",
    ),
    "macro twice": (
        changed(parameters={"a": [1], "A": [1], "unroll": [1], "block_size": [32]}),
        r"parameters\.A: is the macro A, as a is",
    ),
    "value is a parameter": (
        changed(values={"n": 1, "blocks": 1, "unroll": 1}),
        r"values\.unroll: unroll is a parameter too",
    ),
    "value too early": (
        changed(values={"blocks": "n", "n": 1}),
        r"values\.blocks: uses n before it is declared",
    ),
    "value of itself": (changed(values={"n": "n", "blocks": 1}), r"values\.n: uses n before"),
    "empty parameter": (
        changed(parameters__unroll=[]),
        r"parameters\.unroll: a parameter needs a list of at least one",
    ),
    "scalar parameter": (changed(parameters__unroll=4), r"parameters\.unroll: a parameter needs a list"),
    "value twice": (changed(parameters__unroll=[1, 2, 1]), r"parameters\.unroll: 1 stands twice"),
    "boolean": (
        changed(parameters__unroll=[True, 2]),
        r"parameters\.unroll\[0\]: True cannot be a macro's value",
    ),
    "none outside the cap": (
        changed(parameters__unroll=["none", 1]),
        r"parameters\.unroll: only register_cap can be none",
    ),
    "cap is a word": (
        changed(parameters__register_cap=["few"]),
        r"parameters\.register_cap: few is no register count",
    ),
    "cap too large": (
        changed(parameters__register_cap=[300]),
        r"300 is no register count; use none or 1 to 255",
    ),
    "bad name": (
        changed(parameters={"block-size": [1]}),
        r"parameters\.block-size: 'block-size' is not a name",
    ),
    "reserved name": (changed(values={"n": 1, "blocks": 1, "max": 1}), r"values\.max: max has a meaning"),
    "no GPU": (changed(gpu=[]), r"gpu: .*at least 1"),
    "objective": (changed(objectives=["fastest"]), r"objectives\[0\]: 'fastest' is not an objective"),
    "kernel not in source": (
        changed(kernel="scal"),
        r"kernel: the source defines no kernel scal; did you mean scale\?",
    ),
    "kernel in a comment": (changed(kernel="commented_out"), r"defines no kernel commented_out"),
    "unsatisfiable": (
        changed(constraints=["unroll > 0", "unroll > 9"]),
        r"constraints\[1\]: no point satisfies `unroll > 9`; relax",
    ),
    "jointly unsatisfiable": (
        changed(constraints=["unroll > 2", "unroll < 3"]),
        r"constraints\[1\]: no point satisfies `unroll < 3` together with the other",
    ),
    "division by zero": (
        changed(constraints=["n % (unroll - 1) == 0"]),
        r"constraints\[0\]: .*divides by zero.*unroll = 1",
    ),
}


@pytest.mark.parametrize(("file", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_explained(file, message):
    with pytest.raises(SpaceError, match=message):
        space_of(file)


def test_a_workload_is_a_part_of_the_space_with_the_same_points():
    space = space_of(changed(workload="block_size", parameters__block_size=[64, 128, 512]))
    assert space.workload == ("block_size",)
    assert space.workloads() == [{"block_size": 64}, {"block_size": 128}]  # no valid point has 512
    parts = [space.at_workload(workload) for workload in space.workloads()]
    assert [part.count() for part in parts] == [6, 4]
    together = [point for part in parts for point in part.points()]
    assert sorted(map(space.index, together)) == list(map(space.index, space.points()))
    assert space_of(FILE).workloads() == [{}]
    assert space_of(FILE).at_workload(POINT) == space_of(FILE)


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        (["unrol"], r"workload\[0\]: unknown parameter unrol; did you mean unroll\?"),
        ("n", r"workload\[0\]: unknown parameter n"),
        (["unroll", "unroll"], "workload: unroll stands twice"),
        (["unroll", "register_cap"], r"workload\[1\]: register_cap changes the code and not the work"),
    ],
)
def test_a_wrong_workload_is_explained(workload, message):
    with pytest.raises(SpaceError, match=message):
        space_of(changed(workload=workload))


def test_only_the_constraint_to_blame_is_named():
    with pytest.raises(SpaceError) as caught:
        space_of(changed(constraints=["unroll > 0", "unroll > 9"]))
    assert len(caught.value.problems) == 1


def test_all_errors_of_a_file_come_at_once():
    file = changed(
        kernel="scales",
        parameters__unroll=[],
        constraints=["unrol > 1", "n +"],
        launch__gird=1,
        values={"n": 1, "blocks": "later", "later": 1},
        arguments=[{"name": "x", "type": "int", "value": 1}, {"name": "x", "type": "int8"}],
    )
    with pytest.raises(SpaceError) as caught:
        space_of(file)
    places = {problem.path for problem in caught.value.problems}
    assert places == {
        "kernel",
        "parameters.unroll",
        "constraints[0]",
        "constraints[1]",
        "launch.gird",
        "values.blocks",
        "arguments[0].type",
        "arguments[1]",
        "arguments[1].name",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kernel: scale\nkernel: other\n", "line 2: kernel is declared twice"),
        ("values: {n: 1, n: 2}", "line 1: n is declared twice"),
        ("kernel: [", "not a readable YAML file"),
        ("- kernel", "not a space"),
        ("", "not a space"),
        ("!!python/object/apply:os.getcwd []", "not a readable YAML file"),
    ],
)
def test_a_file_that_is_no_mapping_is_explained(text, message):
    with pytest.raises(SpaceError, match=message):
        parse_space(text, SOURCE)


def test_a_space_loads_from_a_folder_and_from_a_file(tmp_path):
    (tmp_path / "space.yaml").write_text(yaml.safe_dump(FILE, sort_keys=False))
    with pytest.raises(SpaceError, match=r"source: kernel\.cu is not in"):
        load_space(tmp_path)
    (tmp_path / "kernel.cu").write_text(SOURCE)
    assert load_space(tmp_path) == load_space(str(tmp_path / "space.yaml"))
    assert load_space(tmp_path).source_path == tmp_path / "kernel.cu"


def test_an_unknown_space_comes_with_the_closest():
    with pytest.raises(SpaceError, match=r"no space rsqrt_chian; did you mean rsqrt_chain\?"):
        load_space("rsqrt_chian")


def test_an_override_changes_values_and_gpus_alone():
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
        ({"register_cap": [0]}, None, "0 is no register count"),
        ({"unroll": [64]}, None, r"constraints\[0\]: no point satisfies"),
        (None, [], "gpu: .*at least 1"),
        (None, ["h200", "h200"], "gpu: h200 stands twice"),
    ],
)
def test_a_wrong_override_is_explained(parameters, gpus, message):
    with pytest.raises(SpaceError, match=message):
        space_of(FILE).override(parameters, gpus)
