"""Every error that a person can put right says the same, and holds the same, on the other side of HTTP or a pipe."""

import json
import pickle
from collections.abc import Iterator
from inspect import signature
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Query
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dse import errors
from dse.api.app import PREFIX
from dse.api.problems import add_problem_handlers
from dse.errors import InputError, ServerError
from dse.refusals import REFUSALS, Refusal, dumped, problem_name, rebuilt
from dse.service.http import HttpService
from dse.store import FilterError, StoreUnavailable, SweepNotFound
from dse.store import errors as store_errors
from search_spaces import SpaceError
from simcore import errors as simcore_errors
from simcore.errors import CompileError, SimcoreError, UnsupportedInstruction
from testing.serving import serving_app

KINDS = [
    kind
    for module in (errors, store_errors, simcore_errors)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, REFUSALS)
] + [SpaceError]
#: What a server tells a client of; the rest is its own affair.
TOLD = [
    kind
    for kind in KINDS
    if issubclass(kind, InputError | SpaceError | SimcoreError | FilterError | SweepNotFound)
    or kind in (store_errors.SweepExists, store_errors.SweepChanged, store_errors.KeyRefused)
]


def made(kind: type[Refusal]) -> st.SearchStrategy[Refusal]:
    """Errors of a class, of any data that its annotations allow; a filter's place lies in a filter."""
    arguments: dict[str, Any] = dict.fromkeys(signature(kind).parameters, ...)
    if issubclass(kind, FilterError):
        arguments["position"] = st.none() | st.integers(0, 100)
    return st.builds(kind, **arguments)


@pytest.fixture(scope="module")
def raised() -> dict[str, Exception]:
    """What the server raises, by the name of the sweep that is asked for."""
    return {}


@pytest.fixture(scope="module")
def service(raised: dict[str, Exception]) -> Iterator[HttpService]:
    app = FastAPI()
    add_problem_handlers(app)

    @app.get(PREFIX + "/sweeps/{sweep}")
    def refuse(sweep: str) -> None:
        raise raised[sweep]

    @app.post(PREFIX + "/sweeps/{sweep}/prioritize")
    def prioritize(sweep: str, priority: Annotated[int, Query(le=10)]) -> None:
        raise AssertionError("a priority was let through")

    with serving_app(app) as url:
        yield HttpService(url, patience_s=0)


def told(service: HttpService, raised: dict[str, Exception], error: Exception) -> Exception:
    """What the client raises when the server does."""
    raised["this"] = error
    with pytest.raises(Exception) as told:  # noqa: PT011  # which, is what is asked
        service.status("this")
    return told.value


def assert_same(copy: object, error: Refusal) -> None:
    assert isinstance(copy, REFUSALS)
    assert (type(copy), str(copy), copy.data) == (type(error), str(error), error.data)


@given(st.sampled_from(KINDS).flatmap(made))
def test_every_error_is_made_again_from_its_name_and_data(error: Refusal) -> None:
    data = json.loads(json.dumps(dumped(error)))
    assert_same(rebuilt(problem_name(type(error)), data), error)
    assert_same(pickle.loads(pickle.dumps(error)), error)


@given(error=st.sampled_from(TOLD).flatmap(made))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_refusal_survives_the_trip(
    service: HttpService, raised: dict[str, Exception], error: Refusal
) -> None:
    assert_same(told(service, raised, error), error)


def test_what_an_error_knows_can_be_asked_of_its_copy(
    service: HttpService, raised: dict[str, Exception]
) -> None:
    log = told(service, raised, CompileError("kernel.cu does not compile", "kernel.cu(3): error"))
    assert isinstance(log, CompileError)
    assert log.log == "kernel.cu(3): error"
    unknown = told(service, raised, UnsupportedInstruction("HMMA.16816.F32", 0x40, "gemm", line="gemm.cu:12"))
    assert isinstance(unknown, UnsupportedInstruction)
    assert (unknown.opcode, unknown.address, unknown.kernel, unknown.line) == (
        "HMMA.16816.F32",
        64,
        "gemm",
        "gemm.cu:12",
    )


def test_a_request_that_is_no_request_is_an_input_error_with_its_place(service: HttpService) -> None:
    with pytest.raises(InputError, match="less than or equal to 10") as refused:
        service.prioritize("night", 99)
    assert refused.value.place == "priority"


def test_what_is_wrong_with_the_server_is_not_told(
    service: HttpService, raised: dict[str, Exception]
) -> None:
    lost = told(service, raised, store_errors.StoreError("/home/somebody/dse.db is corrupt"))
    assert isinstance(lost, StoreUnavailable)
    broken = told(service, raised, ServerError("a secret"))
    assert isinstance(broken, ServerError)
    assert not any(word in str(error) for error in (lost, broken) for word in ("somebody", "secret"))
