"""The simulator stands on few packages; the service, on those of its extra, and says so where they are missing."""

import json
import subprocess
import sys

import pytest

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
    assert {"numba", "numpy", "pydantic"} <= set(loaded)
    assert not {*SERVICE, "rich", "typer"} & set(loaded)


@pytest.mark.parametrize("package", ["sqlalchemy", "alembic"])
def test_a_command_without_the_service_says_what_to_install(package: str) -> None:
    command = [sys.executable, "-c", WITHOUT_A_PACKAGE, package, "list"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr == f"error: dse needs {package}; install it with: pip install 'cuda-dse[service]'\n"
