"""The commands and the Python of README.md and of the pages in docs/, as a reader would copy them."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OURS = ("dse", "simcore")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
#: A prompt, and variables before a command.
_BEFORE = re.compile(r"^(\$ )?(\w+=\S+ )*")


def documented_commands() -> Iterator[tuple[str, list[str]]]:
    """Each command line of `dse` or `simcore`, with its page, as words."""
    for page in PAGES:
        for language, block in _BLOCK.findall(page.read_text()):
            if language not in ("", "sh"):
                continue
            for line in block.replace("\\\n", " ").splitlines():
                command = _BEFORE.sub("", line).partition(" > ")[0]
                if command.partition(" ")[0] in OURS:
                    yield page.name, shlex.split(command, comments=True)


def documented_python(page: str) -> list[str]:
    """The Python of a page, block by block."""
    text = next(path for path in PAGES if path.name == page).read_text()
    return [block for language, block in _BLOCK.findall(text) if language == "python"]


def documented_space(page: str, folder: Path) -> Path:
    """The first space of a page and its kernel, written to a folder."""
    text = next(path for path in PAGES if path.name == page).read_text()
    blocks = dict(reversed(_BLOCK.findall(text)))
    folder.mkdir()
    (folder / "space.yaml").write_text(blocks["yaml"])
    (folder / "kernel.cu").write_text(blocks["cuda"])
    return folder
