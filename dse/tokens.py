"""Secrets that open the service; the store knows their digests alone."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from dse.errors import InputError
from dse.store import Store, TokenRecord, TokenRefused
from dse.store.records import Scope

#: What a secret begins with, so that scanners for leaked secrets find it.
PREFIX = "dse_"
#: Shorter secrets of the administrator's own choice could be guessed.
SHORTEST_SECRET = 24

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")


def create_token(store: Store, name: str, scopes: Sequence[str]) -> str:
    """Make a token; its secret, which is shown this once.

    Raises:
        InputError: nobody can be called that.
        TokenRefused: the name is taken, or a scope does not exist.
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no name for a token; use letters, digits and . _ @ - (at most 100)")
    secret = PREFIX + secrets.token_urlsafe(32)
    store.create_token(name, _scopes(scopes), digest(secret))
    return secret


def register_admin(store: Store, secret: str) -> None:
    """Make an administrator's token of a secret that was chosen elsewhere, unless it is one or was revoked.

    Each secret is a token of its own, `admin-` and the beginning of its digest, so that it can be replaced.

    Raises:
        InputError: the secret is too short to be one.
    """
    if len(secret) < SHORTEST_SECRET:
        raise InputError(
            f"an administrator's secret has at least {SHORTEST_SECRET} characters; choose a longer one"
        )
    wanted = digest(secret)
    with suppress(TokenRefused):  # it is there already, perhaps since a moment ago
        store.create_token(f"admin-{wanted[:8]}", ["admin"], wanted)


def holder_of(store: Store, secret: str) -> TokenRecord | None:
    """The token of a secret, unless it was revoked."""
    wanted = digest(secret)
    token = store.token_by_digest(wanted)
    return token if token and hmac.compare_digest(token.digest, wanted) else None


def _scopes(names: Sequence[str]) -> list[Scope]:
    """The scopes of these names; the store refuses what is none."""
    return [cast(Scope, name) for name in names]


def digest(secret: str) -> str:
    """What the store keeps of a secret. It has 256 random bits, so it needs neither salt nor a slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()
