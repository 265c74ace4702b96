"""Shared by the programs: command lines, the state of the machine, and response times."""

import argparse
import os
import resource
from collections import defaultdict
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

from rich.console import Console
from rich.table import Table

Answer = TypeVar("Answer")


def parser(doc: str | None) -> argparse.ArgumentParser:
    """A command line that a program's docstring describes."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def console() -> Console:
    """Where figures are printed: the same width everywhere, and no colours for numbers."""
    return Console(width=110, highlight=False)


def machine() -> str:
    """What a figure depends on: the cores this process may use, and how busy the machine already is."""
    return f"{len(os.sched_getaffinity(0))} cores; load before: {os.getloadavg()[0]:.1f}"


def peak_mib() -> float:
    """The largest memory that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def figures(title: str | None, *headings: str) -> Table:
    """A table whose first column is text and whose other columns are figures."""
    table = Table(title=title)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left")
    return table


class Latencies:
    """Response times by kind of request; thread-safe."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, list[float]] = defaultdict(list)

    def timed(self, kind: str, request: Callable[[], Answer]) -> Answer:
        """The answer to a request, whose time is kept."""
        began = perf_counter()
        answer = request()
        self._seconds[kind].append(perf_counter() - began)
        return answer

    def table(self, without: str | None = None) -> Table:
        """Milliseconds of each kind, and of all together; `without` is a kind that the last row leaves out."""
        table = figures(None, "request", "asked", "median, ms", "p99, ms", "slowest, ms")
        rest = [each for kind, seconds in self._seconds.items() if kind != without for each in seconds]
        total = "all" if without is None else f"all but {without}"
        for kind, seconds in [*self._seconds.items(), (total, rest)]:
            ordered = sorted(1000 * each for each in seconds)
            if ordered:
                places = (len(ordered) // 2, len(ordered) * 99 // 100, -1)
                table.add_row(kind, str(len(ordered)), *(f"{ordered[place]:.1f}" for place in places))
        return table
