"""Pages from templates, and errors as pages."""

from collections.abc import Callable, Coroutine
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader
from starlette.exceptions import HTTPException

from dse.api.access import COOKIE, Access, Caller
from dse.api.problems import http_problem, in_one_line, invalid_places, status_of
from dse.errors import AuthenticationError
from dse.refusals import REFUSALS
from dse.report.templates import STYLE, marked

#: Pages load nothing from elsewhere, run no script but the server's own, and cannot be framed.
PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

#: Headings for people, where HTTP's own phrase says little.
TITLES = {HTTPStatus.UNPROCESSABLE_ENTITY: "That is not possible"}

_TEMPLATES = Environment(loader=PackageLoader("dse.api.pages"), autoescape=True, trim_blocks=True)
_TEMPLATES.filters["marked"] = marked


def page(
    template: str, title: str, caller: Caller | None = None, status: int = 200, **values: Any
) -> HTMLResponse:
    """A page.

    Args:
        template: its file, without `.html`.
        title: its heading.
        caller: who is signed in.
        status: the HTTP status.
        values: what the template shows; `live` renews the page.
    """
    text = _TEMPLATES.get_template(f"{template}.html").render(
        title=title, caller=caller, style=STYLE, **values
    )
    return HTMLResponse(text, status, {"Content-Security-Policy": PAGE_POLICY})


class PageRoute(APIRoute):
    """A route whose errors are pages; without a token it leads to the form that asks for one."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_errors(request: Request) -> Response:
            try:
                return await handle(request)
            except AuthenticationError:
                asked = str(request.url.path) + (f"?{request.url.query}" if request.url.query else "")
                return RedirectResponse(f"/sign-in?{urlencode({'next': asked})}", HTTPStatus.SEE_OTHER)
            except RequestValidationError as error:
                message = in_one_line(invalid_places(request, error))
                return _refusal(request, HTTPStatus.UNPROCESSABLE_ENTITY, message)
            except REFUSALS as error:
                return _refusal(request, HTTPStatus(status_of(error)), str(error))

        return handle_errors


def add_page_handlers(app: FastAPI) -> None:
    """Let browsers see a page where there is none; other clients get the problem."""
    app.add_exception_handler(HTTPException, _astray)


def _astray(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    is_browser = "text/html" in request.headers.get("Accept", "")
    if error.status_code != HTTPStatus.NOT_FOUND or not is_browser:
        return http_problem(request, error)
    return _refusal(request, HTTPStatus.NOT_FOUND, f"There is no page {request.url.path} here.")


def _refusal(request: Request, status: HTTPStatus, message: str) -> Response:
    """A page that says what is wrong, to whoever is signed in."""
    title = TITLES.get(status, status.phrase)
    return page("refusal", title, _visitor(request), status, message=message)


def _visitor(request: Request) -> Caller | None:
    """Who is signed in; None if that is nobody."""
    access: Access = request.app.state.access
    with suppress(AuthenticationError):
        return access.caller(request.cookies.get(COOKIE))
    return None
