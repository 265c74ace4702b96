"""What is wrong with a space.yaml is said at once, each with its place in the file."""

from typing import Any

import pytest

from search_spaces import SpaceError, parse_space
from testing.space_files import FILE, SOURCE, changed, space_of, with_argument

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
    "no list": (changed(constraints="n > 1"), r"constraints: 'n > 1' is not a list"),
    "no mapping": (changed(launch=[1, 32]), r"launch: \[1, 32\] is not a mapping"),
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
    "fill of a value": (
        with_argument(type="int8", value=1, fill="ones"),
        r"fill, high, exponent and seed are for buffers",
    ),
    "randint without high": (
        with_argument(type="int8", elements=1, fill="randint"),
        r"randint and high go together",
    ),
    "zipf without exponent": (
        with_argument(type="int8", elements=1, fill="zipf", high=9),
        r"zipf and exponent go together",
    ),
    "zipf without high": (
        with_argument(type="int8", elements=1, fill="zipf", exponent=1),
        r"zipf and high go together",
    ),
    "negative exponent": (
        with_argument(type="int8", elements=1, fill="zipf", high=9, exponent="0 - unroll"),
        r"arguments\[0\]\.exponent: -1 is not above 0",
    ),
    "too many numbers of zipf": (
        with_argument(type="int32", elements=1, fill="zipf", high=2**25, exponent=1),
        r"arguments\[0\]\.high: 33554432 numbers of a Zipf distribution are more than",
    ),
    "seed of what is not random": (
        with_argument(type="int8", elements=1, fill="ones", seed=1),
        r"seed is for the random fills: uniform",
    ),
    "uniform integers": (with_argument(type="int8", elements=1, fill="uniform"), r"use fill: randint"),
    "negative elements": (
        with_argument(type="int8", elements="0 - unroll"),
        r"arguments\[0\]\.elements: -1 is not an integer of at least 1 .*unroll = 1",
    ),
    "fractional grid": (changed(launch__grid="n / 3"), r"launch\.grid: 333\.\d+ is not an integer"),
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
        r"values\.unroll: unroll is also a parameter",
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
    "value twice": (changed(parameters__unroll=[1, 2, 1]), r"parameters\.unroll: 1 is listed twice"),
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
        r"parameters\.register_cap: few is not a register count",
    ),
    "cap too large": (
        changed(parameters__register_cap=[300]),
        r"300 is not a register count; use none or 1 to 255",
    ),
    "bad name": (
        changed(parameters={"block-size": [1]}),
        r"parameters\.block-size: 'block-size' is not a name",
    ),
    "reserved name": (changed(values={"n": 1, "blocks": 1, "max": 1}), r"values\.max: max is reserved"),
    "reserved argument": (
        changed(arguments=[{"name": "in", "type": "float32", "elements": "n"}]),
        r"arguments\[0\]\.name: in is reserved in expressions; .* need not be the kernel.s\)",
    ),
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
    "misspelled macro": (
        changed(
            parameters={"unrol": [1], "block_size": [64]},
            constraints=[],
            arguments=[{"name": "n", "type": "int32", "value": 1}],
        ),
        r"parameters\.unrol: the macro UNROL is used nowhere in kernel\.cu; did you mean unroll\?",
    ),
    "macro used nowhere": (
        changed(parameters__width=[1, 2]),
        r"parameters\.width: the macro WIDTH is used nowhere in kernel\.cu; use it",
    ),
    "macro used by a constraint alone": (
        changed(parameters__width=[1, 2], constraints=["width > 0"]),
        r"parameters\.width: the macro WIDTH is used nowhere",
    ),
    "macro used by an unused value alone": (
        changed(parameters__width=[1, 2], values={"n": 1000, "blocks": 1, "wide": "width"}),
        r"parameters\.width: the macro WIDTH is used nowhere",
    ),
    "macro in a comment alone": (
        changed(parameters__a=[1], kernel="scale"),
        r"parameters\.a: the macro A is used nowhere",
    ),
    "kernel's own name": (
        changed(parameters__limit=[1, 2]),
        r"parameters\.limit: its macro LIMIT replaces the kernel's own LIMIT \(kernel\.cu:6\); rename one",
    ),
    "own macro": (
        changed(parameters__step=[1, 2]),
        r"parameters\.step: its macro STEP replaces the kernel's own STEP \(kernel\.cu:5\); rename one",
    ),
    "unknown option": (
        changed(options=["--use_fast_maths"]),
        r"options\[0\]: '--use_fast_maths' is not a compiler option .*; did you mean use_fast_math\?",
    ),
    "option's value": (
        changed(options=["--fmad=maybe"]),
        r"options\[0\]: '--fmad=maybe' has no value that the option takes; it takes true or false",
    ),
    "spaced value": (
        changed(options=["-Xptxas -O2"]),
        "join the option and its value with =, as in -Xptxas=-O2",
    ),
    "value of a switch": (changed(options=["-use_fast_math=true"]), "takes no value; write --use_fast_math"),
    "option of another field": (changed(options=["--maxrregcount=32"]), "use the parameter register_cap"),
    "option's condition": (
        changed(options=[{"option": "--fmad=false", "when": "fats"}]),
        r"options\[0\]: unknown name fats",
    ),
    "text of a kernel": (changed(kernel='scale<1>\n#include "x"'), r"kernel: .* is not a kernel's name"),
    "line of a kernel": (changed(kernel="scale\n<1>"), r"kernel: .* is not a name"),
    "C++ type": (with_argument(type="float4", elements=1), r"did you mean float32x4\?"),
    "too few numbers": (
        with_argument(type="float32x4", value=[1, 2]),
        r"arguments\[0\]\.value: float32x4 has 4 numbers, not a list of 2",
    ),
    "a number for a vector": (with_argument(type="int8x2", value=1), "int8x2 has 2 numbers; list them"),
    "vector's number": (with_argument(type="int8x2", value=[1, 128]), "128 is not a value of int8"),
    "constant's number": (with_argument(type="uint8", elements=4, fill=300), "300 is not a value of uint8"),
    "struct with a type": (
        with_argument(type="int8", fields=[{"name": "a", "type": "int8", "value": 1}]),
        r"arguments\[0\]: a struct has name and fields alone",
    ),
    "struct's field": (
        with_argument(fields=[{"name": "a", "type": "int8", "valeu": 1}]),
        r"arguments\[0\]\.fields\[0\]\.valeu: unknown field; did you mean value\?",
    ),
    "struct's field without contents": (
        with_argument(fields=[{"name": "a", "type": "int8"}]),
        r"arguments\[0\]\.fields\[0\]: needs either elements \(a buffer\) or value",
    ),
    "data of a struct's field": (
        with_argument(fields=[{"name": "a", "type": "int8", "data": "m.columns"}]),
        r"arguments\[0\]\.fields\[0\]\.data: unknown data 'm\.columns'",
    ),
    "missing file of a struct's field": (
        with_argument(fields=[{"name": "a", "type": "int8", "file": "x.npy"}]),
        r"arguments\[0\]\.fields\[0\]\.file: x\.npy is missing",
    ),
    "output of a struct": (
        with_argument(fields=[{"name": "data", "type": "int8", "elements": 4}])
        | {"expect": {"x.dta": "first"}},
        r"expect\.x\.dta: unknown buffer x\.dta; did you mean x\.data\?",
    ),
    "variable with a pointer": (
        changed(variables=[{"name": "v", "fields": [{"name": "a", "type": "int8", "elements": 4}]}]),
        r"variables\[0\]: a variable holds no pointers to buffers",
    ),
    "sorted without high": (
        with_argument(type="int8", elements=1, fill="sorted"),
        "fill: sorted and high go",
    ),
    "file of no folder": (with_argument(type="int8", file="../x.npy"), "is not an .npy file in the space's"),
    "missing file": (with_argument(type="int8", file="x.npy"), r"arguments\[0\]\.file: x\.npy is missing"),
    "unknown data": (
        changed(data={"m": {"kind": "csr", "rows": 9, "columns": 9, "nonzeros": 9}})
        | {"arguments": [{"name": "x", "type": "int32", "data": "m.ofsets"}]},
        r"arguments\[0\]\.data: unknown data 'm\.ofsets'; did you mean m\.offsets\?",
    ),
    "kind of data": (
        changed(data={"m": {"kind": "coo"}}),
        r"data\.m: unknown kind; write kind: csr or kind: graph",
    ),
    "field of data": (
        changed(data={"m": {"kind": "csr", "rows": 9, "columns": 9, "nonzero": 9}}),
        r"data\.m\.nonzero: unknown field; did you mean nonzeros\?",
    ),
    "too many nonzeros": (
        changed(data={"m": {"kind": "csr", "rows": 2, "columns": 2, "nonzeros": 5}}),
        r"data\.m: 5 do not fit into 2 x 2",
    ),
    "reset of a value": (changed(reset=["n"]), r"reset\[0\]: n is not a buffer of zeros"),
    "reset of what is filled": (changed(reset="x"), r"reset\[0\]: x is not a buffer of zeros"),
    "unknown reset": (changed(reset="z"), r"reset\[0\]: unknown buffer 'z'"),
    "cache": (changed(cache="hot"), r"cache: unknown cache 'hot'; there are warm, cold"),
    "bounds": (changed(bounds="off"), r"bounds: unknown bounds 'off'; there are error, warn"),
    "expected of a value": (changed(expect={"n": "first"}), r"expect\.n: unknown buffer n"),
    "expected of what": (changed(expect={"y": 3}), r"expect\.y: 3 is not an \.npy file; write one, or first"),
    "nothing expected": (changed(expect={"rtol": 1e-3}), r"expect: .*at least 1"),
    "tolerance": (changed(expect={"y": "first", "rtol": -1}), r"expect\.rtol: .*greater than or equal to 0"),
    "own tolerance": (
        changed(expect={"y": {"values": "first", "rtol": -1}}),
        r"expect\.y\.rtol: .*greater than or equal to 0",
    ),
    "all may differ": (
        changed(expect={"y": {"values": "first", "mismatches": 1}}),
        r"expect\.y\.mismatches: .*less than 1",
    ),
    "tolerance without values": (changed(expect={"y": {"atol": 1}}), r"expect\.y\.values: .*"),
    "unknown tolerance": (
        changed(expect={"y": {"values": "first", "mismatch": 0.1}}),
        r"expect\.y\.mismatch: unknown field; did you mean mismatches\?",
    ),
    "size of a macro": (changed(parameters={"unroll": ["4KB"]}), r"parameters\.unroll: 4KB has a unit"),
    "word for a gpu": (
        changed(parameters={"unroll": [1], "gpu.sms": ["many"]}),
        r"parameters\.gpu\.sms: 'many' is not a number; write such as 144 or 50MB",
    ),
    "division by zero": (
        changed(constraints=["n % (unroll - 1) == 0"]),
        r"constraints\[0\]: .*divides by zero.*unroll = 1",
    ),
}


