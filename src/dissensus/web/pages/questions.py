"""The pages that ask one question about a data set, and links to them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import signature
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse

import dissensus
from dissensus.data.project import RESULTS
from dissensus.methods.alt_test.result import AltTestOptions
from dissensus.methods.compare.result import CompareOptions
from dissensus.methods.gate.result import GateOptions
from dissensus.methods.panel.result import PanelOptions
from dissensus.methods.prevalence.result import PrevalenceOptions
from dissensus.methods.raters.result import RatersOptions
from dissensus.web.data_options import address_options, file_words, fixing, read_as, reading, reading_lines
from dissensus.web.fields import (
    Field,
    Recipe,
    arguments_of,
    chosen,
    fields_for,
    keywords,
    option_field,
    options_of,
    python_call,
    recipe_of,
    values_of,
    what_is_wrong,
)
from dissensus.web.jobs import Job, Order, Work, state_of
from dissensus.web.layout import address, page_html, project_address, render, rendered
from dissensus.web.shelf import DataSet, Shelf
from dissensus.web.state import Desk, answer_values, data_of, desk_of, query_of

# ---- Pages that ask one question about a data set: a form, the answer as a job, and how to ask elsewhere


FOR_THE_TASK = ("method", "progress_text", "needs_judges", "names_a_judge")
"""Of a question, what a worker must know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question about a data set."""

    method: str  # as Python calls it; address, command and task are named after it
    # `title`, `lead`, `button`: the question, what the answer needs, and what asks for it.
    title: str
    lead: str
    button: str
    progress_text: str  # what is done, while the visitor waits
    fields: tuple[Field, ...]  # what can be said about the question
    reading_fields: tuple[Field, ...] = ()  # what can be said about the ratings, here and not on other pages
    needs_judges: bool = True  # whether there is no answer without judges
    names_a_judge: bool = False  # whether the answer is the judges there are, as long as none is named

    @property
    def command(self) -> str:
        """As the command line calls it."""
        return self.method.replace("_", "-")

    @property
    def all_fields(self) -> tuple[Field, ...]:
        """The fields of the form."""
        return (*self.fields, *self.reading_fields)

    def work(self) -> Work:
        """The answer as long work."""
        return Work(page=self.command, order=self.order, show=self.show)

    def order(self, shelf: Shelf, query: Mapping[str, str]) -> Order:
        """What an address asks for."""
        data = shelf.find(query.get("data", ""))
        read, values = reading(data, query), values_of(self.all_fields, query)
        about = {**data.arguments(), **read, **keywords(self.reading_fields, values)}
        said: dict[str, object] = {name: getattr(self, name) for name in FOR_THE_TASK}
        said |= {"data": about, "options": keywords(self.fields, values)}
        state = urlencode({**address_options(data, query), **chosen(self.all_fields, values)})
        key = read_as(shelf, data, read)
        return Order(task="question", method=self.method, arguments=said, data=data.id, state=state, reading=key)

    def show(self, job: Job) -> str:
        """The answer; where a judge had to be named and was not, the judges to choose from."""
        if "html" in job.result:
            return str(job.result["html"])
        judges, state = job.result.get("judges"), state_of(job)
        names = [str(name) for name in judges] if isinstance(judges, list) else []
        links = [(address(f"/p/{job.data}/{self.command}", {**state, "judge": name}), name) for name in names]
        return render("choose_judge.html.j2", links=links)

    def recipe(self, data: DataSet | None, values: Mapping[str, str]) -> Recipe:
        """How to ask elsewhere; what must be said and is not has a name that stands for it."""
        if data is None or data.task is None:
            values = {**values, **{f.name: f.stand_in for f in self.fields if f.stand_in and not values[f.name]}}
        asked = ["ratings", "judges"] if data is None or data.judges is not None else ["ratings"]
        has_task = data is not None and data.task is not None
        asked += ["task=task"] if has_task and "task" in signature(getattr(dissensus, self.method)).parameters else []
        call = python_call(f"dissensus.{self.method}", [*asked, *arguments_of(self.fields, values)])
        lines = reading_lines(data, values, more=self.reading_fields)
        files = ["ratings.csv", "judges.csv"] if data is None else file_words(data, values)
        commands = [] if data is None else fixing(data, values)
        commands.append([self.command, *files, *options_of(self.all_fields, values)])
        return recipe_of(commands, [*lines, f"result = {call}", "print(result.summary())"])


async def asking_page(request: Request, asking: Asking) -> HTMLResponse:
    """The page of a question: the form and the answer."""
    desk, data, query = desk_of(request), data_of(request), query_of(request)
    values = {**reading(data, query), **values_of(asking.all_fields, query)}
    wrong = what_is_wrong(asking.all_fields, values)
    order = None if wrong else asking.order(desk.shelf, query)
    html = page_html(
        "asking.html.j2", title=asking.title, data=data, tab="results", recipe=asking.recipe(data, values),
        asking=asking, fields=fields_for(judges_known(desk, data.id), asking.all_fields), values=values,
        hidden=list(address_options(data, query).items()),
        wrong=rendered(render("problem.html.j2", message=wrong)) if wrong else "",
        here=project_address(data.id, asking.command),
        downloads=[] if order is None else downloads(data.id, asking.command, order.state),
        more=more_questions(data, address_options(data, query)),
        **({} if order is None else answer_values(desk, asking.work(), order)),
    )  # fmt: skip
    return HTMLResponse(html)


def downloads(data: str, page: str, state: str) -> list[tuple[str, str]]:
    """Addresses and names of the forms in which an answer can be taken away."""
    more = f"?{state}" if state else ""
    return [(f"/p/{data}/{page}.{form}{more}", form.upper()) for form in ("html", "json", "csv")]


def judges_known(desk: Desk, data: str) -> list[str]:
    """The judges of a data set, as far as an earlier answer has named them."""
    for job in desk.jobs.about(data):
        names = job.result.get("judges")
        if isinstance(names, list) and names:
            return [str(name) for name in names]
    kept = (desk.shelf.find(data).project.folder / RESULTS).glob("*.judges.txt")
    latest_first = sorted(kept, key=lambda path: path.stat().st_mtime)[::-1]
    known = (path.read_text(encoding="utf-8").splitlines() for path in latest_first)
    return next((names for names in known if names), [])


ANY_JUDGE = {"label": "Judge", "holds": "one", "hint": "every judge if empty", "nobody": "every judge"}
NOBODY = "nobody in particular"
RATERS_ARE = {
    "label": "Intervals for",
    "choices": (("", "what the file allows"), ("sampled", "raters like these"), ("fixed", "these raters alone")),
}
SCORES = (
    ("accuracy", "the same label"),
    ("rmse", "near in numbers"),
    ("similarity", "similar as sets of answers"),
)
TESTS = (
    ("auto", "as the number of items asks for"),
    ("t", "t"),
    ("sign-flip", "sign flips"),
    ("exact", "exact"),
)
ALT_TEST = Asking(
    method="alt_test",
    title="Can this judge replace a rater?",
    lead="Each rater is left out in turn, and the judge takes their place: who is closer to the remaining raters?",
    button="Test",
    progress_text="Comparing with each rater",
    fields=(
        option_field(AltTestOptions, "judge", **ANY_JUDGE),
        option_field(
            AltTestOptions, "epsilon", label="Allowance for a judge, since it costs less",
            hint="0.2 for experts, 0.15 for skilled raters, 0.1 for a crowd",
        ),
        option_field(AltTestOptions, "score", label="What close means", choices=SCORES),
        option_field(AltTestOptions, "test", label="Test", choices=TESTS),
        option_field(AltTestOptions, "alpha", label="Level of the test"),
        option_field(AltTestOptions, "min_items", label="Items that a rater needs"),
        option_field(AltTestOptions, "raters", **RATERS_ARE),
    ),
)  # fmt: skip


METRICS = (
    ("information", "what its answers tell, calibrated"),
    ("wins", "on how many items it is nearer"),
    ("mae", "mean absolute error"),
    ("rmse", "root mean square error"),
    ("emd", "earth mover's distance"),
    ("accuracy", "accuracy"),
    ("cross-entropy", "cross-entropy"),
    ("spearman", "rank correlation"),
)
COMPARE_TESTS = (
    ("sign-flip", "are they equally good? (sign flips)"),
    ("response-permutation", "do they answer the same way? (permutation)"),
    ("mixture", "do they answer the same way? (mixture)"),
)
METRIC = option_field(
    CompareOptions, "metric", label="How close to people", choices=(("", "what fits the labels"), *METRICS)
)
COMPARE = Asking(
    method="compare",
    title="Is A better than B?",
    lead="Two judges are compared on the items that both answered and people rated.",
    button="Compare",
    progress_text="Resampling",
    fields=(
        option_field(
            CompareOptions, "a", label="First judge", hint="a name; every pair if both are empty", nobody="every pair"
        ),
        option_field(CompareOptions, "b", label="Second judge", nobody="every pair"),
        option_field(CompareOptions, "judge", label="Pairs among", hint="names, separated by commas; all if empty"),
        METRIC,
        option_field(CompareOptions, "test", label="Test", choices=COMPARE_TESTS),
        option_field(CompareOptions, "margin", label="Margin", hint="also: is B at most this much worse than A?"),
        option_field(CompareOptions, "raters", **RATERS_ARE),
    ),
)


PANEL_SCORES = (("cross-entropy", "cross-entropy, in bits"), ("brier", "Brier score"), ("agreement", "agreement"))
BOOTSTRAP = {"label": "Bootstrap samples", "hint": "fewer are quicker; 0 gives no intervals"}
PANEL = Asking(
    method="panel",
    title="What are several judges worth together?",
    lead="The judges are combined in three ways, and each way is compared with samples of raters.",
    button="Combine",
    progress_text="Combining the judges",
    fields=(
        option_field(PanelOptions, "judge", label="Members", hint="names, separated by commas; all judges if empty"),
        option_field(PanelOptions, "method", label="Ways to combine", hint="plurality,average,stacked; all if empty"),
        option_field(PanelOptions, "score", label="How predictions are scored", choices=PANEL_SCORES),
        option_field(PanelOptions, "max_raters", label="The most people asked"),
        option_field(PanelOptions, "bootstrap", **BOOTSTRAP),
        option_field(PanelOptions, "raters", **RATERS_ARE),
    ),
)  # fmt: skip


TARGETS = (("share", "by the share of its raters"), ("decision", "as a whole, where enough of them say so"))
INTERVALS = (("wilson", "Wilson"), ("normal", "standard errors to each side"))
POSITIVE = Field(name="positive", label="Labels that count", holds="names", hint="as in the file, separated by commas")
PREVALENCE = Asking(
    method="prevalence",
    title="How many items are positive?",
    lead="A judge answered all items, and people rated some of them, drawn at random: the share of positive items, "
    "corrected for the judge's errors.",
    button="Estimate",
    progress_text="Counting",
    fields=(
        replace(POSITIVE, stand_in="yes"),
        option_field(PrevalenceOptions, "half", label="Labels that count half", hint="such as a tie"),
        option_field(PrevalenceOptions, "judge", **ANY_JUDGE),
        option_field(PrevalenceOptions, "target", label="An item counts", choices=TARGETS),
        option_field(PrevalenceOptions, "tau", label="Share that decides it", hint="where items count as a whole"),
        option_field(PrevalenceOptions, "interval", label="Interval", choices=INTERVALS),
        option_field(PrevalenceOptions, "raters", **RATERS_ARE),
    ),
)  # fmt: skip


GATE = Asking(
    method="gate",
    title="May this judge pass?",
    lead="Thresholds that a judge must meet, tested on the bounds of intervals.",
    button="Check",
    progress_text="Checking the judge",
    fields=(
        option_field(GateOptions, "judge", label="Judge to check", holds="one", nobody="choose one", stand_in="J"),
        option_field(GateOptions, "min_equivalence", label="Worth at least this many raters", default="1"),
        option_field(
            GateOptions, "min_consistency", label="Decides at least this share as people do",
            hint="needs labels that count",
        ),
        option_field(GateOptions, "max_bias", label="Share of positive items may be off by"),
        POSITIVE,
        option_field(GateOptions, "tau", label="Share of raters that decides"),
        option_field(GateOptions, "better_than", label="Better than this judge", holds="one", nobody=NOBODY),
        option_field(GateOptions, "not_worse_than", label="Not worse than this judge", holds="one", nobody=NOBODY),
        option_field(GateOptions, "margin", label="By at most", hint="in units of the measure below"),
        option_field(GateOptions, "metric", label="How close to people", choices=METRICS),
        option_field(GateOptions, "raters", **RATERS_ARE),
    ),
    names_a_judge=True,
)  # fmt: skip


RATERS = Asking(
    method="raters",
    title="Who are the raters?",
    lead="How far raters agree with the rest, how high and consistently they rate, and whether a judge sides with a "
    "group of them.",
    button="Show them",
    progress_text="Comparing raters",
    fields=(
        POSITIVE,
        option_field(RatersOptions, "judge", **(ANY_JUDGE | {"label": "Judge to compare with groups"})),
        option_field(RatersOptions, "bootstrap", **BOOTSTRAP),
        option_field(RatersOptions, "raters", **RATERS_ARE),
    ),
    reading_fields=(Field(name="group", label="Column of the raters' group", hint="if it is not called group"),),
    needs_judges=False,
)


ASKINGS = (COMPARE, ALT_TEST, PREVALENCE, PANEL, RATERS, GATE)


def more_questions(data: DataSet, said: Mapping[str, str]) -> list[tuple[str, str]]:
    """Addresses and words of what else can be asked about a project."""
    asked = [one for one in ASKINGS if data.judges is not None or not one.needs_judges]
    return [(project_address(data.id, one.command, said), one.title) for one in asked]
