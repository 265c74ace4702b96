"""Checks of untrusted requests: those of `preflight`, each in a confined child process."""

import atexit
from functools import cache

from dse.isolation.confinement import CallLimits
from dse.isolation.sandbox import DEFAULT_LIMITS, Sandbox
from dse.requests.preflight import Checks, outline, prepare, prepare_extension
from dse.requests.request import Extension, Request
from dse.requests.spaces import SpaceFiles, SpaceOutline
from dse.store import SweepSpec

#: Modules that the checks import; preloaded in the fork server to save time.
_MODULES = ("dse.requests.preflight", "dse.search.sampled")


def check_submission(request: Request, limits: CallLimits = DEFAULT_LIMITS) -> SweepSpec:
    """`prepare` in a child: a few points of the request are compiled there.

    Raises:
        InputError: the request cannot be carried out, or its check exceeded a limit.
        SpaceError, SimcoreError: as `prepare` does.
    """
    return default_sandbox().run(prepare, request, limits=limits)


def check_extension(spec: SweepSpec, extension: Extension, limits: CallLimits = DEFAULT_LIMITS) -> SweepSpec:
    """`prepare_extension` in a child; raises as `check_submission` does."""
    return default_sandbox().run(prepare_extension, spec, extension, limits=limits)


def check_space(files: SpaceFiles, limits: CallLimits = DEFAULT_LIMITS) -> SpaceOutline:
    """`outline` in a child; raises as `check_submission` does."""
    return default_sandbox().run(outline, files, limits=limits)


#: The checks of a server, which does not trust its clients.
CONFINED_CHECKS = Checks(check_submission, check_extension, check_space)


@cache
def default_sandbox() -> Sandbox:
    """The sandbox that this process shares."""
    sandbox = Sandbox(modules=_MODULES)
    atexit.register(sandbox.close)
    return sandbox
