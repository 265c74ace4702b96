"""How all figures look: colours that colour-blind people can tell apart, on a light and on a dark background."""

from collections.abc import Iterable

import plotly.graph_objects as go

from dse.store import STALL_REASONS

#: Okabe and Ito's without black, the light ones darker: each has a contrast of 3 or more with the pages' paper.
COLOURS = ("#0072B2", "#C98500", "#009E73", "#C77CA5", "#2F9BDB", "#D55E00", "#A39500")
#: Colours of values that are better if lower: the best stand out on white and on black.
SCALE = ((0.0, "#D55E00"), (0.2, "#E69F00"), (1.0, "#9AA4AF"))
#: Colours of slowdowns: the lowest is pale.
LOSSES = "Oranges"
_STALLS = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8A800"),
    *("#6A3D9A", "#B15928", "#7FBC41", "#1B7837", "#C51B7D", "#4D4D4D", "#A6761D"),
    *("#8DA0CB", "#E78AC3", "#66C2A5", "#FC8D62"),
)
#: The colour of each warp state; that of a warp that issues is grey, since it is no stall.
STALL_COLOURS = dict(zip(STALL_REASONS, ("#BBBBBB", *_STALLS), strict=True))
#: Of a line of the legend, one of its letters, and the mark before its text; and how wide a printed page is.
LEGEND_LINE, LETTER, MARK, WIDTH = 20, 7, 45, 680
#: Of a panel, and of the space above all for title and legend, and below for the axis.
PANEL_HEIGHT, TOP, BOTTOM = 300, 95, 50


def colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name, by its place."""
    return {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(names)}


def mark(colour: str) -> dict[str, object]:
    """The marks of trials: circles that can be seen alone, and through which those below can be seen."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return {"color": f"rgba({red},{green},{blue},0.4)", "line": {"color": colour, "width": 1.5}}


def styled(figure: go.Figure, title: str, height: int = PANEL_HEIGHT, letters: int = 4) -> go.Figure:
    """The figure with its title, the legend below it, and the look of all.

    Args:
        height: of the panels.
        letters: of the names beside the vertical axis; the legend is no wider than the panels.
    """
    top = TOP + LEGEND_LINE * (_legend_lines(figure, WIDTH - LETTER * letters) - 1)
    total = height + top + BOTTOM
    legend = {"orientation": "h", "x": 0, "xref": "container", "xanchor": "left", "yref": "container"}
    figure.update_layout(
        title={"text": title, "x": 0, "xanchor": "left", "y": 1 - 18 / total, "font": {"size": 15}},
        height=total,
        margin={"l": 60, "r": 20, "t": top, "b": BOTTOM},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        legend=legend | {"y": 1 - 30 / total, "yanchor": "top"},
        font={"family": "system-ui, sans-serif", "size": 12},
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return figure


def _legend_lines(figure: go.Figure, width: int) -> int:
    """How many lines of a width the legend takes."""
    lines, taken = 1, 0
    for name in (trace.name for trace in figure.data if trace.name and trace.showlegend is not False):
        item = MARK + LETTER * len(name)
        lines, taken = (lines + 1, item) if taken + item > width else (lines, taken + item)
    return lines
