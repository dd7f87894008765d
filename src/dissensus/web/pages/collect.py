"""Collecting ratings: the screen of a rater, and the page of the owner."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from dissensus.data.collection import (
    ALL_ANSWERS_FILE,
    EVERYBODY,
    RATINGS_FILE,
    Collection,
    CollectionError,
    Event,
    link_event,
    new_key,
)
from dissensus.data.project import folder_for
from dissensus.errors import DissensusError, FileError
from dissensus.methods.collect.collect import drop_rater, status_of
from dissensus.methods.collect.result import MOST_RATERS, CollectOptions
from dissensus.report.charts import script_safe_json
from dissensus.report.views.collect import STATES, view
from dissensus.web.collecting import IMAGE_TYPES, Collections, Desk, event_of, image_of, qr_svg, state_of, task_shown
from dissensus.web.fields import Field, keywords, option_field, values_of, what_is_wrong
from dissensus.web.layout import RUN, address, blocks_html, page_html, project_address, refusal, render, rendered
from dissensus.web.pages.data import form_of
from dissensus.web.shelf import DataSet
from dissensus.web.state import body_of, data_of, desk_of, whole_number

LONGEST_BODY = 16_384
WRONG_SECONDS = 0.5  # a link that is nobody's is answered late, so that trying many takes long
NO_LINK = "This link does not work, or no longer works. Ask whoever sent it to you for a new one."
OWNER_BOOTSTRAP = 200
NOBODY, TAKEN, TOO_FAST, NO_ROOM = 404, 409, 429, 507


def collections_of(request: Request) -> Collections:
    """The collections that the server has open."""
    found = request.app.state.collections
    assert isinstance(found, Collections)  # noqa: S101 - made before the first request
    return found


# ---- Raters


async def _rater(request: Request) -> tuple[Desk, str] | None:
    """Whose link this is."""
    found = await asyncio.to_thread(collections_of(request).by_token, request.path_params["token"])
    if found is None:
        await asyncio.sleep(WRONG_SECONDS)
    return found


def _address(request: Request) -> str:
    return f"/r/{request.path_params['token']}"


async def rating_page(request: Request) -> Response:
    """A rater's screen."""
    found = await _rater(request)
    if found is None:
        return refusal(NO_LINK, status=404, is_signed_in=False)
    desk, rater = found
    state = await asyncio.to_thread(state_of, desk, rater, _address(request))
    start = {"task": task_shown(desk.collection.task), "state": state}
    html = render("rate.html.j2", run=RUN, address=_address(request), start=rendered(script_safe_json(start)))
    return HTMLResponse(html)


async def rating_post(request: Request) -> Response:
    """Save what a rater did, then say what comes next: the answer to this is the next screen."""
    try:
        content = await _content(request)
    except CollectionError as error:
        return JSONResponse({"error": str(error)}, status_code=400)
    token, address = request.path_params["token"], _address(request)
    status, answer = await asyncio.to_thread(_saved, collections_of(request), token, content, address)
    if status == NOBODY:
        await asyncio.sleep(WRONG_SECONDS)
    return JSONResponse(answer, status_code=status)


def _saved(
    collections: Collections, token: str, content: dict[str, object], address: str
) -> tuple[int, dict[str, object]]:
    """Status and content of the answer to a rater's browser; all in one thread, so that nobody waits for several."""
    found = collections.by_token(token)
    if found is None:
        return NOBODY, {"error": NO_LINK}
    desk, rater = found
    if not collections.is_allowed(desk, rater):
        return TOO_FAST, {"error": "Too many requests."}
    try:
        problem = desk.collection.post(event_of(desk, rater, content))
    except CollectionError as error:
        return 400, {"error": str(error)}
    except FileError:
        return NO_ROOM, {"error": "The answer could not be saved."}
    state: dict[str, object] = {"state": state_of(desk, rater, address)}
    return (TAKEN, {**state, "error": problem}) if problem else (200, state)


