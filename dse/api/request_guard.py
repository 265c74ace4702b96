"""Checks of every request before a route reads it: host, origin, body size and type, query parameters."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError

from dse.api.access import SAFE_METHODS
from dse.api.problems import problem
from simcore.errors import did_you_mean

#: Maximum size of a request body in bytes; a space consists of small text files.
MAX_BODY_BYTES = 16 * 2**20  # a space's files of numbers, 8 MiB, in base64; and its texts
#: The hosts that a server without tokens accepts, as a defence against DNS rebinding.
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
#: The form of the pages, which browsers send in their own way; all other bodies are JSON.
FORMS = ("/sign-in",)

Next = Callable[[Request], Awaitable[Response]]


class RequestGuard:
    """Middleware that refuses requests by their headers.

    Args:
        is_public: whether to accept any host name.
    """

    def __init__(self, is_public: bool) -> None:
        self._is_public = is_public

    async def __call__(self, request: Request, call_next: Next) -> Response:
        return self._refusal(request) or await call_next(request)

    def _refusal(self, request: Request) -> Response | None:
        return self._foreign_host(request) or _foreign_page(request) or _unfit_body(request)

    def _foreign_host(self, request: Request) -> Response | None:
        if self._is_public or _host_name(request.headers.get("Host", "")) in LOOPBACK_HOSTS:
            return None
        detail = f"a server without tokens must be addressed as one of {', '.join(LOOPBACK_HOSTS)}"
        return problem(400, "foreign-host", detail)


def refuse_unknown_query(request: Request) -> None:
    """A dependency that refuses unknown query parameters: a misspelt filter must not return everything.

    Raises:
        RequestValidationError: the route does not know a parameter.
    """
    known = _query_names(request.scope["route"].dependant)
    names = f"(there are {', '.join(sorted(known))})" if known else "(this route has none)"
    unknown = [
        {
            "type": "unknown_query",
            "loc": ("query", name),
            "msg": f"no such query parameter{did_you_mean(name, known)} {names}",
        }
        for name in request.query_params
        if name not in known
    ]
    if unknown:
        raise RequestValidationError(unknown)


def _foreign_page(request: Request) -> Response | None:
    """Refuse changes requested by pages of other origins; browsers send the origin of the page."""
    origin = request.headers.get("Origin")
    if not origin or request.method in SAFE_METHODS or urlsplit(origin).netloc == request.headers.get("Host"):
        return None
    return problem(403, "foreign-origin", f"pages of {origin} may not change anything on this server")


def _unfit_body(request: Request) -> Response | None:
    headers = request.headers
    if "Transfer-Encoding" in headers:
        return problem(411, "length-required", "send the body unchunked, with its Content-Length")
    size = int(headers.get("Content-Length") or 0)
    if size > MAX_BODY_BYTES:
        return problem(413, "body-too-large", f"the body has {size:,} bytes; {MAX_BODY_BYTES:,} are allowed")
    is_form = request.url.path in FORMS
    wanted = "application/x-www-form-urlencoded" if is_form else "application/json"
    if size and headers.get("Content-Type", "").partition(";")[0].strip().lower() != wanted:
        kind = "a form" if is_form else "JSON"
        return problem(415, "not-json", f"the body must be {kind}: set `Content-Type: {wanted}`")
    return None


def _host_name(host: str) -> str | None:
    """`localhost:8000` as `localhost`, `[::1]:8000` as `::1`; None if that is not a host."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _query_names(dependant: Dependant) -> set[str]:
    names = {field.alias for field in dependant.query_params}
    return names.union(*map(_query_names, dependant.dependencies))
