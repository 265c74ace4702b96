"""`dse serve` and `dse coordinate`: the processes of a service, each of which may be killed at any time.

The server serves HTTP and supervises a coordinator as a child process, which is restarted if it dies and ends
if the server dies. Both are configured only by the home folder and the environment.
"""

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import uvicorn
from tenacity import (
    RetryCallState,
    Retrying,
    sleep_using_event,
    stop_when_event_set,
    wait_exponential,
)

from dse.errors import InputError
from dse.home import Home
from dse.runners.limits import PointLimits
from dse.service.patience import renew
from dse.store import Store
from dse.tokens import register_admin

if TYPE_CHECKING:
    from dse.coordination.coordinator import Coordinator
    from dse.runners.base import Runner
    from dse.tracking.address import Address

LOOPBACK = ("127.0.0.1", "::1", "localhost")
#: Environment variable with the secret of the first administrator token.
ADMIN_TOKEN = "DSE_ADMIN_TOKEN"
#: Grace period in seconds for requests in progress when the server shuts down.
GRACE_S = 5
#: Back-off before restarting a coordinator that died; it is reset after a long life.
FIRST_PAUSE_S = 0.5
MAX_PAUSE_S = 10.0
LONG_LIFE_S = 5.0

log = logging.getLogger(__name__)


def serve(
    home: Home,
    host: str,
    port: int,
    with_coordinator: bool = True,
    workers: int | None = None,
    limits: PointLimits | None = None,
    on_ray: bool = True,
) -> None:
    """Serve HTTP until a signal arrives.

    Args:
        home: the home folder.
        host: the address to listen on; beyond loopback only if there are tokens.
        port: the port; 0 chooses a free one.
        with_coordinator: whether to run a coordinator too.
        workers: number of worker processes; None means one per core.
        limits: what each point may take at most.
        on_ray: whether the workers are Ray's, or child processes of the coordinator.

    Raises:
        InputError: listening on the address fails or is not allowed.
    """
    from dse.api import create_app
    from dse.requests.confined import CONFINED_CHECKS, default_sandbox
    from dse.tracking import MlflowTracker

    _log(logging.INFO)
    store = Store.open(home.create().store_url)
    if secret := os.environ.pop(ADMIN_TOKEN, ""):
        register_admin(store, secret)
    is_public = host not in LOOPBACK
    if is_public and not store.has_tokens():
        raise InputError(
            f"--host {host} is reachable from other machines, and there is no token yet: create one with "
            f"`dse token create NAME --scope admin{home.option}`, or listen on 127.0.0.1"
        )
    listener = _listen(host, port)
    tracker = MlflowTracker(home.mlflow_uri, store)
    app = create_app(store, CONFINED_CHECKS, is_public, tracker)
    default_sandbox().start()
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=GRACE_S, server_header=False)
    keeper = _CoordinatorKeeper(home, workers, limits or PointLimits(), on_ray) if with_coordinator else None
    try:
        _announce(listener, home, tracker.address, store.has_tokens())
        server = uvicorn.Server(config)
        app.state.is_ending = lambda: server.should_exit
        server.run(sockets=[listener])
        log.info("stopping")
    finally:
        if keeper:
            keeper.end()


def coordinate(
    home: Home,
    workers: int | None = None,
    until_closed: bool = False,
    limits: PointLimits | None = None,
    on_ray: bool = True,
) -> None:
    """Run submitted sweeps until a signal arrives.

    Args:
        home: the home folder.
        workers: number of worker processes; None means one per core.
        until_closed: whether to end when standard input closes, which happens when the parent dies.
        limits: what each point may take at most.
        on_ray: whether the workers are Ray's, or child processes of this one.
    """
    from dse.coordination.coordinator import Coordinator
    from dse.tracking import MlflowExporter, MlflowTracker

    _log(logging.WARNING)
    store = Store.open(home.create().store_url)
    exporter = MlflowExporter(MlflowTracker(home.mlflow_uri, store), store)
    coordinator = Coordinator(store, partial(_start_runner, on_ray, workers, limits), exporter)
    _on_end(coordinator.end)
    if until_closed:
        threading.Thread(target=_wait_for_end_of_input, args=(coordinator.end,), daemon=True).start()
    in_line = _Line(coordinator)
    with store.coordinator_lock(in_line.leaves) as is_held:
        if is_held is None:
            return
        exporter.start()
        coordinator.serve(is_held)
        exporter.finish(GRACE_S)


