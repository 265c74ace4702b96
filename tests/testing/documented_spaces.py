"""The spaces of docs/spaces.md: each section's files, as a user would put them into a folder."""

import re
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "spaces.md"
_FILES = {"yaml": "space.yaml", "cuda": "kernel.cu", "python": "make.py"}


def write_documented(section: str, folder: Path) -> Path:
    """Write the files of a section to a folder, and run the program that makes its other files."""
    folder.mkdir(exist_ok=True)
    text = DOCUMENT.read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    for language, content in re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL):
        (folder / _FILES[language]).write_text(content)
    if (folder / "make.py").exists():
        subprocess.run([sys.executable, "make.py"], cwd=folder, check=True)
    return folder
