"""Process trees: their CPU time, and killing them."""

import os
from contextlib import suppress

import psutil


def family(pid: int) -> list[psutil.Process]:
    """A process and all its descendants; none if it has ended."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    return []


def words(process: psutil.Process) -> list[str]:
    """The command line of a process; empty if it has ended."""
    with suppress(psutil.Error):
        return list(process.cmdline())
    return []


def kill(process: psutil.Process) -> bool:
    """SIGKILL; whether the process was still there."""
    with suppress(psutil.NoSuchProcess):
        process.kill()
        return True
    return False


def cpu_seconds() -> dict[int, float]:
    """User and system CPU seconds of this process and each of its descendants."""
    seconds = {}
    for process in family(os.getpid()):
        with suppress(psutil.Error):
            times = process.cpu_times()
            seconds[process.pid] = times.user + times.system
    return seconds
