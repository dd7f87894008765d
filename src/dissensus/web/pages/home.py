import asyncio
import secrets
from functools import cache
from importlib.resources import files
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dissensus.data.project import Project
from dissensus.data.sources.files import SUFFIXES
from dissensus.report.html import drawing_script, style_sheet
from dissensus.web.fields import Recipe
from dissensus.web.guard import COOKIE, LOOPBACK, MEGABYTE, own_page
from dissensus.web.layout import page_html, project_address, refusal
from dissensus.web.questions import QUESTIONS
from dissensus.web.state import body_of, desk_of, is_signed_in

RECIPE = Recipe(
    command="dissensus report ratings.csv judges.csv",
    python='import dissensus\n\nratings = dissensus.read("ratings.csv")\n'
    'judges = dissensus.read_judges("judges.csv")\nprint(dissensus.equivalence(ratings, judges).summary())',
)
MOST_LISTED = 50


async def home(request: Request) -> Response:
    """The first page: where files go in, the projects there are, and a live example."""
    desk, knows = desk_of(request), is_signed_in(request)
    largest, shelf = desk.settings.largest_upload, desk.shelf
    projects, problems = shelf.listed() if knows else ([], [])
    if knows and shelf.only and "all" not in request.query_params:
        return RedirectResponse(_where(projects[0]) if projects else "/?all", status_code=303)
    html = page_html(
        "home.html.j2",
        title="How good is your judge?",
        page="home",
        recipe=RECIPE,
        largest=largest,
        megabytes=largest // MEGABYTE,
        hours=desk.settings.keep_seconds / 3600,
        accept=",".join([*SUFFIXES, ".gz", ".toml"]),
        projects=[_entry(one) for one in projects[:MOST_LISTED]],
        # Among several visitors an address that nobody lists is what keeps an upload private.
        unsaved=[_entry(one) for one in shelf.unsaved()] if knows and desk.settings.host in LOOPBACK else [],
        problems=problems,
        knows_visitor=knows,
        questions=QUESTIONS,
    )
    return HTMLResponse(html)


def _entry(project: Project) -> dict[str, object]:
    """A project as the list has it."""
    names = [project.file_name(role) for role in ("people", "judges") if project.file_name(role)]
    names = [*names, "ratings as they come in"] if project.is_collection else names
    return {
        "where": _where(project),
        "name": project.name,
        "files": ", ".join(names) or "no files yet",
        "created": project.created[:10],
    }


def _where(project: Project) -> str:
    """The first page of a project: its results, or what there is to do before there are any."""
    page = "results" if project.path("people") else "data"
    return project_address(project.id, "collect" if project.is_collection else page)


async def explain(request: Request) -> Response:
    """What one question means."""
    name = request.path_params.get("name")
    if name is None:
        return RedirectResponse(f"/explain/{QUESTIONS[0].name}", status_code=303)
    found = next((one for one in QUESTIONS if one.name == name), None)
    if found is None:
        return refusal("There is no such page.", status=404)
    recipe = Recipe(command=found.command, python=found.python)
    html = page_html(
        "explain.html.j2", title=found.question, page="explain", recipe=recipe, one=found, questions=QUESTIONS
    )
    return HTMLResponse(html)


KINDS = {  # what can be asked for; no other name reaches the file system
    "page.css": "text/css",
    "app.css": "text/css",
    "app.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "charts.js": "text/javascript",
    "rate.css": "text/css",
    "rate.js": "text/javascript",
}
AS_IT_IS = ("app.css", "app.js", "htmx.min.js", "rate.css", "rate.js")


async def static(request: Request) -> Response:
    """A script or a style sheet."""
    name = request.path_params["name"]
    if name not in KINDS:
        return refusal("There is no such page.", status=404)
    return Response(
        contents()[name], media_type=KINDS[name], headers={"Cache-Control": "private, max-age=86400, immutable"}
    )


@cache
def contents() -> dict[str, str]:
    """All that can be asked for; read before the first visitor comes, so that no page ever waits for its looks."""
    folder = files("dissensus.web") / "static"
    read = {name: (folder / name).read_text(encoding="utf-8") for name in (*AS_IT_IS, "draw_later.js")}
    return {"page.css": style_sheet(), "charts.js": drawing_script() + read.pop("draw_later.js"), **read}


LONGEST_FORM = 2**16
WRONG_SECONDS = 0.5  # a wrong token is answered late, so that trying many takes long


async def token(request: Request) -> Response:
    """Ask for the token, and remember in a cookie that it was given."""
    desk = desk_of(request)
    if request.method != "POST":
        return HTMLResponse(_page("", own_page(request.query_params.get("next", "/"))))
    given, page = await _given(request)
    if not secrets.compare_digest(given.encode(), desk.key.encode()):
        await asyncio.sleep(WRONG_SECONDS)
        return HTMLResponse(_page("That is not the token.", page), status_code=401)
    answer = RedirectResponse(page, status_code=303)
    answer.set_cookie(COOKIE, desk.session, httponly=True, samesite="strict", path="/")
    return answer


async def _given(request: Request) -> tuple[str, str]:
    """The token that was typed in, and the page to go to."""
    body = await body_of(request, most=LONGEST_FORM) or b""
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=10)
    except ValueError:
        return "", "/"
    return fields.get("token", [""])[0], own_page(fields.get("next", ["/"])[0])


def _page(message: str, page: str) -> str:
    return page_html("token.html.j2", title="The token, please", is_signed_in=False, message=message, next=page)
