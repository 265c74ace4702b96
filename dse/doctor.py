"""Whether everything that a sweep needs is there and works; one line a check."""

import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from dse.home import Home

LEAST_PYTHON = (3, 11)

_SOURCE = 'extern "C" __global__ void probe(float* out) { out[threadIdx.x] = threadIdx.x; }'


def examine() -> bool:
    """Run every check and print what it found; whether all passed."""
    passed = [_report(name, check) for name, check in CHECKS.items()]
    return all(passed)


def _report(name: str, check: Callable[[], str]) -> bool:
    try:
        found, passed = check(), True
    except Exception as error:  # a broken installation can raise anything; the doctor says what
        found, passed = f"{type(error).__name__}: {error}", False
    print(f"{'ok  ' if passed else 'FAIL'}  {name:<10} {found}", flush=True)
    return passed


def _python() -> str:
    if sys.version_info < LEAST_PYTHON:
        raise RuntimeError(f"{platform.python_version()} is older than {'.'.join(map(str, LEAST_PYTHON))}")
    return f"{platform.python_version()}, {len(os.sched_getaffinity(0))} cores"


def _compiler() -> str:
    from simcore import compile_cuda, compiler_version, gpu_names

    names = gpu_names()
    for name in names:
        compile_cuda(_SOURCE, name)
    return f"NVRTC {compiler_version()}, compiles for {', '.join(names)}"


def _disassembler() -> str:
    from simcore.sass import nvdisasm

    output = subprocess.run([nvdisasm(), "--version"], capture_output=True, text=True, check=True).stdout
    return output.strip().splitlines()[-1]


def _simulator() -> str:
    from simcore import SIMULATOR_VERSION, warm_up

    return f"version {SIMULATOR_VERSION}, jitted core ready in {warm_up():.1f} s"


def _ray() -> str:
    import ray

    return f"Ray {ray.__version__}"


def _store() -> str:
    from dse.store import Store

    path = Home.from_environment().create().store_path
    _require_writable(path)
    store = Store.open(path)
    return f"{path}, {len(store.sweeps())} sweeps"


def _mlflow() -> str:
    import mlflow

    path = Home.from_environment().create().mlflow_path
    _require_writable(path)
    return f"MLflow {mlflow.__version__}, {path}"


def _require_writable(path: Path) -> None:
    """Raise when the file, or its folder where it does not exist yet, cannot be written."""
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise PermissionError(f"{path} cannot be written; set DSE_HOME to a folder that can")


CHECKS: dict[str, Callable[[], str]] = {
    "python": _python,
    "compiler": _compiler,
    "nvdisasm": _disassembler,
    "simulator": _simulator,
    "ray": _ray,
    "store": _store,
    "mlflow": _mlflow,
}
