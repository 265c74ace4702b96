"""What a stranger's kernel may try on the machine that compiles it, and what comes of it."""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dse.errors import InputError
from dse.isolation.confinement import CallLimits, landlock_version
from dse.isolation.sandbox import Sandbox
from dse.requests.confined import check_extension, check_submission
from dse.requests.request import Extension, Request
from dse.requests.spaces import SpaceFiles
from dse.requests.specs import restore_space
from search_spaces import Problem, SpaceError
from simcore import CompileError, UnknownGpu, compile_cuda
from testing.small_space import SOURCE, SPACE

KERNEL = 'extern "C" __global__ void k(float* x) { x[0] = 1; }\n'
GPU = "h200"

# What tries to read the file {secret}, each in a way that NVRTC 13.5 falls for, or another compiler would.
READING = {
    "absolute": '#include "{secret}"',
    "in angles": "#include <{secret}>",
    "doubled slash": '#include "/{secret}"',
    "from the root": '#include "../../../../../../../..{secret}"',
    "macro": '#define X "{secret}"\n#include X',
    "macro in angles": "#define X <{secret}>\n#include X",
    "splice": '#inc\\\nlude "{secret}"',
    "splice of windows": '#inc\\\r\nlude "{secret}"',
    "splice with a blank": '#inc\\ \nlude "{secret}"',
    "splice in the name": '#include "/\\\n{secret}"',
    "splice by trigraph": '#inc??/\nlude "{secret}"',
    "digraph": '%:include "{secret}"',
    "trigraph": '??=include "{secret}"',
    "comments": '/* */ # /* */ include /* */ "{secret}"',
    "comment of two lines": '# /*\n*/ include "{secret}"',
    "form feed": '\v#\finclude "{secret}"',
    "carriage return": 'int a();\r#include "{secret}"',
    "next": '#include_next "{secret}"',
    "import": '#import "{secret}"',
    "embed": '__device__ const unsigned char d[] = {{\n#embed "{secret}"\n}};',
    "in what only looks like a comment": "#if 0\n1'a /*'\n#endif\n#include \"{secret}\"\n/* */",
    "in what only looks like a raw string": 'auto s = R"aaaaaaaaaaaaaaaaa(\n#include "{secret}"\n)aaaaaaaaaaaaaaaaa";',
    "after an open quote": 'auto s = "\n#include "{secret}"\n',
    "assembler": '__device__ void f() {{ asm(".include \\"{secret}\\";"); }} __global__ void g() {{ f(); }}',
    "line": '#line 1 "{secret}"\noops',
    "pragma": '_Pragma("include \\"{secret}\\"") oops',
}

