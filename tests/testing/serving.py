"""A server in this process: the application behind real HTTP, and a coordinator that evaluates inline."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import sleep

import uvicorn
from fastapi import FastAPI

from dse.api import create_app
from dse.coordination.coordinator import Coordinator
from dse.requests.preflight import CHECKS
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from dse.store import Store


@dataclass(frozen=True)
class Served:
    """A running server.

    Attributes:
        url: where it listens.
        store: what it keeps.
    """

    url: str
    store: Store


@contextmanager
def serving(store: Store, evaluate: Evaluate, is_public: bool = False) -> Iterator[Served]:
    """Serve a store for as long as the context lasts."""
    coordinator = Coordinator(store, partial(InlineRunner, evaluate))
    thread = threading.Thread(target=coordinator.serve)
    with serving_app(create_app(store, CHECKS, is_public)) as url:
        thread.start()
        try:
            yield Served(url, store)
        finally:
            coordinator.end()
            thread.join(20)


@contextmanager
def serving_app(app: FastAPI) -> Iterator[str]:
    """The URL of an application, for as long as the context lasts."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)
