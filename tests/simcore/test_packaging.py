"""The simulator stands on few packages; the service, on those of its extra, and says so where they are missing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dse
import simcore

SERVICE = ("fastapi", "matplotlib", "mlflow", "optuna", "pandas", "ray", "sqlalchemy")

SIMULATOR_ALONE = """
import json, sys
import simcore
cubin = simcore.compile_cuda('extern "C" __global__ void empty() {}', "h200")
kernel = simcore.read_kernel(cubin)
room = simcore.occupancy(simcore.load_gpu("h200"), 256, kernel.registers, 0)
print(json.dumps([room.blocks_per_sm, sorted({name.partition(".")[0] for name in sys.modules})]))
"""

WITHOUT_A_PACKAGE = """
import sys
sys.modules[sys.argv.pop(1)] = None
from dse.cli import main
main()
"""


def test_the_simulator_loads_nothing_of_the_service() -> None:
    run = subprocess.run([sys.executable, "-c", SIMULATOR_ALONE], capture_output=True, text=True, check=True)
    blocks, loaded = json.loads(run.stdout)
    assert blocks == 8
    assert "pydantic" in loaded
    assert not {*SERVICE, "rich", "typer"} & set(loaded)


def test_numba_is_loaded_by_what_simulates_alone() -> None:
    run = subprocess.run([sys.executable, "-c", SIMULATOR_ALONE], capture_output=True, text=True, check=True)
    assert "numba" not in json.loads(run.stdout)[1]
    command = "import sys, simcore; simcore.simulate; print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True"


def test_every_name_of_the_package_is_there() -> None:
    for package in (simcore, dse):
        assert set(package.__all__) <= set(dir(package))
        assert [name for name in package.__all__ if not hasattr(package, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'simulated'"):
        simcore.simulated  # noqa: B018


@pytest.mark.parametrize("package", ["sqlalchemy", "alembic"])
def test_a_command_without_the_service_says_what_to_install(package: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_A_PACKAGE, package, "list"]
    home = {**os.environ, "DSE_HOME": str(tmp_path)}
    run = subprocess.run(command, env=home, capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr == f"error: dse needs {package}; install it with: pip install 'cuda-dse[service]'\n"
