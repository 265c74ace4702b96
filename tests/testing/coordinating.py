"""A coordinator in a thread of the test, and what a test waits for."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic, sleep

from dse.coordination.coordinator import Coordinator
from dse.runners.base import Evaluate, Runner
from dse.runners.inline import InlineRunner
from dse.service import LocalService
from dse.store import Store
from dse.tables.columns import TrialTable

GPUS = ("a100-80gb", "h100-sxm")
VALID_POINTS = 96
#: Ray takes long to start on a busy machine.
PATIENCE_S = 120


@contextmanager
def coordinating(
    store: Store, evaluate: Evaluate, runner: Callable[[Evaluate], Runner] = InlineRunner
) -> Iterator[Coordinator]:
    coordinator = Coordinator(store, partial(runner, evaluate))
    thread = threading.Thread(target=coordinator.serve)
    thread.start()
    try:
        yield coordinator
    finally:
        coordinator.end()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def wait_for(what: Callable[[], bool]) -> None:
    deadline = monotonic() + PATIENCE_S
    while not what():
        assert monotonic() < deadline, "it never came true"
        sleep(0.02)


def is_finished(service: LocalService, key: str) -> bool:
    return service.status(key).state == "finished"


def rows(store: Store, key: str) -> list[dict[str, object]]:
    sweep = store.sweep(key)
    return [*map(TrialTable(sweep.spec).row, store.trials(sweep.id))]
