"""Progress where there is no terminal: a line when there is something to say."""

import os
import subprocess
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from dse.cli.terminal import display
from dse.coordination.progress import Case, Progress
from dse.evaluation.forecast import Forecast
from dse.evaluation.tasks import Outcome
from dse.store import Trial, TrialRecord
from simcore.compilation import compilation, noted


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(display, "monotonic", lambda: now[0])
    return now


def test_lines_come_on_change_or_every_ten_seconds(clock: list[float]) -> None:
    written = StringIO()
    progress = Progress(4, running=1)
    with display.open_display(Console(file=written, width=200), "sweep 1 (dot)") as shown:
        for second in range(60):
            clock[0] = float(second)
            done = 0 if second < 31 else 1
            shown.update(replace(progress, complete=done, rate=0.1 if done else 0.0))
    lines = written.getvalue().splitlines()
    assert len(lines) == 7
    assert lines[2] == "sweep 1 (dot): 0/4 done, 0 failed, 1 in flight, no result yet, 20 s so far"
    assert "1/4 done" in lines[4]
    assert len(set(lines)) == len(lines)


def test_a_line_that_says_nothing_new_says_how_long_it_takes(clock: list[float]) -> None:
    written = StringIO()
    with display.open_display(Console(file=written, width=200), "sweep 1 (dot)") as shown:
        for second in range(0, 25, 5):
            clock[0] = float(second)
            shown.update(Progress(4, complete=1, running=2))
    first, second_, third = written.getvalue().splitlines()
    assert (second_, third) == (f"{first}, 10 s so far", f"{first}, 20 s so far")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_the_first_failure_is_said_at_once_and_in_short(clock: list[float], is_terminal: bool) -> None:
    written = StringIO()
    console = Console(file=written, width=200, force_terminal=is_terminal)
    log = "h200 unroll=4: CompileError: kernel.cu does not compile:\n" + "\n".join("abcdefgh")
    with display.open_display(console, "sweep 1 (dot)") as shown:
        for failed in range(9):
            clock[0] = 10.0 * failed
            shown.update(Progress(9, failed=failed, first_failure=log if failed else None))
    text = written.getvalue()
    assert text.count("first failure: h200 unroll=4: CompileError: kernel.cu does not compile:\n") == 1
    assert "\nc\n...\n" in text
    assert "\nd\n" not in text


def test_a_best_variant_is_said_once_and_lines_of_a_long_run_are_rare(clock: list[float]) -> None:
    written = StringIO()
    outcome = Outcome("", "complete", metrics={"time_us": 2.5})
    best: dict[Case, Trial] = {("h200", ()): Trial(0, "h200", 0, {"unroll": 4}, outcome)}
    with display.open_display(Console(file=written, width=200), "sweep 1 (dot)") as shown:
        for second in range(3600):
            clock[0] = float(second)
            shown.update(Progress(4000, complete=second, best=best, rate=1.0))
    lines = written.getvalue().splitlines()
    assert [line for line in lines if "new best h200 2.5 µs (unroll=4)" in line] == lines[:1]
    assert len(lines) < 100


def test_a_best_variant_that_is_exported_meanwhile_is_not_new(clock: list[float]) -> None:
    written = StringIO()
    outcome = Outcome("", "complete", metrics={"time_us": 2.5})
    best = TrialRecord(0, "h200", 0, {}, outcome, sweep_id=1, mlflow_run_id=None)
    exported = replace(best, mlflow_run_id="f00")
    with display.open_display(Console(file=written, width=200), "sweep 1 (dot)") as shown:
        for done, trial in enumerate((best, exported), 1):
            clock[0] = 10.0 * done
            shown.update(Progress(2, complete=done, best={("h200", ()): trial}, rate=1.0))
    first, last = written.getvalue().splitlines()
    assert first.endswith("about 1 s left; new best h200 2.5 µs ()")
    assert last == "sweep 1 (dot): 2/2 done, 0 failed, 1.0/s"


@pytest.mark.parametrize(("point_s", "said"), [(30.0, "all 100 about 25 min"), (0.1, "")])
def test_a_run_that_takes_long_says_so_once_after_its_first_points(
    clock: list[float], point_s: float, said: str
) -> None:
    written = StringIO()
    first = Progress(100, complete=1, running=4)
    with display.open_display(Console(file=written, width=200), "sweep 1 (dot)") as shown:
        for progress in (first, *[replace(first, forecast=Forecast(point_s, 0.0, 100, 1), workers=2)] * 5):
            shown.update(progress)
    told = [line for line in written.getvalue().splitlines() if "on 2 idle cores" in line]
    assert len(told) == bool(said)
    assert all(said in line for line in told)


def test_a_long_run_says_once_what_can_be_asked_meanwhile(clock: list[float]) -> None:
    written = StringIO()
    with display.open_display(
        Console(file=written, width=200), "sweep 1 (dot)", "`dse best 1` shows"
    ) as shown:
        for second in range(90):
            clock[0] = float(second)
            shown.update(Progress(80, complete=second // 10, rate=0.1 if second > 40 else 0.0))
    lines = written.getvalue().splitlines()
    assert lines.count("`dse best 1` shows") == 1
    assert lines[-1] == "sweep 1 (dot): 8/80 done, 0 failed, 6.0/min, about 12 min 00 s left"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_compilation_is_announced_once_and_its_parts_are_counted(
    clock: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    monkeypatch.setenv("SIMCORE_CACHE", str(tmp_path))
    core = tmp_path / "numba" / "core"
    core.mkdir(parents=True)
    written = StringIO()
    console = Console(file=written, width=300, force_terminal=is_terminal)
    with (
        display.open_display(console, "sweep 1 (dot)") as shown,
        noted(core, ["schedule.run_sm", "blocks.run_blocks"], [os.getpid()]),
    ):
        for second in range(40):
            clock[0] = float(second)
            if second == 11:
                (core / "schedule.run_sm-1.py311.nbi").touch()
            shown.update(Progress(4, running=2))
    text = written.getvalue()
    assert text.count("once per installation") == 1
    assert "0 of 2 parts done" in text or is_terminal
    assert "1 of 2 parts done" in text
    assert is_terminal or len(text.splitlines()) == 7


def test_what_a_killed_compilation_leaves_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMCORE_CACHE", str(tmp_path))
    core = tmp_path / "numba" / "core"
    core.mkdir(parents=True)
    ended = subprocess.Popen(["true"])
    ended.wait()
    with noted(core, ["schedule.run_sm"], [ended.pid]):
        assert compilation() is None
