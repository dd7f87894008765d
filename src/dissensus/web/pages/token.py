import asyncio
import secrets
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dissensus.web.guarding import COOKIE
from dissensus.web.layout import page_html
from dissensus.web.state import desk_of

LONGEST_FORM = 4096
WRONG_SECONDS = 0.5
"""A wrong token is answered late, so that trying many takes long."""


async def token(request: Request) -> Response:
    """Ask for the token, and remember in a cookie that it was given."""
    desk = desk_of(request)
    if request.method != "POST" or desk.settings.token is None:
        return HTMLResponse(_page(""))
    given = await _given(request)
    if not secrets.compare_digest(given.encode(), desk.settings.token.encode()):
        await asyncio.sleep(WRONG_SECONDS)
        return HTMLResponse(_page("That is not the token."), status_code=401)
    answer = RedirectResponse("/", status_code=303)
    answer.set_cookie(COOKIE, desk.session, httponly=True, samesite="strict", path="/")
    return answer


async def _given(request: Request) -> str:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_FORM:
            return ""
    return parse_qs(body.decode("utf-8", "replace")).get("token", [""])[0]


def _page(message: str) -> str:
    return page_html("token.html.j2", title="The token, please", is_signed_in=False, message=message)
