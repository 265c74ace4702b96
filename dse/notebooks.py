"""Records in notebooks: a caption and a small table, without scripts and styles."""

from collections.abc import Iterable, Sequence
from html import escape


def html_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The rows as an HTML table below a caption, which may have several lines; all texts are escaped."""
    body = [_row("td", cells) for cells in rows]
    table = f"<table><thead>{_row('th', head)}</thead><tbody>{''.join(body)}</tbody></table>" if body else ""
    return f"<div><pre>{escape(caption)}</pre>{table}</div>"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