@pytest.mark.parametrize(("file", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_explained(file: dict[str, Any], message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        space_of(file)


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        (["unrol"], r"workload\[0\]: unknown parameter unrol; did you mean unroll\?"),
        ("n", r"workload\[0\]: unknown parameter n"),
        (["unroll", "unroll"], "workload: unroll is listed twice"),
        (["unroll", "register_cap"], r"workload\[1\]: register_cap changes the code, not the problem"),
    ],
)
def test_a_wrong_workload_is_explained(workload: str | list[str], message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        space_of(changed(workload=workload))


def test_only_the_constraint_to_blame_is_named() -> None:
    with pytest.raises(SpaceError) as caught:
        space_of(changed(constraints=["unroll > 0", "unroll > 9"]))
    assert len(caught.value.problems) == 1


def test_a_parameter_that_a_misspelled_name_means_is_no_second_problem() -> None:
    options = [{"option": "--use_fast_math", "when": "fastmath"}]
    with pytest.raises(SpaceError, match="did you mean fast_math") as caught:
        space_of(changed(parameters__fast_math=[0, 1], options=options))
    assert len(caught.value.problems) == 1


def test_all_errors_of_a_file_come_at_once() -> None:
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
def test_a_file_that_is_no_mapping_is_explained(text: str, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        parse_space(text, SOURCE)
