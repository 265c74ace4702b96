"""The FastAPI application; every route except health requires a token if there are any."""

from collections.abc import Awaitable, Callable

from fastapi import Depends, FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles

from dse.api import catalog, operations, sweeps
from dse.api.access import Access, logged, require
from dse.api.metrics import Metrics
from dse.api.openapi import Api
from dse.api.pages import catalog as catalog_pages
from dse.api.pages import router as pages
from dse.api.pages import signing_in
from dse.api.pages.rendering import add_page_handlers
from dse.api.problems import add_problem_handlers
from dse.api.request_guard import RequestGuard, refuse_unknown_query
from dse.requests.preflight import Checks
from dse.service.local import LocalService
from dse.store import Store
from dse.tracking import MlflowTracker

PREFIX = "/api/v1"

DESCRIPTION = """
Submit sweeps over the variants of a CUDA kernel, follow their progress, and find the fastest variant on each GPU and
its bottleneck.

Errors are problem details (RFC 9457): `title` and `detail` describe the problem, `errors` its location in the input.
Send the token as `Authorization: Bearer TOKEN`. A server without tokens listens on loopback and requires none.
"""


def create_app(
    store: Store, checks: Checks, is_public: bool = False, tracker: MlflowTracker | None = None
) -> FastAPI:
    """Create the application for a store.

    Args:
        store: the store with the sweeps.
        checks: the checks of untrusted requests.
        is_public: whether to accept any host name; tokens are then required.
        tracker: exports sweeps to MLflow when asked to; None means no MLflow.
    """
    app = Api(
        title="cuda-dse",
        version="1",
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.state.store = store
    app.state.access = Access(store, is_public)
    app.state.metrics = Metrics(store)
    app.state.is_ending = lambda: False
    app.state.service_of = lambda owner: LocalService(store, checks, owner, tracker, has_ui=False)
    add_problem_handlers(app)
    add_page_handlers(app)
    readers = [Depends(require("read")), Depends(refuse_unknown_query)]
    app.include_router(operations.open_router)
    app.include_router(operations.router, dependencies=readers)
    for router in (sweeps.router, sweeps.comparison, catalog.router):
        app.include_router(router, prefix=PREFIX, dependencies=[*readers, Depends(logged)])
    for router in (pages.router, catalog_pages.router):
        app.include_router(router, dependencies=readers)
    app.include_router(signing_in.router)
    app.mount("/static", StaticFiles(packages=[("dse.api.pages", "static"), ("fastapi_offline", "static")]))
    app.middleware("http")(RequestGuard(is_public))
    app.middleware("http")(_measure)
    return app


async def _measure(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    metrics: Metrics = request.app.state.metrics
    with metrics.measured(request) as measurement:
        response = await call_next(request)
        measurement.status = response.status_code
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    return response
