from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.web.fields import Field
from dissensus.web.pages.asking import Asking, asking_page
from dissensus.web.pages.panel import SAMPLES
from dissensus.web.pages.prevalence import POSITIVE

RATERS = Asking(
    task="raters",
    path="/raters",
    title="Who are the raters?",
    lead="How each rater agrees with the rest, how high and consistently each rates, and whether a judge sides with a "
    "group of them.",
    button="Portray them",
    command="raters",
    function="portraits",
    fields=(
        POSITIVE,
        Field(name="judge", label="Judge to compare with groups", hint="every judge if empty", nobody="every judge"),
        SAMPLES,
    ),
    reading_fields=(Field(name="group", label="Column of the raters' group", hint="if it is not called group"),),
    example_words={"example:toxicity": "", "example:binary": ""},
    needs_judges=False,
    takes_task=True,
)


async def raters_page(request: Request) -> HTMLResponse:
    """A portrait of each rater."""
    return await asking_page(request, RATERS)
