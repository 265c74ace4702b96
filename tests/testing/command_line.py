"""The command line in a process of its own and in the test's, and a sweep that several tests ask about."""

import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from dse.cli import main

#: The part of a link to MLflow that opens the saved view.
VIEW = "workflowType=machine_learning&viewStateShareKey="
DSE = [sys.executable, "-c", "from dse.cli import main; main()"]


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
