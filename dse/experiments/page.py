"""Reports as one document in Markdown, with a picture for each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dse.experiments.pictures import draw
from dse.experiments.report import Report

HEAD = """# The experiments that everybody quotes

Published, measured (H200 and H100) and predicted figures side by side. `dse experiments page docs/experiments.md` makes
this page, and `dse experiments run NAME` runs one of them. A verdict is `agrees`, `differs` (from what was published or
measured) or `not so here` (not true of these GPUs), each with the reason.
"""
PICTURES = "images/experiments"


def write_page(path: Path, reports: Sequence[Report]) -> None:
    """Write the document, and the pictures beside it."""
    folder = path.parent / PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for report in reports:
        if report.picture:
            draw(report.picture, folder / f"{report.name}.svg")
    path.write_text("\n".join([HEAD, _summary(reports), *map(section, reports)]))


def section(report: Report) -> str:
    """The section of one experiment."""
    parts = [f"## `{report.name}`: {report.title}\n"]
    for claim in report.claims:
        parts.append(
            f"**{_capital(claim.text)}** ({claim.source}).\n\n"
            + _table(
                [{"published": claim.published, "measured": claim.measured, "predicted": claim.predicted}]
            )
            + f"\n*{_capital(claim.verdict)}*: {claim.because}.\n"
        )
    if report.picture:
        parts.append(f"![{_capital(report.picture.title)}]({PICTURES}/{report.name}.svg)\n")
    for table in report.tables:
        parts.append(f"{_capital(table.heading)}:\n\n{_table(table.rows)}")
    return "\n".join(parts)


def _summary(reports: Sequence[Report]) -> str:
    rows = [
        {
            "experiment": f"[{report.name}](#{_anchor(f'{report.name}: {report.title}')})",
            "claim": claim.text,
            "verdict": claim.verdict,
        }
        for report in reports
        for claim in report.claims
    ]
    return _table(rows)


def _anchor(title: str) -> str:
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -_")
    return kept.replace(" ", "-")


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines = [columns, ["---"] * len(columns), *([_cell(row.get(name)) for name in columns] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
