"""The service of a server, over HTTP, with retries.

All requests are idempotent, so they are retried with back-off if the connection is lost. Responses are
validated as the records that they represent.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import cache
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from httpx_sse import connect_sse
from pydantic import BaseModel, TypeAdapter

from dse.answers.best import Best
from dse.answers.portability import WITHIN, Portability
from dse.errors import AuthenticationError, ServerError
from dse.refusals import rebuilt
from dse.requests.gpus import GpuFile
from dse.requests.request import Extension, Request
from dse.requests.spaces import SpaceFiles
from dse.service.contract import MAX_PAGE_SIZE, Service
from dse.service.patience import Unanswered, patient, renew
from dse.service.records import GpuSummary, MlflowSync, Page, SpaceSummary, SweepStatus
from dse.store import SweepSpec, TrialRecord, VariantRecord
from dse.store.queries import ALL_TRIALS, SweepQuery, TrialQuery

Answer = TypeVar("Answer")

API = "/api/v1"
CONNECT_TIMEOUT_S = 5.0
#: Submitting compiles a few points on the server, so a response may take a while.
READ_TIMEOUT_S = 120.0
#: An MLflow server takes some thirty milliseconds a run, and waits for another export of the same database.
MLFLOW_TIMEOUT_S = 600.0
#: How long requests to a server that does not respond are retried; questions to one that has never responded are not.
PATIENCE_S = 30.0
#: A silent stream of events is reopened after this time; the server sends a keep-alive every 15 s.
SILENCE_S = 40.0

#: Status codes of overload, and of proxies in front of a server that restarts.
_TRY_AGAIN = {429, 502, 503, 504}


class HttpService(Service):
    """A client of a server.

    Args:
        url: for example `http://127.0.0.1:8000`.
        token: token for the server.
        patience_s: seconds of retries if the server does not respond.
    """

    def __init__(self, url: str, token: str | None = None, patience_s: float = PATIENCE_S) -> None:
        self.url = url.rstrip("/")
        self._patience_s = patience_s
        self._has_responded = False
        self._http = httpx.Client(
            base_url=self.url + API,
            headers={"Authorization": f"Bearer {token}"} if token else {},
        )

    def create(self, request: Request) -> SweepStatus:
        return self._ask(SweepStatus, "POST", "/sweeps", body=request)

    def status(self, sweep: str) -> SweepStatus:
        return self._ask(SweepStatus, "GET", f"/sweeps/{_quoted(sweep)}")

    def spec(self, sweep: str) -> SweepSpec:
        return self._ask(SweepSpec, "GET", f"/sweeps/{_quoted(sweep)}/spec")

    def sweep_page(self, query: SweepQuery) -> Page[SweepStatus]:
        asked = asdict(query)
        return self._ask(Page[SweepStatus], "GET", "/sweeps", state=asked.pop("states"), **asked)

    def follow(self, sweep: str) -> Iterator[SweepStatus]:
        latest: SweepStatus | None = None
        while latest is None or latest.is_active:
            for attempt in patient(self._patience_s):
                with attempt:
                    for status in self._events(sweep):
                        renew(attempt)
                        if status != latest:
                            yield status
                        latest = status

    def trials(self, sweep: str, query: TrialQuery = ALL_TRIALS) -> Iterator[TrialRecord]:
        """Pages in the default order continue after the last trial, which avoids duplicates in a running sweep."""
        left = query.limit
        while left is None or left > 0:
            size = MAX_PAGE_SIZE if left is None else min(left, MAX_PAGE_SIZE)
            items = self.trial_page(sweep, replace(query, limit=size)).items
            yield from items
            if len(items) < size:
                return
            left = None if left is None else left - size
            if query.order_by is None:
                query = replace(query, offset=0, after=items[-1].place)
            else:
                query = replace(query, offset=query.offset + size)

    def trial_page(self, sweep: str, query: TrialQuery) -> Page[TrialRecord]:
        asked = {**asdict(query), "after": ",".join(map(str, query.after)) if query.after else None}
        return self._ask(Page[TrialRecord], "GET", f"/sweeps/{_quoted(sweep)}/trials", **asked)

    def best(self, sweep: str, gpu: str | None = None, filter: str | None = None) -> dict[str, TrialRecord]:
        path = f"/sweeps/{_quoted(sweep)}/best"
        return self._ask(dict[str, TrialRecord], "GET", path, gpu=gpu, filter=filter)

    def winners(self, sweep: str) -> list[TrialRecord]:
        return self._ask(list[TrialRecord], "GET", f"/sweeps/{_quoted(sweep)}/winners")

    def variants(self, sweep: str) -> Iterator[VariantRecord]:
        further = [metric for _, metric in self.spec(sweep).objectives[1:]]
        for trial in self.trials(sweep, TrialQuery("state = 'complete'")):
            if trial.score is not None:
                yield VariantRecord(
                    trial.gpu,
                    trial.point_index,
                    trial.number,
                    trial.parameters,
                    trial.score,
                    trial.metrics.get("registers_per_thread"),
                    trial.metrics.get("code_bytes"),
                    trial.metrics.get("theoretical_occupancy"),
                    trial.metrics.get("local_bytes_per_thread"),
                    tuple(trial.metrics.get(metric) for metric in further),
                    trial.same_code_as,
                )

    def answers(self, sweep: str) -> list[Best]:
        return self._ask(list[Best], "GET", f"/sweeps/{_quoted(sweep)}/answers")

    def front(self, sweep: str) -> list[TrialRecord]:
        return self._ask(list[TrialRecord], "GET", f"/sweeps/{_quoted(sweep)}/front")

    def portable(
        self, sweep: str, weights: Mapping[str, float] | None = None, within: float = WITHIN
    ) -> Portability:
        path = f"/sweeps/{_quoted(sweep)}/portable"
        weight = [f"{gpu}={share!r}" for gpu, share in (weights or {}).items()]
        return self._ask(Portability, "GET", path, weight=weight, within=within)

    def stop(self, sweep: str) -> SweepStatus:
        return self._ask(SweepStatus, "POST", f"/sweeps/{_quoted(sweep)}/stop")

    def resume(self, sweep: str, timeout_s: float | None = None) -> SweepStatus:
        return self._ask(SweepStatus, "POST", f"/sweeps/{_quoted(sweep)}/resume", timeout_s=timeout_s)

    def extend(self, sweep: str, extension: Extension) -> SweepStatus:
        return self._ask(SweepStatus, "POST", f"/sweeps/{_quoted(sweep)}/extend", body=extension)

    def prioritize(self, sweep: str, priority: int) -> SweepStatus:
        path = f"/sweeps/{_quoted(sweep)}/prioritize"
        return self._ask(SweepStatus, "POST", path, priority=priority)

    def sync_mlflow(self, sweep: str, again: bool = False) -> MlflowSync:
        import dse.tracking.errors  # noqa: F401 - whose errors it raises

        path = f"/sweeps/{_quoted(sweep)}/mlflow"
        return self._ask(MlflowSync, "POST", path, answer_s=MLFLOW_TIMEOUT_S, again=again)

    def delete(self, sweep: str) -> None:
        self._send("DELETE", f"/sweeps/{_quoted(sweep)}")

    def spaces(self) -> list[SpaceSummary]:
        return self._ask(list[SpaceSummary], "GET", "/spaces")

    def save_space(self, name: str, files: SpaceFiles) -> SpaceSummary:
        return self._ask(SpaceSummary, "PUT", f"/spaces/{_quoted(name)}", body=files)

    def space(self, name: str) -> SpaceFiles:
        return self._ask(SpaceFiles, "GET", f"/spaces/{_quoted(name)}")

    def delete_space(self, name: str) -> None:
        self._send("DELETE", f"/spaces/{_quoted(name)}")

    def gpus(self) -> list[GpuSummary]:
        return self._ask(list[GpuSummary], "GET", "/gpus")

    def save_gpu(self, name: str, profile: GpuFile) -> GpuSummary:
        return self._ask(GpuSummary, "PUT", f"/gpus/{_quoted(name)}", body=profile)

    def gpu(self, name: str) -> GpuFile:
        return self._ask(GpuFile, "GET", f"/gpus/{_quoted(name)}")

    def delete_gpu(self, name: str) -> None:
        self._send("DELETE", f"/gpus/{_quoted(name)}")

    def _ask(
        self,
        kind: type[Answer],
        method: str,
        path: str,
        body: BaseModel | None = None,
        answer_s: float = READ_TIMEOUT_S,
        **query: Any,
    ) -> Answer:
        answer: Answer = _adapter(kind).validate_json(  # type: ignore[arg-type]
            self._send(method, path, body, answer_s, **query).content
        )
        return answer

    def _send(
        self,
        method: str,
        path: str,
        body: BaseModel | None = None,
        answer_s: float = READ_TIMEOUT_S,
        **query: Any,
    ) -> httpx.Response:
        """The response to a request, with retries."""
        is_dead = method == "GET" and not self._has_responded
        patience = patient(0.0 if is_dead else self._patience_s)
        given = {name: value for name, value in query.items() if value is not None}
        content = body.model_dump(mode="json") if body else None
        timeout = httpx.Timeout(answer_s, connect=CONNECT_TIMEOUT_S)

        def attempt() -> httpx.Response:
            with self._reaching():
                response = self._http.request(method, path, params=given, json=content, timeout=timeout)
            self._has_responded = True
            is_again = patience.statistics["attempt_number"] > 1
            is_gone_already = method == "DELETE" and response.status_code == httpx.codes.NOT_FOUND
            if response.is_success or (is_again and is_gone_already):
                return response
            raise self._failure(response)

        return patience(attempt)

    def _events(self, sweep: str) -> Iterator[SweepStatus]:
        """The status events of a sweep, until the stream ends or the connection is lost."""
        path = f"/sweeps/{_quoted(sweep)}/events"
        timeout = httpx.Timeout(SILENCE_S, connect=CONNECT_TIMEOUT_S)
        with self._reaching(), connect_sse(self._http, "GET", path, timeout=timeout) as events:
            if not events.response.is_success:
                events.response.read()
                raise self._failure(events.response)
            for event in events.iter_sse():
                yield _adapter(SweepStatus).validate_json(event.data)

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Translate the errors of httpx."""
        try:
            yield
        except httpx.TransportError as error:
            raise Unanswered(self._unreachable(error)) from error
        except httpx.InvalidURL as error:
            raise self._unreachable(error) from error

    def _failure(self, response: httpx.Response) -> Exception:
        """The error for an unsuccessful response: one to retry, or a refusal."""
        refusal = self._refusal(response)
        return Unanswered(refusal) if response.status_code in _TRY_AGAIN else refusal

    def _unreachable(self, error: Exception) -> ServerError:
        return ServerError(
            f"{self.url} cannot be reached ({error or type(error).__name__}); is `dse serve` running there?"
        )

    def _refusal(self, response: httpx.Response) -> Exception:
        """The error of a problem response, the same as in process."""
        try:
            problem = response.json()
            kind, detail = problem["type"].rpartition("/")[2], str(problem["detail"])
        except (ValueError, KeyError, TypeError, AttributeError):
            what = f"{response.status_code} {response.reason_phrase}"
            return ServerError(f"{self.url} responds with {what}; is it the address of a dse server?")
        try:
            error = rebuilt("input-error" if kind == "invalid-request" else kind, problem.get("data"))
        except (KeyError, ValueError):
            return ServerError(f"{self.url}: {detail}")
        if isinstance(error, AuthenticationError):
            return AuthenticationError(f"{error}; pass it: DSE_TOKEN, --token or Client(..., token=)")
        return error


_adapter = cache(TypeAdapter)


def _quoted(name: str) -> str:
    """An id, quoted for a path."""
    return quote(name, safe="")