ASKING = {
    "quoted": '#if __has_include("{secret}")',
    "in angles": "#if __has_include(<{secret}>)",
    "by a macro": "#define ASK __has_include\n#if ASK(<{secret}>)",
    "of a macro": '#define X "{secret}"\n#if __has_include(X)',
    "embed": '#if __has_embed("{secret}")',
}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that no kernel may read."""
    path = tmp_path / "secret.h"
    path.write_text("s3cret = password\n")
    return path


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


@pytest.mark.parametrize("attack", READING.values(), ids=READING)
def test_a_kernel_cannot_read_a_file(attack: str, secret: Path) -> None:
    with pytest.raises(CompileError) as refusal:
        compile_cuda(attack.format(secret=secret) + "\n" + KERNEL, GPU)
    assert "s3cret" not in str(refusal.value)
    assert "s3cret" not in refusal.value.log


@pytest.mark.parametrize("attack", ASKING.values(), ids=ASKING)
def test_a_kernel_cannot_ask_whether_a_file_exists(attack: str, secret: Path) -> None:
    with pytest.raises(
        CompileError, match=r"kernel\.cu\(\d\): error: __has_(include|embed) .*(outside|hides)"
    ):
        compile_cuda(attack.format(secret=secret) + "\n#error yes\n#endif\n" + KERNEL, GPU)


def test_a_header_cannot_read_a_file_either(secret: Path) -> None:
    headers = {"tile.cuh": f'#pragma once\n#include "{secret}"\n'}
    with pytest.raises(CompileError, match=r"tile\.cuh\(2\): error: #include .* outside the kernel's folder"):
        compile_cuda('#include "tile.cuh"\n' + KERNEL, GPU, headers=headers)


def test_the_working_folder_is_not_searched(secret: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(secret.parent)
    for source in (
        '#include "secret.h"\n',
        '#include "secret.h"\n#include <cuda_fp16.h>\n',
        "#include <secret.h>\n",
    ):
        with pytest.raises(CompileError, match="cannot open source file") as refusal:
            compile_cuda(source + KERNEL, GPU)
        assert "s3cret" not in str(refusal.value)


def test_messages_do_not_tell_where_the_compilers_headers_are() -> None:
    source = "#include <cuda/std/array>\n__device__ cuda::std::array<void, 2> a;\n"
    with pytest.raises(CompileError, match=r"cuda/std/array\(\d+\)") as refusal:
        compile_cuda(source + KERNEL, GPU)
    assert str(Path.home()) not in refusal.value.log
    assert "toolkit-" not in refusal.value.log


def test_messages_carry_no_control_characters() -> None:
    with pytest.raises(CompileError, match="control character"):
        compile_cuda("// \x1b[2J\n" + KERNEL, GPU)
    with pytest.raises(CompileError, match="not a valid file name"):
        compile_cuda(KERNEL, GPU, file_name="kernel\n.cu")


@pytest.mark.parametrize("name", ["A B", "A\n#include", "A=1 -I", "", "A(x)"])
def test_a_macros_name_is_no_place_for_options(name: str) -> None:
    with pytest.raises(CompileError, match="is not a macro"):
        compile_cuda(KERNEL, GPU, {name: 1})


@pytest.mark.parametrize("value", ["1\n#include </etc/passwd>", "1\0", "1\x1b"])
def test_a_macros_value_is_one_line(value: str) -> None:
    with pytest.raises(CompileError, match="is not a macro"):
        compile_cuda(KERNEL, GPU, {"A": value})


def test_toolkit_headers_and_conditional_host_headers_are_welcome() -> None:
    source = "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cstdint>\n"
    source += "#ifndef __CUDACC_RTC__\n#include <cstdio>\n#endif\n"
    source += "#ifdef __has_include\n#if __has_include(<mma.h>)\n#include <mma.h>\n#endif\n#endif\n"
    source += 'extern "C" __global__ void k(__half* x, uint32_t n) { x[n] = __float2half(1.f); }\n'
    assert compile_cuda(source, GPU).startswith(b"\x7fELF")


# What children are asked to do, by name, so that it travels.


def _read(path: str) -> str:
    return Path(path).read_text()


def _write(path: str) -> None:
    Path(path).write_text("x")


def _connect(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), timeout=5)


def _environment() -> dict[str, str]:
    return dict(os.environ)


def _spin() -> None:
    while True:
        pass


def _sleep() -> None:
    time.sleep(600)


def _allocate() -> int:
    return len(bytearray(4 * 2**30))


def _crash() -> None:
    os.abort()


def _refuse() -> None:
    raise SpaceError([Problem("b", "a"), Problem("d", line=7)], "space.yaml")


def _compile(source: str) -> int:
    return len(compile_cuda(source, GPU))


def request(
    source: str, yaml: str = SPACE, headers: dict[str, str] | None = None, **changes: object
) -> Request:
    """A submission of a space of one's own."""
    files = SpaceFiles(yaml=yaml, source=source, headers=headers or {})
    return Request(**{"space": files, "gpus": (GPU,), **changes})


needs_landlock = pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")


@needs_landlock
def test_a_child_sees_no_files(sandbox: Sandbox, secret: Path) -> None:
    for path in (str(secret), "/etc/passwd", f"/proc/{os.getpid()}/environ", "/proc/self/environ"):
        with pytest.raises(PermissionError):
            sandbox.run(_read, path)
    with pytest.raises(PermissionError):
        sandbox.run(_write, str(secret))
    assert secret.read_text() == "s3cret = password\n"


@needs_landlock
def test_the_compiler_in_a_child_cannot_ask_for_files_by_a_name_it_makes_up(
    sandbox: Sandbox, secret: Path
) -> None:
    asking = f"#define CAT(a, b) a##b\n#if CAT(__has_, include)(<{secret}>)\n#error yes\n#endif\n"
    with pytest.raises(CompileError, match="yes"):
        compile_cuda(asking + KERNEL, GPU)  # what only the sandbox defends against
    assert sandbox.run(_compile, asking + KERNEL)


@pytest.mark.skipif(landlock_version() < 4, reason="this kernel's Landlock knows no network")
def test_a_child_has_no_network(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(PermissionError):
        sandbox.run(_connect, server.getsockname()[1])


def test_a_child_has_no_secrets_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "DSE_TOKEN",
        "DSE_DATABASE",
        "MLFLOW_TRACKING_PASSWORD",
        "AWS_SECRET_ACCESS_KEY",
        "PGPASSWORD",
    ):
        monkeypatch.setenv(name, "s3cret")
    sandbox = Sandbox()
    try:
        assert "s3cret" not in sandbox.run(_environment).values()
        assert "PATH" in sandbox.run(_environment)
    finally:
        sandbox.close()


