"""Access tokens; only digests of their secrets are stored."""

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

#: Prefix of secrets, so that secret scanners find leaked ones.
PREFIX = "dse_"
#: Shorter secrets chosen by an administrator could be guessed.
SHORTEST_SECRET = 24

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")


def create_token(store: Store, name: str, scopes: Sequence[str]) -> str:
    """Create a token; returns its secret, which is not stored.

    Raises:
        InputError: the name is invalid.
        TokenRefused: the name is taken, or a scope does not exist.
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is not a valid token name; use letters, digits and . _ @ - (at most 100)")
    secret = PREFIX + secrets.token_urlsafe(32)
    store.create_token(name, _scopes(scopes), digest(secret))
    return secret


def register_admin(store: Store, secret: str) -> None:
    """Register a given secret as an administrator's token, unless it already is one or was revoked.

    Each secret has its own token, named `admin-` and the start of its digest, so that secrets can be replaced.

    Raises:
        InputError: the secret is too short.
    """
    if len(secret) < SHORTEST_SECRET:
        raise InputError(
            f"an administrator's secret needs at least {SHORTEST_SECRET} characters; choose a longer one"
        )
    wanted = digest(secret)
    with suppress(TokenRefused):  # it exists already, perhaps created concurrently
        store.create_token(f"admin-{wanted[:8]}", ["admin"], wanted)


def token_of(store: Store, secret: str) -> TokenRecord | None:
    """The token of a secret, which may be revoked; None if unknown."""
    wanted = digest(secret)
    token = store.token_by_digest(wanted)
    return token if token and hmac.compare_digest(token.digest, wanted) else None


def _scopes(names: Sequence[str]) -> list[Scope]:
    """The scopes of these names; the store refuses unknown ones."""
    return [cast(Scope, name) for name in names]


def digest(secret: str) -> str:
    """The stored digest of a secret. Secrets have 256 random bits, so neither a salt nor a slow hash is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()
