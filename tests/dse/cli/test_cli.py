"""The command line as its users run it: in a process of its own."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from math import prod
from pathlib import Path
from time import monotonic

import pytest

from dse import Client
from dse.cli import main
from dse.cli.options import parse_settings
from dse.cli.terminal.output import command
from dse.errors import InputError
from dse.runners.inline import InlineRunner
from search_spaces import load_space
from search_spaces.tuning_problem import write_problem
from simcore.paths import cache_directory

#: The part of a link to MLflow that opens the saved view.
VIEW = "workflowType=machine_learning&viewStateShareKey="
DSE = [sys.executable, "-c", "from dse.cli import main; main()"]
ONE_POINT = ["--set", "unroll=1", "--set", "width=1", "--set", "block_size=64", "--set", "register_cap=none"]


def dse(*arguments: object, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*DSE, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, check=False
    )


def here(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The same in this process, for what needs none of its own: it takes no seconds to start."""
    command = ["dse", *map(str, arguments)]
    stdout, stderr, status = StringIO(), StringIO(), 0
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(stdout), redirect_stderr(stderr):
        patch.setattr(sys, "argv", command)
        try:
            main()
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    return subprocess.CompletedProcess(command, status, stdout.getvalue(), stderr.getvalue())


FIRST = "chains=1,unroll=4,block_size=64,register_cap=none"
SWEEP = ("run", "fma_chain", "--gpu", "a100-80gb,h100-sxm", "--trials", 6, "--seed", 1, "--first", FIRST)
"""The first point is tried on both GPUs, so that these can be compared."""


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one finished sweep of the catalog, run through processes and the simulator."""
    home = tmp_path_factory.mktemp("home")
    os.environ["DSE_HOME"] = str(home)
    ran = dse(*SWEEP, timeout=600)  # the first in an installation compiles the simulator
    assert ran.returncode == 0, ran.stderr
    (home / "stdout").write_text(ran.stdout)
    (home / "stderr").write_text(ran.stderr)
    return home


@pytest.fixture
def ran(swept: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DSE_HOME", str(swept))
    return swept


def test_help_loads_neither_the_simulator_nor_the_database() -> None:
    heavy = {"simcore", "search_spaces", "sqlalchemy", "pydantic", "ray", "mlflow", "pandas"}
    code = f"import sys, dse.cli; print(*({heavy} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.split() == []


def test_a_cluster_that_does_not_answer_is_refused_before_the_sweep_is_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    refused = dse("run", "dot", "--gpu", "l4", "--trials", 3)
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert line.startswith("error: cannot reach the Ray cluster at 127.0.0.1:1: ")
    assert not Client(home).sweeps()


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


def test_run_ends_with_the_best_of_each_gpu_and_what_comes_next(ran: Path) -> None:
    summary = (ran / "stdout").read_text()
    for word in (
        "a100-80gb",
        "h100-sxm",
        "90% interval",
        "speedup",
        "ties",
        "calibrated",
        "stalls",
        "regime",
        "µs",
        "take ",
    ):
        assert word in summary
    assert "note: outputs are not compared" in summary
    for line in ("dse results 1", "dse best 1", "mlflow ui --workers 1 --backend-store-uri sqlite:///", VIEW):
        assert line in summary


def test_progress_is_plain_lines_on_standard_error(ran: Path) -> None:
    progress = (ran / "stderr").read_text()
    assert re.search(r"sweep 1 \(fma_chain\): 6/6 done, 0 failed", progress)
    assert "\x1b" not in progress


def test_results_come_as_a_table_json_and_csv(ran: Path) -> None:
    assert "time_us" in here("results", 1).stdout
    rows = json.loads(here("results", 1, "-o", "json").stdout)
    assert len(rows) == 6
    assert {"gpu", "time_us", "stall_wait", "occupancy"} <= set(rows[0])
    table = list(csv.DictReader(StringIO(here("results", 1, "-o", "csv").stdout)))
    assert [float(row["time_us"]) for row in table] == [row["time_us"] for row in rows]
    limited = here("results", 1, "--filter", "gpu = 'h100-sxm'", "--limit", 2, "-o", "json").stdout
    assert [row["gpu"] for row in json.loads(limited)] == ["h100-sxm"] * 2


def test_best_and_explain_show_occupancy_and_advice(ran: Path) -> None:
    best = here("best", 1).stdout
    assert "occupancy" in best
    assert "best 1 --portable` shows the portable variant" in best
    told_apart = [here("best", 1, *option).stdout.replace("\n", " ") for option in ((), ("--portable",))]
    assert all("take: the tie most robust over all GPUs" in each for each in told_apart)
    assert all("portable: one variant for all of them, by time alone" in each for each in told_apart)
    assert "limited by" in best
    explained = here("explain", 1).stdout
    assert "regime:" in explained
    assert "█" in explained
    assert "hot spots" in explained
    assert re.search(r"kernel\.cu:\d+ .*%  [a-z_]+ \d+%", explained)
    assert re.search(r"grid: [\d,]+ blocks, [\d.,]+ waves of \d+ SMs x \d+ blocks", explained)
    assert here("explain", 1, 0).stdout.startswith("trial 0 on ")


def test_one_gpu_of_a_sweep(ran: Path) -> None:
    rows = json.loads(here("results", 1, "-o", "json").stdout)
    for gpu in {row["gpu"] for row in rows}:
        explained = here("explain", 1, "--gpu", gpu).stdout
        assert re.findall(r"(?m)^trial \d+ on ([^:]+):", explained) == [gpu]
        two = ("--filter", "number = 0 or number > 0", "-o", "json")
        assert json.loads(here("results", 1, "--gpu", gpu, *two).stdout) == [
            row for row in rows if row["gpu"] == gpu
        ]
        (best,) = json.loads(here("best", 1, "--gpu", gpu, "-o", "json").stdout)
        assert best == next(
            row for row in json.loads(here("best", 1, "-o", "json").stdout) if row["gpu"] == gpu
        )
        shown = here("best", 1, "--gpu", gpu).stdout
        assert shown.splitlines()[1].startswith(f"{gpu} ")
        assert "the tie most robust over all GPUs" in shown
    for verb in ("best", "explain", "results"):
        refused = here(verb, 1, "--gpu", "h100-sx")
        assert refused.returncode == 2
        assert "sweep 1 has no GPU h100-sx; did you mean 'h100-sxm'?" in refused.stderr


def test_diff_shows_what_changed_between_two_trials(ran: Path) -> None:
    trials = {row["number"]: row for row in json.loads(here("results", 1, "-o", "json").stdout)}
    first, second, *_ = (number for number, row in trials.items() if row["gpu"] == "h100-sxm")
    rows = json.loads(here("diff", 1, first, second, "-o", "json").stdout)
    (time,) = [row for row in rows if row["name"] == "time_us"]
    assert (time["before"], time["after"]) == (trials[first]["time_us"], trials[second]["time_us"])
    assert time["change"] == pytest.approx(time["after"] / time["before"] - 1)
    assert {row["kind"] for row in rows} == {"metric", "warp state", "opcode", "factor"}
    factors = prod(row["after"] for row in rows if row["kind"] == "factor")
    assert factors == pytest.approx(time["after"] / time["before"], rel=0.02)
    issued = {row["name"]: row for row in rows if row["kind"] == "opcode"}
    assert all(row["before"] != row["after"] for row in issued.values())
    assert issued
    shown = here("explain", 1, 1, "--against", 0).stdout
    assert "trial 0 -> trial 1 on" in shown
    assert re.search(r"\d\.\d\dx the time, the product of", shown)
    assert re.search(
        r"a streaming kernel achieves, \d+% of the data sheet's [2-4],\d{3}", " ".join(shown.split())
    )


def test_diff_across_gpus_compares_whole_grids_and_names_both_gpus(ran: Path) -> None:
    trials = json.loads(here("results", 1, "-o", "json").stdout)
    first, second = (
        next(row["number"] for row in trials if row["gpu"] == gpu) for gpu in ("a100-80gb", "h100-sxm")
    )
    rows = json.loads(here("diff", 1, first, second, "-o", "json").stdout)
    machine = {row["name"]: (row["before"], row["after"]) for row in rows if row["kind"] == "gpu"}
    assert (machine["sms"], machine["clock_mhz"]) == ((108, 132), (1410.0, 1980.0))
    assert "dram_gb_per_s" in machine
    by_number = {row["number"]: row for row in trials}
    for row in rows:
        if row["kind"] == "metric":  # L2 has a size, and a traffic of the same name
            metrics = by_number[first][row["name"]], by_number[second][row["name"]]
            assert (row["before"], row["after"]) == metrics
    executed = {row["number"]: row["warp_instructions"] for row in trials}
    counted = [row for row in rows if row["kind"] == "opcode"]
    assert 0 < sum(row["before"] for row in counted) <= executed[first] * 1.001
    shown = here("diff", 1, first, second).stdout
    assert "issued by the whole grid" in shown
    assert "more SMs (108 -> 132)" in shown
    assert "a higher clock (1,410 -> 1,980 MHz)" in shown


def test_the_machine_code_of_a_trial_and_of_two_side_by_side(ran: Path) -> None:
    rows = json.loads(here("sass", 1, 0, "-o", "json").stdout)
    assert any(row["instruction"].startswith("EXIT") for row in rows)
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert all(row["issues"] >= 0 for row in rows)
    assert "EXIT" in here("sass", 1, 0).stdout
    pairs = json.loads(here("sass", 1, 0, "--against", 1, "-o", "json").stdout)
    assert [pair["first_text"] for pair in pairs if pair["first_text"]] == [
        row["instruction"] for row in rows
    ]
    for pair in pairs:
        texts = pair["first_text"], pair["second_text"]
        assert (pair["mark"] == "") == (texts[0] == texts[1])
        assert (pair["mark"] in "<>") == (None in texts or pair["mark"] == "")
    assert "~ other registers" in here("sass", 1, 0, "--against", 1).stdout
    same = json.loads(here("sass", 1, 0, "--against", 0, "-o", "json").stdout)
    assert {pair["mark"] for pair in same} == {""}


def test_an_explanation_as_json_and_from_python(ran: Path) -> None:
    (row,) = json.loads(here("explain", 1, 0, "-o", "json").stdout)
    assert (row["trial"], row["state"]) == (0, "complete")
    assert row["hot_spots"][0]["share"] > 0
    assert row["occupancy_lines"][0].startswith("occupancy")
    sweep = Client(ran, tracking=False).sweep(1)
    found = sweep.explain(0)
    assert found.row()["stalls"] == row["stalls"]
    assert found.hot_spots[0].share == row["hot_spots"][0]["share"]
    changed = sweep.diff(0, 1)
    assert prod(each.factor for each in changed.reasons) == pytest.approx(changed.ratio, rel=0.02)
    assert changed.parameters or changed.is_across_gpus
    assert sweep.sass(0).instructions[0].text in str(sweep.sass(0))
    with pytest.raises(InputError, match="no trial 99"):
        sweep.sass(99)


def test_list_status_and_compare(ran: Path) -> None:
    (row,) = json.loads(here("list", "-o", "json").stdout)
    assert (row["id"], row["state"], row["done"], row["total"]) == ("1", "finished", 6, 6)
    status = json.loads(here("status", 1, "-o", "json").stdout)
    assert VIEW in status.pop("mlflow")
    assert status.pop("reason") is None
    assert status == row
    rows = json.loads(here("compare", 1, 1, "-o", "json").stdout)
    assert [(row["gpu"], row["id"], row["speedup"]) for row in rows] == [
        (gpu, "1", 1.0) for gpu in ("a100-80gb", "h100-sxm") for _ in range(2)
    ]
    assert [row["id"] for row in json.loads(here("list", "--state", "finished", "-o", "json").stdout)] == [
        "1"
    ]
    assert "no matching sweep" in here("list", "--name", "dot").stdout


def test_tables_leave_out_what_nobody_said(ran: Path) -> None:
    for table in (here("list").stdout, here("compare", 1, 1).stdout):
        assert not re.search("owner|error|workload", table)
    assert " none " in here("results", 1, "--filter", "params.register_cap = none").stdout


def test_a_space_of_the_catalog_can_be_begun_with(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "fma_chain/space.yaml" in here("space", "download", "fma_chain").stdout
    assert here("space", "upload", "fma_chain", "--name", "mine").returncode == 0
    listed = {row["name"]: row for row in json.loads(here("spaces", "-o", "json").stdout)}
    assert listed["mine"]["points"] == listed["fma_chain"]["points"]
    assert here("space", "delete", "mine").returncode == 0


def test_a_known_sweep_simulates_nothing_and_can_be_deleted(ran: Path) -> None:
    again = dse(*SWEEP)
    assert "6 known before" in again.stdout
    sweep_id = re.search(r"sweep (\d+)", again.stdout)
    assert sweep_id
    assert here("delete", sweep_id[1]).returncode == 0
    assert here("status", sweep_id[1]).returncode == 2


def test_mlflow_sync_and_db_upgrade_have_nothing_left_to_do(ran: Path) -> None:
    synced = here("mlflow", "sync").stdout
    assert "MLflow is up to date for 1 sweep(s)" in synced
    assert f"sweep 1 (fma_chain): http://127.0.0.1:5000/#/experiments/1/runs?{VIEW}" in synced
    assert "sweep 1 (fma_chain): 6 trials, 0 runs written" in here("mlflow", "sync", 1).stdout
    assert here("db", "upgrade").returncode == 0
    assert here("db", "check").stdout.endswith("/dse.db is intact\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "rsqrt_chian"], "rsqrt_chain"),
        (["run", "fma_chain", "--gpu", "h100"], "h100-sxm"),
        (["run", "fma_chain", "--set", "unrol=1"], "unknown parameter"),
        (["run", "fma_chain", "--set", "block_size=2048"], "block_size=2048"),
        (["run", "fma_chain", "--set", "block_size=64,1025"], "block_size = 1025"),
        (["run", "fma_chain", "--set", "block_size"], "NAME=V1,V2"),
        (["run", "fma_chain", "--sampler", "tpee"], "did you mean 'tpe'"),
        (["run", "fma_chain", "--trials", "0"], "at least 1"),
        (["resume", "99"], "no sweep 99"),
        (["explain", "1", "99"], "no trial 99"),
        (["diff", "1", "0", "99"], "no trial 99"),
        (["explain", "1", "--against", "0"], "name the trial to explain, too"),
        (
            ["results", "1", "--filter", "time_us <"],
            "expected a number, text in quotes such as 'h200', or none",
        ),
        (["compare", "1"], "at least two"),
        (["report", "1", "-o", "/nowhere/report.html"], "there is no folder /nowhere"),
        (["best", "1", "--within", "3"], "belong to --portable"),
        (["best", "1", "--portable", "--gpu", "h100-sxm"], "--portable is about all GPUs"),
        (["best", "1", "--portable", "--weights", "h100-sxm=1.5"], "they must add up to 1"),
        (["list", "--state", "finnished"], "did you mean 'finished'"),
        (["list", "--server", "127.0.0.1:8000"], "write a URL"),
        (["space", "check", "nosuch/"], "nosuch: no such folder or space.yaml"),
        (["run", "."], "the folder has no space.yaml"),
        (["run", "fma_chain", "--id", ""], "id: "),
        (["space", "delete", "dot"], "a catalog space"),
        (["space", "download", "dots"], "did you mean 'dot'"),
        (["run", "./nosuch"], "nosuch: no such folder or space.yaml"),
        (["run", "mine/kernel.cu"], "mine/kernel.cu is a kernel; name the folder of its space.yaml"),
        (["submit", "nosuch/space.yaml"], "nosuch/space.yaml: no such folder or space.yaml"),
        (["mlflow", "sync", "--server", "there"], "write a URL"),
    ],
)
def test_bad_input_is_one_message_without_a_traceback(ran: Path, arguments: list[str], message: str) -> None:
    refused = here(*arguments)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert refused.stderr.startswith("error: ")
    assert message in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_name_that_is_nearly_a_folders_is_explained(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert here("space", "download", "dot", "mine").returncode == 0
    assert "there is no such folder here, either; did you mean 'mine'?" in here("run", "mines").stderr


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


def test_a_syntax_error_shows_the_compilers_message_and_line(home: Path, space_file: Path) -> None:
    source = space_file.parent / "kernel.cu"
    source.write_text(source.read_text().replace("blockIdx.x *", "blockIdx.x * oops"))
    refused = here("run", space_file)
    assert refused.returncode == 2
    assert re.search(r"kernel\.cu\(4\): error: .*oops", refused.stderr)


def test_a_run_without_one_complete_trial_says_why_and_fails(home: Path, space_file: Path) -> None:
    source = space_file.parent / "kernel.cu"
    source.write_text(source.read_text().replace("if (i < n)", "data[i + 4096 * 1000] = factor; if (i < n)"))
    failed = dse("run", space_file, "--gpu", "h100-sxm", "--id", "lost", *ONE_POINT)
    assert failed.returncode == here("watch", "lost").returncode == 1
    assert "1 of 1 trials failed, 1 of them with MemoryFault" in failed.stdout
    assert "Traceback" not in failed.stderr
    for answer in (here("best", "lost"), here("best", "lost", "-o", "json")):
        assert (answer.returncode, answer.stdout) == (1, "")
        assert re.search(r"no complete trial: 1 of 1 .* with MemoryFault", answer.stderr)
    assert "dse explain lost 0  # why it failed" in failed.stdout
    assert "failed: MemoryFault: " in here("explain", "lost", 0).stdout
    assert re.search(r"no complete trial: 1 of 1 .* with MemoryFault", here("explain", "lost").stderr)


def test_a_run_that_only_fails_is_given_up_with_the_reason(
    home: Path, space_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = space_file.parent / "kernel.cu"
    source.write_text(
        source.read_text().replace("if (i < n)", "while (factor >= 0) __threadfence(); if (i < n)")
    )
    monkeypatch.setattr("dse.client.start_workers", lambda *_: InlineRunner())
    given_up = here("run", space_file, "--gpu", "h100-sxm")
    assert given_up.returncode == 1
    assert re.search(
        r"is given up: the first \d+ points all failed alike, with EndlessLoop: ", given_up.stderr
    )
    assert here("watch", 1).returncode == here("best", 1).returncode == 1


def test_a_question_to_a_dead_server_is_answered_at_once(unused_port: int) -> None:
    began = monotonic()
    refused = here("status", 1, "--server", f"http://127.0.0.1:{unused_port}")
    assert refused.returncode == 2
    assert "cannot be reached" in refused.stderr
    assert monotonic() - began < 5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_sweep_cleanly_and_resume_completes_it(
    home: Path, space_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    # Seconds of work whose results are not known yet, so that the signal comes before the end.
    source = space_file.parent / "kernel.cu"
    source.write_text(source.read_text().replace("step < UNROLL", "step < 100'000 * UNROLL"))
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "numba").symlink_to(cache_directory("numba"))
    monkeypatch.setenv("SIMCORE_CACHE", str(cache))
    command = [
        *DSE,
        "run",
        str(space_file),
        "--gpu",
        "h100-sxm",
        "--set",
        "width=1",
        "--set",
        "block_size=512",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    for line in process.stderr:
        if re.search(r": \d/10 done, .* in flight", line):
            break
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "dse resume 1" in stdout
    assert "dse resume 1" in stderr
    assert "Traceback" not in stderr
    if number == signal.SIGINT:
        resumed = dse("resume", 1)
        assert resumed.returncode == 0
        assert "10 complete" in resumed.stdout


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


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", here("--version").stdout)
    assert (
        here("prioritize", "nobody", "-2").stderr == "error: no sweep nobody; `dse list` shows all sweeps\n"
    )


def test_help_does_not_load_the_heavy_libraries() -> None:
    heavy = {"mlflow", "ray", "optuna", "numba", "pandas", "sqlalchemy", "simcore"}
    script = (
        "import sys\nfrom dse.cli import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        f"print(sorted({heavy!r} & set(sys.modules)), file=sys.stderr)"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stderr.strip() == "[]"


def test_commands_are_shown_as_they_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "dse"):
        (programs / name).touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/usr/bin")
    assert command("dse best 1") == ".venv/bin/dse best 1"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert command("dse best 1") == f"{programs}/dse best 1"
    monkeypatch.setenv("PATH", str(programs))
    assert command("dse best 1") == "dse best 1"
    assert command("other best 1") == "other best 1"


def test_settings_are_read_as_numbers_words_and_none() -> None:
    assert parse_settings(["unroll=1,2", "scale=0.5", "register_cap=none,32", "layout=row"]) == {
        "unroll": [1, 2],
        "scale": [0.5],
        "register_cap": [None, 32],
        "layout": ["row"],
    }
    with pytest.raises(InputError, match="NAME=V1,V2"):
        parse_settings(["unroll=1,,2"])
