"""Files made to hang, crash or mislead whoever reads them: each ends soon, in one SpaceError that says why."""

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from search_spaces import SpaceError, load_space, parse_space
from search_spaces.expression import Expression, ExpressionError
from search_spaces.limits import MAX_POINTS, MAX_SPACE_BYTES, MAX_YAML_BYTES

SOURCE = 'extern "C" __global__ void k(float* x, int n) { x[0] = A; }'
SOURCE += "".join(f"constexpr int used{number} = P{number};" for number in range(65))
FILE: dict[str, Any] = {
    "kernel": "k",
    "parameters": {"a": [1, 2]},
    "gpu": ["h200"],
    "launch": {"grid": 1, "block": 32},
    "arguments": [
        {"name": "x", "type": "float32", "elements": 32},
        {"name": "n", "type": "int32", "value": 1},
    ],
}
SECONDS = 20  # of this process; far more than any takes, while a hang is for ever
TOO_MANY = {f"p{i}": [1, 2] for i in range(65)}


def text_of(**changes: object) -> str:
    return yaml.safe_dump({**FILE, **changes}, sort_keys=False)


def refusal_of(text: str, source: str = SOURCE, headers: dict[str, str] | None = None) -> str:
    started = time.process_time()
    with pytest.raises(SpaceError) as refusal:
        parse_space(text, source, headers=headers)
    assert time.process_time() - started < SECONDS
    assert len(str(refusal.value)) < 20_000
    return str(refusal.value)


HEAD = text_of()
LAUGHS = "\n".join(f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 9)}]" for i in range(1, 12))
HOSTILE = {
    "laughs": ("x0: &x0 [1]\n" + LAUGHS, "aliases make it too large"),
    "laughs in a field": ("x0: &x0 [1]\n" + LAUGHS + "\nparameters: {a: *x11}", "aliases make it too large"),
    "alias of itself": ("kernel: &a [*a]", "aliases make it too large"),
    "merge keys": (
        "x0: &x0 {a: 1}\n"
        + "\n".join(f"x{i}: &x{i} {{<<: [*x{i - 1}, *x{i - 1}, *x{i - 1}]}}" for i in range(1, 20)),
        "aliases make it too large",
    ),
    "deep list": ("kernel: " + "[" * 20_000, "nested too deeply"),
    "deep mapping": ("kernel: " + "{a: " * 10_000, "nested too deeply"),
    "deep block": ("".join(" " * i + "a:\n" for i in range(340)), "kernel: missing|nested too deeply"),
    "large": (HEAD + "# " + "x" * MAX_YAML_BYTES, "larger than 65536 bytes"),
    "long number": ("kernel: " + "9" * 5000, "an invalid value"),
    "long hexadecimal number": (
        text_of(values={"v": 1}).replace("v: 1", "v: 0x" + "f" * 9000),
        "beyond 2\\*\\*64",
    ),
    "long number for a parameter": (HEAD.replace("- 2", "- 0x" + "f" * 9000), "integers are below 2\\*\\*64"),
    "no such date": ("kernel: 2026-13-45", "an invalid value"),
    "python object": ("kernel: !!python/name:os.system", "not a readable YAML file"),
    "key of a list": ("? [a]\n: 1", "not a readable YAML file"),
    "control character": ("kernel: \x07", "not a readable YAML file"),
    "many parameters": (text_of(parameters=TOO_MANY), "parameters: 65 entries; at most 64"),
    "many values": (text_of(parameters={"a": list(range(5000))}), "parameters.a: 5000 entries; at most 4096"),
    "many arguments": (
        text_of(arguments=[FILE["arguments"][0]] * 300),
        "arguments: 300 entries; at most 256",
    ),
    "many unknown fields": (HEAD + "".join(f"f{i}: 1\n" for i in range(5000)), "the file: 50"),
    "many points": (text_of(parameters={f"p{i}": list(range(10)) for i in range(30)}), "1e\\+30 points"),
    "many workloads": (
        text_of(parameters={"a": list(range(100)), "b": list(range(100))}, workload=["a", "b"]),
        "workload: 10000 of them",
    ),
    "hidden points": (
        text_of(
            parameters={f"p{i}": list(range(20)) for i in range(10)},
            constraints=[" + ".join(f"p{i}" for i in range(10)) + " == 1000"],
        ),
        "no valid point after looking at",
    ),
    "tower of powers": (text_of(values={"v": "9**9**9"}), "exponent .* is beyond 64"),
    "shift": (text_of(values={"v": "1 << 10**9"}), "is not allowed here"),
    "parentheses": (text_of(values={"v": "(" * 10_000 + "1" + ")" * 10_000}), "20001 characters"),
    "parentheses, fewer": (text_of(values={"v": "(" * 400 + "1" + ")" * 400}), "not an expression"),
    "signs": (text_of(values={"v": "-" * 900 + "1"}), "nested deeper|not an expression"),
    "sum": (text_of(values={"v": "+".join("1" * 480)}), "nested deeper"),
    "attributes": (text_of(values={"v": "a" + ".a" * 400}), "nested deeper|not allowed|unknown"),
    "call of calls": (text_of(values={"v": "abs" + "(1)" * 300}), "nested deeper|not allowed|unknown"),
    "function without a call": (text_of(values={"v": "min"}), "min is a function; call it"),
    "import": (text_of(values={"v": "__import__('os').system('id')"}), "not allowed here"),
    "large buffer": (
        text_of(arguments=[{"name": "x", "type": "float32", "elements": 10**15}]),
        "1000000000000000 are more than",
    ),
    "quotes in a macro": (text_of(parameters={"a": ['"; }']}), "cannot be a macro's value"),
    "lines in a macro": (text_of(parameters={"a": ["b\n#include <c>"]}), "cannot be a macro's value"),
    "options in a macro": (text_of(parameters={"a": ["-I/etc"]}), "cannot be a macro's value"),
    "long macro": (text_of(parameters={"a": ["b" * 10_000]}), "cannot be a macro's value"),
    "options for a parameter": (text_of(parameters={"a -I/etc": [1]}), "is not a name"),
    "code for a kernel": (text_of(kernel="k(); }"), "is not a name"),
    "path for a source": (text_of(source="../../etc/passwd"), "is not a file in the space's folder"),
    "absolute source": (text_of(source="/etc/passwd"), "is not a file in the space's folder"),
    "hidden source": (text_of(source=".ssh/id"), "is not a file in the space's folder"),
    "control character in a source's name": (
        text_of(source="a\nb.cu"),
        "is not a file in the space's folder",
    ),
}


