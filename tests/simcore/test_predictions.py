"""Predictions do not change unawares: a cross-section of them stands in a file beside the simulator's version.

Stored results are known by `SIMULATOR_VERSION`: a prediction that changes without it would be answered from a store
with what an older simulator said.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simcore import SIMULATOR_VERSION, gpu_names

ROOT = Path(__file__).parents[2]
FILE = ROOT / "tests" / "simcore" / "data" / "predictions.json"
RENEW = ("-m", "benchmarks.simulator.digest", "--per-gpu", "3", "--jobs", "1", "--golden")


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    """The file's contents."""
    document: dict[str, Any] = json.loads(FILE.read_text())
    return document


def test_predictions_change_with_the_simulators_version_alone(kept: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "predictions.json"
    subprocess.run([sys.executable, *RENEW, str(file)], cwd=ROOT, check=True)
    found = json.loads(file.read_text())
    if found == kept:
        return
    changes = "\n".join(_changes(kept["predictions"], found["predictions"]))
    if kept["version"] == SIMULATOR_VERSION:
        todo = f"If that is meant, raise SIMULATOR_VERSION (simcore/version.py), now {SIMULATOR_VERSION}, then renew"
    else:
        todo = f"SIMULATOR_VERSION is {SIMULATOR_VERSION}, the file's {kept['version']}: renew"
    if found["compiler"] != kept["compiler"]:
        todo = f"The compiler is {found['compiler']}, the file's {kept['compiler']}. {todo}"
    pytest.fail(
        f"{changes}\n{todo} {FILE.name}:\n  python {' '.join(RENEW)} {FILE.relative_to(ROOT)}", pytrace=False
    )


def test_the_file_has_every_gpu_and_many_kernels(kept: dict[str, Any]) -> None:
    names = [name.split() for name in kept["predictions"]]
    assert {gpu for *_, gpu in names} == set(gpu_names())
    assert len({kernel for kernel, *_ in names}) > 20


def _changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """A line for each prediction that changed."""
    lines = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            lines.append(f"{name}: {'new' if old is None else 'gone'}")
        elif old["time_us"] != new["time_us"]:
            lines.append(f"{name}: {old['time_us']} -> {new['time_us']} us")
        elif old != new:
            lines.append(f"{name}: the same time, other figures")
    return lines
