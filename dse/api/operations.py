"""Routes for operators: health, readiness, metrics, OpenAPI."""

from typing import Any

from fastapi import APIRouter, Request, Response
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
