"""The template of the report, and the style that it shares with the pages of the server."""

import re

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape


def marked(text: object) -> Markup:
    """A text with what stands between backticks as code; all else is escaped."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


_FILES = Environment(loader=PackageLoader("dse.report", "."), autoescape=True)
_FILES.filters["marked"] = marked

PAGE = _FILES.get_template("page.html")
STYLE = _FILES.get_template("style.css").render()
