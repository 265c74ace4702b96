"""Spaces: copied from the catalog, imported, named by a path, checked."""

import json
import re
from pathlib import Path

import pytest

from search_spaces import load_space
from search_spaces.tuning_problem import write_problem
from testing.command_line import here


def test_a_space_of_the_catalog_can_be_begun_with(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "fma_chain/space.yaml" in here("space", "download", "fma_chain").stdout
    assert here("space", "upload", "fma_chain", "--name", "mine").returncode == 0
    listed = {row["name"]: row for row in json.loads(here("spaces", "-o", "json").stdout)}
    assert listed["mine"]["points"] == listed["fma_chain"]["points"]
    assert here("space", "delete", "mine").returncode == 0


def test_a_name_that_is_nearly_a_folders_is_explained(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert here("space", "download", "dot", "mine").returncode == 0
    assert "there is no such folder here, either; did you mean 'mine'?" in here("run", "mines").stderr


def test_a_folder_called_as_a_space_of_the_catalog_is_meant_by_a_path(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here("space", "download", "fma_chain")
    (tmp_path / "fma_chain/kernel.cu").write_text("mine")
    for path in ("./fma_chain", "fma_chain/", tmp_path / "fma_chain"):
        assert "no __global__ function" in here("submit", path).stderr
    assert "write ./fma_chain for the folder" in here("submit", "fma_chain").stderr
    monkeypatch.chdir(home)
    submitted = json.loads(here("submit", "fma_chain", "-o", "json").stdout)
    compared = here("compare", submitted["id"], submitted["id"])
    assert (compared.returncode, compared.stdout) == (1, "")
    assert compared.stderr.startswith(f"no complete trial in {submitted['id']}")
    best = here("best", submitted["id"])
    assert (best.returncode, best.stdout) == (1, "")
    assert best.stderr.startswith(f"sweep {submitted['id']} has no complete trial yet; `dse status")


def test_a_tuning_problem_is_imported(tmp_path: Path) -> None:
    problem, folder = tmp_path / "problem.json", tmp_path / "fma"
    write_problem(load_space("fma_chain"), "no such GPU", problem)
    refused = here("space", "import", problem, folder)
    assert refused.returncode == 2
    assert (
        "problem.json: names the GPU 'no such GPU', which has no profile; choose with --gpu" in refused.stderr
    )
    asked = here("space", "import", problem, folder, "--gpu", "h200,b200")
    assert asked.stdout.splitlines()[0] == f"{folder}: 96 points of fma_chain on h200, b200"
    assert f"dse run {folder}" in asked.stdout
    assert load_space(folder).gpus == ("h200", "b200")
    assert (
        "is not empty; name a new folder" in here("space", "import", problem, folder, "--gpu", "h200").stderr
    )


def test_a_check_tells_which_points_fail(space_file: Path) -> None:
    fitting = space_file.read_text()
    space_file.write_text(fitting.replace("elements: n", "elements: 64"))
    checked = here("space", "check", space_file)
    assert (checked.returncode, " of a core" in checked.stdout) == (1, False)
    assert re.search(
        r"^all 4 points that were tried failed, such as a100-80gb unroll=.*: MemoryFault: kernel.cu:6, .* of data ",
        checked.stderr,
        re.M,
    )
    space_file.write_text(fitting.replace("elements: n", 'elements: "n if unroll == 1 else 64"'))
    partly = here("space", "check", space_file, "--set", "unroll=1,16", "--gpu", "h100-sxm")
    assert partly.returncode == 0
    assert re.search(
        r"^note: 1 of 3 points that were tried failed, such as h100-sxm unroll=16 ", partly.stdout, re.M
    )
    assert "(from 2 of them)" in partly.stdout


def test_a_space_is_checked_without_a_sweep(tmp_path: Path, space_file: Path) -> None:
    checked = here("space", "check", space_file)
    assert checked.stdout.startswith(f"{space_file}: a valid space of ")
    assert "note: outputs are not compared" in checked.stdout
    assert re.search(
        r"^a point takes about \S+ s of a core.*; all 192 about .* \(from 4 of them\)$", checked.stdout, re.M
    )
    asked = here("space", "check", space_file, "--gpu", "b200,h200", "--set", "unroll=1,2", "--trials", "5")
    assert re.search(r" points on b200, h200$", asked.stdout, re.M)
    assert re.search(r" of a core.*; all 5 about .* \(from 4 of them\)$", asked.stdout, re.M)
    for option, message in (
        ("--gpu=h1000", f"error: {space_file}: no GPU named 'h1000'"),
        ("--set=unrol=1", "unknown parameter unrol; did you mean unroll?"),
        ("--trials=0", f"error: {space_file}: trials 0: must be an integer of at least 1"),
    ):
        wrong = here("space", "check", space_file, option)
        assert wrong.returncode == 2
        assert message in wrong.stderr
    with space_file.open("a") as file:
        file.write("expect: {data: first}\n")
    assert (
        "note: for `expect` every variant is translated to this processor's code"
        in here("space", "check", space_file).stdout
    )
    space_file.write_text(re.sub("(?m)^gpu:.*", "gpu: h100", space_file.read_text()))
    refused = here("space", "check", space_file)
    assert refused.returncode == 2
    assert (
        f"error: {space_file}: no GPU named 'h100'; did you mean 'h100-sxm' or 'h100-pcie'" in refused.stderr
    )
