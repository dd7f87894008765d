"""Back to the page that was asked for before the token was."""

from urllib.parse import quote, urlencode, urlsplit

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

    Examples
    --------
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