@pytest.mark.parametrize(("text", "message"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused_soon(text: str, message: str) -> None:
    assert re.search(message, refusal_of(text))


def test_problems_are_not_all_told_when_there_are_very_many() -> None:
    message = refusal_of(text_of(values={f"v{i}": "nowhere" for i in range(200)}))
    assert "... and" in message


@pytest.mark.parametrize(
    "source",
    [
        "_" * 500_000,
        "__a__(" * 100_000,
        "__global__ " * 90_000,
        "/*" * 300_000,
        "__global__ " + "a " * 400_000,
        "(" * 900_000,
        "A " + '"' * 900_000,
        "A int" + " " * 900_000 + "const",
        "A " + "int " * 200_000,
        "A #define" + " " * 400_000 + "!defined" + "(" * 400_000,
    ],
    ids=[
        *("underscores", "attributes", "kernels", "comments", "words", "parentheses"),
        *("quotes", "blanks", "types", "macros"),
    ],
)
def test_a_hostile_source_is_searched_in_linear_time(source: str) -> None:
    assert "defines no kernel k" in refusal_of(HEAD, source)


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({"../a.h": ""}, "header '../a.h': not a path in the space's folder"),
        ({"/etc/passwd": ""}, "not a path in the space's folder"),
        ({"a//b.h": ""}, "not a path in the space's folder"),
        ({"a\nb.h": ""}, "not a path in the space's folder"),
        ({f"{i}.h": "" for i in range(101)}, "101 headers"),
        ({"a.h": "x" * MAX_SPACE_BYTES}, "bytes in total"),
    ],
)
def test_hostile_headers_are_refused(headers: dict[str, str], message: str) -> None:
    assert message in refusal_of(HEAD, headers=headers)


def test_a_space_of_texts_touches_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((Path, "open"), (Path, "read_text"), (Path, "is_file"), (os, "stat"), (os, "open")):
        monkeypatch.setattr(module, name, lambda *_, **__: pytest.fail("a file was touched"))
    assert parse_space(HEAD, SOURCE, "/etc/passwd", {"a.h": ""}).headers == {"a.h": ""}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A space's folder, beside a file that is none of its business."""
    (tmp_path / "secret.cu").write_text(SOURCE)
    (tmp_path / "space").mkdir()
    (tmp_path / "space" / "kernel.cu").write_text(SOURCE)
    return tmp_path / "space"


@pytest.mark.parametrize("source", ["../secret.cu", "{parent}/secret.cu", "link.cu", "links/secret.cu"])
def test_a_source_outside_the_folder_is_refused(folder: Path, source: str) -> None:
    (folder / "link.cu").symlink_to(folder.parent / "secret.cu")
    (folder / "links").symlink_to(folder.parent)
    (folder / "space.yaml").write_text(text_of(source=source.format(parent=folder.parent)))
    with pytest.raises(SpaceError, match=r"source: .*(not a file in the space's folder|leads out of)"):
        load_space(folder)


