"""Retries of one request with exponential back-off and jitter, up to a time limit."""

import logging
import random
from time import monotonic
from typing import NoReturn

from tenacity import (
    AttemptManager,
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_before_delay,
    wait_exponential,
)

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.1
MAX_PAUSE_S = 5.0
#: Number of attempts after which a message is logged.
WORRYING_ATTEMPT = 3

_longer_and_longer = wait_exponential(multiplier=FIRST_PAUSE_S, max=MAX_PAUSE_S)


class Unanswered(Exception):
    """No response now; a retry may succeed.

    Attributes:
        error: the error to raise when retries are exhausted.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def patient(seconds: float) -> Retrying:
    """Attempts within a time limit in seconds, as long as they end with `Unanswered`.

    Raises:
        Exception: the `error` of the last attempt.
    """

    def tell(state: RetryCallState) -> None:
        if state.attempt_number == WORRYING_ATTEMPT:
            left_s = seconds - (state.seconds_since_start or 0.0)
            log.warning("%s; retrying for another %.0f s", _last(state), left_s)

    return Retrying(
        retry=retry_if_exception_type(Unanswered),
        wait=lambda state: _longer_and_longer(state) * random.uniform(0.5, 1.0),
        stop=stop_before_delay(seconds),
        before_sleep=tell,
        retry_error_callback=_give_up,
    )


def renew(attempt: AttemptManager) -> None:
    """Reset back-off and time limit after a successful attempt."""
    attempt.retry_state.start_time = monotonic()
    attempt.retry_state.attempt_number = 1


def _give_up(state: RetryCallState) -> NoReturn:
    error = _last(state)
    assert isinstance(error, Unanswered)
    raise error.error from error


def _last(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None
