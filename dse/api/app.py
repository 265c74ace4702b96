"""The application, put together: every route but health asks for a token where there are any."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI, Request, Response
from starlette.middleware.trustedhost import TrustedHostMiddleware

from dse.api import catalog, operations, sweeps
from dse.api.access import Access, require
from dse.api.metrics import Metrics
from dse.api.problems import add_problem_handlers, problem
from dse.service.local import LocalService, Prepare, PrepareExtension
from dse.store import Store

PREFIX = "/api/v1"
#: The largest request body, in bytes; a space is two small text files and its headers.
LARGEST_BODY = 2 * 2**20
#: The hosts that a server without tokens answers to, so that no web page can reach it under a name of its own.
LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]", "::1"]

#: Methods that change nothing.
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

DESCRIPTION = """
Submit sweeps over the variants of a CUDA kernel, follow them, and ask which variant wins on which GPU, and why.

Errors are problem details (RFC 9457): `title` and `detail` say what is wrong, `errors` where in the input.
Send the token as `Authorization: Bearer TOKEN`; without any token on the server, it answers on loopback to everybody.
"""


def create_app(
    store: Store, prepare: Prepare, prepare_extension: PrepareExtension, is_public: bool = False
) -> FastAPI:
    """The application over a store.

    Args:
        store: where the sweeps are.
        prepare, prepare_extension: what checks a stranger's requests, as `LocalService` takes them.
        is_public: whether it may be reached under any host name; it then needs tokens.
    """
    app = FastAPI(
        title="cuda-dse",
        version="1",
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        max_body_size=LARGEST_BODY,
    )
    app.state.store = store
    app.state.access = Access(store, is_public)
    app.state.metrics = Metrics(store)
    app.state.service_of = lambda owner: LocalService(store, prepare, prepare_extension, owner)
    add_problem_handlers(app)
    app.include_router(operations.open_router)
    app.include_router(operations.router, dependencies=[Depends(require("read"))])
    app.include_router(sweeps.router, prefix=PREFIX, dependencies=[Depends(require("read"))])
    app.include_router(sweeps.comparison, prefix=PREFIX, dependencies=[Depends(require("read"))])
    app.include_router(catalog.router, prefix=PREFIX, dependencies=[Depends(require("read"))])
    app.middleware("http")(_refuse_foreign_pages)
    app.middleware("http")(_measure)
    if not is_public:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=LOOPBACK_HOSTS)
    return app


async def _refuse_foreign_pages(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    """Browsers say which page makes them ask; only a page of this server may change anything."""
    origin = request.headers.get("Origin")
    if (
        origin
        and request.method not in SAFE_METHODS
        and urlsplit(origin).netloc != request.headers.get("Host")
    ):
        return problem(403, "foreign-origin", f"pages of {origin} may not ask this server for changes")
    return await call_next(request)


async def _measure(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    metrics: Metrics = request.app.state.metrics
    with metrics.measured(request) as measurement:
        response = await call_next(request)
        measurement.status = response.status_code
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    return response
