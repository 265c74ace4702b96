"""Errors of the export to MLflow, with messages for users."""

import re

from dse.errors import DseError
from dse.store.parts.outbox import OutboxBusy
from dse.tracking.address import Address

#: Response of a tracking server that refuses the host name.
HOST_REFUSED = "Invalid Host header"


class TrackingError(DseError):
    """The export to MLflow failed; the store has all data, and a later export catches up.

    Attributes:
        everywhere: whether it affects every sweep, for example if the server is down.
    """

    def __init__(self, message: str, everywhere: bool = False) -> None:
        super().__init__(message)
        self.everywhere = everywhere

    @classmethod
    def of(cls, address: Address, sweep: str, error: Exception) -> "TrackingError":
        """Translate an error of MLflow; `sweep` is a key, empty if it concerns none."""
        cause = _cause(address, error)
        message = (
            f"MLflow at {address.shown} could not be written ({cause or _first_line(error)}); nothing is lost, and "
            f"`{f'dse mlflow sync {sweep}'.rstrip()}` catches up"
        )
        return cls(message, everywhere=cause is not None or isinstance(error, OutboxBusy))


def _cause(address: Address, error: Exception) -> str | None:
    """A known problem of MLflow as a whole, with the fix; None if there is none."""
    text = str(error)
    status = re.search(r"failed with error code (\d+)", text)
    if HOST_REFUSED in text:
        return (
            f"the server does not accept the host name {address.host}: start it with "
            f"`mlflow server --allowed-hosts {address.host}`"
        )
    if status and status[1] == "401":
        return (
            "the server requires a valid user name and password: set MLFLOW_TRACKING_USERNAME and "
            "MLFLOW_TRACKING_PASSWORD"
        )
    if status and status[1] == "403":
        return f"the server does not let {address.user or 'you'} write there: grant that user EDIT on the experiment"
    if "Read timed out" in text or "timeout exception" in text:
        return "the server timed out"
    if "Max retries exceeded" in text or "Connection aborted" in text:
        return "no server responds there"
    if "Connection broken" in text:
        return "the server ended in the middle of a response"
    return None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
