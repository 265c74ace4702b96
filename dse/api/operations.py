"""Routes for whoever keeps the server running: health, readiness, metrics, the description of the interface."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse, RedirectResponse
from prometheus_client import CONTENT_TYPE_LATEST

from dse.api.problems import RESPONSES
from dse.store import Store

#: Health is asked by those who have no token.
open_router = APIRouter(tags=["operations"])
router = APIRouter(tags=["operations"], responses=RESPONSES)


@open_router.get("/healthz")
def health() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@open_router.get("/readyz", responses={503: RESPONSES[503]})
def ready(request: Request) -> dict[str, str]:
    """The database answers too."""
    store: Store = request.app.state.store
    store.ping()
    return {"status": "ready"}


@router.get("/metrics", response_class=Response)
def metrics(request: Request) -> Response:
    """Prometheus metrics: sweeps and trials by state, requests by route."""
    return Response(request.app.state.metrics.text(), media_type=CONTENT_TYPE_LATEST)


@router.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> dict[str, Any]:
    """The description of this interface, as OpenAPI."""
    description: dict[str, Any] = request.app.openapi()
    return description


@router.get("/", include_in_schema=False)
def root() -> RedirectResponse:
    """Whoever opens the server in a browser finds the description."""
    return RedirectResponse("/docs")


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> HTMLResponse:
    """The description of this interface, for people."""
    return get_swagger_ui_html(openapi_url="/openapi.json", title=request.app.title)
