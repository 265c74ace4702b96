"""What a run says at its end."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from dse import Client
from dse.cli.terminal.output import Output
from dse.cli.terminal.portability import print_portable
from dse.cli.terminal.reports import print_results, print_summary
from dse.evaluation.tasks import Outcome, Task
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from dse.store import TrialQuery
from search_spaces import Value


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


def test_a_single_variant_is_compared_with_the_gpu_that_a_what_if_is_made_from(
    home: Path, quick: Evaluate, space_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Client(home, partial(InlineRunner, quick), tracking=False)
    one: dict[str, list[Value]] = {"unroll": [1], "width": [1], "block_size": [64], "register_cap": [None]}
    print_summary(client.submit(space_file, "h100-sxm,sms=64", parameters=one).wait())
    said = capsys.readouterr().out
    assert "the only one" in said
    assert "ties:" not in said
    assert "note: `--gpu h100-sxm,h100-sxm,sms=64` shows how many times as fast as h100-sxm it is" in said
    print_summary(client.submit(space_file, ["h100-sxm", "h100-sxm,sms=64"], parameters=one).wait())
    said = capsys.readouterr().out
    assert "times as fast as h100-sxm, each with its best variant: h100-sxm,sms=64 0.50x" in said
    assert "--gpu" not in said


def test_results_show_as_many_trials_of_each_gpu_and_workload(
    home: Path, quick: Evaluate, space_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space_file.write_text(f"{space_file.read_text()}workload: width\n")
    client = Client(home, partial(InlineRunner, quick), tracking=False)
    sweep = client.submit(space_file, ["a100-80gb", "h100-sxm"], parameters={"width": [1, 4]}).wait()

    def shown(limit: int) -> list[list[str]]:
        print_results(sweep, TrialQuery(limit=limit), False, Output.TABLE)
        return [line.split()[1:4] for line in capsys.readouterr().out.splitlines()[1 : limit + 1]]

    assert [(gpu, width) for gpu, _, width in shown(6)] == [
        *(("a100-80gb", "1"), ("a100-80gb", "1"), ("a100-80gb", "4"), ("a100-80gb", "4")),
        *(("h100-sxm", "1"), ("h100-sxm", "4")),
    ]
    assert [gpu for gpu, *_ in shown(2)] == ["a100-80gb", "h100-sxm"]


@pytest.mark.parametrize(
    ("within", "sets"), [(0.05, ["one variant"]), (0.0, ["one variant", "two variants"])]
)
def test_a_larger_set_is_shown_only_where_it_gains_or_is_asked_for(
    home: Path,
    quick: Evaluate,
    space_file: Path,
    capsys: pytest.CaptureFixture[str],
    within: float,
    sets: list[str],
) -> None:
    """Each of two variants is the best of one GPU, by less than is shown."""

    def all_but_alike(task: Task) -> Outcome:
        slower = (task.gpu == "h100-sxm") == (str(task.defines["UNROLL"]) == "4")
        outcome = quick(task)
        return replace(outcome, metrics={**outcome.metrics, "time_us": 10.001 if slower else 10.0})

    values: dict[str, list[Value]] = {
        "unroll": [4, 8],
        "width": [4],
        "block_size": [64],
        "register_cap": [None],
    }
    client = Client(home, partial(InlineRunner, all_but_alike), tracking=False)
    sweep = client.submit(space_file, ["h100-sxm", "a100-80gb"], parameters=values).wait()
    print_portable(sweep, sweep.portable(within=within))
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in said if line.endswith(": at most +0.0%")] == sets
