"""How a person with a browser shows a token: a form that keeps it in a cookie, which scripts cannot read.

The cookie is accepted for what changes nothing (`current_caller`), so a foreign page that makes the browser send it
gains nothing; all that changes something needs the token in its header.
"""

from http import HTTPStatus
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from dse.api.access import COOKIE, HOW_TO_GET_ONE, Access
from dse.api.pages.rendering import PageRoute, page
from dse.errors import AuthenticationError

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/sign-in")
def form(next: Annotated[str, Query(max_length=2000)] = "/") -> Response:
    """The form."""
    return page("sign_in", "Sign in", next=_local(next), how=HOW_TO_GET_ONE, refused=None)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Keep the token, and go on to where the person came from."""
    fields = parse_qs((await request.body()).decode(errors="replace"))
    token, target = (fields.get(name, [""])[0] for name in ("token", "next"))
    access: Access = request.app.state.access
    try:
        await run_in_threadpool(access.caller, token.strip())
    except AuthenticationError as error:
        return page(
            "sign_in",
            "Sign in",
            status=HTTPStatus.UNAUTHORIZED,
            next=_local(target),
            how=HOW_TO_GET_ONE,
            refused=error.message,
        )
    response = RedirectResponse(_local(target), HTTPStatus.SEE_OTHER)
    is_secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, token.strip(), httponly=True, samesite="lax", secure=is_secure)
    return response


@router.post("/sign-out")
def sign_out() -> Response:
    """Forget the token."""
    response = RedirectResponse("/", HTTPStatus.SEE_OTHER)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return response


def _local(target: str) -> str:
    """A path of this server; the first page for anything else."""
    is_path = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if is_path else "/"
