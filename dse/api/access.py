"""Authentication and authorisation: bearer tokens with scopes; without any token, loopback access only."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from dse.errors import AuthenticationError, PermissionDenied
from dse.service import LocalService
from dse.store import Store
from dse.store.parts.tokens import SCOPES
from dse.store.records import Scope
from dse.tokens import token_of

log = logging.getLogger(__name__)

#: Methods that change nothing.
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
#: The cookie with a person's token.
COOKIE = "dse_token"
#: Where tokens come from; a stranger need not know which folder it is.
HOW_TO_GET_ONE = "`dse token create NAME` creates one, with the server's DSE_DATABASE or `--home`"

_bearer = HTTPBearer(auto_error=False, description="Made by `dse token create NAME`.")


@dataclass(frozen=True)
class Caller:
    """The authenticated caller.

    Attributes:
        name: the token's name; None if there are no tokens.
        scopes: the scopes of the token.
    """

    name: str | None
    scopes: tuple[Scope, ...]

    def may(self, scope: Scope) -> bool:
        """Whether one of the caller's scopes includes this scope."""
        return any(SCOPES.index(own) >= SCOPES.index(scope) for own in self.scopes)

    def check(self, scope: Scope) -> None:
        """Raise PermissionDenied unless the caller has this scope."""
        if not self.may(scope):
            raise PermissionDenied(
                f"this needs a token with the scope {scope}; an administrator makes one with "
                f"`dse token create NAME --scope {scope}`"
            )

    def check_owns(self, what: str, owner: str | None) -> None:
        """Raise PermissionDenied unless the caller is the owner or an administrator."""
        if not self.may("admin") and owner != self.name:
            raise PermissionDenied(f"{what} is not yours; ask {owner or 'an administrator'}")


#: The caller on a server that requires no token.
ANYBODY = Caller(None, ("admin",))


class Access:
    """Authenticates callers.

    Args:
        store: the store with the tokens.
        is_public: whether a token is required even if none exists.
    """

    def __init__(self, store: Store, is_public: bool) -> None:
        self._store = store
        self._is_public = is_public

    def caller(self, secret: str | None) -> Caller:
        """The caller that a secret belongs to.

        Raises:
            AuthenticationError: a token is required, and this is not a valid one.
        """
        if secret is None and not self._is_public and not self._store.has_tokens():
            return ANYBODY
        token = token_of(self._store, secret) if secret else None
        if token and not token.revoked_at:
            return Caller(token.name, token.scopes)
        what = "this token is not known here" if secret else "this server requires a token"
        raise AuthenticationError(f"{'this token is revoked' if token else what}; {HOW_TO_GET_ONE}")

    def visitor(self, secret: str) -> Caller:
        """The caller that a browser's cookie belongs to; one that is not known any more counts for nothing.

        Raises:
            AuthenticationError: a token is required.
        """
        token = token_of(self._store, secret)
        return self.caller(secret if token and not token.revoked_at else None)


def current_caller(
    request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Caller:
    """The caller of this request, by its header, or by the cookie of a browser if it changes nothing.

    Raises:
        AuthenticationError: a valid token is missing.
    """
    access: Access = request.app.state.access
    cookie = request.cookies.get(COOKIE) if request.method in SAFE_METHODS else None
    if credentials is None and cookie:
        return access.visitor(cookie)
    return access.caller(credentials.credentials if credentials else None)


TheCaller = Annotated[Caller, Depends(current_caller)]


def require(scope: Scope) -> Callable[[Caller], None]:
    """A dependency that refuses callers without a scope."""

    def check(caller: TheCaller) -> None:
        caller.check(scope)

    return check


def logged(request: Request, caller: TheCaller) -> Iterator[list[str]]:
    """A dependency that logs who has changed something, with the details that a route adds to its value."""
    details: list[str] = []
    yield details
    if request.method not in SAFE_METHODS:
        what = " ".join([request.method, request.url.path, *details])
        log.info("%s: %s", caller.name or "anybody", what)


Details = Annotated[list[str], Depends(logged)]


def current_service(request: Request, caller: TheCaller) -> LocalService:
    """The service, acting for the caller."""
    service: LocalService = request.app.state.service_of(caller.name)
    return service


TheService = Annotated[LocalService, Depends(current_service)]