async def _content(request: Request) -> dict[str, object]:
    """The JSON object in the body of a request, which is never long."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise CollectionError("Send JSON.")
    body = await body_of(request, most=LONGEST_BODY)
    if body is None:
        raise CollectionError("That is too long.")
    with suppress(ValueError, RecursionError):
        content = json.loads(body)
        if isinstance(content, dict):
            return content
    raise CollectionError("This is not a JSON object.")


async def rating_image(request: Request) -> Response:
    """An image of an item that a rater is asked about."""
    found = await _rater(request)
    slot, side = (whole_number(request.path_params[name]) for name in ("slot", "side"))
    path = None if found is None or slot is None or side is None else image_of(*found, slot, side)
    if path is None or not path.is_file():
        return refusal("There is no such image.", status=404, is_signed_in=False)
    headers = {"Cache-Control": "private, max-age=3600"}
    return FileResponse(path, media_type=IMAGE_TYPES[path.suffix], headers=headers)


# ---- The owner


def _folder(request: Request) -> Path | None:
    """The folder of the collection with this id."""
    id_ = request.path_params["id"]
    return next((folder for folder in collections_of(request).folders() if folder.resolve().name == id_), None)


async def owner_page(request: Request) -> Response:
    """How far a collection is, the raters' links, and what the owner can do."""
    folder, data = _folder(request), data_of(request)
    if folder is None:
        return new_page(request, data)
    desk = await asyncio.to_thread(collections_of(request).open, folder)
    result = await asyncio.to_thread(status_of, desk.collection, bootstrap=OWNER_BOOTSTRAP, confidence=0.95, seed=0)
    section = view(result)
    standing = desk.collection.standing
    base = str(request.base_url).rstrip("/")
    links = [f"{base}/r/{one.token}" for one in standing.raters.values()]
    raters = [
        {"name": row.rater, "state": STATES[row.state], "link": link, "is_dropped": row.state == "dropped",
         "qr": "" if row.state == "dropped" else rendered(qr_svg(link))}
        for row, link in zip(result.by_rater, links, strict=True)
    ]  # fmt: skip
    html = page_html(
        "collect.html.j2", title=data.project.name, data=data, tab="collect", lead=section.lead, result=result,
        raters=raters, id=data.id, says=request.query_params.get("says", "")[:200],
        blocks=rendered(blocks_html(section.blocks, "collect")), may_stop=result.may_stop,
    )  # fmt: skip
    return HTMLResponse(html)


async def owner_action(request: Request) -> Response:
    """What the owner decided: a new link, a rater dropped, the end of the collection."""
    folder, action = _folder(request), request.path_params["action"]
    if folder is None:
        return refusal("No ratings are collected in this project.", status=404)
    collection = (await asyncio.to_thread(collections_of(request).open, folder)).collection
    rater = request.query_params.get("rater", "")
    try:
        says = await asyncio.to_thread(_act, collection, action, rater)
    except DissensusError as error:
        return refusal(str(error))
    return RedirectResponse(f"/p/{request.path_params['id']}/collect?{urlencode({'says': says})}", status_code=303)


def _act(collection: Collection, action: str, rater: str) -> str:
    """Do what the owner decided, and say so."""
    if action in {"stop", "reopen"}:
        collection.add([Event(key=new_key(), kind=action, rater=EVERYBODY)])
        return "The collection has ended." if action == "stop" else "The collection continues."
    if rater not in collection.plan.slots:
        raise CollectionError("There is no such rater.")
    if action == "link":
        collection.add([link_event(rater)])
        return f"{rater} has a new link; the old one no longer works."
    if action != "drop":
        raise CollectionError("There is no such action.")
    taken, left = drop_rater(collection, rater)
    return f"{rater} was dropped; of their open ratings others get {taken:,}, nobody {left:,}."


