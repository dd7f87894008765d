from dataclasses import replace

from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.web.fields import Field
from dissensus.web.pages.asking import Asking, asking_page

TARGETS = (("share", "by the share of its raters"), ("decision", "as a whole, where enough of them say so"))
INTERVALS = (("wilson", "Wilson"), ("normal", "standard errors to each side"))
POSITIVE = Field(
    name="positive", label="Labels that count", holds="names", hint="as the file has them, with commas between"
)
PREVALENCE = Asking(
    task="prevalence",
    path="/prevalence",
    title="How many items are positive?",
    lead="A judge answered all items, and people rated some of them, drawn at random: the share of positive items, "
    "corrected for the judge's errors.",
    button="Estimate",
    command="prevalence",
    function="prevalence",
    fields=(
        replace(POSITIVE, stand_in="yes"),
        Field(name="half", label="Labels that count half", holds="names", hint="such as a tie"),
        Field(name="judge", label="Judge", hint="every judge if empty", nobody="every judge"),
        Field(name="target", label="An item counts", kind="choice", default="share", choices=TARGETS, usual="share"),
        Field(
            name="tau", label="Share at which it is decided", kind="number", default="0.5", usual="0.5",
            hint="where items count as a whole",
        ),
        Field(
            name="interval", label="Interval", kind="choice", default="wilson", choices=INTERVALS, usual="wilson"
        ),
    ),
    example_words={"example:toxicity": "", "example:binary": "&positive=Yes"},
    takes_task=True,
)  # fmt: skip


async def prevalence_page(request: Request) -> HTMLResponse:
    """The share of positive items, corrected."""
    return await asking_page(request, PREVALENCE)
