"""Each notebook of the documentation runs from its first cell to its last."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

import dse.client
from dse.runners.inline import InlineRunner

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home folder for all of them, with workers in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DSE_HOME", str(tmp_path_factory.mktemp("notebooks")))
        patch.setattr(dse.client, "start_workers", InlineRunner)
        patch.chdir(FOLDER)
        yield


@pytest.mark.parametrize("name", [path.stem for path in sorted(FOLDER.glob("*.ipynb"))])
def test_a_notebook_runs(name: str) -> None:
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text())["cells"]
    shell = InteractiveShell()
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            shell.run_cell("".join(cell["source"])).raise_error()
