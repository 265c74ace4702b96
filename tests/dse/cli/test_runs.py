"""Running a sweep: how it ends, what is known already, failures and signals."""

import re
import signal
import subprocess
from pathlib import Path

import pytest

from dse import Client
from dse.runners.inline import InlineRunner
from simcore.paths import cache_directory
from testing.command_line import DSE, SWEEP, VIEW, dse, here

ONE_POINT = ["--set", "unroll=1", "--set", "width=1", "--set", "block_size=64", "--set", "register_cap=none"]


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


def test_a_cluster_that_does_not_answer_is_refused_before_the_sweep_is_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    refused = dse("run", "dot", "--gpu", "l4", "--trials", 3)
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert line.startswith("error: cannot reach the Ray cluster at 127.0.0.1:1: ")
    assert not Client(home).sweeps()


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
