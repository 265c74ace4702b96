"""Routes for sweeps: submit, list, follow, query, stop, resume, extend, delete."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, status
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request as HttpRequest

from dse.answers.best import Best
from dse.answers.portability import WITHIN, Portability, parse_weights
from dse.api.access import Details, TheCaller, TheService, require
from dse.api.problems import RESPONSES
from dse.requests.request import MAX_PRIORITY, Extension, Request
from dse.service import Page, SweepStatus
from dse.service.contract import FOLLOW_S, MAX_PAGE_SIZE
from dse.service.records import MlflowSync
from dse.store import SweepQuery, SweepSpec, TrialQuery, TrialRecord
from dse.store.records import SweepState

router = APIRouter(prefix="/sweeps", tags=["sweeps"], responses=RESPONSES)

comparison = APIRouter(tags=["sweeps"], responses=RESPONSES)

SweepId = Annotated[str, Path(description="The sweep's id.", max_length=100, examples=["rsqrt-on-hopper"])]
Limit = Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE, description="Maximum number of items in the page.")]
Offset = Annotated[int, Query(ge=0, le=2**31 - 1, description="Number of items before the page.")]
Filter = Annotated[
    str | None,
    Query(max_length=4000, description="For example `params.unroll >= 4 and metrics.time_us < 10`."),
]
Name = Annotated[str | None, Query(max_length=200)]

_submitters = [Depends(require("submit"))]


@router.post("", status_code=status.HTTP_202_ACCEPTED, dependencies=_submitters)
def create_sweep(request: Request, service: TheService, details: Details) -> SweepStatus:
    """Queue a sweep. Repeating a request returns the same sweep; a different request with the same id is refused.

    Without an id, requests with the same content are the same sweep.
    """
    status = service.create(request)
    details.append(f"(sweep {status.id}: {status.name}, {status.total:,} trials)")
    return status


@router.get("")
def list_sweeps(
    service: TheService,
    state: Annotated[
        list[SweepState] | None, Query(description="Only these states; may be repeated.")
    ] = None,
    name: Name = None,
    owner: Name = None,
    limit: Limit = 100,
    offset: Offset = 0,
    newest_first: bool = True,
) -> Page[SweepStatus]:
    """The sweeps, newest first."""
    query = SweepQuery(tuple(state or ()), name, owner, limit, offset, newest_first)
    return service.sweep_page(query)


@router.get("/{sweep}")
def get_sweep(sweep: SweepId, service: TheService) -> SweepStatus:
    """The status of a sweep."""
    return service.status(sweep)


@router.get("/{sweep}/spec")
def get_spec(sweep: SweepId, service: TheService) -> SweepSpec:
    """The request of a sweep: the files of its space, GPUs, values and budget."""
    return service.spec(sweep)


def _existing(sweep: SweepId, service: TheService) -> SweepStatus:
    return service.status(sweep)


@router.get("/{sweep}/events", response_class=EventSourceResponse)
async def follow_sweep(
    first: Annotated[SweepStatus, Depends(_existing)], service: TheService, request: HttpRequest
) -> AsyncIterator[ServerSentEvent]:
    """Server-sent events: `status` after each change; the stream ends with the sweep, or with the server."""
    latest = first
    yield ServerSentEvent(event="status", data=latest)
    while latest.is_active and not request.app.state.is_ending():
        await asyncio.sleep(FOLLOW_S)
        now = await run_in_threadpool(service.status, first.id)
        if now != latest:
            yield ServerSentEvent(event="status", data=now)
        latest = now


@router.get("/{sweep}/trials")
def list_trials(
    sweep: SweepId,
    service: TheService,
    filter: Filter = None,
    order_by: Annotated[
        str | None,
        Query(max_length=1000, description="For example `metrics.ipc desc`; default: by GPU and point."),
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
    after: Annotated[
        str | None,
        Query(
            pattern=r"^[\w.,=-]{1,64},\d{1,18}$",
            description="GPU and point index of a trial; returns those after it in the default order.",
            examples=["h200,17"],
        ),
    ] = None,
) -> Page[TrialRecord]:
    """The trials that match a filter. To read all trials of a running sweep, use `after` instead of `offset`."""
    gpu, _, index = (after or "").rpartition(",")
    query = TrialQuery(filter, order_by, limit, offset, (gpu, int(index)) if after else None)
    return service.trial_page(sweep, query)


@router.get("/{sweep}/best")
def best_trials(
    sweep: SweepId,
    service: TheService,
    gpu: Annotated[str | None, Query(max_length=64)] = None,
    filter: Filter = None,
) -> dict[str, TrialRecord]:
    """The best complete trial of each GPU, or of one, by the first objective."""
    return service.best(sweep, gpu, filter)


@router.get("/{sweep}/winners")
def winning_trials(sweep: SweepId, service: TheService) -> list[TrialRecord]:
    """The best complete trial of each GPU and workload."""
    return service.winners(sweep)


@router.get("/{sweep}/answers")
def answers_of_sweep(sweep: SweepId, service: TheService) -> list[Best]:
    """The winners, each with the variants that the model cannot tell from it, and the one to take."""
    return service.answers(sweep)


@router.get("/{sweep}/front")
def front_of_sweep(sweep: SweepId, service: TheService) -> list[TrialRecord]:
    """The Pareto front of each GPU and workload, for sweeps with several objectives."""
    return service.front(sweep)


@router.get("/{sweep}/portable")
def portable_variants(
    sweep: SweepId,
    service: TheService,
    weight: Annotated[
        list[str] | None,
        Query(max_length=50, description="A GPU's share, as `h200=0.5`; they add up to 1. Default: equal."),
    ] = None,
    within: Annotated[float, Query(ge=0, le=10, description="The slowdown that a set may have.")] = WITHIN,
) -> Portability:
    """One variant for all GPUs and workloads, and sets of a few."""
    return service.portable(sweep, parse_weights(weight or ()), within)


def _own(sweep: SweepId, service: TheService, caller: TheCaller) -> str:
    caller.check("submit")
    caller.check_owns(f"sweep {sweep}", service.status(sweep).owner)
    return sweep


OwnSweep = Annotated[str, Depends(_own)]


@router.post("/{sweep}/stop")
def stop_sweep(sweep: OwnSweep, service: TheService) -> SweepStatus:
    """Stop a sweep soon; completed trials are kept, and resuming completes the sweep."""
    return service.stop(sweep)


@router.post("/{sweep}/resume")
def resume_sweep(
    sweep: OwnSweep,
    service: TheService,
    timeout_s: Annotated[float | None, Query(gt=0, allow_inf_nan=False)] = None,
) -> SweepStatus:
    """Queue an ended sweep again to complete it."""
    return service.resume(sweep, timeout_s)


@router.post("/{sweep}/extend")
def extend_sweep(sweep: OwnSweep, extension: Extension, service: TheService) -> SweepStatus:
    """Extend a sweep by trials, values or GPUs; known results are not evaluated again."""
    return service.extend(sweep, extension)


@router.post("/{sweep}/prioritize")
def prioritize_sweep(
    sweep: OwnSweep,
    service: TheService,
    priority: Annotated[int, Query(ge=-MAX_PRIORITY, le=MAX_PRIORITY)],
) -> SweepStatus:
    """Change the priority of a sweep, even while it runs; each step doubles its share of the workers."""
    return service.prioritize(sweep, priority)


@router.post("/{sweep}/mlflow", dependencies=_submitters)
def sync_mlflow(
    sweep: SweepId,
    service: TheService,
    caller: TheCaller,
    again: Annotated[
        bool, Query(description="Delete the sweep's runs first, which only its owner may.")
    ] = False,
) -> MlflowSync:
    """Export to MLflow what is missing of a sweep, and restore what was deleted there."""
    if again:
        caller.check_owns(f"sweep {sweep}", service.status(sweep).owner)
    return service.sync_mlflow(sweep, again)


@router.delete("/{sweep}", status_code=status.HTTP_204_NO_CONTENT)
def delete_sweep(sweep: OwnSweep, service: TheService) -> None:
    """Delete a sweep and its trials; the results remain available to other sweeps."""
    service.delete(sweep)


@comparison.get("/compare")
def compare_sweeps(
    service: TheService, sweep: Annotated[list[str], Query(min_length=2, max_length=50)]
) -> dict[str, list[TrialRecord]]:
    """The best trial of each GPU and workload, by sweep."""
    return {each: service.winners(each) for each in sweep}
