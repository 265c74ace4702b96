"""Commands that ask about a sweep."""

import csv
import json
import re
from io import StringIO
from math import prod
from pathlib import Path

import pytest

from dse import Client
from dse.errors import InputError
from testing.command_line import VIEW, here


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
