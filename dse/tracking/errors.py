"""What can go wrong between the store and MLflow, said so that a person can put it right."""

import re

from dse.errors import DseError
from dse.store.parts.outbox import OutboxBusy
from dse.tracking.address import Address

#: What a tracking server's host checking answers with.
HOST_REFUSED = "Invalid Host header"


class TrackingError(DseError):
    """MLflow could not be written; the store has everything, and a later export catches up.

    Attributes:
        everywhere: whether every sweep would meet it, as when a server is down.
    """

    def __init__(self, message: str, everywhere: bool = False) -> None:
        super().__init__(message)
        self.everywhere = everywhere

    @classmethod
    def of(cls, address: Address, sweep: str, error: Exception) -> "TrackingError":
        """What MLflow's own error means; `sweep` is a key, empty when it is about none."""
        cause = _cause(address, error)
        message = (
            f"MLflow at {address.shown} could not be written ({cause or _first_line(error)}); nothing is lost, and "
            f"`{f'dse mlflow sync {sweep}'.rstrip()}` catches up"
        )
        return cls(message, everywhere=cause is not None or isinstance(error, OutboxBusy))


def _cause(address: Address, error: Exception) -> str | None:
    """What is wrong with MLflow as a whole, and the fix; None when nothing is known to be."""
    text = str(error)
    status = re.search(r"failed with error code (\d+)", text)
    if HOST_REFUSED in text:
        return (
            f"the server does not answer to the name {address.host}: start it with "
            f"`mlflow server --allowed-hosts {address.host}`"
        )
    if status and status[1] == "401":
        return (
            "the server wants a user name and password that it knows: set MLFLOW_TRACKING_USERNAME and "
            "MLFLOW_TRACKING_PASSWORD"
        )
    if status and status[1] == "403":
        return f"the server does not let {address.user or 'you'} write there: grant that user EDIT on the experiment"
    if "Read timed out" in text or "timeout exception" in text:
        return "the server does not answer in time"
    if "Max retries exceeded" in text or "Connection aborted" in text:
        return "no server answers there"
    return None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
