"""Access tokens; the store contains only digests of their secrets."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import get_args

from sqlalchemy import func, select, update

from dse.store.database.connection import Database
from dse.store.database.retrying import retried
from dse.store.errors import TokenRefused
from dse.store.records import Scope, TokenRecord
from dse.store.schema.rows import token_record
from dse.store.schema.tables import TOKENS

#: Maximum length of a token's name.
MAX_NAME = 100
#: Each includes the previous ones.
SCOPES: tuple[Scope, ...] = get_args(Scope)


class TokenStore(Database):
    """The part of the store for tokens."""

    @retried
    def create_token(self, name: str, scopes: Collection[Scope], digest: str) -> TokenRecord:
        """Store a new token.

        Args:
            name: its name; names are never reused, even after revocation.
            scopes: what it permits: some of `read`, `submit` and `admin`.
            digest: hex SHA-256 of its secret.

        Raises:
            TokenRefused: the name is taken or too long, or a scope is unknown.
        """
        unknown = set(scopes) - set(SCOPES)
        if unknown or not scopes:
            given = f"; not {', '.join(sorted(unknown))}" if unknown else ""
            raise TokenRefused(f"a token's scopes are some of {', '.join(SCOPES)}{given}")
        if not 1 <= len(name) <= MAX_NAME:
            raise TokenRefused(f"a token's name has 1 to {MAX_NAME} characters")
        row = {
            "name": name,
            "digest": digest,
            "scopes": [scope for scope in SCOPES if scope in scopes],
            "created_at": datetime.now(UTC),
        }
        new = self._insert(TOKENS).values(row).on_conflict_do_nothing().returning(TOKENS)
        with self._writer.begin() as connection:
            stored = connection.execute(new).mappings().one_or_none()
        if stored:
            return token_record(stored)
        existing = self.token_by_digest(digest)
        if existing and existing.name == name:
            return existing
        raise TokenRefused(f"a token named {name!r} exists or existed; choose another name")

    @retried
    def token_by_digest(self, digest: str) -> TokenRecord | None:
        """The token whose secret has that digest, which may be revoked; None if there is none."""
        query = select(TOKENS).where(TOKENS.c.digest == digest)
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().one_or_none()
        return token_record(row) if row else None

    @retried
    def has_tokens(self) -> bool:
        """Whether there ever was a token, revoked or not."""
        with self._engine.connect() as connection:
            return connection.execute(select(TOKENS.c.id).limit(1)).first() is not None

    @retried
    def tokens(self) -> list[TokenRecord]:
        """All tokens, including revoked ones, oldest first."""
        with self._engine.connect() as connection:
            return [
                token_record(row)
                for row in connection.execute(select(TOKENS).order_by(TOKENS.c.id)).mappings()
            ]

    @retried
    def revoke_token(self, name: str) -> None:
        """Revoke a token; idempotent.

        Raises:
            TokenRefused: no token has that name.
        """
        revoked_at = func.coalesce(TOKENS.c.revoked_at, datetime.now(UTC))
        revoke = update(TOKENS).where(TOKENS.c.name == name).values(revoked_at=revoked_at)
        with self._writer.begin() as connection:
            if not connection.execute(revoke).rowcount:
                raise TokenRefused(f"no token is named {name!r}")
