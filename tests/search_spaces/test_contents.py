"""Options, names, files and expressions of a space that say what its kernel is given."""

import io
from typing import Any

import numpy as np
import pytest
import yaml

from search_spaces import Space, SpaceError, parse_space
from search_spaces.compiler_options import checked_option
from testing.space_files import POINT, SOURCE, changed, with_argument


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def space_with(file: dict[str, Any], source: str = SOURCE, **files: bytes) -> Space:
    contents = {f"{name}.npy": content for name, content in files.items()}
    return parse_space(yaml.safe_dump(file, sort_keys=False), source, files=contents)


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ("-std=c++20", "--std=c++20"),
        ("-lineinfo", "--generate-line-info"),
        ("-DN=2", "--define-macro=N=2"),
        ("-UN", "--undefine-macro=N"),
        ("-w", "--disable-warnings"),
        ("-Xptxas=-O1", "--ptxas-options=-O1"),
        ("--ptxas-options=-dlcm=cg", "--ptxas-options=-dlcm=cg"),
    ],
)
def test_an_option_is_known_by_its_long_name(given: str, option: str) -> None:
    assert checked_option(given) == option
    assert checked_option(option) == option


@pytest.mark.parametrize(
    "option",
    [
        *("-I/etc", "--include-path=/etc", "--pre-include=/etc/passwd", "-include=/etc/passwd"),
        *("--pch", "--create-pch=/tmp/x", "--use-pch=/tmp/x", "--pch-dir=/tmp", "--time=/tmp/x"),
        *("--fdevice-time-trace=/tmp/x", "--ptxas-options=-o=/tmp/x", "--ptxas-options=--input-as-string=x"),
        *("-Xptxas=-O3,-o,/tmp/x", "--dlink-time-opt", "--gpu-architecture=sm_90", "-arch=sm_90", "-G"),
        *(
            '-DN="x',
            "-DN=1\n#include",
            "--std=c++20 --pch",
            "",
            "-",
            "--",
            "/etc/passwd",
            "--modify-stack-limit=true",
        ),
    ],
)
def test_an_option_that_names_a_file_or_is_none_is_refused(option: str) -> None:
    with pytest.raises(ValueError, match=r"option|space"):
        checked_option(option)


def test_options_follow_the_point() -> None:
    file = changed(options=["-std=c++20", {"option": "--use_fast_math", "when": "unroll > 1"}])
    space = space_with(file)
    assert space.compiler_options(POINT) == ("--std=c++20", "--use_fast_math")
    assert space.compiler_options({**POINT, "unroll": 1}) == ("--std=c++20",)


@pytest.mark.parametrize(
    ("change", "source"),
    [
        ({"launch__dynamic_shared_bytes": "4 * width"}, SOURCE),
        ({"values": {"n": 1000, "blocks": "n + width"}}, SOURCE),
        ({"options": [{"option": "--fmad=false", "when": "width > 1"}]}, SOURCE),
        ({"options": ["-DDEPTH=WIDTH"]}, SOURCE),
        ({"kernel": "scale<WIDTH>"}, SOURCE),
        ({"workload": "width"}, SOURCE),
        ({"variables": [{"name": "w", "type": "int8", "value": "width"}]}, SOURCE),
        ({}, SOURCE + "#define F(x) a##x\n"),
        ({}, SOURCE + "#ifndef WIDTH\n#define WIDTH 2\n#endif\nint w = WIDTH;"),
        ({}, SOURCE + "template <typename T> void f(const T* WIDTH_OF, WIDTH const* x);"),
        ({}, SOURCE + "char c = '\"'; // WIDTH is not here\nint w = WIDTH;"),
    ],
)
def test_a_parameter_may_be_used_anywhere(change: dict[str, Any], source: str) -> None:
    assert "width" in space_with(changed(parameters__width=[1, 2], **change), source).parameters


def test_a_header_may_use_what_the_source_does_not() -> None:
    text = yaml.safe_dump(changed(parameters__width=[1, 2]), sort_keys=False)
    source = '#include "width.h"\n' + SOURCE
    assert parse_space(text, source, headers={"width.h": "int w = WIDTH;"}).size == 24
    with pytest.raises(SpaceError, match=r"WIDTH is used nowhere in kernel\.cu and its headers"):
        parse_space(text, source, headers={"width.h": ""})