def _start_runner(on_ray: bool, workers: int | None, limits: PointLimits | None) -> "Runner":
    if on_ray:
        from dse.runners.ray import RayRunner

        return RayRunner(workers=workers, limits=limits)
    from dse.runners.local import LocalRunner

    return LocalRunner(workers=workers, limits=limits)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise InputError(
            f"cannot listen on {host}:{port} ({error.strerror}); choose another --port"
        ) from error


def _announce(listener: socket.socket, home: Home, address: "Address", has_tokens: bool) -> None:
    host, port = listener.getsockname()[:2]
    nearby = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    url = f"http://{f'[{nearby}]' if ':' in nearby else nearby}:{port}"
    access = "tokens are required" if has_tokens else "no tokens, so only this machine can reach it"
    everywhere = "" if nearby == host else ", and on all other addresses of this machine"
    print(f"serving {home.root} at {url}{everywhere} ({access})", flush=True)
    if address.is_server:
        problem = "" if address.responds() else ", which does not respond yet: runs are written once it does"
        print(f"exporting runs to MLflow at {address.shown}{problem}", flush=True)
    create = f"dse token create NAME{home.option}"
    token = f"  export DSE_TOKEN=...  # what `{create}` printed\n" if has_tokens else ""
    lock = "" if has_tokens else f"  {create}  # from then on the server asks for a token\n"
    print(
        f"next:\n  export DSE_SERVER={url}\n{token}  dse submit rsqrt_chain\n  dse list\n{lock}",
        end="",
        flush=True,
    )


def _log(level: int) -> None:
    """Log to standard error, with the time: what this program does from a level on, and warnings of all others."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
    logging.getLogger("dse").setLevel(level)


def _on_end(action: Callable[[], None]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: action())


def _wait_for_end_of_input(action: Callable[[], None]) -> None:
    with suppress(OSError):
        # Not through `sys.stdin`, whose lock would outlive this thread.
        while os.read(sys.stdin.fileno(), 1024):
            pass
    action()


class _Line:
    """Decides how long to wait for another coordinator to end."""

    def __init__(self, coordinator: "Coordinator") -> None:
        self._coordinator = coordinator
        self._has_spoken = False

    def leaves(self) -> bool:
        """Whether to stop waiting; logs the first call."""
        if not self._has_spoken:
            log.warning("another coordinator runs the sweeps of this database; waiting until it ends")
        self._has_spoken = True
        return self._coordinator.is_ending


class _CoordinatorKeeper:
    """Supervises a coordinator as a child process."""

    def __init__(self, home: Home, workers: int | None, limits: PointLimits, on_ray: bool) -> None:
        self._command = [sys.executable, "-m", "dse", "coordinate", "--until-closed"]
        self._command += [] if on_ray else ["--no-ray"]
        if workers:
            self._command += ["--workers", str(workers)]
        if limits.seconds:
            self._command += ["--point-seconds", str(limits.seconds)]
        if limits.memory_bytes:
            self._command += ["--point-memory", str(limits.memory_bytes / 2**30)]
        self._environment = {**os.environ, "DSE_HOME": str(home.root)}
        self._over = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="coordinator", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop the coordinator and wait for it."""
        self._over.set()
        self._dismiss()
        self._thread.join()

    def _dismiss(self) -> None:
        if self._child and self._child.stdin:
            self._child.stdin.close()

    def _keep(self) -> None:
        lives = Retrying(
            wait=wait_exponential(multiplier=FIRST_PAUSE_S, max=MAX_PAUSE_S),
            stop=stop_when_event_set(self._over),
            sleep=sleep_using_event(self._over),
            before_sleep=_tell_of_death,
            retry_error_callback=lambda _: None,
        )
        for life in lives:
            with life:
                began = monotonic()
                status = self._live()
                if monotonic() - began > LONG_LIFE_S:
                    renew(life)
                raise _CoordinatorDied(f"the coordinator ended with status {status}")

    def _live(self) -> int | None:
        """Start a coordinator and wait until it has ended; its status, None where there is none to be."""
        if self._over.is_set():
            return None
        self._child = subprocess.Popen(self._command, env=self._environment, stdin=subprocess.PIPE)
        log.info("the coordinator is process %d", self._child.pid)
        if self._over.is_set():  # since it was looked at, before there was a child to dismiss
            self._dismiss()
        return self._child.wait()


class _CoordinatorDied(Exception):
    """The child has ended, and it was not to."""


def _tell_of_death(state: RetryCallState) -> None:
    died = state.outcome.exception() if state.outcome else None
    log.warning("%s; starting it again in %s s", died, state.upcoming_sleep)