@pytest.mark.parametrize(
    ("function", "limits", "message"),
    [
        (_sleep, CallLimits(wall_s=0.5), "took longer than 0.5 s"),
        (_spin, CallLimits(cpu_s=1), "more than 1 s of CPU time"),
        (_allocate, CallLimits(memory_bytes=2**28), "more than 256 MiB of memory"),
        (_crash, CallLimits(), "broke the compiler .SIGABRT"),
    ],
)
def test_a_child_that_exceeds_a_limit_is_ended_and_explained(
    sandbox: Sandbox, function: Callable[[], object], limits: CallLimits, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        sandbox.run(function, limits=limits)
    assert sandbox.run(abs, -3) == 3


def test_errors_keep_their_types_on_the_way_back(sandbox: Sandbox) -> None:
    with pytest.raises(SpaceError) as refusal:
        sandbox.run(_refuse)
    assert (refusal.value.problems, refusal.value.where) == (
        (Problem("b", "a"), Problem("d", line=7)),
        "space.yaml",
    )
    with pytest.raises(CompileError, match="oops") as failure:
        sandbox.run(_compile, "oops")
    assert failure.value.log.startswith("kernel.cu(1): error")


def test_many_threads_share_a_sandbox(sandbox: Sandbox) -> None:
    results: list[int] = []
    threads = [threading.Thread(target=lambda n=n: results.append(sandbox.run(abs, -n))) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(results) == list(range(12))


def test_a_sandbox_survives_the_end_of_the_process_behind_it(sandbox: Sandbox) -> None:
    sandbox.close()
    assert sandbox.run(abs, -3) == 3


BOMBS = {
    "templates": "template <int D, int N> struct T { T<D - 1, 2 * N> a; T<D - 1, 2 * N + 1> b; };\n"
    "template <int N> struct T<0, N> { int a; };\n__device__ T<22, 1> bomb;\n",
    "macros": "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(x)))\n__device__ int bomb = B(B(B(+1)));\n",
    "arrays": "__device__ int bomb[1u << 29] = {1};\n",
    "loops": "constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }\n"
    "template <int N> struct L { static constexpr int v = f(60000 + N) + L<N - 1>::v; };\n"
    "template <> struct L<0> { static constexpr int v = 0; };\n__device__ int bomb = L<400>::v;\n",
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_refused_within_the_limits(bomb: str) -> None:
    limits = CallLimits(wall_s=6, cpu_s=3, memory_bytes=2**29)
    started = time.monotonic()
    with pytest.raises((InputError, CompileError)):
        check_submission(request(SOURCE + bomb), limits)
    assert time.monotonic() - started < 30


def test_a_submission_comes_back_as_the_sweep_to_store() -> None:
    source = SOURCE.replace("factor + WIDTH", "scaled(factor)").replace("\n", '\n#include "math.cuh"\n', 1)
    headers = {"math.cuh": "#pragma once\n__device__ inline float scaled(float x) { return x * WIDTH; }\n"}
    spec = check_submission(request(source, headers=headers))
    assert (spec.name, spec.total, spec.gpus) == ("scale", 96, (GPU,))
    space = restore_space(spec)
    assert (space.source, space.headers) == (source, headers)


def test_a_submission_is_refused_as_in_process() -> None:
    with pytest.raises(SpaceError, match="did you mean unroll"):
        check_submission(request(SOURCE, parameters={"unrol": [1]}))
    with pytest.raises(UnknownGpu, match="h100"):
        check_submission(request(SOURCE, gpus=["h100"]))
    with pytest.raises(InputError, match="block_size = 4096 cannot be launched on any"):
        check_submission(request(SOURCE, yaml=SPACE.replace("512]", "4096]")))
    with pytest.raises(CompileError, match=r"kernel\.cu\(1\): error"):
        check_submission(request(f"oops;{SOURCE}"))


def test_an_extension_is_checked_in_a_child_too() -> None:
    spec = check_submission(request(SOURCE))
    assert check_extension(spec, Extension(gpus=("b200",))).gpus == (GPU, "b200")
    with pytest.raises(UnknownGpu, match="h100"):
        check_extension(spec, Extension(gpus=("h100",)))


def test_a_submission_names_no_path(space_file: Path) -> None:
    for path in (str(space_file), str(space_file.parent), "/etc/passwd"):
        with pytest.raises(InputError, match="no space"):
            check_submission(Request(space=path))
