"""A sweep of the catalog that was run by the command line."""

from pathlib import Path

import pytest

from testing.command_line import SWEEP, dse


@pytest.fixture(scope="session")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one finished sweep of the catalog, run through processes and the simulator."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DSE_HOME", str(home))
        ran = dse(*SWEEP, timeout=600)  # the first in an installation compiles the simulator
    assert ran.returncode == 0, ran.stderr
    (home / "stdout").write_text(ran.stdout)
    (home / "stderr").write_text(ran.stderr)
    return home


@pytest.fixture
def ran(swept: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DSE_HOME", str(swept))
    return swept