def test_a_header_outside_the_folder_is_not_read(folder: Path) -> None:
    (folder / "link.h").symlink_to(folder.parent / "secret.cu")
    (folder / "space.yaml").write_text(HEAD)
    (folder / "kernel.cu").write_text('#include "../secret.cu"\n' + SOURCE)
    assert load_space(folder).headers == {}
    (folder / "kernel.cu").write_text('#include "link.h"\n' + SOURCE)
    with pytest.raises(SpaceError, match=r"kernel\.cu: link\.h leads out of"):
        load_space(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": "link.cubin"}, r"source: link\.cubin leads out of"),
        ({"source": "../secret.cubin"}, r"source: .*not a file in the space's folder"),
        ({"expect": {"x": "link.npy"}}, r"expect\.x: link\.npy leads out of"),
        ({"expect": {"x": "../secret.npy"}}, r"expect\.x: .*not an \.npy file in the space's folder"),
    ],
)
def test_a_file_of_numbers_or_machine_code_outside_the_folder_is_refused(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    for kind in ("npy", "cubin"):
        (folder.parent / f"secret.{kind}").write_bytes(b"secret")
        (folder / f"link.{kind}").symlink_to(folder.parent / f"secret.{kind}")
    (folder / "space.yaml").write_text(text_of(**changes))
    with pytest.raises(SpaceError, match=message):
        load_space(folder)


def test_large_files_and_devices_are_not_read_to_their_end(folder: Path) -> None:
    (folder / "space.yaml").write_text(HEAD)
    (folder / "kernel.cu").write_text("x" * (MAX_SPACE_BYTES + 1))
    with pytest.raises(SpaceError, match="larger than 1048576 bytes"):
        load_space(folder)
    (folder / "kernel.cu").unlink()
    (folder / "kernel.cu").symlink_to("/dev/zero")
    with pytest.raises(SpaceError, match=r"source: kernel\.cu is not in"):
        load_space(folder)
    (folder / "space.yaml").write_text("# " + "x" * MAX_YAML_BYTES)
    with pytest.raises(SpaceError, match="larger than 65536 bytes"):
        load_space(folder)


def test_a_large_space_is_counted_sampled_and_begun_at_once() -> None:
    parameters = {f"p{i}": list(range(20)) for i in range(12)}
    started = time.process_time()
    space = parse_space(text_of(parameters=parameters, constraints=["p0 <= p1"]), SOURCE)
    assert space.count() == 210 * 20**10 < MAX_POINTS
    assert len(space.sample(10, seed=0)) == 10
    assert next(space.points()) == dict.fromkeys(parameters, 0)
    assert time.process_time() - started < SECONDS


def test_an_override_has_the_limits_of_a_file() -> None:
    space = parse_space(HEAD, SOURCE)
    with pytest.raises(SpaceError, match="5000 values; a parameter has at most 4096"):
        space.override({"a": list(range(5000))})
    with pytest.raises(SpaceError, match="at most 256"):
        space.override(gpus=[f"g{i}" for i in range(300)])


ALPHABET = st.sampled_from(
    [
        *"0123456789abn.,()+-*/%<>=!&|~^@[]{}'\" \n\t\\",
        "**",
        "//",
        "<<",
        "not ",
        " and ",
        " or ",
        " if ",
        " else ",
        "none",
        "min(",
        "ceil_div(",
        "sqrt(",
        "log2(",
        "lambda:",
        ":=",
        "f'",
        "1e999",
        "1j",
        "9" * 30,
        "\0",
        "é",
        "…",
    ]
)


@settings(max_examples=400, deadline=2000)
@given(text=st.one_of(st.lists(ALPHABET, max_size=60).map("".join), st.text(max_size=200)))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    try:
        expression = Expression(text)
        value = expression.evaluate(dict.fromkeys(expression.names, 3))
    except ExpressionError:
        return
    assert value is None or isinstance(value, int | float | str)


@settings(max_examples=200, deadline=2000)
@given(
    text=st.recursive(
        st.sampled_from(["n", "1", "64", "2.5", "none", "18446744073709551615"]),
        lambda inner: st.builds(
            "({} {} {})".format,
            inner,
            st.sampled_from(["+", "-", "*", "/", "//", "%", "**", "<", "==", "and", "or"]),
            inner,
        ),
        max_leaves=40,
    )
)
def test_arithmetic_ends_in_a_bounded_value_or_an_error(text: str) -> None:
    try:
        value = Expression(text).evaluate({"n": 3})
    except ExpressionError:
        return
    assert value is None or (isinstance(value, int | float) and abs(value) < 2**64)
