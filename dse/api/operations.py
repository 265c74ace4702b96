"""Routes for operators: health, readiness, metrics, OpenAPI."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse, RedirectResponse
from prometheus_client import CONTENT_TYPE_LATEST

from dse.api.problems import RESPONSES
from dse.store import Store

#: Health probes have no token.
open_router = APIRouter(tags=["operations"])
router = APIRouter(tags=["operations"], responses=RESPONSES)


@open_router.get("/healthz")
def health() -> dict[str, str]:
    """The process responds."""
    return {"status": "ok"}


@open_router.get("/readyz", responses={503: RESPONSES[503]})
def ready(request: Request) -> dict[str, str]:
    """The database responds too."""
    store: Store = request.app.state.store
    store.ping()
    return {"status": "ready"}


@router.get("/metrics", response_class=Response)
def metrics(request: Request) -> Response:
    """Prometheus metrics: sweeps and trials by state, requests by route."""
    return Response(request.app.state.metrics.text(), media_type=CONTENT_TYPE_LATEST)


@router.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> dict[str, Any]:
    """The OpenAPI schema of this API."""
    description: dict[str, Any] = request.app.openapi()
    return description


@router.get("/", include_in_schema=False)
def root() -> RedirectResponse:
    """Redirect browsers to the documentation of the API."""
    return RedirectResponse("/docs")


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> HTMLResponse:
    """The documentation of the API (Swagger UI)."""
    return get_swagger_ui_html(openapi_url="/openapi.json", title=request.app.title)
