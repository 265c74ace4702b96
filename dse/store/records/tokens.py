"""Access tokens, without their secrets."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Scope = Literal["read", "submit", "admin"]


@dataclass(frozen=True)
class TokenRecord:
    """An access token.

    Attributes:
        name: unique; a revoked token's name is not reused.
        digest: hex SHA-256 of its secret.
        scopes: some of `read`, `submit` and `admin`.
        revoked_at: time of revocation.
    """

    name: str
    digest: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    revoked_at: datetime | None
