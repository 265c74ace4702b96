"""`simcore simulate`, `profile` and `timeline`: a launch stated on the command line."""

import csv
import json
import re
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from simcore import Buffer, CompileError, LaunchError, SimcoreError, compile_cuda, simulate
from simcore.cli import app
from simcore.cli.arguments import parse_arguments, parse_variables

SOURCE = """#ifndef TIMES
#error say how many TIMES
#endif
__global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < TIMES; ++k)
        x[i] *= factor;
}
__global__ void other(float* x) { x[threadIdx.x] = 0; }
"""
ARGUMENTS = ("--arg", "float32[4096]:uniform", "--arg", "float32=2.5", "--arg", "int32=4096")
LAUNCH = ("--gpu", "h200", "--kernel", "scale", "--grid", "16", "--block", "256", *ARGUMENTS)


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "scale.cu"
    path.write_text(SOURCE)
    return path


def simcore(*arguments: object) -> str:
    outcome = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def test_simulate_says_what_the_library_says(kernel: Path) -> None:
    cubin = compile_cuda(SOURCE, "h200", {"TIMES": 3}, file_name="scale.cu")
    expected = simulate(
        cubin=cubin,
        kernel="_Z5scalePffi",
        grid=16,
        block=256,
        arguments=[Buffer("float32", 4096, "uniform"), np.float32(2.5), np.int32(4096)],
        gpu="h200",
    )
    stated = json.loads(simcore("simulate", kernel, *LAUNCH, "--define", "TIMES=3", "-o", "json"))
    assert stated["time_us"] == expected.time_us
    assert stated["utilisation"] == expected.utilisation
    (row,) = csv.DictReader(StringIO(simcore("simulate", kernel, *LAUNCH, "-D", "TIMES=3", "-o", "csv")))
    assert float(row["cycles"]) == expected.cycles
    shown = simcore("simulate", kernel, *LAUNCH, "-D", "TIMES=3")
    assert f"regime: {expected.regime}" in shown
    assert all(sentence.split()[0] in shown for sentence in expected.advice)


def test_a_cubin_is_taken_as_it_is(kernel: Path, tmp_path: Path) -> None:
    cubin = tmp_path / "scale.cubin"
    cubin.write_bytes(compile_cuda(SOURCE, "h200", {"TIMES": 3}, file_name="scale.cu"))
    from_source = simcore("simulate", kernel, *LAUNCH, "-D", "TIMES=3", "-o", "json")
    assert simcore("simulate", cubin, *LAUNCH, "-o", "json") == from_source


def test_profile_shows_the_hottest_line_with_its_text(kernel: Path) -> None:
    shown = simcore("profile", kernel, *LAUNCH, "-D", "TIMES=3")
    assert re.search(r"scale\.cu:8 +x\[i\] \*= factor; +[\d,]+ +[\d,]+ +\d", shown)
    rows = json.loads(
        simcore("profile", kernel, *LAUNCH, "-D", "TIMES=3", "--by", "instruction", "-o", "json")
    )
    assert [row["stalled"] for row in rows] == sorted((row["stalled"] for row in rows), reverse=True)
    in_order = simcore(
        "profile", kernel, *LAUNCH, "-D", "TIMES=3", "--by", "instruction", "--sort", "address", "-o", "csv"
    )
    addresses = [int(row["address"]) for row in csv.DictReader(StringIO(in_order))]
    assert addresses == [16 * i for i in range(len(rows))]


