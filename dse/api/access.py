"""Who may ask: bearer tokens with scopes, once the server has any; before that everybody on this machine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from dse.errors import DseError
from dse.service import LocalService
from dse.store import Store
from dse.store.parts.tokens import SCOPES
from dse.store.records import Scope
from dse.tokens import holder_of

_bearer = HTTPBearer(auto_error=False, description="Made by `dse token create NAME`.")


class AccessRefused(DseError):
    """Nobody who may do that asks.

    Attributes:
        status: 401 when a token is missing or unknown, 403 when it is not enough.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Caller:
    """Who asks.

    Attributes:
        name: the token's name; None where there are no tokens.
        scopes: what it may do.
    """

    name: str | None
    scopes: tuple[Scope, ...]

    def may(self, scope: Scope) -> bool:
        """Whether one of its scopes includes that one."""
        return any(SCOPES.index(own) >= SCOPES.index(scope) for own in self.scopes)

    def check(self, scope: Scope) -> None:
        """Raise AccessRefused unless it may."""
        if not self.may(scope):
            raise AccessRefused(403, f"this needs a token with the scope {scope}")

    def check_owns(self, what: str, owner: str | None) -> None:
        """Raise AccessRefused unless it is the caller's, or the caller is an administrator."""
        if not self.may("admin") and owner != self.name:
            raise AccessRefused(403, f"{what} is not yours; ask {owner or 'an administrator'}")


#: Who asks where nobody needs a token.
ANYBODY = Caller(None, ("admin",))


class Access:
    """Finds out who asks.

    Args:
        store: where the tokens are.
        is_public: whether a token is needed even while there is none.
    """

    def __init__(self, store: Store, is_public: bool) -> None:
        self._store = store
        self._is_public = is_public

    def caller(self, secret: str | None) -> Caller:
        """Who holds a secret.

        Raises:
            AccessRefused: a token is needed, and this is none.
        """
        if secret is not None:
            token = holder_of(self._store, secret)
            if token:
                return Caller(token.name, token.scopes)
        elif not self._is_public and not self._store.has_tokens():
            return ANYBODY
        what = "this token is not known here" if secret else "this server asks for a token"
        raise AccessRefused(401, f"{what}; `dse token create NAME` on the server makes one")


def current_caller(
    request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Caller:
    """The caller of this request; AccessRefused where there is no telling."""
    access: Access = request.app.state.access
    return access.caller(credentials.credentials if credentials else None)


TheCaller = Annotated[Caller, Depends(current_caller)]


def require(scope: Scope) -> Callable[[Caller], None]:
    """A dependency that refuses callers without a scope."""

    def check(caller: TheCaller) -> None:
        caller.check(scope)

    return check


def current_service(request: Request, caller: TheCaller) -> LocalService:
    """The service in the name of the caller."""
    service: LocalService = request.app.state.service_of(caller.name)
    return service


TheService = Annotated[LocalService, Depends(current_service)]
