"""The picture in the README: the end of a real run, as the terminal shows it.

    python docs/images/make.py

It runs the README's first command in the current home folder and writes `run.svg` beside this file.
"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

COMMAND = ["dse", "run", "rsqrt_chain", "--gpu", "a100-80gb,h100-sxm,b200"]
COLUMNS = 176


def terminal_output(command: list[str]) -> str:
    """What a command writes on a terminal, colours included; its progress display goes elsewhere."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    program = Path(sys.executable).parent / command[0]
    environment = os.environ | {"COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [program, *command[1:]], stdout=writer, stderr=subprocess.DEVNULL, env=environment
    )
    os.close(writer)
    written = b""
    try:
        while chunk := os.read(reader, 65536):
            written += chunk
    except OSError:  # what Linux says when the other end of a terminal is closed
        process.wait()
    return written.decode().replace("\r\n", "\n")


def main() -> None:
    """Run, render, write."""
    output = terminal_output(COMMAND).replace(f"{Path(sys.executable).parent}/", "")
    output = output.replace(str(Path.home()), "/home/me")
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=COLUMNS, force_terminal=True, file=nowhere)
        console.print(Text(f"$ {' '.join(COMMAND)}", style="bold green"))
        console.print(Text.from_ansi(output))
        svg = console.export_svg(title="dse")
    (Path(__file__).parent / "run.svg").write_text(svg)


if __name__ == "__main__":
    main()
