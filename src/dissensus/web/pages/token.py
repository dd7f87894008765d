import asyncio
import secrets
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dissensus.web.guarding import COOKIE
from dissensus.web.layout import page_html
from dissensus.web.returning import own_page
from dissensus.web.state import desk_of

LONGEST_FORM = 2**16
WRONG_SECONDS = 0.5
"""A wrong token is answered late, so that trying many takes long."""


async def token(request: Request) -> Response:
    """Ask for the token, and remember in a cookie that it was given."""
    desk = desk_of(request)
    if request.method != "POST" or desk.settings.token is None:
        return HTMLResponse(_page("", own_page(request.query_params.get("next", "/"))))
    given, page = await _given(request)
    if not secrets.compare_digest(given.encode(), desk.settings.token.encode()):
        await asyncio.sleep(WRONG_SECONDS)
        return HTMLResponse(_page("That is not the token.", page), status_code=401)
    answer = RedirectResponse(page, status_code=303)
    answer.set_cookie(COOKIE, desk.session, httponly=True, samesite="strict", path="/")
    return answer


async def _given(request: Request) -> tuple[str, str]:
    """The token that was typed in, and the page to go to."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_FORM:
            return "", "/"
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=10)
    except ValueError:
        return "", "/"
    return fields.get("token", [""])[0], own_page(fields.get("next", ["/"])[0])


def _page(message: str, page: str) -> str:
    return page_html("token.html.j2", title="The token, please", is_signed_in=False, message=message, next=page)
