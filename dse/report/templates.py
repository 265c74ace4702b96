"""The template of the report, and the style that it shares with the pages of the server."""

from jinja2 import Environment, PackageLoader

_FILES = Environment(loader=PackageLoader("dse.report", "."), autoescape=True)

PAGE = _FILES.get_template("page.html")
STYLE = _FILES.get_template("style.css").render()
