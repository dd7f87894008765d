"""Who may ask, and which headers every answer has."""

import ipaddress
import logging
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from h11 import LocalProtocolError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dissensus.web.layout import refusal

MEGABYTE = 2**20
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the server allows."""

    # `host`, `port`: where it listens.
    host: str = "127.0.0.1"
    port: int = 8000
    folder: str = "dissensus-projects"  # a project, or a folder of projects, which need not exist yet
    # What a visitor must know; None on this machine only, where saved projects need the key of the start-up address.
    token: str | None = None
    largest_upload: int = 200 * MEGABYTE  # bytes of all files of one upload
    keep_seconds: float = 3600.0  # what is not saved is forgotten this long after its last use
    request_seconds: float = 10.0  # a connection must have sent a complete request after so long
    upload_seconds: float = 600.0  # the same for one that uploads files
    most_half_open: int = 200  # connections that may wait for the rest of their request; of more the oldest is dropped
    reports_at_once: int = 2  # long jobs that run at the same time
    most_waiting: int = 20  # long jobs that may wait for their turn
    longest_job: float = 1800.0  # seconds that one job may take


TOKEN_PATH = "/token"  # noqa: S105 - the address of a page
LONGEST = 8000


def asked_for(path: str, query: bytes) -> str:
    """The page that a request asks for, as an address without the server's name."""
    words = query.decode("latin-1")
    return f"{quote(path)}?{words}" if words else quote(path)


def token_address(page: str) -> str:
    """The page that asks for the token and then leads to another one."""
    ours = own_page(page)
    return TOKEN_PATH if ours == "/" else f"{TOKEN_PATH}?{urlencode({'next': ours})}"


def own_page(page: str) -> str:
    r"""An address if it is one of ours, else the first page: nobody is led to another site from here.

    >>> own_page("/plan/labels?error=0.05"), own_page("//evil.example"), own_page("/\\evil.example"), own_page("/\t/e")
    ('/plan/labels?error=0.05', '/', '/', '/')
    """
    is_plain = page.isascii() and page.isprintable() and "\\" not in page and len(page) <= LONGEST
    if not is_plain or not page.startswith("/") or page.startswith("//"):
        return "/"
    try:
        parts = urlsplit(page)
    except ValueError:
        return "/"
    is_ours = not parts.scheme and not parts.netloc and not parts.path.startswith(("//", TOKEN_PATH))
    return page if is_ours else "/"


