"""Where points are evaluated: the runner that this process starts, and its workers, loaded ahead.

Importing this is cheap, so that the simulator can be loaded while the rest of the program is.
"""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dse.runners.base import Runner
    from dse.runners.fork_server import ForkServer
    from dse.runners.limits import PointLimits


def start_workers(
    workers: int | None = None,
    limits: "PointLimits | None" = None,
    fork_server: "ForkServer | None" = None,
) -> "Runner":
    """Child processes of this process, or actors of the Ray that `RAY_ADDRESS` names or that the program has started.

    Args:
        workers: their number; None means one per core.
        limits: what each point may take at most.
        fork_server: from `load_workers`; the first runner uses it, and ends it.
    """
    if _is_on_ray():
        from dse.runners.ray import RayRunner

        return RayRunner(workers=workers, limits=limits)
    from dse.runners.local import LocalRunner

    loaded = fork_server if fork_server and not fork_server.is_closed else None
    return LocalRunner(workers=workers, limits=limits, fork_server=loaded)


def load_workers() -> "ForkServer | None":
    """Let the simulator be loaded in the background, for workers that are started later; None if Ray starts them."""
    if _is_on_ray():
        return None
    from dse.runners.fork_server import ForkServer

    fork_server = ForkServer()
    fork_server.start()
    return fork_server


def _is_on_ray() -> bool:
    return bool(os.environ.get("RAY_ADDRESS")) or _has_ray()


def _has_ray() -> bool:
    """Whether this program uses Ray; without importing it, which takes half a second."""
    ray = sys.modules.get("ray")
    return ray is not None and bool(ray.is_initialized())
