"""Figures as PNG files, drawn by a browser through kaleido."""

import os
from collections.abc import Mapping
from pathlib import Path

import plotly.graph_objects as go
import plotly.io

from dse.errors import InputError

#: Pixels for each point, and the width in points; heights are the figures' own.
SCALE, WIDTH = 2, 1000


def made_folder(folder: Path) -> Path:
    """The folder, created if necessary.

    Raises:
        InputError: it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be created: {error.strerror}; name another folder") from error
    if not os.access(folder, os.W_OK):
        raise InputError(f"{folder}: cannot be written: permission denied; name another folder")
    return folder


def write_pictures(figures: Mapping[str, go.Figure], folder: Path) -> list[Path]:
    """Write each figure as `NAME.png` on white; returns the paths.

    Raises:
        InputError: there is no browser to draw them.
    """
    from choreographer.errors import BrowserDepsError, BrowserFailedError, ChromeNotFoundError

    paths = [folder / f"{name}.png" for name in figures]
    look = {"template": "plotly_white", "paper_bgcolor": "white"}
    on_white = [go.Figure(figure).update_layout(look) for figure in figures.values()]
    try:
        heights = [figure.layout.height for figure in on_white]
        plotly.io.write_images(on_white, paths, scale=SCALE, width=WIDTH, height=heights)
    except (BrowserDepsError, BrowserFailedError, ChromeNotFoundError, RuntimeError) as error:
        raise InputError(
            "pictures are drawn by Chrome or Chromium, which does not start here; "
            "install one, or name it in BROWSER_PATH"
        ) from error
    return paths