COOKIE = "dissensus"
OPEN_PATHS = frozenset({TOKEN_PATH, "/static/page.css", "/static/app.css", "/static/app.js", "/static/htmx.min.js"})
OPEN_PATHS |= {"/static/rate.css", "/static/rate.js"}
RATERS = "/r/"
"""What a visitor without the token may see: the page that asks for it, and the looks; and raters, whose links are
tokens of their own, below `RATERS`."""
SAFE_METHODS = frozenset({"GET", "HEAD"})
KEY, SIGNED_IN = "token", "signed_in"
"""What the start-up address calls the key, and what pages know of a visitor who has shown it."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
WRONG_HOST = "This is not an address of this server. Open the address shown in its terminal."
WRONG_ORIGIN = "This request comes from another site and was refused."
WRONG = "Something went wrong on our side. The server's terminal shows the error: please report it."


class Guard:
    """Stands before every page: refuses strangers, sets headers, and lets no traceback out."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings
        is_local = settings.host in LOOPBACK  # asking for the machine's own names may take a while
        self._names = LOOPBACK if is_local else LOOPBACK | {settings.host.lower(), *machine_names()}
        self.session = secrets.token_urlsafe(32)  # what the cookie holds; the token itself is not kept there
        self.key = settings.token or secrets.token_urlsafe(18)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await (self.refusal(scope) or self._app)(scope, receive, send_with_headers)
        except LocalProtocolError:  # the visitor sent what is no HTTP after the head: nobody is there to answer
            return
        except Exception:
            logging.getLogger("dissensus.web").exception("A page failed: %s", scope["path"])
            if has_begun:
                raise
            await refusal(WRONG, status=500)(scope, receive, send_with_headers)

    def refusal(self, scope: Scope) -> Response | None:
        """Why a request is not answered; None if it is."""
        headers = Headers(scope=scope)
        if not self._is_our_host(headers.getlist("host")):
            return refusal(WRONG_HOST, status=421, is_signed_in=False)
        if not self._is_same_origin(str(scope["method"]), headers):
            return refusal(WRONG_ORIGIN, status=403, is_signed_in=False)
        return self._stranger(scope, headers)

    def _stranger(self, scope: Scope, headers: Headers) -> Response | None:
        """What somebody gets who has not shown the token, where it is needed; None where it is not."""
        query = parse_qs(bytes(scope.get("query_string", b"")).decode("latin-1"))
        is_safe, path = scope["method"] in SAFE_METHODS, str(scope["path"])
        # A token that somebody chose is typed in on a page that answers late; the key of the address cannot be guessed.
        if self._settings.token is None and is_safe and self.is_key("".join(query.get(KEY, []))):
            return self._let_in(path)
        scope["state"] = {**scope.get("state", {}), SIGNED_IN: self.is_signed_in(headers)}
        is_open = self._settings.token is None and not is_about_saved(path, query.get("data", []))
        if scope["state"][SIGNED_IN] or path in OPEN_PATHS or path.startswith(RATERS) or is_open:
            return None
        if is_safe and "hx-request" not in headers:
            page = asked_for(path, bytes(scope.get("query_string", b"")))
            return RedirectResponse(token_address(page), status_code=303)
        return refusal("The token is missing. Reload this page to enter it.", status=401, is_signed_in=False)

    def is_key(self, given: str) -> bool:
        """Whether somebody knows the token, or the key of the address that was printed."""
        return secrets.compare_digest(given.encode(), self.key.encode())

    def _let_in(self, path: str) -> Response:
        """The same page without the key in its address, and a cookie in its place."""
        answer = RedirectResponse(own_page(quote(path)), status_code=303)
        answer.set_cookie(COOKIE, self.session, httponly=True, samesite="strict", path="/")
        return answer

    def is_signed_in(self, headers: Headers) -> bool:
        """Whether the visitor has shown the token."""
        given = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        return secrets.compare_digest(given.encode(), self.session.encode())

    def _is_our_host(self, given: list[str]) -> bool:
        """Whether the address that was asked for is ours: another name may point here to get at local pages."""
        if len(given) != 1:
            return False
        name = host_name(given[0])
        if name is None or name in self._names:
            return name is not None
        # Reached over a network: a number cannot be made to point elsewhere, as a name can.
        return self._settings.host not in LOOPBACK and is_address(name)

    def _is_same_origin(self, method: str, headers: Headers) -> bool:
        """Whether a request comes from our own pages, or, if it changes nothing, from nobody's."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin not in {None, "null"}:
            return origin_host(origin or "") == headers["host"].lower()
        if method in SAFE_METHODS:
            return (origin is None and not _is_taken_in(headers)) or site == "same-origin"
        # A form of a page with Referrer-Policy no-referrer sends the origin null. The browser says whence it comes
        # on loopback; elsewhere the cookie does, which other sites' requests do not carry (SameSite=Strict).
        return site == "same-origin" or (site is None and origin == "null" and self._settings.token is not None)


def is_about_saved(path: str, data: Sequence[str]) -> bool:
    """Whether a request is about projects in the server's folder, which are there for whoever started it.

    >>> is_about_saved("/p/toxicity/data", []), is_about_saved("/p/~kx3/data", []), is_about_saved("/start/x", ["a"])
    (True, False, True)
    """
    parts = path.split("/")
    ids = [*data, *parts[2:3]] if parts[1:2] == ["p"] else list(data)
    is_saving = parts[1:2] == ["p"] and parts[-1] in {"save", "start"}
    return is_saving or any(not id_.startswith(("~", "example:")) for id_ in ids)


def _is_taken_in(headers: Headers) -> bool:
    """Whether another site's page takes ours in, as an image or a script, and so makes us compute; links may lead here.

    A server at another port of this machine is the same site to a browser, and still none of ours.
    """
    is_foreign = headers.get("sec-fetch-site") in {"cross-site", "same-site"}
    return is_foreign and headers.get("sec-fetch-dest", "document") != "document"


def origin_host(origin: str) -> str | None:
    """The host and port of an Origin header; None if it is no such header.

    >>> origin_host("http://LOCALHOST:8000"), origin_host("http://[")
    ('localhost:8000', None)
    """
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def host_name(host: str) -> str | None:
    """The name in a Host header, without the port; None if it is no such header.

    >>> host_name("LOCALHOST:8000"), host_name("[::1]:8000"), host_name("user@evil"), host_name("a b")
    ('localhost', '::1', None, None)
    """
    try:
        parts = urlsplit(f"//{host}")
        is_plain = parts.port is not None or not host.endswith(":")
    except ValueError:
        return None
    allowed = parts.netloc == host and "@" not in host and not any(c.isspace() for c in host)
    return parts.hostname if allowed and is_plain else None


def machine_names() -> set[str]:
    """What this machine is called."""
    return {socket.gethostname().lower(), socket.getfqdn().lower()}


def is_address(name: str) -> bool:
    """Whether a name is an IP address.

    >>> is_address("192.168.1.2"), is_address("example.org")
    (True, False)
    """
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
