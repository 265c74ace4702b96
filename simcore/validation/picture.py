"""A scatter plot of predicted against measured times, log-log, coloured by family."""

from collections import defaultdict
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from simcore.validation.measurement import MeasurementError
from simcore.validation.prediction import Prediction

FORMATS = (".svg", ".png", ".pdf")
BAND = 0.10  # relative distance of the lines beside the diagonal
MARKERS = "osD^vP*Xp<>h"
COLOURS = 20  # of matplotlib's tab20, its largest qualitative colour map
LEGEND_ROWS = 32


def check_picture(path: Path) -> None:
    """Refuse a file name with an unsupported extension, and any picture if matplotlib is missing.

    Raises:
        MeasurementError: names the supported extensions, or what to install.
    """
    if find_spec("matplotlib") is None:
        raise MeasurementError(
            f"{path}: drawing needs matplotlib; install it with: pip install 'cuda-dse[service]'"
        )
    if path.suffix.lower() not in FORMATS:
        ending = path.suffix or "file without an ending"
        raise MeasurementError(f"{path}: cannot draw a {ending}; end the name in {', '.join(FORMATS)}")


def draw(predictions: Sequence[Prediction], path: Path, title: str) -> None:
    """Draw the picture to a file; its extension selects the format, svg, png or pdf."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    check_picture(path)
    families: dict[str, list[Prediction]] = defaultdict(list)
    for prediction in sorted(predictions, key=lambda p: p.measurement.family):
        families[prediction.measurement.family].append(prediction)
    columns = -(-len(families) // LEGEND_ROWS)
    figure = Figure(figsize=(6.4 + 2.0 * columns, 6.4), layout="constrained")
    axes = figure.add_subplot(aspect="equal", xscale="log", yscale="log")
    for position, (family, variants) in enumerate(families.items()):
        axes.scatter(
            [v.measurement.time_us for v in variants],
            [v.time_us for v in variants],
            s=14,
            color=colormaps["tab20"](position % COLOURS),
            marker=MARKERS[position // COLOURS % len(MARKERS)],
            linewidths=0,
            label=family,
        )
    times = [t for p in predictions for t in (p.measurement.time_us, p.time_us)]
    ends = (min(times) / 1.3, max(times) * 1.3)
    for factor, style in ((1.0, "-"), (1.0 + BAND, ":"), (1.0 - BAND, ":")):
        axes.plot(ends, [end * factor for end in ends], style, color="0.4", linewidth=0.8, zorder=0)
    axes.set(xlim=ends, ylim=ends, xlabel="measured [µs]", ylabel="predicted [µs]", title=title)
    figure.legend(loc="outside right upper", fontsize=6, ncols=columns, frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