def test_a_stored_space_is_read_by_the_rules_of_its_day() -> None:
    text = yaml.safe_dump(changed(parameters__width=[1, 2]), sort_keys=False)
    assert parse_space(text, SOURCE, is_new=False).size == 24


@pytest.mark.parametrize(
    ("argument", "array", "message"),
    [
        ({"type": "float32"}, np.zeros(8), r"x\.npy contains float64, not float32"),
        ({"type": "bfloat16"}, np.zeros(8, np.float32), "contains float32, not bfloat16"),
        ({"type": "float32x4"}, np.zeros(6, np.float32), "has 6 numbers, but a multiple of 4 x float32x4"),
        ({"type": "float32", "elements": 9}, np.zeros(8, np.float32), "8 numbers, but 9 x float32"),
        ({"type": "int32"}, np.array([{}], object), r"arguments\[0\]\.file: x\.npy: it contains \|O"),
        ({"type": "int32"}, np.zeros(2, [("a", "i4")]), "save an array of numbers"),
    ],
)
def test_a_file_of_another_type_or_size_is_refused(
    argument: dict[str, Any], array: Any, message: str
) -> None:
    with pytest.raises(SpaceError, match=message):
        space_with(with_argument(file="x.npy", **argument), x=npy(array))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        npy(np.zeros(8))[:-1],
        npy(np.zeros(8)).replace(b"(8,)", b"(99999999999,)"[:4]),
        npy(np.zeros(8)).replace(b"(8,)", b"-8, "),
        npy(np.zeros(8)).replace(b"'<f8'", b"open "),
        b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535,
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}",
    ],
)
def test_a_broken_or_hostile_file_is_refused(content: bytes) -> None:
    with pytest.raises(SpaceError, match=r"arguments\[0\]\.file: x\.npy: "):
        space_with(with_argument(type="float64", file="x.npy"), x=content)


def test_files_are_read_row_by_row_in_any_byte_order() -> None:
    array = np.arange(6, dtype=">i4").reshape(2, 3)
    space = space_with(with_argument(type="int32x3", file="x.npy"), x=npy(np.asfortranarray(array)))
    (argument,) = space.arguments(POINT)
    assert (argument.elements, argument.file) == (2, "x.npy")


def test_too_many_bytes_are_refused() -> None:
    with pytest.raises(
        SpaceError, match=r"bytes of \.npy files and cubins, above 8388608; use a smaller problem"
    ):
        space_with(with_argument(type="uint8", file="x.npy"), x=npy(np.zeros(2**23, np.uint8)))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (
            np.zeros(3, np.int32),
            r"expect\.y: y\.npy has 3 numbers, but y has 1000; save an array of that size",
        ),
        (np.zeros(1000), "y.npy contains float64, but y is int32; convert it"),
    ],
)
def test_an_expected_file_of_another_shape_is_refused(array: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        space_with(changed(expect={"y": "y.npy"}), y=npy(array))


def test_the_first_variant_is_that_of_the_same_workload() -> None:
    space = space_with(changed(workload="block_size"))
    last = {"unroll": 2, "block_size": 128, "register_cap": 32}
    assert space.first_point(last) == {"unroll": 1, "block_size": 128, "register_cap": None}
    other_order = space.override({"unroll": [2, 1]})
    assert other_order.first_point(last) == {"unroll": 2, "block_size": 128, "register_cap": None}


def test_the_digest_takes_in_what_is_new_and_stays_without_it() -> None:
    array = npy(np.zeros(1000, np.int32))
    plain = space_with(changed())
    others = [
        space_with(changed(options=["--use_fast_math"])),
        space_with(changed(cache="cold")),
        space_with(changed(bounds="warn")),
        space_with(changed(variables=[{"name": "w", "type": "int8", "value": 1}])),
        space_with(changed(expect={"y": "first"})),
        space_with(with_argument(type="int32", elements="n", fill="randint", high="n")),
        space_with(with_argument(type="int32", elements="n", fill="randint", high="n", seed=7)),
        space_with(with_argument(type="int32", elements="n", fill="zipf", high="n", exponent=1)),
        space_with(with_argument(type="int32", elements="n", fill="zipf", high="n", exponent="unroll / 2")),
        space_with(changed(expect={"y": "y.npy"}), y=array),
        space_with(changed(expect={"y": "y.npy"}), y=npy(np.ones(1000, np.int32))),
    ]
    assert len({plain.digest(), *(other.digest() for other in others)}) == 1 + len(others)
