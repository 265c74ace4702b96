"""Pages from templates, and errors as pages."""

from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader
from starlette.exceptions import HTTPException

from dse.api.access import AccessRefused, Caller
from dse.api.problems import http_problem, status_of
from dse.refusals import REFUSALS
from dse.report.templates import STYLE, marked

#: Pages load nothing from elsewhere, run no script but the server's own, and cannot be framed.
PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

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
            except AccessRefused as error:
                if error.status == HTTPStatus.UNAUTHORIZED:
                    asked = str(request.url.path) + (f"?{request.url.query}" if request.url.query else "")
                    return RedirectResponse(f"/sign-in?{urlencode({'next': asked})}", HTTPStatus.SEE_OTHER)
                return _refusal(HTTPStatus(error.status), str(error))
            except RequestValidationError as error:
                return _refusal(
                    HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(str(each["msg"]) for each in error.errors())
                )
            except REFUSALS as error:
                return _refusal(HTTPStatus(status_of(error)), str(error))

        return handle_errors


def add_page_handlers(app: FastAPI) -> None:
    """Let browsers see a page where there is none; other clients get the problem."""
    app.add_exception_handler(HTTPException, _astray)


def _astray(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    is_browser = "text/html" in request.headers.get("Accept", "")
    if error.status_code != HTTPStatus.NOT_FOUND or not is_browser:
        return http_problem(request, error)
    return _refusal(HTTPStatus.NOT_FOUND, f"There is no page {request.url.path} here.")


def _refusal(status: HTTPStatus, message: str) -> Response:
    return page("refusal", status.phrase, status=status, message=message)
