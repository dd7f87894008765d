from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.web.fields import Field
from dissensus.web.pages.asking import Asking, asking_page

SCORES = (("cross-entropy", "cross-entropy, in bits"), ("brier", "Brier score"), ("agreement", "agreement"))
SAMPLES = Field(
    name="bootstrap", label="Bootstrap samples", kind="number", holds="whole", default="500", step="1", usual="500",
    hint="fewer are quicker, 0 is without intervals",
)  # fmt: skip
PANEL = Asking(
    task="panel",
    path="/panel",
    title="What are several judges worth together?",
    lead="The judges are combined in three ways, and each way is put beside surveys of people.",
    button="Combine",
    command="panel",
    function="panels",
    fields=(
        Field(name="judge", label="Members", holds="names", hint="names with commas between; all judges if empty"),
        Field(
            name="method", label="Ways to combine", holds="names", hint="of plurality,average,stacked; all if empty"
        ),
        Field(
            name="score", label="How predictions are scored", kind="choice", default="cross-entropy", choices=SCORES,
            usual="cross-entropy",
        ),
        Field(name="max_raters", label="The largest survey", kind="number", holds="whole", step="1"),
        SAMPLES,
    ),
    example_words={"example:toxicity": "", "example:binary": ""},
)  # fmt: skip


async def panel_page(request: Request) -> HTMLResponse:
    """Judges together, beside people."""
    return await asking_page(request, PANEL)
