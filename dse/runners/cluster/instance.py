"""The Ray instance: started in a thread, monitored, restarted when it dies.

A local Ray consists of a few processes that `ray.init` starts. They end with the thread that started them, so
that thread waits until Ray is no longer needed and then shuts it down. When this process is killed the kernel
kills Ray's servers with it, and the workers follow within seconds; two helpers of Ray's own
(DashboardAgent, RuntimeEnvAgent) notice after about a minute, and the logs stay in `/tmp/ray`.
"""

import logging
import os
import threading
from queue import SimpleQueue
from time import monotonic
from typing import Any

from dse.runners.base import RunnerError
from dse.runners.cluster.address import cluster_address, knock

#: Tasks and outcomes are small and sent inline; this is little more than the minimum that Ray accepts.
OBJECT_STORE_BYTES = 80 * 2**20
#: Seconds between polls of the cluster.
WATCH_S = 2.0
#: A cluster that does not respond for this long is gone. Ray terminates the whole process after 60 s.
SILENCE_S = 30.0
MAX_RESTARTS = 3


class RayInstance:
    """Our own local Ray, the cluster at `RAY_ADDRESS`, or a Ray that the program had already started.

    Args:
        cpus: number of cores of a local Ray.
    """

    def __init__(self, cpus: int) -> None:
        self.cpus = cpus
        self._address = cluster_address()
        self._is_ours = False
        self._error: RunnerError | None = None
        self._heard_at = monotonic()
        self._restarts = 0
        self._ready = threading.Event()
        self._closed = threading.Event()
        self._orders: SimpleQueue[str] = SimpleQueue()
        self._thread = threading.Thread(target=self._live, name="ray", daemon=True)
        self._thread.start()

    @property
    def is_ours(self) -> bool:
        """Whether it was started or connected to here, so that `stop` frees its resources."""
        return self._is_ours

    @property
    def _has_begun(self) -> bool:
        return self._ready.is_set() and not self._error

    @property
    def _is_local(self) -> bool:
        """Whether it is our own local Ray."""
        return self._is_ours and not self._address

    def is_ready(self, timeout: float) -> bool:
        """Whether Ray is up, after up to `timeout` seconds.

        Raises:
            RunnerError: it cannot be started or reached.
        """
        ready = self._ready.wait(timeout)
        if self._error:
            raise self._error
        return ready

    @property
    def is_up(self) -> bool:
        """Whether Ray is up, as far as known without contacting it."""
        return self._has_begun and not self.is_lost

    @property
    def is_lost(self) -> bool:
        """Whether Ray was up and is gone."""
        if not self._has_begun:
            return False
        is_silent = not self._is_local and monotonic() - self._heard_at > SILENCE_S
        return is_silent or _has_lost_a_server()

    def restart(self) -> None:
        """Restart a lost Ray in the background; `is_ready` tells when it is up.

        Raises:
            RunnerError: it is not ours to start, or has died too many times in a row.
        """
        if not self._is_local:
            raise RunnerError(
                f"the Ray cluster at {self._address or 'this machine'} is gone; start it again, then resume"
            )
        if self._restarts == MAX_RESTARTS:
            raise RunnerError(f"Ray died {MAX_RESTARTS + 1} times in a row; its logs are in /tmp/ray")
        self._restarts += 1
        self._ready.clear()
        self._orders.put("restart")

    def is_well(self) -> None:
        """Record that it has done useful work."""
        self._restarts = 0

    def stop(self) -> None:
        """Shut Ray down if it is ours."""
        self._closed.set()
        self._orders.put("stop")
        self._thread.join()

    def _live(self) -> None:
        self._begin()
        if not self._is_local:
            threading.Thread(target=self._watch, name="ray-watch", daemon=True).start()
        while self._orders.get() == "restart":
            self._leave()
            self._begin()
        self._leave()

    def _begin(self) -> None:
        try:
            self._start()
        except Exception as error:
            place = f"reach the Ray cluster at {self._address}" if self._address else "start Ray"
            self._error = RunnerError(f"cannot {place}: {error}")
        self._heard_at = monotonic()
        self._ready.set()

    def _leave(self) -> None:
        if self._is_ours:
            import ray

            ray.shutdown()
            _let_ray_print(True)

    def _start(self) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_DISABLE_IMPORT_WARNING", "1")
        import ray

        if not ray.is_initialized():
            self._initialise()
            self._is_ours = True
        self.cpus = _cluster_cpus()

    def _initialise(self) -> None:
        import ray

        if self._address:
            knock(self._address)
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        logging.getLogger("ray").setLevel(logging.ERROR)
        if not self._address:
            settings |= {
                "address": "local",
                "num_cpus": self.cpus,
                "include_dashboard": False,
                "object_store_memory": OBJECT_STORE_BYTES,
            }
        _let_ray_print(False)
        ray.init(**settings)

    def _watch(self) -> None:
        """Update the number of cores and the time of the cluster's last response."""
        while not self._closed.wait(WATCH_S):
            try:
                self.cpus = _cluster_cpus()
            except Exception:
                continue
            self._heard_at = monotonic()


def _cluster_cpus() -> int:
    import ray

    return int(ray.cluster_resources().get("CPU", 0))


def _let_ray_print(is_allowed: bool) -> None:
    """Set whether Ray prints node failures to standard output, which `log_to_driver` does not control."""
    from ray._private import worker

    worker._worker_logs_enabled = is_allowed


def _has_lost_a_server() -> bool:
    """Whether one of the processes that this process's `ray.init` started is gone; Ray has no public API for this."""
    from ray._private import worker

    node = worker._global_node
    return node is not None and bool(node.dead_processes())
