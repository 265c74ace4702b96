"""What a run says at its end."""

from functools import partial
from pathlib import Path

import pytest

from dse import Client
from dse.cli.terminal.output import Output
from dse.cli.terminal.reports import print_results, print_summary
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from dse.store import TrialQuery


def test_a_sweep_that_its_time_limit_ended_says_so_and_how_it_goes_on(
    home: Path, quick: Evaluate, space_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Client(home, partial(InlineRunner, quick), tracking=False)
    sweep = client.submit(space_file, "h100-sxm", timeout=1e-6).wait()
    done = sweep.status().counts.done
    print_summary(sweep)
    said = " ".join(capsys.readouterr().out.split())
    assert (
        f"the time limit of 1e-06 s ended the sweep after {done} of 96 points, which surrogate chose" in said
    )
    assert f"dse resume {sweep.id} --timeout 1` goes on" in said
    client.submit(space_file, "h100-sxm").wait()
    print_summary(client.sweep("2"))
    assert "time limit" not in capsys.readouterr().out


def test_results_say_once_why_trials_failed(
    home: Path, quick: Evaluate, space_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Client(home, partial(InlineRunner, quick), tracking=False)
    sweep = client.submit(space_file, "h100-sxm").wait()
    print_results(sweep, TrialQuery("params.width = 2"), False, Output.TABLE)
    said = " ".join(capsys.readouterr().out.split())
    failed = sweep.trials("state = 'failed'", limit=1)
    assert f"trial {failed[0].number}, " in said
    assert said.count("width 2 never ends") == 1
