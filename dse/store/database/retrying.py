"""A database that goes away and comes back: what was under way is done again.

PostgreSQL may be restarted, or killed, at any moment. A method that is `retried` is one transaction or read
that can be done again after it was lost, also when only the answer was lost and the transaction was not.
"""

import functools
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeVar

from sqlalchemy.exc import DBAPIError
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_before_delay, wait_exponential

from dse.store.errors import StoreUnavailable

#: How long a database may be away, and the first and the longest pause between two attempts, in seconds.
PATIENCE_S = 60.0
FIRST_PAUSE_S = 0.05
MAX_PAUSE_S = 2.0

#: Classes of PostgreSQL's error codes: connection lost, transaction rolled back (a deadlock), server shut down.
_PASSING = ("08", "40", "57P")

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")


def retried(method: Callable[_Arguments, _Answer]) -> Callable[_Arguments, _Answer]:
    """The method, done again while the database is away.

    Raises:
        StoreUnavailable: it was away for `PATIENCE_S` seconds.
    """

    @functools.wraps(method)
    def persist(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Answer:
        # A copy for each call, for one may stand inside another and threads may call at once.
        return _PERSISTENT.copy(stop=stop_before_delay(PATIENCE_S))(method, *args, **kwargs)

    return persist


def is_passing(error: BaseException) -> bool:
    """Whether the same may succeed later: the connection was lost, or could not be made."""
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    code = getattr(error.orig, "sqlstate", "")
    is_refused = code is None and type(error.orig).__name__ == "OperationalError"
    return is_refused or bool(code and code.startswith(_PASSING))


def unavailable(error: DBAPIError) -> StoreUnavailable:
    """What to tell of a database that is away; the cause names hosts and files, and stays in the log."""
    return StoreUnavailable(f"the database does not answer ({type(error.orig).__name__}); try again later")


def _give_up(state: RetryCallState) -> NoReturn:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, DBAPIError)
    raise unavailable(error) from error


_PERSISTENT = Retrying(
    retry=retry_if_exception(is_passing),
    wait=wait_exponential(multiplier=FIRST_PAUSE_S, max=MAX_PAUSE_S),
    retry_error_callback=_give_up,
)
