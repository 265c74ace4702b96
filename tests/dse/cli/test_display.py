"""Progress where there is no terminal: a line when there is something to say."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from dse.cli.terminal import display
from dse.coordination.progress import Progress


def test_lines_come_on_change_or_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(display, "monotonic", lambda: now)
    written = StringIO()
    progress = Progress(4, running=1)
    with display.open_display(Console(file=written, width=200), "sweep 1 (dot)") as shown:
        for second in range(60):
            now = float(second)
            done = 0 if second < 31 else 1
            shown.update(replace(progress, complete=done, elapsed_s=now, rate=0.1 if done else 0.0))
    lines = written.getvalue().splitlines()
    assert len(lines) == 8
    assert "starting the workers" in lines[0]
    assert "compiling the simulator for this processor, once, about a minute: 20 s so far" in lines[2]
    assert "1/4 done" in lines[4]
