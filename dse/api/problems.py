"""Errors as problem details (RFC 9457): the problem and its location in the input, without server internals."""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sqlalchemy.exc import DataError, InterfaceError, OperationalError, TimeoutError
from starlette.exceptions import HTTPException

from dse.errors import (
    AuthenticationError,
    GpuNotFound,
    InputError,
    PermissionDenied,
    SpaceNotFound,
)
from dse.refusals import REFUSALS, Refusal, dumped, problem_name
from dse.store import (
    FilterError,
    KeyRefused,
    OrderError,
    StoreError,
    StoreUnavailable,
    SweepChanged,
    SweepExists,
    SweepNotFound,
)
from dse.tracking import TrackingError
from search_spaces import SpaceError
from simcore.errors import CompileError, LaunchError, SimcoreError, UnknownGpu, did_you_mean

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"


class Place(BaseModel):
    """One problem and its location."""

    detail: str
    pointer: str | None = Field(
        None, description="A JSON pointer into the body, a query parameter, or a path in the space.yaml."
    )


class Problem(BaseModel):
    """RFC 9457 problem details."""

    type: str = Field(examples=["/problems/space-error"])
    title: str
    status: int
    detail: str
    errors: list[Place] = []
    data: dict[str, Any] = Field({}, description="The named values of the error.")


#: The error responses of every route.
RESPONSES: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": HTTPStatus(code).phrase, "content": {MEDIA_TYPE: {}}}
    for code in (400, 401, 403, 404, 409, 411, 413, 415, 422, 424, 503)
}

_STATUS: dict[type[Exception], int] = {
    AuthenticationError: 401,
    PermissionDenied: 403,
    SweepNotFound: 404,
    SpaceNotFound: 404,
    GpuNotFound: 404,
    SweepExists: 409,
    SweepChanged: 409,
    KeyRefused: 422,
    FilterError: 422,
    InputError: 422,
    TrackingError: 424,
    SpaceError: 422,
    SimcoreError: 422,
}


#: Messages in terms of JSON, by pydantic's error type.
_WORDS = {
    "missing": "this is missing",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_attributes_type": "must be an object",
    "model_type": "must be an object",
}

#: The location in the request, for errors that always have the same one.
_PLACE: dict[type[Exception], str] = {
    SweepExists: "/id",
    KeyRefused: "/id",
    UnknownGpu: "/gpus",
    CompileError: "/space",
    LaunchError: "/space",
    FilterError: "filter",
    OrderError: "order_by",
}


def add_problem_handlers(app: FastAPI) -> None:
    """Respond to every error with problem details."""
    for error, status in _STATUS.items():
        app.add_exception_handler(error, _refusal(status))
    for refused in (AuthenticationError, PermissionDenied):
        app.add_exception_handler(refused, _access_refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, http_problem)
    app.add_exception_handler(DataError, _not_storable)
    for error in (StoreError, OperationalError, InterfaceError, TimeoutError):
        app.add_exception_handler(error, _unavailable)
    app.add_exception_handler(Exception, _broken)


def status_of(error: Refusal) -> int:
    """The HTTP status of an error."""
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 400)


def _refusal(status: int) -> Any:
    def handle(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, REFUSALS)
        return _refused(status, error)

    return handle


def _refused(status: int, error: Refusal) -> JSONResponse:
    return problem(status, problem_name(type(error)), str(error), _places(error), dumped(error))


def _places(error: Refusal) -> list[Place]:
    """The locations of an error: those in the file for a space, otherwise one field of the request."""
    if isinstance(error, SpaceError):
        return [Place(detail=str(each), pointer=each.path or None) for each in error.problems]
    pointer = error.place if isinstance(error, InputError) else _PLACE.get(type(error))
    return [Place(detail=str(error), pointer=pointer)] if pointer else []


def _access_refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, AuthenticationError | PermissionDenied)
    log.warning("refused: %s %s: %s", request.method, request.url.path, error)
    response = _refused(status_of(error), error)
    if response.status_code == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    places = invalid_places(request, error)
    place = places[0].pointer if len(places) == 1 else None
    return _invalid_request(InputError(in_one_line(places), place), places)


def invalid_places(request: Request, error: RequestValidationError) -> list[Place]:
    """What is wrong with a request, place by place."""
    return [Place(detail=_said(request, each), pointer=_pointer(each)) for each in error.errors()]


def in_one_line(places: Sequence[Place]) -> str:
    """Each place with what is wrong there."""
    return "; ".join(f"{place.pointer or 'the body'}: {place.detail}" for place in places)


def http_problem(request: Request, error: Exception) -> JSONResponse:
    """The response to an error of the framework, such as an unknown route."""
    assert isinstance(error, HTTPException)
    response = problem(error.status_code, "http", str(error.detail))
    response.headers.update(error.headers or {})
    return response


def _not_storable(request: Request, error: Exception) -> JSONResponse:
    return _invalid_request(
        InputError("the request contains a text or a number that the database cannot store")
    )


def _invalid_request(error: InputError, places: Sequence[Place] = ()) -> JSONResponse:
    """The response to a request that is invalid before the service checks it."""
    return problem(422, "invalid-request", str(error), places, dumped(error))


def _unavailable(request: Request, error: Exception) -> JSONResponse:
    log.error("the database is unavailable", exc_info=error)
    return _refused(503, StoreUnavailable("the database does not respond; try again in a moment"))


def _broken(request: Request, error: Exception) -> JSONResponse:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return problem(500, "internal", "internal error; see the log of the server")


def problem(
    status: int,
    kind: str,
    detail: str,
    errors: Sequence[Place] = (),
    data: Mapping[str, Any] | None = None,
) -> JSONResponse:
    """The problem details response; `kind` is the last part of the problem's type."""
    content = Problem(
        type=f"/problems/{kind}",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        errors=list(errors),
        data=dict(data or {}),
    )
    return JSONResponse(content.model_dump(), status, media_type=MEDIA_TYPE)


def _said(request: Request, error: Mapping[str, Any]) -> str:
    """A message of pydantic in terms of JSON."""
    if error["type"] == "extra_forbidden":
        return _unknown_field(request, error["loc"])
    if error["type"] == "json_invalid":
        return f"not valid JSON: {error['ctx']['error']} at byte {error['loc'][-1]}"
    if error["type"] == "missing" and error["loc"][0] == "query":
        return "this query parameter is missing"
    return _WORDS.get(error["type"], str(error["msg"]).replace("Input should", "must", 1))


def _unknown_field(request: Request, location: Sequence[str | int]) -> str:
    """That there is no such field; for one of the body itself, which one may be meant."""
    _, *parents, name = location
    body = request.scope["route"].body_field
    known = () if parents or body is None else body.field_info.annotation.model_fields
    return f"unknown field{did_you_mean(str(name), known) or '; /openapi.json lists the known ones'}"


def _pointer(error: Mapping[str, Any]) -> str | None:
    """The location: `/trials` in the body, `limit` in the query; None for the body as a whole."""
    where, *rest = error["loc"]
    if where != "body":
        return str(rest[0])
    if error["type"] == "json_invalid":  # `rest` is a byte offset
        return None
    return "".join(f"/{part}" for part in rest) or None