async def owner_file(request: Request) -> Response:
    """The ratings so far, or every answer, as a file."""
    folder = _folder(request)
    name = {"ratings.csv": RATINGS_FILE, "answers.csv": ALL_ANSWERS_FILE}.get(request.path_params["file"])
    if folder is None or name is None:
        return refusal("There is no such file.", status=404)
    desk = await asyncio.to_thread(collections_of(request).open, folder)
    await asyncio.to_thread(status_of, desk.collection, bootstrap=0, confidence=0.95, seed=0)
    return FileResponse(folder / name, media_type="text/csv", filename=Path(name).name)


# ---- A new collection, from a table of items and a plan

NUMBERS = (
    option_field(CollectOptions, "raters", label="People who will rate", default="6", high=str(MOST_RATERS)),
    option_field(
        CollectOptions, "ratings_per_item", label="How many of them rate each item", default="3", high=str(MOST_RATERS)
    ),
    Field(
        name="wanted", label="How many items", kind="number", holds="whole", step="1", low="1",
        hint="drawn at random; all of them if empty",
    ),
)  # fmt: skip
ASKED = {
    "forced-choice": "The one option that fits best",
    "both": "That, and then every option that a reasonable person could choose",
    "response-set": "Every option that a reasonable person could choose",
}
ONE_PROJECT = (
    "The app was started with one project: start it with a folder of projects, as `dissensus serve`, to make another."
)


async def start_page(request: Request) -> Response:
    """Make a collection from files that are still to come."""
    return new_page(request, None)


def new_page(request: Request, data: DataSet | None) -> Response:
    """Make a collection: which files are missing, then what is asked of whom."""
    query = request.query_params
    plan = {"items": query.get("items", "")[:12], "raters": query.get("raters", "")[:12]}
    has_items = data is not None and data.project.path("items") is not None
    given = {"wanted": plan["items"], "ratings_per_item": plan["raters"]}
    if plan["raters"].isdecimal():
        given["raters"] = str(min(2 * int(plan["raters"]), MOST_RATERS))
    html = page_html(
        "collect_new.html.j2", title="Collect ratings", tab="collect", page="" if data else "collect", data=data,
        has_items=has_items, plan=plan, fields=NUMBERS, asked=ASKED, largest=desk_of(request).settings.largest_upload,
        values=values_of(NUMBERS, {name: value for name, value in given.items() if value}),
        upload=address("/upload", {"data": "" if data is None else data.id, **plan}),
    )  # fmt: skip
    return HTMLResponse(html)


async def new_collection(request: Request) -> Response:
    """Make a project that collects ratings of the items of another one."""
    desk, data, form = desk_of(request), data_of(request), await form_of(request)
    given = {name: values[0] for name, values in form.items()}
    values = values_of(NUMBERS, given)
    if wrong := what_is_wrong(NUMBERS, values):
        raise DissensusError(wrong)
    if desk.shelf.only is not None:
        raise DissensusError(ONE_PROJECT)
    items, name = data.project.path("items"), given.get("name", "") or data.project.name
    if items is None:
        raise DissensusError("There are no items yet: add a table with the columns item and text.")
    desk.shelf.place.mkdir(parents=True, exist_ok=True)
    folder = folder_for(desk.shelf.place, name)
    typed = {key: given.get(key, "") for key in ("question", "options", "elicitation")}
    arguments = {"items": str(items), "task": data.task and str(data.task), "name": name, "output": str(folder)}
    order = {**arguments, **typed, "numbers": keywords(NUMBERS, values)}
    await desk.quick.ask(("collect", new_key()), "collect", order)
    return RedirectResponse(project_address(folder.name, "collect"), status_code=303)


ROUTES = [
    Route("/collect", start_page, methods=["GET"]),
    Route("/p/{id}/collect/start", new_collection, methods=["POST"]),
    Route("/r/{token}", rating_page, methods=["GET"]),
    Route("/r/{token}", rating_post, methods=["POST"]),
    Route("/r/{token}/image/{slot}/{side}", rating_image),
    Route("/p/{id}/collect", owner_page, methods=["GET"]),
    Route("/p/{id}/collect/{file}", owner_file, methods=["GET"]),
    Route("/p/{id}/collect/{action}", owner_action, methods=["POST"]),
]
