"""The HTTP interface as programs other than our client see it: problems, tokens, events, metrics, its own words."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.core.result import Ok

from dse.api import create_app
from dse.requests.preflight import CHECKS
from dse.requests.spaces import SpaceFiles
from dse.runners.base import Evaluate
from dse.store import Store
from dse.tokens import create_token
from search_spaces import load_space
from testing.serving import Served, serving

API = "/api/v1"
#: Requests of each operation that the fuzzer makes up.
FUZZED_REQUESTS = 25


GPU = "name: ours\nbase: h200\nlabel: {value: derived, unit: text, source: half of one}\n" + (
    "sms: {value: 66, unit: SMs, source: our machine room}\n"
)


@pytest.fixture
def served(tmp_path: Path, quick: Evaluate) -> Iterator[Served]:
    with serving(Store.open(tmp_path / "dse.db"), quick) as served:
        yield served


@pytest.fixture
def http(served: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.url, timeout=20) as client:
        yield client


@pytest.fixture
def question(space_file: Path) -> dict[str, object]:
    return {"space": SpaceFiles.of(load_space(space_file)).model_dump(), "gpus": ["h100-sxm"], "id": "mine"}


def test_a_missing_query_parameter_is_called_so(http: httpx.Client, question: dict[str, object]) -> None:
    http.post(f"{API}/sweeps", json=question).raise_for_status()
    urgent = http.post(f"{API}/sweeps/mine/prioritize", json={"priority": 2})
    assert urgent.status_code == 422
    assert urgent.json()["errors"] == [{"detail": "this query parameter is missing", "pointer": "priority"}]


def test_a_problem_says_what_is_wrong_and_where(http: httpx.Client, question: dict[str, object]) -> None:
    wrong = http.post(f"{API}/sweeps", json={**question, "seed": -1, "colour": "red"})
    assert wrong.status_code == 422
    assert wrong.headers["content-type"] == "application/problem+json"
    problem = wrong.json()
    assert problem["type"] == "/problems/invalid-request"
    assert {place["pointer"] for place in problem["errors"]} == {"/seed", "/colour"}
    missing = http.get(f"{API}/sweeps/nobody")
    assert (missing.status_code, missing.json()["type"]) == (404, "/problems/sweep-not-found")
    assert "nobody" in missing.json()["detail"]
    space = http.post(f"{API}/sweeps", json={**question, "parameters": {"unrol": [1]}}).json()
    assert space["type"] == "/problems/space-error"
    assert "did you mean unroll" in space["errors"][0]["detail"]
    yaml = {"yaml": "kernel: k\n", "source": ""}
    places = http.put(f"{API}/spaces/ours", json=yaml).json()["errors"]
    assert "parameters" in {place["pointer"] for place in places}
    for body, said in (
        ("[]", "must be an object"),
        ("{,", "not valid JSON"),
        ('{"gpus": 3}', "/gpus: must be a list"),
        ('{"space": "dot", "gpu": ["b200"]}', "/gpu: unknown field; did you mean 'gpus'?"),
        ('{"space": "dot", "colour": 1}', "/colour: unknown field; /openapi.json lists the known ones"),
    ):
        headers = {"Content-Type": "application/json"}
        assert said in http.post(f"{API}/sweeps", content=body, headers=headers).json()["detail"]
    query = http.get(f"{API}/sweeps", params={"limit": 0}).json()
    assert query["errors"][0]["pointer"] == "limit"
    state = http.get(f"{API}/sweeps", params={"state": "done"}).json()
    assert state["detail"].startswith("state: must be 'queued', 'running'")
    assert http.get("/nowhere").json()["type"] == "/problems/http"


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"space": "nobody"}, "/space"),
        ({"gpus": ["h1000"]}, "/gpus"),
        ({"gpus": ["h100-sxm,sms=0"]}, "/gpus"),
        ({"trials": 0}, "/trials"),
        ({"timeout_s": -1}, "/timeout_s"),
        ({"sampler": "tpee"}, "/sampler"),
        ({"parameters": {"unroll": [1], "width": [2]}}, "constraints[0]"),
        ({"id": "no spaces please"}, "/id"),
    ],
)
def test_a_refused_request_is_told_the_field(
    http: httpx.Client, question: dict[str, object], change: dict[str, object], pointer: str | None
) -> None:
    answer = http.post(f"{API}/sweeps", json={**question, **change})
    assert answer.status_code == 422
    assert [place["pointer"] for place in answer.json()["errors"]] == [pointer]


def test_a_query_that_cannot_be_meant_is_refused(http: httpx.Client, question: dict[str, object]) -> None:
    http.post(f"{API}/sweeps", json=question)
    for query, pointer in (
        ({"filtr": "gpu = 'h200'"}, "filtr"),
        ({"filter": "gpu ="}, "filter"),
        ({"order_by": "metrics.speed"}, "order_by"),
    ):
        answer = http.get(f"{API}/sweeps/mine/trials", params=query)
        assert answer.status_code == 422
        assert [place["pointer"] for place in answer.json()["errors"]] == [pointer]
    assert "did you mean 'filter'" in http.get(f"{API}/sweeps/mine/trials", params={"filtr": ""}).text
    assert http.get(f"{API}/gpus", params={"x": 1}).status_code == 422


def test_a_sweep_is_submitted_followed_and_read(http: httpx.Client, question: dict[str, object]) -> None:
    created = http.post(f"{API}/sweeps", json=question)
    assert created.status_code == 202
    assert created.json()["id"] == "mine"
    with http.stream("GET", f"{API}/sweeps/mine/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        states = [json.loads(line[5:]) for line in events.iter_lines() if line.startswith("data:")]
    assert states[-1]["state"] == "finished"
    assert states[-1]["counts"]["complete"] + states[-1]["counts"]["failed"] == states[-1]["total"] == 96
    page = http.get(f"{API}/sweeps/mine/trials", params={"limit": 10, "offset": 90}).json()
    assert (len(page["items"]), page["offset"], page["total"]) == (6, 90, 96)
    assert len(http.get(f"{API}/compare", params={"sweep": ["mine", "mine"]}).json()) == 1
    assert http.get(f"{API}/sweeps", params={"state": "queued"}).json()["total"] == 0
    assert http.delete(f"{API}/sweeps/mine").status_code == 204


def test_an_uploaded_space_can_be_named(http: httpx.Client, question: dict[str, object]) -> None:
    saved = http.put(f"{API}/spaces/ours", json=question["space"])
    assert saved.status_code == 200, saved.text
    assert saved.json()["points"] == 96
    listed = {space["name"]: space["origin"] for space in http.get(f"{API}/spaces").json()}
    assert listed["ours"] == "uploaded"
    assert http.post(f"{API}/sweeps", json={**question, "space": "ours"}).status_code == 202
    assert http.put(f"{API}/spaces/dot", json=question["space"]).status_code == 422


@pytest.mark.parametrize("name", ["/etc/passwd", "../scale", "file:///etc/passwd", "scale/space.yaml"])
def test_a_space_is_never_a_path_of_the_server(http: httpx.Client, name: str) -> None:
    answer = http.post(f"{API}/sweeps", json={"space": name})
    assert answer.status_code == 422
    assert "no space" in answer.json()["detail"]


def test_with_a_token_every_route_but_health_asks_for_one(served: Served, http: httpx.Client) -> None:
    routes = (
        "/metrics",
        "/openapi.json",
        f"{API}/sweeps",
        f"{API}/gpus",
        f"{API}/sweeps/x/events",
    )
    assert http.get(f"{API}/gpus").status_code == 200
    secrets = {scope: create_token(served.store, scope, [scope]) for scope in ("read", "submit", "admin")}
    for route in routes:
        refused = http.get(route)
        assert refused.status_code == 401, route
        assert refused.headers["www-authenticate"] == "Bearer"
    assert {http.get(route).status_code for route in ("/healthz", "/readyz")} == {200}
    for secret in secrets.values():
        assert http.get(f"{API}/gpus", headers={"Authorization": f"Bearer {secret}"}).status_code == 200
    for wrong in ("dse_wrong", secrets["read"][:-1], digest_in(served.store)):
        refused = http.get(f"{API}/gpus", headers={"Authorization": f"Bearer {wrong}"})
        assert refused.status_code == 401
        assert wrong not in refused.text
    served.store.revoke_token("read")
    refused = http.get(f"{API}/gpus", headers={"Authorization": f"Bearer {secrets['read']}"})
    assert refused.status_code == 401


def digest_in(store: Store) -> str:
    """What somebody who has read the database holds."""
    return next(token.digest for token in store.tokens())


def test_scopes_and_ownership(served: Served, http: httpx.Client, question: dict[str, object]) -> None:
    secrets = {
        name: create_token(served.store, name, [scope])
        for name, scope in (("reader", "read"), ("ann", "submit"), ("bob", "submit"), ("root", "admin"))
    }
    headers = {name: {"Authorization": f"Bearer {secret}"} for name, secret in secrets.items()}
    assert http.post(f"{API}/sweeps", json=question, headers=headers["reader"]).status_code == 403
    created = http.post(f"{API}/sweeps", json=question, headers=headers["ann"])
    assert created.json()["owner"] == "ann"
    assert http.get(f"{API}/sweeps/mine", headers=headers["reader"]).status_code == 200
    for verb in ("stop", "resume"):
        assert http.post(f"{API}/sweeps/mine/{verb}", headers=headers["reader"]).status_code == 403
        refused = http.post(f"{API}/sweeps/mine/{verb}", headers=headers["bob"])
        assert refused.status_code == 403
        assert "not yours; ask ann" in refused.json()["detail"]
        assert http.post(f"{API}/sweeps/mine/{verb}", headers=headers["ann"]).status_code == 200
    assert http.delete(f"{API}/sweeps/mine", headers=headers["bob"]).status_code == 403
    higher = f"{API}/sweeps/mine/prioritize?priority=2"
    assert http.post(higher, headers=headers["bob"]).status_code == 403
    assert http.post(higher, headers=headers["ann"]).json()["priority"] == 2
    assert http.delete(f"{API}/sweeps/mine", headers=headers["root"]).status_code == 204


@pytest.mark.parametrize("kind", ["space", "GPU"])
def test_what_was_uploaded_is_changed_by_who_did(
    served: Served, http: httpx.Client, question: dict[str, object], kind: str
) -> None:
    content = question["space"] if kind == "space" else {"yaml": GPU}
    ann, bob, root, reader = (
        {"Authorization": f"Bearer {create_token(served.store, name, [scope])}"}
        for name, scope in (("ann", "submit"), ("bob", "submit"), ("root", "admin"), ("reader", "read"))
    )
    path = f"{API}/{kind.lower()}s/ours"
    assert http.put(path, json=content, headers=reader).status_code == 403
    assert http.put(path, json=content, headers=ann).json()["owner"] == "ann"
    for refused in (http.put(path, json=content, headers=bob), http.delete(path, headers=bob)):
        assert refused.status_code == 403
        assert f"{kind} ours is not yours; ask ann" in refused.json()["detail"]
    assert http.get(path, headers=reader).json() == content
    assert http.put(path, json=content, headers=ann).status_code == 200
    assert http.delete(path, headers=root).status_code == 204
    assert http.get(path, headers=reader).status_code == 404
    assert http.delete(path, headers=ann).status_code == 404


def test_a_web_page_of_another_name_cannot_reach_a_server_without_tokens(http: httpx.Client) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example:80", "[evil", ""):
        refused = http.get(f"{API}/gpus", headers={"Host": host})
        assert (refused.status_code, refused.json()["type"]) == (400, "/problems/foreign-host"), host
    for host in ("localhost:1", "[::1]:8000", "127.0.0.1"):
        assert http.get(f"{API}/gpus", headers={"Host": host}).status_code == 200, host
    elsewhere = {"Origin": "https://evil.example", "Content-Type": "text/plain"}
    assert http.post(f"{API}/sweeps", content='{"space": "dot"}', headers=elsewhere).status_code == 403
    assert http.get(f"{API}/sweeps").json()["total"] == 0


def test_bodies_that_do_not_fit_are_refused(http: httpx.Client, question: dict[str, object]) -> None:
    def refused(**body: object) -> tuple[int, str]:
        answer = http.post(f"{API}/sweeps", **body)  # type: ignore[arg-type]
        return answer.status_code, answer.json()["type"].rpartition("/")[2]

    text = json.dumps(question).encode()
    space = dict(question["space"], source="/" * 17_000_000)  # type: ignore[call-overload]
    assert refused(json={**question, "space": space}) == (413, "body-too-large")
    assert refused(content=iter([text])) == (411, "length-required")
    assert refused(content=text) == (415, "not-json")
    assert refused(content=text, headers={"Content-Type": "text/plain"}) == (415, "not-json")
    assert refused(content=b"{", headers={"Content-Type": "application/json"}) == (422, "invalid-request")
    declared = {"Content-Type": "application/json; charset=utf-8"}
    assert http.post(f"{API}/sweeps", content=text, headers=declared).status_code == 202


def test_metrics_count_requests_by_route_and_trials_by_state(
    http: httpx.Client, question: dict[str, object]
) -> None:
    http.post(f"{API}/sweeps", json=question)
    http.get(f"{API}/sweeps/mine/events")
    text = http.get("/metrics").text
    assert 'dse_sweeps{state="finished"} 1.0' in text
    assert 'dse_trials{source="new",state="complete"} 64.0' in text
    assert 'route="/sweeps/{sweep}/events"' in text
    assert "mine" not in text


def test_methods_that_clients_invent_have_no_metrics_of_their_own(http: httpx.Client) -> None:
    for number in range(5):
        http.request(f"INVENTED{number}", "/healthz")
    text = http.get("/metrics").text
    assert "INVENTED" not in text
    assert 'method="other"' in text


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_what_no_database_can_hold_is_no_trouble_of_the_server(
    tmp_path: Path, postgres_url: str, quick: Evaluate, question: dict[str, object], database: str
) -> None:
    store = Store.open(tmp_path / "dse.db" if database == "sqlite" else postgres_url)
    with serving(store, quick) as served, httpx.Client(base_url=served.url + API) as http:
        assert http.post("/sweeps", json=question).status_code == 202
        for path, query in (
            ("/sweeps", {"owner": "\0"}),
            ("/sweeps", {"name": "a\0b"}),
            ("/sweeps/mine/best", {"gpu": "\0"}),
            ("/sweeps/mine/trials", {"filter": "gpu = '\0'"}),
            ("/sweeps/mine/trials", {"filter": "metrics.registers_per_thread < 9007199254740000"}),
            ("/sweeps/a%00b", {}),
        ):
            assert http.get(path, params=query).status_code < 500, (path, query)
        assert http.post("/sweeps", json={"space": "a\0b"}).status_code == 422


def test_a_database_that_is_gone_is_a_503_without_a_traceback(tmp_path: Path) -> None:
    from fastapi.testclient import TestClient

    store = Store(tmp_path / "never" / "made.db")
    app = create_app(store, CHECKS)
    http = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    answer = http.get(f"{API}/sweeps")
    assert answer.status_code == 503
    assert "made.db" not in answer.text
    assert http.get("/healthz").status_code == 200


def test_the_schema_describes_each_field_of_a_request_and_shows_no_docstring(http: httpx.Client) -> None:
    schemas = http.get("/openapi.json").json()["components"]["schemas"]
    assert not [name for name, schema in schemas.items() if "Attributes:" in schema.get("description", "")]
    for name in ("Request", "Extension", "SpaceFiles", "SweepStatus", "TrialRecord", "Best"):
        assert not [key for key, field in schemas[name]["properties"].items() if "description" not in field]
    assert schemas["Request"]["description"] == "A request for a sweep."
    asked = schemas["Request"]["properties"]
    assert (
        asked["trials"]["description"]
        == "Maximum number of trials over all GPUs; null means every valid point."
    )


def test_whatever_is_sent_the_server_does_not_break(tmp_path: Path) -> None:
    """Every operation, fuzzed from the server's own description of it; the endless one is read elsewhere."""
    store = Store.open(tmp_path / "dse.db")
    secret = create_token(store, "fuzzer", ["admin"])
    headers = {"Authorization": f"Bearer {secret}"}
    app = create_app(store, CHECKS, is_public=True)
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=headers)
    fuzzed = 0
    for result in schema.exclude(path_regex="/events$").get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()

        @settings(max_examples=FUZZED_REQUESTS, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def does_not_break(case: schemathesis.Case[Any]) -> None:
            response = case.call(headers=headers)
            assert response.status_code < 500, response.text
            assert "Traceback" not in response.text

        does_not_break()
        fuzzed += 1
    assert fuzzed > 15


@pytest.mark.parametrize("filter_", ["(" * 1900 + "gpu = 'x'" + ")" * 1900, "not " * 900 + "gpu = 'x'"])
def test_a_filter_nested_without_end_is_refused(
    http: httpx.Client, question: dict[str, object], filter_: str
) -> None:
    http.post(f"{API}/sweeps", json=question)
    refused = http.get(f"{API}/sweeps/mine/trials", params={"filter": filter_})
    assert refused.status_code == 422
    assert "nested conditions" in refused.json()["detail"]
