from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from dissensus.report.page import style_sheet
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
CHARTS = "charts.js"


async def static(request: Request) -> Response:
    """A script or a style sheet."""
    name = request.path_params["name"]
    if name not in KINDS:
        return refusal("There is no such page.", status=404)
    if name == CHARTS:
        made = await desk_of(request).scripts.ask(("bundle",), "bundle", {})
        content = str(made["script"])
    else:
        content = contents()[name]
    return Response(content, media_type=KINDS[name], headers={"Cache-Control": "private, max-age=86400, immutable"})


@cache
def contents() -> dict[str, str]:
    """All that is served as it is; read before the first visitor comes, so that no page ever waits for its looks."""
    folder = files("dissensus.web") / "static"
    found = {name: (folder / name).read_text(encoding="utf-8") for name in KINDS if name not in {CHARTS, "page.css"}}
    return {"page.css": style_sheet(), **found}
