"""What loading the core takes: its compilation, once per installation, as those who wait for it see it.

Processes that compile the core leave a note in its cache folder, which needs neither numba nor the core to be read.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from simcore.paths import cache_directory

#: What compiling the core takes, in seconds of one processor.
PROCESSOR_S = 120
#: What to expect, and what an interruption costs.
EXPECTATION = (
    "compiling the simulator for this processor, once per installation: about "
    f"{PROCESSOR_S / 60:.0f} CPU minutes, half of that on two idle cores; "
    "if interrupted, the parts that are done are kept"
)
#: Seconds between looks at the note, and between lines about it.
LOOK_S = 0.5
INTERVAL_S = 10.0

_NOTE = "compiling.json"
#: Where numba looks for BLAS.
_BLAS = "scipy.linalg"


@contextmanager
def without_blas() -> Iterator[None]:
    """Load the core without BLAS, which it never calls: importing SciPy for it takes a third of a second.

    Whatever else numba compiles in this process cannot call BLAS either, so this is for processes that only simulate.
    """
    if _BLAS in sys.modules:
        yield
        return
    sys.modules[_BLAS] = None  # type: ignore[assignment]  # an import of it fails
    try:
        yield
    finally:
        del sys.modules[_BLAS]


@dataclass(frozen=True)
class Compilation:
    """How far it is.

    Attributes:
        parts: number of functions that are compiled by themselves.
        done: how many of them are ready.
        processor_s: processor time so far, in seconds.
        elapsed_s: seconds since it began.
    """

    parts: int
    done: int
    processor_s: float
    elapsed_s: float

    def __str__(self) -> str:
        return (
            f"compiling the simulator: {self.done} of {self.parts} parts done, "
            f"{self.processor_s / 60:.1f} of about {PROCESSOR_S / 60:.0f} CPU minutes, "
            f"{self.elapsed_s:.0f} s so far"
        )


@contextmanager
def noted(folder: Path, functions: Sequence[str], processes: Sequence[int]) -> Iterator[None]:
    """Let others see that these processes compile these functions into a folder, named as numba names their files."""
    note = folder / _NOTE
    note.write_text(
        json.dumps({"functions": list(functions), "processes": list(processes), "began": time.time()})
    )
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def compilation() -> Compilation | None:
    """The compilation that goes on with this machine's cache; None if there is none."""
    for note in cache_directory("numba").glob(f"*/{_NOTE}"):
        with suppress(OSError, ValueError):  # it ends at this moment, or was killed
            found = _read(note)
            if found.done < found.parts:
                return found
    return None


@contextmanager
def told(tell: Callable[[str], None]) -> Iterator[None]:
    """While this lasts, tell of a compilation: what to expect, then how far it is, every ten seconds."""
    ended = Event()
    thread = Thread(target=_tell_until, args=(ended, tell), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _tell_until(ended: Event, tell: Callable[[str], None]) -> None:
    told_at = None
    while not ended.wait(LOOK_S):
        now = time.monotonic()
        if (found := compilation()) is None or (told_at is not None and now - told_at < INTERVAL_S):
            continue
        tell(EXPECTATION if told_at is None else str(found))
        told_at = now


def _read(note: Path) -> Compilation:
    """What a note says; OSError if its processes are gone."""
    stated = json.loads(note.read_text())
    first, *others = stated["processes"]
    processor_s = _processor_s(first)
    for process in others:  # the first one's time includes those that it has waited for
        with suppress(OSError):
            processor_s += _processor_s(process)
    done = sum(any(note.parent.glob(f"**/{function}-*.nbi")) for function in stated["functions"])
    return Compilation(len(stated["functions"]), done, processor_s, time.time() - stated["began"])


def _processor_s(process: int) -> float:
    """The processor time of a process and of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
