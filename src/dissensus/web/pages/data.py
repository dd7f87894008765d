"""The Data tab: what is in the files, what is wrong with them, and the buttons that fix it; and files that come in."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dissensus.data.checks.table import SEVERITIES
from dissensus.data.fixes import listing
from dissensus.errors import DissensusError
from dissensus.web.data_options import (
    ALL_JUDGES,
    ALL_RATINGS,
    DATA,
    FIXES,
    JUDGE_FIXES,
    JUDGE_QUESTION,
    RATINGS,
    address_options,
    checked_fixes,
    fix_words,
    is_read_plainly,
    read_as,
    reading,
    reading_lines,
)
from dissensus.web.fields import Recipe, chosen, options_of, reason_of, recipe_of, values_of, what_is_wrong
from dissensus.web.guard import MEGABYTE
from dissensus.web.jobs import Job, Order, Work
from dissensus.web.layout import page_html, problem, project_address, render
from dissensus.web.shelf import EXAMPLE, DataSet, Shelf
from dissensus.web.state import (
    Desk,
    answer_values,
    body_of,
    data_of,
    desk_of,
    is_signed_in,
    query_of,
    status_of,
    whole_number,
)
from dissensus.web.uploads import StoredFile, discard, receive

MORE_FIELDS = {  # what is typed or chosen beside the menus over the columns and the list of labels
    "ratings": (RATINGS[0], *RATINGS[5:], *FIXES),
    "judges": (JUDGE_QUESTION, *JUDGE_FIXES),
}
PREFIX = {"ratings": "", "judges": "judges_"}
LONGEST_FORM = 2**18


async def data_page(request: Request) -> Response:
    """What was found in the files, and how to read them."""
    desk, data, query = desk_of(request), data_of(request), query_of(request)
    values = reading(data, query)
    wrong = what_is_wrong(DATA, values)
    about = {} if wrong or not data.has_people else answer_values(desk, CHECKUP, CHECKUP.order(desk.shelf, query))
    html = page_html(
        "data.html.j2", title=data.project.name, tab="data", recipe=_recipe(data, values) if data.has_people else None,
        data=data, values=values, fields=MORE_FIELDS,
        fixes=[(place, fix_words(fix)) for place, fix in enumerate(data.project.fixes)], wrong=wrong,
        megabytes=desk.settings.largest_upload // MEGABYTE, largest=desk.settings.largest_upload,
        place=str(desk.shelf.place), knows_visitor=is_signed_in(request), **about,
    )  # fmt: skip
    return HTMLResponse(html)


def _order(shelf: Shelf, query: Mapping[str, str]) -> Order:
    data = shelf.find(query.get("data", ""))
    read = reading(data, query)
    arguments = {**data.arguments(), **read}
    state = urlencode(address_options(data, query))
    return Order(task="checkup", arguments=arguments, data=data.id, state=state, reading=read_as(shelf, data, read))


def _show(job: Job) -> str:
    """What was found, and how to fix it."""
    result: Mapping[str, Any] = job.result
    files: Mapping[str, Any] = result["files"]
    for seen in files.values():
        most = max((count for _, count in seen["labels"]), default=1)
        seen["bars"] = [(label, count, round(100 * count / most)) for label, count in seen["labels"]]
        # A judge's label may be one of people's under another name.
        seen["others"] = list(dict.fromkeys(label for own in (files["ratings"], seen) for label, _ in own["labels"]))
    problems = [(file, one) for file, seen in files.items() for one in seen["problems"]]
    problems.sort(key=lambda each: SEVERITIES.index(each[1]["severity"]))
    sure = [fix for _, one in problems if not one["is_choice"] for fix in one["fixes"]]
    return render(
        "data_found.html.j2", at=project_address(job.data, ""), is_fixed=job.data.startswith(EXAMPLE), files=files,
        problems=problems, is_wrong=any(one["severity"] != "note" for _, one in problems), errors=result["errors"],
        all_fixes=json.dumps(list(map(list, dict.fromkeys(map(tuple, sure))))) if len(sure) > 1 else "",
        as_json=json.dumps,
    )  # fmt: skip


def _recipe(data: DataSet, values: Mapping[str, str]) -> Recipe:
    commands = [["doctor", data.ratings.name, *options_of(ALL_RATINGS, values)]]
    if data.judges is not None:
        people = ["--ratings", data.ratings.name] if is_read_plainly(values) else []
        said = options_of((*ALL_JUDGES, RATINGS[0]), values)
        commands.append(["doctor", data.judges.name, "--judges", *people, *said])
    shown = "print(ratings.n_items, ratings.n_ratings, ratings.warnings)"
    return recipe_of(commands, [*reading_lines(data, values), shown])


CHECKUP = Work(page="data", order=_order, show=_show)

# ---- Files that come in


async def upload(request: Request) -> Response:
    """Take files in: for a new project, or for the one that the address names."""
    desk = desk_of(request)
    try:
        id_ = request.query_params.get("data", "")
        known = desk.shelf.find(id_) if id_ else None
        files = await receive(
            request,
            desk.shelf.folder,
            largest=desk.settings.largest_upload,
            idle_seconds=desk.settings.request_seconds,
        )
        data = await _stored(desk, files, known)
    except DissensusError as error:
        if "hx-request" not in request.headers:
            raise
        return problem(reason_of(error), status_of(error))
    then = {name: value for name, value in request.query_params.items() if name in {"items", "raters"}}
    is_for_people = {file.role for file in files} & {"items", "task"}
    desk.tidy()
    return _next(request, data.id, "collect", then) if is_for_people else _next(request, data.id, "data")


def _next(request: Request, id_: str, page: str, values: Mapping[str, str] | None = None) -> Response:
    """Lead to a page of a project."""
    where = project_address(id_, page, values)
    is_htmx = "hx-request" in request.headers
    return Response(headers={"HX-Redirect": where}) if is_htmx else RedirectResponse(where, status_code=303)


async def _stored(desk: Desk, files: Sequence[StoredFile], known: DataSet | None) -> DataSet:
    """The project that the files are in now."""
    roles = await _roles(desk, files)
    try:
        if known is None:
            return await asyncio.to_thread(desk.shelf.add, files, roles)
        return await asyncio.to_thread(desk.shelf.add_files, known, files, roles)
    finally:
        for file in files:
            discard(file.path)


async def _roles(desk: Desk, files: Sequence[StoredFile]) -> list[str]:
    """The role of each file: the one that it was sent for, else what it looks like."""
    if all(file.role for file in files):
        return [file.role for file in files]
    paths, names = [str(file.path) for file in files], [file.name for file in files]
    try:
        answer = await desk.quick.ask(("sort", *paths), "sort", {"paths": paths, "names": names})
    except DissensusError:  # not in time: the visitor swaps them if need be
        return ["people", "judges", "items", "task"][: len(files)]
    roles = answer["roles"]
    return [str(role) for role in roles] if isinstance(roles, list) else []


# ---- What the buttons do: each changes project.toml, then the page is shown again


async def form_of(request: Request) -> dict[str, list[str]]:
    """The fields of a form that was sent."""
    body = await body_of(request, most=LONGEST_FORM)
    if body is None:
        raise DissensusError("The form is too long.")
    try:
        return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=2000)
    except ValueError as error:
        raise DissensusError("The form has too many fields.") from error


async def change(request: Request) -> Response:
    """Make one of the changes of the Data tab."""
    desk, data, form = desk_of(request), data_of(request), await form_of(request)
    doing = CHANGES.get(request.path_params["change"])
    if doing is None:
        raise DissensusError("There is no such change.")
    if data.is_example and request.path_params["change"] != "save":
        raise DissensusError(
            "This is an example and cannot be changed. Drop your own files to change how they are read."
        )
    return _next(request, doing(desk.shelf, data, form).id, "data")


Form = Mapping[str, Sequence[str]]


def _fix(shelf: Shelf, data: DataSet, form: Form) -> DataSet:
    try:
        given = json.loads("".join(form.get("fixes", ["[]"])[:1]))
    except ValueError:
        given = None
    return shelf.change(data, fixes=(*data.project.fixes, *checked_fixes(given)))


def _undo(shelf: Shelf, data: DataSet, form: Form) -> DataSet:
    """Without one of the fixes; without the last one if none is named."""
    place = whole_number("".join(form.get("place", [])[:1]))
    gone = len(data.project.fixes) - 1 if place is None else place
    return shelf.change(data, fixes=tuple(fix for i, fix in enumerate(data.project.fixes) if i != gone))


def _columns(shelf: Shelf, data: DataSet, form: Form) -> DataSet:
    """The role of each column, as chosen in the menus over them."""
    prefix = PREFIX.get("".join(form.get("file", [])[:1]), "")
    roles = dict(zip(form.get("role", []), form.get("column", []), strict=False))
    names = {f"{prefix}{role}": column for role, column in roles.items() if role}
    known = {field.name for field in DATA}
    mine = {f"{prefix}{role}" for role in ("item", "rater", "judge", "label")}
    others = {name: value for name, value in data.project.columns.items() if name not in mine}
    return shelf.change(data, columns={**others, **{n: v for n, v in names.items() if n in known}})


def _labels(shelf: Shelf, data: DataSet, form: Form) -> DataSet:
    """Labels in another order, or one of them taken for another."""
    file = "".join(form.get("file", [])[:1])
    if picked := [pair for pair in form.get("merge", []) if "=" in pair]:
        name = "judges_map" if file == "judges" else "map"
        fix = checked_fixes([[name, listing(picked)]])
        return shelf.change(data, fixes=(*data.project.fixes, *fix))
    order, at = list(form.get("label", [])), whole_number("".join(form.get("up", [])[:1])) or 0
    if not 0 < at < len(order):
        return data
    order[at - 1], order[at] = order[at], order[at - 1]
    return shelf.change(data, columns={**data.project.columns, "labels": listing(order)})


def _read(shelf: Shelf, data: DataSet, form: Form) -> DataSet:
    """What was typed or chosen about the reading, in place of what these fields had before."""
    file = "".join(form.get("file", [])[:1])
    fields = MORE_FIELDS.get(file, ())
    values = values_of(fields, {name: given[0] for name, given in form.items() if given})
    values |= {field.name: "" for field in fields if field.name not in form}
    if wrong := what_is_wrong(fields, values):
        raise DissensusError(wrong)
    said = chosen(fields, values)
    names = {field.name for field in fields}
    others = {name: value for name, value in data.project.columns.items() if name not in names}
    kept = tuple(fix for fix in data.project.fixes if fix[0] not in names)
    return shelf.change(data, columns={**others, **said}, fixes=kept)


CHANGES: dict[str, Callable[[Shelf, DataSet, Form], DataSet]] = {
    "fix": _fix,
    "undo": _undo,
    "columns": _columns,
    "labels": _labels,
    "read": _read,
    "swap": lambda shelf, data, _: shelf.swap(data),
    "save": lambda shelf, data, form: shelf.save(data, "".join(form.get("name", [])[:1]) or data.project.name),
}