def test_macros_that_are_missing_are_named(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text('extern "C" __global__ void k(float* x) { x[VEC * threadIdx.x] = ROWS + VEC; }')
    with pytest.raises(CompileError, match=r"define -D VEC=VALUE -D ROWS=VALUE$"):
        simcore("simulate", source, "--gpu", "h200", "--grid", "1", "--block", "32", "--arg", "float32[32]")


def test_variables_get_contents(tmp_path: Path) -> None:
    source = tmp_path / "loop.cu"
    source.write_text(
        "__constant__ int rounds;\n"
        'extern "C" __global__ void loop(int* x) { for (int i = 0; i < rounds; ++i) atomicAdd(x, i); }\n'
    )
    launch = ("--gpu", "h200", "--grid", "1", "--block", "32", "--arg", "int32[1]", "-o", "json")
    none = json.loads(simcore("simulate", source, *launch))
    many = json.loads(simcore("simulate", source, *launch, "--variable", "rounds=int32=50"))
    assert many["warp_instructions"] > none["warp_instructions"] + 50
    with pytest.raises(LaunchError, match=r"--variable rounds: write NAME=CONTENTS"):
        parse_variables(["rounds"])


def test_profile_of_a_cubin_finds_the_text_beside_it(kernel: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    beside, apart = tmp_path / "scale.cubin", tmp_path / "elsewhere" / "scale.cubin"
    for cubin in (beside, apart):
        cubin.write_bytes(compile_cuda(SOURCE, "h200", {"TIMES": 3}, file_name=kernel.name))
    text = "x[i] *= factor;"
    assert text in simcore("profile", beside, *LAUNCH)
    assert text not in simcore("profile", apart, *LAUNCH)
    assert text in simcore("profile", apart, *LAUNCH, "--source-folder", kernel.parent)


def test_profile_without_line_information_is_by_instruction(tmp_path: Path) -> None:
    cubin = tmp_path / "scale.cubin"
    compiled = compile_cuda(SOURCE, "h200", {"TIMES": 3})
    cubin.write_bytes(compiled.replace(b".debug_line", b".debug_gone"))
    shown = simcore("profile", cubin, *LAUNCH)
    assert "no line information in this machine code" in shown
    assert "LDG" in shown


def test_timeline_draws_a_row_a_warp_and_a_letter_a_cycle(kernel: Path) -> None:
    command = ("timeline", kernel, *LAUNCH, "-D", "TIMES=3", "--from", 100, "--cycles", 60)
    rows = [line for line in simcore(*command).splitlines() if re.match(r" +\d  +\d+  +\d+  ", line)]
    assert len(rows) == 8
    pictures = [row.split("  ")[-1] for row in rows]
    assert {len(picture) for picture in pictures} == {60}
    events = json.loads(simcore(*command, "-o", "json"))
    issued = sum(e["state"] == "selected" and 100 <= e["start"] < 160 for e in events)
    assert sum(picture.count("#") for picture in pictures) == issued
    listed = simcore(*command, "--scheduler", 1, "--issues")
    assert len(re.findall(r"0x[0-9a-f]{4}", listed)) == sum(
        e["state"] == "selected" and e["scheduler"] == 1 and 100 <= e["start"] < 160 for e in events
    )


def test_diff_says_what_changes_from_one_launch_to_another(kernel: Path) -> None:
    launches = ("diff", kernel, kernel, *LAUNCH, "-D", "TIMES=3")
    more = {
        row["name"]: row for row in json.loads(simcore(*launches, "--other-define", "TIMES=6", "-o", "json"))
    }
    assert more["warp_instructions"]["after"] > more["warp_instructions"]["before"]
    assert more["FMUL"]["after"] == 2 * more["FMUL"]["before"]
    assert more["more instructions are executed"]["change"] > 0.1
    same = {row["name"]: row for row in json.loads(simcore(*launches, "-o", "json"))}
    assert same["time_us"]["change"] == 0
    assert "FMUL" not in same
    (row,) = (
        row
        for row in csv.DictReader(StringIO(simcore(*launches, "--other-grid", "8", "-o", "csv")))
        if row["name"] == "warp_instructions"
    )
    assert float(row["change"]) == -0.5
    shown = simcore(*launches, "--other-gpu", "a100-80gb")
    assert shown.startswith("scale on h200 -> scale on a100-80gb")
    assert "the product of" in shown
    another = kernel.with_name("another.cu")
    another.write_bytes(kernel.read_bytes())
    shown = simcore("diff", kernel, another, *LAUNCH, "-D", "TIMES=3")
    assert " ".join(shown.split()).startswith(f"{kernel}: scale on h200 -> {another}: scale on h200")


def test_arguments_are_buffers_values_and_files(tmp_path: Path) -> None:
    np.save(tmp_path / "at.npy", np.arange(3, dtype=np.int32))
    buffer, integers, value, array, quarter, skewed = parse_arguments(
        [
            *("float32[1_024]", "int32[10]:randint:50", "uint64=0xff", str(tmp_path / "at.npy")),
            *("float32[4]:constant:0.25", "int32[10]:zipf:50:1.2"),
        ]
    )
    assert quarter == Buffer("float32", 4, "constant", value=0.25)
    assert skewed == Buffer("int32", 10, "zipf", seed=5, high=50, exponent=1.2)
    assert buffer == Buffer("float32", 1024, "zeros", seed=0)
    assert integers == Buffer("int32", 10, "randint", seed=1, high=50)
    assert value == np.uint64(255)
    assert isinstance(array, np.ndarray)
    assert array.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("float33[10]", "no such type float33"),
        ("int32=1.5", "1.5 is not a value of int32"),
        ("int8=300", "300 is not a value of int8"),
        ("float32[10]:random", "unknown fill 'random'; did you mean 'uniform'? use zeros, ones"),
        ("float32[10]:zeroes", "did you mean 'zeros'?"),
        ("float[10]", "no such type float; C's is float32"),
        ("int=10", "no such type int; C's is int32"),
        ("int32[10]:sorted", "sorted need a bound"),
        ("int32[10]:zipf:9", "zipf a bound and an exponent"),
        ("int32[10]:zipf:9:steep", "steep is not a value of float64"),
        ("int32[10]:ones:3", "no other fill has a number"),
        ("int8[10]:constant:300", "300 is not a value of int8"),
        ("int32[10]:randint", "randint and sorted need a bound"),
        ("1024", "write a buffer as float32"),
        ("missing.npy", "missing.npy"),
    ],
)
def test_bad_arguments_are_refused_by_name(word: str, message: str) -> None:
    with pytest.raises(LaunchError, match=re.escape(message)) as refused:
        parse_arguments([word])
    assert str(refused.value).startswith(f"--arg {word}: ")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("--grid", "many"), "--grid many: give one to three numbers"),
        (("--grid", "0"), "grid is"),
        (("--kernel", "missing"), "no kernel 'missing' in the machine code; it contains"),
        (("--gpu", "h2000"), "h200"),
        (("--arg", "int32=1"), "takes 3 arguments, not 4"),
    ],
)
def test_bad_launches_are_one_message(kernel: Path, changed: tuple[str, str], message: str) -> None:
    with pytest.raises(SimcoreError, match=re.escape(message)):
        simcore("simulate", kernel, *LAUNCH, "-D", "TIMES=3", *changed)


def test_what_does_not_compile_or_is_compiled_already_is_said(kernel: Path, tmp_path: Path) -> None:
    with pytest.raises(SimcoreError, match="say how many TIMES"):
        simcore("simulate", kernel, *LAUNCH)
    cubin = tmp_path / "scale.cubin"
    cubin.write_bytes(compile_cuda(SOURCE, "h200", {"TIMES": 3}))
    with pytest.raises(SimcoreError, match="compiled already"):
        simcore("simulate", cubin, *LAUNCH, "-D", "TIMES=4")
    with pytest.raises(SimcoreError, match="cannot read"):
        simcore("simulate", tmp_path / "none.cu", *LAUNCH)
