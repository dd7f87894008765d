from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.web.fields import Field
from dissensus.web.pages.asking import Asking, asking_page
from dissensus.web.pages.compare import METRIC
from dissensus.web.pages.prevalence import POSITIVE

GATE = Asking(
    task="gate",
    path="/gate",
    title="May this judge pass?",
    lead="Thresholds that a judge must keep to, tested on the bounds of intervals, as the command line does in CI.",
    button="Check",
    command="gate",
    function="gate",
    fields=(
        Field(name="judge", label="The judge at the gate", nobody="choose one", stand_in="J"),
        Field(
            name="min_equivalence", label="Worth at least so many raters", kind="number", default="1",
        ),
        Field(
            name="min_consistency", label="Decides at least this share as people do", kind="number",
            hint="needs labels that count",
        ),
        Field(name="max_bias", label="Share of positive items may be off by", kind="number"),
        POSITIVE,
        Field(
            name="tau", label="Share of raters that decides", kind="number", default="0.5", usual="0.5"
        ),
        Field(name="better_than", label="Better than this judge", nobody="nobody in particular"),
        Field(name="not_worse_than", label="Not worse than this judge", nobody="nobody in particular"),
        Field(name="margin", label="By at most", kind="number", hint="in units of the measure below"),
        METRIC,
    ),
    example_words={"example:toxicity": "&judge=strong", "example:binary": "&judge=classifier"},
    takes_task=True,
)  # fmt: skip


async def gate_page(request: Request) -> HTMLResponse:
    """A judge at the gate."""
    return await asking_page(request, GATE)
