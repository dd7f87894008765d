"""The Items tab: every item, sorted and filtered on the server, a page at a time."""

import asyncio
import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from dissensus.errors import DissensusError
from dissensus.web.data_options import address_options, file_words, fixing, read_as, reading, reading_lines
from dissensus.web.fields import Recipe, recipe_of
from dissensus.web.item_store import LAYOUT, PAGE, SHOW, SORTS, Wanted, as_rows, choices_in, page_of_items
from dissensus.web.jobs import Job, Order, Work
from dissensus.web.layout import address, page_html, project_address, render, rendered
from dissensus.web.pages.results import attachment
from dissensus.web.shelf import DataSet, Shelf
from dissensus.web.state import answer_values, data_of, desk_of, query_of, result_key, whole_number

LARGEST_PAGE = 10**6
MOST_WRITTEN = 5000  # items that are read at a time for a file to download


async def items_page(request: Request) -> Response:
    """A page of items, the filters, and the keys that lead through them."""
    desk, data, query = desk_of(request), data_of(request), query_of(request)
    if not data.has_people:
        return RedirectResponse(project_address(data.id, "data"), status_code=303)
    order = ITEMS.order(desk.shelf, query)
    path = store_of(desk.shelf, order)
    wanted = wanted_in(query, has_judges=data.judges is not None)
    if has_list := path.is_file():
        listed = await asyncio.to_thread(_list, path, wanted, _page_in(query), data.id)
        about: dict[str, object] = {"job": None, "html": rendered(listed)}
    else:
        about = {"html": "", **answer_values(desk, ITEMS, order)}
    at = {form: project_address(data.id, f"items.{form}", _state(wanted)) for form in ("csv", "json")}
    html = page_html(
        "items.html.j2", title=data.project.name, tab="items", data=data, has_list=has_list, wanted=wanted, show=SHOW,
        sorts=SORTS, choices=choices_in(path) if has_list else {},
        downloads=[(where, form.upper()) for form, where in at.items()] if has_list else [],
        recipe=_recipe(data, reading(data, query)), **about,
    )  # fmt: skip
    return HTMLResponse(html)


def wanted_in(query: Mapping[str, str], *, has_judges: bool) -> Wanted:
    """Which items an address asks for; where there are judges, those that they get most wrong come first."""
    given = {name: query.get(name, "").strip()[:200] for name in Wanted.__dataclass_fields__}
    given["show"] = given["show"] if given["show"] in dict(SHOW) else ""
    given["sort"] = given["sort"] if given["sort"] in dict(SORTS) else "surprise" if has_judges else "split"
    return Wanted(**given)


def _page_in(query: Mapping[str, str]) -> int:
    return min(max(whole_number(query.get("page", "")) or 1, 1), LARGEST_PAGE) - 1


def _state(wanted: Wanted) -> dict[str, str]:
    return {name: value for name, value in asdict(wanted).items() if value}


def _list(path: Path, wanted: Wanted, page: int, id_: str) -> str:
    total, found = page_of_items(path, wanted, page)
    last = max((total - 1) // PAGE, 0)

    def where(number: int) -> str:
        return project_address(id_, "items", {**_state(wanted), "page": str(number + 1)})

    return render(
        "items_list.html.j2", total=total, items=found, first=page * PAGE + 1,
        before=where(page - 1) if page > 0 else "", after=where(page + 1) if page < last else "", page=page + 1,
        pages=last + 1, judge=wanted.judge,
    )  # fmt: skip


def store_of(shelf: Shelf, order: Order) -> Path:
    """Where the items of a project are."""
    folder = shelf.find(order.data).project.folder / "results"
    return folder / f"{result_key(order.key)}-{LAYOUT}.sqlite"


def _order(shelf: Shelf, query: Mapping[str, str]) -> Order:
    data = shelf.find(query.get("data", ""))
    read, said = reading(data, query), address_options(data, query)
    order = Order(
        task="items", arguments={}, data=data.id, state=urlencode(said), reading=read_as(shelf, data, read)
    )  # fmt: skip
    arguments = {"data": {**data.arguments(), **read}, "output": str(store_of(shelf, order))}
    return Order(task="items", arguments=arguments, data=data.id, state=order.state, reading=order.reading)


def _show(job: Job) -> str:
    """Once all is written the page is asked for again."""
    return render("items_ready.html.j2", where=address(f"/p/{job.data}/items", {}), count=job.result["items"])


def _recipe(data: DataSet, values: Mapping[str, str]) -> Recipe:
    asked = "ratings" if data.judges is None else "ratings, judges"
    commands = [*fixing(data, values), ["items", *file_words(data, values), "-o", "items.csv"]]
    lines = [*reading_lines(data, values), f"result = dissensus.items({asked})", 'result.write("items.csv")']
    return recipe_of(commands, lines)


ITEMS = Work(page="items", order=_order, show=_show)


async def items_download(request: Request) -> Response:
    """All items that a page leads through, as CSV or JSON."""
    desk, query, form = desk_of(request), query_of(request), request.path_params["form"]
    path = store_of(desk.shelf, ITEMS.order(desk.shelf, query))
    wanted = wanted_in(query, has_judges=data_of(request).judges is not None)
    if form not in {"csv", "json"} or not path.is_file():
        raise DissensusError("The items are not listed yet: open the Items tab first.")
    name = attachment(f"{data_of(request).project.name} items.{form}")
    if form == "csv":
        return StreamingResponse(_csv(path, wanted), media_type="text/csv", headers={"Content-Disposition": name})
    return StreamingResponse(_json(path, wanted), media_type="application/json")


def _batches(path: Path, wanted: Wanted) -> Iterator[list[dict[str, object]]]:
    page = 0
    while found := page_of_items(path, wanted, page, size=MOST_WRITTEN)[1]:
        yield found
        page += 1


def _csv(path: Path, wanted: Wanted) -> Iterator[str]:
    known = choices_in(path)
    names = ["item", "question", "text", "ratings", "split", "surprise", "majority"]
    names += [f"share_{label}" for label in known["labels"]]
    names += [f"{what}_{judge}" for judge in known["judges"] for what in ("answer", "surprise")]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(dict.fromkeys(names)), lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for found in _batches(path, wanted):
        writer.writerows(as_rows(found))
        yield stream.getvalue()
        stream.seek(0)
        stream.truncate()


def _json(path: Path, wanted: Wanted) -> Iterator[str]:
    yield '{"items": ['
    is_first = True
    for found in _batches(path, wanted):
        texts = [json.dumps({name: value for name, value in row.items() if name != "n"}) for row in found]
        yield ("" if is_first else ", ") + ", ".join(texts)
        is_first = False
    yield "]}"
