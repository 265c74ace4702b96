"""The picture of an experiment, readable in black and white."""

from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from dse.experiments.report import Bars, Curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Markers and dashes of lines, which are told apart without colours.
_STYLES = (("o", "-"), ("s", "--"), ("^", "-."), ("D", ":"), ("v", "-"), ("x", "--"))
#: Fillings and hatchings of bars.
_FILLINGS = (("0.35", ""), ("white", "////"), ("0.8", ""), ("white", "...."))
#: Inches.
WIDTH, HEIGHT, BAR_HEIGHT, EDGES = 6, 3.5, 0.16, 1.0
LEGEND_COLUMNS = 2
#: Of the room of a name, what its bars take.
FILLED = 0.8


def draw(picture: Curves | Bars, path: Path) -> None:
    """Draw it into an SVG file."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "experiments"
    figure = Figure(figsize=(WIDTH, _height(picture)), layout="constrained")
    FigureCanvasSVG(figure)
    axis = figure.subplots()
    if isinstance(picture, Bars):
        _bars(axis, picture)
    else:
        _curves(axis, picture)
    figure.legend(loc="outside upper left", ncols=LEGEND_COLUMNS, frameon=False)
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def _height(picture: Curves | Bars) -> float:
    if isinstance(picture, Curves):
        return HEIGHT
    return EDGES + BAR_HEIGHT * sum(map(len, picture.series.values()))


def _curves(axis: "Axes", curves: Curves) -> None:
    for (name, points), (marker, dashes) in zip(curves.lines.items(), cycle(_STYLES), strict=False):
        axis.plot(
            list(points), list(points.values()), marker=marker, linestyle=dashes, color="black", label=name
        )
    axis.set(xlabel=curves.x, ylabel=curves.y, ylim=(0, None))


def _bars(axis: "Axes", bars: Bars) -> None:
    """The first name on top."""
    names = list(dict.fromkeys(name for lengths in bars.series.values() for name in lengths))
    thickness = FILLED / len(bars.series)
    for place, ((series, lengths), (filling, hatch)) in enumerate(
        zip(bars.series.items(), cycle(_FILLINGS), strict=False)
    ):
        shift = (place + 0.5) * thickness - FILLED / 2
        at = [names.index(name) + shift for name in lengths]
        drawn = axis.barh(at, list(lengths.values()), thickness, label=series)
        for bar in drawn:
            bar.set(facecolor=filling, edgecolor="black", hatch=hatch)
    axis.set(xlabel=bars.x, yticks=range(len(names)), yticklabels=names)
    axis.invert_yaxis()
