"""Functions that kernels share are made once per installation."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from llvmlite import ir
from simcore.native import library
from simcore.native.vectors import LONG

def emit(function):
    print("made")
    ir.IRBuilder(function.append_basic_block()).ret(function.args[0])

for _ in range(2):
    module = ir.Module()
    assert library.function(module, "simcore_test", LONG, [LONG], emit) is module.globals["simcore_test"]
"""


def test_a_function_is_made_by_the_first_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMCORE_CACHE", str(tmp_path))
    runs = [
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert [run.stdout for run in runs] == ["made\n", ""]
