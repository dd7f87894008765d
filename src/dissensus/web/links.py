"""Raters' links as lines for a terminal, and as QR codes where the package segno is installed."""

import io
import socket
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from dissensus.data.collection import Collection
from dissensus.web.collecting import folders_of
from dissensus.web.guard import KEY, LOOPBACK, Settings

ANY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - recognised, not bound
IN_THE_CLEAR = (
    "These links work for whoever has them, and answers travel in the clear: use them in a network that you trust, "
    "through an ssh tunnel (ssh -L {port}:127.0.0.1:{port} HOST), or behind a proxy with TLS."
)


def link_lines(settings: Settings, port: int, key: str) -> Iterator[str]:
    """What to print about links when the server starts; nothing where no ratings are collected.

    The owner's has the key, unless a token is typed in instead.
    """
    is_open = settings.host not in LOOPBACK
    host = own_address() if settings.host in ANY_ADDRESS else settings.host
    host = f"[{host}]" if ":" in host else host
    has_links = False
    for folder in folders_of(Path(settings.folder)):
        with Collection(folder) as collection:
            raters = collection.standing.raters
        name, query = folder.resolve().name, "" if settings.token else f"?{KEY}={key}"
        yield f"Collecting {name}, for you: http://{host}:{port}/p/{name}/collect{query}"
        yield "For raters, one link each:"
        for rater_name, rater in raters.items():
            if rater.is_dropped:
                continue
            has_links, link = True, f"http://{host}:{port}/r/{rater.token}"
            state = f"{len(rater.answers)} of {len(rater.slots)}"
            yield f"  {rater_name}  {link}  ({state})"
            if is_open and (drawn := qr_text(link)):
                yield drawn
    if has_links and is_open:
        yield IN_THE_CLEAR.format(port=port)


def own_address() -> str:
    """The address by which other machines most likely reach this one; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation, which nobody has
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


@cache
def qr_svg(link: str) -> str:
    """A link as an inline SVG; empty without segno."""
    try:
        import segno  # noqa: PLC0415 - an extra
    except ImportError:
        return ""
    made = io.BytesIO()
    segno.make(link, micro=False).save(made, kind="svg", xmldecl=False, svgns=False, scale=4, dark="#000", light="#fff")
    return made.getvalue().decode()


def qr_text(link: str) -> str:
    """The same for a terminal."""
    try:
        import segno  # noqa: PLC0415 - an extra
    except ImportError:
        return ""
    made = io.StringIO()
    segno.make(link, micro=False).terminal(out=made, compact=True)
    return made.getvalue()
