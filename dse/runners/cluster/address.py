"""The address of a Ray cluster, and whether anything answers there."""

import os
import socket
from urllib.parse import urlsplit

from dse.errors import InputError

#: Seconds within which a cluster must first respond.
KNOCK_S = 10.0


def cluster_address() -> str | None:
    """The cluster that `RAY_ADDRESS` names; None means a Ray of this machine's own."""
    address = os.environ.get("RAY_ADDRESS")
    return None if address == "local" else address or None


def check_cluster() -> None:
    """Check that something listens where `RAY_ADDRESS` says.

    Raises:
        InputError: nothing does.
    """
    address = cluster_address()
    if not address:
        return
    try:
        knock(address)
    except OSError as error:
        raise InputError(
            f"cannot reach the Ray cluster at {address}: {error}; start it, or set RAY_ADDRESS to another one"
        ) from error


def knock(address: str) -> None:
    """Raise OSError if nothing listens at the address; Ray itself would retry for minutes."""
    place = urlsplit(address if "://" in address else f"ray://{address}")
    if place.hostname and place.port:
        socket.create_connection((place.hostname, place.port), timeout=KNOCK_S).close()
