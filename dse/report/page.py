"""The report of a sweep: one HTML file that needs no network."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import plotly.io
from plotly.offline import get_plotlyjs

from dse.answers.summary import why_unranked
from dse.errors import InputError
from dse.report.data import ReportData
from dse.report.plots import drawn
from dse.report.sections import sections_of
from dse.report.templates import PAGE, STYLE
from dse.service import Service
from simcore import SIMULATOR_VERSION, compiler_version


def write_report(service: Service, sweep: str, path: Path) -> Path:
    """Write the report of a sweep, of whatever is recorded now.

    Raises:
        InputError: the file cannot be written.
        SweepNotFound: there is no such sweep.
    """
    _check_writable(path)
    page = render(ReportData(service, sweep))
    try:
        path.write_text(page)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def render(data: ReportData) -> str:
    """The page as text."""
    figures = {name: _json(figure) for name, figure in drawn(data).items()}
    sections = sections_of(data, figures)
    return PAGE.render(
        style=STYLE,
        title=f"{data.status.name}: sweep {data.sweep}",
        subtitle=_subtitle(data),
        banner=_banner(data),
        sections=[{**asdict(each), "figure": figures.get(each.name)} for each in sections],
        plotly=get_plotlyjs() if figures else "",
        looks=_embedded({"light": _template("plotly_white"), "dark": _template("plotly_dark")}),
    )


def _check_writable(path: Path) -> None:
    """Refuse a path before any work."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; create it, or name another file")
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file in it, such as {path / 'report.html'}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{path}: cannot be written: permission denied; name another file")


def _subtitle(data: ReportData) -> str:
    status = data.status
    counts = status.counts
    done = f"{counts.complete:,} complete and {counts.failed:,} failed of {status.total:,} trials"
    return (
        f"{status.search} search on {', '.join(status.gpus)}; {done}; "
        f"submitted {status.created_at:%Y-%m-%d %H:%M} UTC; "
        f"simulator {SIMULATOR_VERSION}, NVRTC {compiler_version()}"
    )


def _banner(data: ReportData) -> str:
    """What a reader must know first; empty if the sweep is whole."""
    status = data.status
    done = f"{status.counts.done:,} of {status.total:,} trials are done"
    if not data.variants and status.counts.complete:
        why = why_unranked(status.counts.complete, data.spec)
        return f"{done.capitalize()}, but there is {why}, so there is nothing to compare."
    if not data.variants:
        yet = " yet" if status.is_active else f"; {status.error}" if status.error else ""
        return (
            f"The sweep is {status.state}, and {done}: none is complete, so there is nothing to compare{yet}."
        )
    if status.state == "finished":
        return ""
    return f"The sweep is {status.state}: {done}, and the report is of these."


def _json(figure: go.Figure) -> str:
    """A figure without its template, which the page adds."""
    content = json.loads(figure.to_json())
    content["layout"].pop("template", None)
    return _embedded(content)


def _embedded(content: Any) -> str:
    """JSON that is safe within a script element."""
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")


def _template(name: str) -> dict[str, Any]:
    template: dict[str, Any] = plotly.io.templates[name].to_plotly_json()
    return template
