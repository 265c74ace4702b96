"""The command line as its users run it: wrong input, and what all commands share."""

import re
import sys
from pathlib import Path
from time import monotonic

import pytest

from dse.cli.options import parse_settings
from dse.cli.terminal.output import command
from dse.errors import InputError
from testing.command_line import here


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


def test_a_question_to_a_dead_server_is_answered_at_once(unused_port: int) -> None:
    began = monotonic()
    refused = here("status", 1, "--server", f"http://127.0.0.1:{unused_port}")
    assert refused.returncode == 2
    assert "cannot be reached" in refused.stderr
    assert monotonic() - began < 5


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", here("--version").stdout)
    assert (
        here("prioritize", "nobody", "-2").stderr == "error: no sweep nobody; `dse list` shows all sweeps\n"
    )


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
