"""Pages that ask one question about a data set: a form, the answer as a job, and how to ask elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.web.data_options import DATA, file_words, mending
from dissensus.web.fields import Field, chosen, fields_for, keywords, values_of, what_is_wrong
from dissensus.web.layout import EXAMPLES, address, page_html, rendered
from dissensus.web.pages.working import answer_values
from dissensus.web.reading_recipe import reading_lines
from dissensus.web.rendering import render
from dissensus.web.showing import Recipe, arguments_of, command_line, options_of, python_call
from dissensus.web.state import Desk, desk_of
from dissensus.web.uploads import DataSet, Uploads
from dissensus.web.work.job import Job
from dissensus.web.work.order import Order, Work, state_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question about a data set.

    Attributes
    ----------
    task : str
        What a worker is asked for.
    path, page : str
        The address, and the entry of the navigation.
    title, lead, button : str
        The question, what the answer needs, and what asks for it.
    command, function : str
        As the command line and Python call it.
    fields : tuple of Field
        What can be said about the question.
    reading_fields : tuple of Field
        What can be said about the ratings, here and not on other pages.
    example_words : mapping of str to str
        What to add to the address of an example.
    needs_judges : bool
        Whether there is no answer without judges.
    takes_task : bool
        Whether Python is given the task of an example.
    """

    task: str
    path: str
    page: str = ""
    title: str
    lead: str
    button: str
    command: str
    function: str
    fields: tuple[Field, ...]
    reading_fields: tuple[Field, ...] = ()
    example_words: Mapping[str, str]
    needs_judges: bool = True
    takes_task: bool = False

    @property
    def all_fields(self) -> tuple[Field, ...]:
        """The fields of the form."""
        return (*self.fields, *self.reading_fields)

    def work(self) -> Work:
        """The answer as long work."""
        return Work(path=self.path, part_names=(), order=self.order, show=self.show)

    def order(self, uploads: Uploads, query: Mapping[str, str]) -> Order:
        """What an address asks for."""
        data, fields = uploads.find(query.get("data", "")), (*DATA, *self.all_fields)
        values = values_of(fields, query)
        state = {"data": data.id, **chosen(fields, values)}
        about = {**data.arguments(), **values_of(DATA, query), **keywords(self.reading_fields, values)}
        arguments = {"data": about, "options": keywords(self.fields, values)}
        return Order(task=self.task, arguments=arguments, data=data.id, state=urlencode(state))

    def show(self, job: Job) -> str:
        """The answer; where a judge had to be named and was not, the judges to choose from."""
        if "html" in job.result:
            return str(job.result["html"])
        judges, state = job.result.get("judges"), state_of(job)
        names = [str(name) for name in judges] if isinstance(judges, list) else []
        links = [(address(self.path, {**state, "judge": name}), name) for name in names]
        return render("choose_judge.html.j2", links=links)

    def recipe(self, data: DataSet | None, values: Mapping[str, str]) -> Recipe:
        """How to ask elsewhere; what must be said and is not has a name that stands for it."""
        if data is None or data.task is None:
            values = {**values, **{f.name: f.stand_in for f in self.fields if f.stand_in and not values[f.name]}}
        asked = ["ratings", "judges"] if data is None or data.judges is not None else ["ratings"]
        asked += ["task=task"] if self.takes_task and data is not None and data.task is not None else []
        call = python_call(f"dissensus.{self.function}", [*asked, *arguments_of(self.fields, values)])
        lines = reading_lines(data, values, more=self.reading_fields)
        files = ["ratings.csv", "judges.csv"] if data is None else file_words(data, values)
        commands = [] if data is None else mending(data, values)
        commands.append([self.command, *files, *options_of(self.all_fields, values)])
        return Recipe(
            command="\n".join(command_line(*words) for words in commands),
            python="\n".join([*lines, f"result = {call}", "print(result.summary())"]),
        )


async def asking_page(request: Request, asking: Asking) -> HTMLResponse:
    """The page of a question: without data where to get some, with data the form and the answer."""
    desk, query = desk_of(request), request.query_params
    data = desk.uploads.find(query["data"]) if query.get("data") else None
    values = values_of((*DATA, *asking.all_fields), query)
    html = page_html(
        "asking.html.j2",
        title=asking.title,
        page=asking.page,
        recipe=asking.recipe(data, values),
        asking=asking,
        data=data,
        examples=[(address(asking.path, {"data": id_}) + asking.example_words[id_], words) for id_, words in EXAMPLES],
        values=values,
        **({} if data is None else _about(desk, asking, data, query)),
    )
    return HTMLResponse(html)


def _about(desk: Desk, asking: Asking, data: DataSet, query: Mapping[str, str]) -> dict[str, object]:
    """What the page needs once there are data."""
    values = values_of((*DATA, *asking.all_fields), query)
    said = {"data": data.id, **chosen(DATA, values)}
    wrong = what_is_wrong(asking.all_fields, values)
    usual: dict[str, object] = {
        "fields": fields_for(judges_known(desk, data.id), asking.all_fields),
        "hidden": list(said.items()),
        "back": address("/data", said),
        "wrong": rendered(render("problem.html.j2", message=wrong)) if wrong else "",
    }
    return usual if wrong else usual | answer_values(desk, asking.work(), asking.order(desk.uploads, query))


def judges_known(desk: Desk, data: str) -> list[str]:
    """The judges of a data set, as far as an earlier answer has named them."""
    for job in desk.jobs.about(data):
        names = job.result.get("judges")
        if isinstance(names, list) and names:
            return [str(name) for name in names]
    return []
