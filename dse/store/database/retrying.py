"""Retries while the database is unavailable.

PostgreSQL may be restarted or killed at any time. A method that is `retried` is one idempotent transaction or read:
it may be repeated even if the transaction was committed and only the response was lost.
"""

import functools
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeVar

from sqlalchemy.exc import DBAPIError
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_before_delay, wait_exponential

from dse.store.errors import StoreUnavailable

#: Time limit of retries, and the first and the longest pause between attempts, in seconds.
PATIENCE_S = 60.0
FIRST_PAUSE_S = 0.05
MAX_PAUSE_S = 2.0

#: Classes of PostgreSQL's error codes: connection lost, transaction rolled back (a deadlock), server shut down.
_PASSING = ("08", "40", "57P")

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")


def retried(method: Callable[_Arguments, _Answer]) -> Callable[_Arguments, _Answer]:
    """The method, retried while the database is unavailable.

    Raises:
        StoreUnavailable: it was unavailable for `PATIENCE_S` seconds.
    """

    @functools.wraps(method)
    def persist(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Answer:
        # A copy for each call, since calls may be nested or concurrent.
        return _PERSISTENT.copy(stop=stop_before_delay(PATIENCE_S))(method, *args, **kwargs)

    return persist


def is_passing(error: BaseException) -> bool:
    """Whether a retry may succeed: the connection was lost or could not be established."""
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    code = getattr(error.orig, "sqlstate", "")
    is_refused = code is None and type(error.orig).__name__ == "OperationalError"
    return is_refused or bool(code and code.startswith(_PASSING))


def unavailable(error: DBAPIError) -> StoreUnavailable:
    """The error to report; the cause contains hosts and files, and appears only in the log."""
    return StoreUnavailable(f"the database does not respond ({type(error.orig).__name__}); try again later")


def _give_up(state: RetryCallState) -> NoReturn:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, DBAPIError)
    raise unavailable(error) from error


_PERSISTENT = Retrying(
    retry=retry_if_exception(is_passing),
    wait=wait_exponential(multiplier=FIRST_PAUSE_S, max=MAX_PAUSE_S),
    retry_error_callback=_give_up,
)
