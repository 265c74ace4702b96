"""Compilation is cached by content, safe for many processes at once, and its errors name file and line."""

import multiprocessing
from pathlib import Path

import pytest

from simcore import compile_cuda, compiler_version, load_gpu, read_kernel
from simcore.errors import CacheNotWritable, CompileError, UnknownGpu

SOURCE = 'extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= FACTOR; }'


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; gives the folder of the cubins."""
    monkeypatch.setenv("SIMCORE_CACHE", str(tmp_path))
    return tmp_path / "cubins"


def _entries(cache: Path) -> set[str]:
    return {path.name for path in cache.iterdir()}


def test_the_second_time_nothing_is_compiled(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compile_cuda(SOURCE, "h200", {"FACTOR": 2})
    assert len(_entries(cache)) == 1
    monkeypatch.setattr("simcore.machine_code.compiler._compile", lambda *_: pytest.fail("compiled again"))
    assert compile_cuda(SOURCE, "h200", {"FACTOR": 2}) == first
    # A GPU of the same architecture takes the same machine code.
    assert compile_cuda(SOURCE, "h100-sxm", {"FACTOR": 2}) == first


def test_whatever_decides_the_machine_code_decides_the_entry(cache: Path) -> None:
    variants = [
        {"gpu": "h200", "defines": {"FACTOR": 2}},
        {"gpu": "h200", "defines": {"FACTOR": 3}},
        {"gpu": "a100-80gb", "defines": {"FACTOR": 2}},
        {"gpu": "h200", "defines": {"FACTOR": 2}, "register_cap": 32},
        {"gpu": "h200", "defines": {"FACTOR": 2}, "options": ("--use_fast_math",)},
        {"gpu": "h200", "defines": {"FACTOR": 2}, "file_name": "other.cu"},
        {"gpu": "h200", "defines": {"FACTOR": 2}, "headers": {"a.h": ""}},
        {"gpu": "h200", "defines": {"FACTOR": 2}, "headers": {"a.h": "\n"}},
    ]
    for number, variant in enumerate(variants, start=1):
        compile_cuda(SOURCE, **variant)  # type: ignore[arg-type]
        assert len(_entries(cache)) == number
    compile_cuda(SOURCE + "\n", "h200", {"FACTOR": 2})
    assert len(_entries(cache)) == len(variants) + 1


def test_the_order_of_macros_does_not_matter(cache: Path) -> None:
    source = SOURCE.replace("FACTOR", "FACTOR + OFFSET")
    first = compile_cuda(source, "h200", {"FACTOR": 2, "OFFSET": 1})
    assert compile_cuda(source, "h200", {"OFFSET": 1, "FACTOR": 2}) == first
    assert len(_entries(cache)) == 1


def test_a_macro_that_no_text_names_does_not_matter(cache: Path) -> None:
    first = compile_cuda(SOURCE, "h200", {"FACTOR": 2})
    assert compile_cuda(SOURCE, "h200", {"FACTOR": 2, "N": 64}) == first
    assert len(_entries(cache)) == 1
    with pytest.raises(CompileError, match="is not a macro"):
        compile_cuda(SOURCE, "h200", {"FACTOR": 2, "N-1": 64})


@pytest.mark.parametrize(
    ("source", "macros"),
    [
        (SOURCE, {"FACTOR": "N", "N": 3}),
        ("#define JOINED(a, b) a##b\n" + SOURCE.replace("FACTOR", "JOINED(FAC, TOR_N)"), {"FACTOR_N": 3}),
        (SOURCE.replace("FACTOR", "FAC\\\nTOR_N"), {"FACTOR_N": 3}),
    ],
    ids=["in another macro", "pasted", "spliced"],
)
def test_a_macro_that_is_named_indirectly_matters(source: str, macros: dict[str, object]) -> None:
    plain = read_kernel(compile_cuda(SOURCE, "h200", {"FACTOR": 3}))
    assert read_kernel(compile_cuda(source, "h200", macros)).code == plain.code


def _compile_all(factors: list[int]) -> list[bytes]:
    return [compile_cuda(SOURCE, "h200", {"FACTOR": factor}) for factor in factors]


def test_many_processes_at_once(cache: Path) -> None:
    factors = list(range(6))
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        cubins = pool.map(_compile_all, [factors] * 4)
    assert all(cubin == cubins[0] for cubin in cubins)
    assert all(read_kernel(cubin).name == "scale" for cubin in cubins[0])
    assert len(_entries(cache)) == len(factors)
    assert all(name.endswith(".cubin") for name in _entries(cache)), "no temporary file is left"


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ('extern "C" __global__ void k(float* x) {\n    x[0] = 1.0f\n}', 3, "expected a"),
        ('extern "C" __global__ void k(float* x) {\n\n    x[0] = missing;\n}', 3, '"missing" is undefined'),
        ('#include "nowhere.h"\n', 1, "cannot open source file"),
    ],
)
def test_an_error_names_file_and_line(source: str, line: int, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        compile_cuda(source, "h200")
    assert f"kernel.cu({line})" in str(caught.value)
    assert message in caught.value.log


def test_an_error_names_the_file_it_was_told(cache: Path) -> None:
    with pytest.raises(CompileError, match=r"tiled\.cu does not compile:\n.*tiled\.cu\(1\)"):
        compile_cuda("oops", "h200", file_name="tiled.cu")
    assert not _entries(cache), "a failure is not cached"


def test_a_cache_that_cannot_be_created_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = cache.parent / "file"
    file.touch()
    monkeypatch.setenv("SIMCORE_CACHE", str(file))
    with pytest.raises(CacheNotWritable, match=r"file/cubins cannot be created: .*; set SIMCORE_CACHE to"):
        compile_cuda(SOURCE, "h200", {"FACTOR": 1})


def test_an_option_that_the_compiler_does_not_know() -> None:
    with pytest.raises(CompileError, match="no-such-option"):
        compile_cuda(SOURCE, "h200", {"FACTOR": 1}, options=("--no-such-option",))


def test_an_unknown_gpu_is_refused_before_compiling() -> None:
    with pytest.raises(UnknownGpu, match="h20"):
        compile_cuda(SOURCE, "h20", {"FACTOR": 1})


def test_a_profile_decides_the_target() -> None:
    cubin = compile_cuda(SOURCE, load_gpu("b200", architecture="sm_120"), {"FACTOR": 1})
    assert read_kernel(cubin).architecture == "sm_120"


def test_the_version_is_the_compilers() -> None:
    major, minor = map(int, compiler_version().split("."))
    assert (major, minor) >= (13, 0)
