import asyncio
from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from dissensus.web.messages import refusal
from dissensus.web.state import desk_of

KINDS = {
    "page.css": "text/css",
    "app.css": "text/css",
    "app.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "charts.js": "text/javascript",
}
"""What can be asked for; no other name reaches the file system."""


async def static(request: Request) -> Response:
    """A script or a style sheet."""
    name = request.path_params["name"]
    if name not in KINDS:
        return refusal("There is no such page.", status=404)
    if name == "charts.js":
        made = await desk_of(request).scripts.ask(("bundle",), "bundle", {})
        content = str(made["script"])
    else:
        content = await asyncio.to_thread(_content, name)
    return Response(content, media_type=KINDS[name], headers={"Cache-Control": "private, max-age=86400, immutable"})


@cache
def _content(name: str) -> str:
    if name == "page.css":
        from dissensus.report.page import style_sheet  # noqa: PLC0415 - half a second, after the server has started

        return style_sheet()
    return (files("dissensus.web") / "static" / name).read_text(encoding="utf-8")
