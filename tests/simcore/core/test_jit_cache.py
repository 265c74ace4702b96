"""The compiled core has a folder of its own; where other jitted functions are cached is none of our business."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import simcore
from simcore.core.jit.cache import compiled_core
from simcore.core.timing.schedule import run_sm

USERS_MODULE = """
import simcore
from numba import njit

@njit(cache=True)
def doubled(x):
    return 2 * x

assert doubled(21) == 42
"""


def _run(folder: Path, code: str, **environment: str) -> str:
    """What a program prints that finds modules in a folder first."""
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    command = [sys.executable, "-c", code]
    run = subprocess.run(
        command, cwd=folder, env=inherited | environment, capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


@pytest.mark.parametrize("named", [False, True], ids=["beside the file", "where numba is told"])
def test_a_users_own_functions_are_cached_where_numba_would(tmp_path: Path, named: bool) -> None:
    modules, elsewhere = tmp_path / "modules", tmp_path / "elsewhere"
    modules.mkdir()
    (modules / "users.py").write_text(USERS_MODULE)
    settings = {"NUMBA_CACHE_DIR": str(elsewhere)} if named else {}
    _run(modules, "import users", **settings)
    assert bool(list(modules.rglob("*.nbi"))) is not named
    assert bool(list(elsewhere.rglob("*.nbi"))) is named


def test_the_core_is_cached_in_the_simulators_folder() -> None:
    assert run_sm.cache_path == str(compiled_core() / "timing")


def test_the_same_core_in_another_place_has_the_same_folder(tmp_path: Path) -> None:
    shutil.copytree(Path(simcore.__file__).parent, tmp_path / "simcore")
    program = "import simcore.core.timing.schedule as s; print(s.__file__, s.run_sm.cache_path)"
    file, folder = _run(tmp_path, program).split()
    assert Path(file).is_relative_to(tmp_path)
    assert folder == str(compiled_core() / "timing")
