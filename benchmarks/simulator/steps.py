"""The command line of what is compiled anywhere, run on a GPU and compared here; no packages but Python's."""

import argparse
from pathlib import Path


def steps_parser(description: str | None, *more: str) -> argparse.ArgumentParser:
    """`bundle BUNDLE`, `run BUNDLE OUT`, `compare OUT` and more commands like the last."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["bundle", "run", "compare", *more])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=Path())
    return parser
