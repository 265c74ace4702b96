"""Checks that everything a sweep needs is installed and works; prints one line per check."""

import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from dse.home import Home

MIN_PYTHON = (3, 11)

_SOURCE = 'extern "C" __global__ void probe(float* out) { out[threadIdx.x] = threadIdx.x; }'


def examine() -> bool:
    """Run all checks and print their findings; returns whether all passed."""
    passed = [_report(name, check) for name, check in CHECKS.items()]
    return all(passed)


def _report(name: str, check: Callable[[], str]) -> bool:
    try:
        found, passed = check(), True
    except Exception as error:  # a broken installation can raise anything
        found, passed = f"{type(error).__name__}: {error}", False
    print(f"{'ok  ' if passed else 'FAIL'}  {name:<10} {found}", flush=True)
    return passed


def _python() -> str:
    if sys.version_info < MIN_PYTHON:
        raise RuntimeError(f"{platform.python_version()} is older than {'.'.join(map(str, MIN_PYTHON))}")
    return f"{platform.python_version()}, {len(os.sched_getaffinity(0))} cores"


def _compiler() -> str:
    from simcore import compile_cuda, compiler_version, gpu_names

    names = gpu_names()
    for name in names:
        compile_cuda(_SOURCE, name)
    return f"NVRTC {compiler_version()}, compiles for {', '.join(names)}"


def _disassembler() -> str:
    from simcore.machine_code.disassembler import nvdisasm

    output = subprocess.run([nvdisasm(), "--version"], capture_output=True, text=True, check=True).stdout
    return output.strip().splitlines()[-1]


def _simulator() -> str:
    from simcore import SIMULATOR_VERSION, warm_up
    from simcore.compilation import told

    with told(lambda line: print(f"      {line}", file=sys.stderr, flush=True)):
        return f"version {SIMULATOR_VERSION}, jitted core ready in {warm_up():.1f} s"


def _ray() -> str:
    import ray

    return f"Ray {ray.__version__}"


def _store() -> str:
    from dse.store import Store

    store = Store.open(_writable(Home.from_environment().create().store_url))
    sweeps = store.sweep_count()
    return f"{store.url}, {sweeps} {'sweep' if sweeps == 1 else 'sweeps'}"


def _mlflow() -> str:
    import mlflow

    from dse.tracking.address import Address

    home = Home.from_environment().create()
    if home.mlflow is None:
        _writable(home.mlflow_path)
    return f"MLflow {mlflow.__version__}, {Address.of(home.mlflow_uri).shown}"


def _writable(where: str | Path) -> str | Path:
    """Check that a file, or its folder if it does not exist yet, is writable; URLs are not checked."""
    if isinstance(where, Path) and not os.access(where if where.exists() else where.parent, os.W_OK):
        raise PermissionError(f"{where} cannot be written; set DSE_HOME to a folder that can")
    return where


CHECKS: dict[str, Callable[[], str]] = {
    "python": _python,
    "compiler": _compiler,
    "nvdisasm": _disassembler,
    "simulator": _simulator,
    "ray": _ray,
    "store": _store,
    "mlflow": _mlflow,
}
