"""What a command imports: nothing heavy before it is needed."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_help_loads_neither_the_simulator_nor_the_database() -> None:
    heavy = {"simcore", "search_spaces", "sqlalchemy", "pydantic", "ray", "mlflow", "pandas"}
    code = f"import sys, dse.cli; print(*({heavy} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.split() == []


def test_help_does_not_load_the_heavy_libraries() -> None:
    heavy = {"mlflow", "ray", "optuna", "numba", "pandas", "sqlalchemy", "simcore"}
    script = (
        "import sys\nfrom dse.cli import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        f"print(sorted({heavy!r} & set(sys.modules)), file=sys.stderr)"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stderr.strip() == "[]"


@pytest.mark.parametrize(
    "asked", [["run", "rsqrt_chian"], ["run", "dot", "--gpu", "h100"], ["explain", "7"]], ids=" ".join
)
def test_a_name_that_does_not_exist_is_refused_before_anything_is_loaded(
    home: Path, asked: list[str]
) -> None:
    heavy = {"sqlalchemy", "numpy", "numba", "scipy", "mlflow", "cuda"}
    script = (
        "import sys\nfrom dse.cli import main\n"
        "try: main()\nexcept SystemExit as end: print(end.code)\n"
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", script, *asked]
    refused = subprocess.run(command, capture_output=True, text=True, check=True)
    assert refused.stdout.split() == ["2", "[]"]
    assert refused.stderr.startswith("error: no ")
    assert not home.exists()


def test_a_sweep_of_known_points_and_its_explanation_load_none_of_the_heavy_libraries(home: Path) -> None:
    heavy = {"ray", "mlflow", "optuna", "numba", "alembic"}
    script = (
        "import sys\nfrom dse import Client\nfrom dse.runners.inline import InlineRunner\n"
        "def submit(): return Client(sys.argv[1], tracking=sys.argv[2] == 'tracked', runner=InlineRunner)"
        ".submit('fma_chain', gpu='h200', parameters={'unroll': [4], 'chains': [8], 'block_size': [64]})\n"
        "submit().wait().explain(0)\n"
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )

    def run(tracked: str) -> str:
        command = [sys.executable, "-c", script, str(home), tracked]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    run("tracked")  # makes the files, and evaluates
    assert run("tracked") == "[]"
