"""A server in this process: the application behind real HTTP, and a coordinator that evaluates inline."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import sleep

import uvicorn

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
    app = create_app(store, CHECKS, is_public)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1))
    coordinator = Coordinator(store, partial(InlineRunner, evaluate))
    threads = [threading.Thread(target=target) for target in (server.run, coordinator.serve)]
    for thread in threads:
        thread.start()
    while not server.started:
        sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Served(f"http://127.0.0.1:{port}", store)
    finally:
        server.should_exit = True
        coordinator.end()
        for thread in threads:
            thread.join(20)
