from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.web.fields import Field
from dissensus.web.pages.asking import Asking, asking_page

METRICS = (
    ("wins", "on how many items it is nearer"),
    ("mae", "mean absolute error"),
    ("rmse", "root mean square error"),
    ("emd", "earth mover's distance"),
    ("accuracy", "accuracy"),
    ("cross-entropy", "cross-entropy"),
    ("spearman", "rank correlation"),
)
TESTS = (
    ("sign-flip", "are they equally good? (sign flips)"),
    ("response-permutation", "do they answer alike? (permutation)"),
    ("mixture", "do they answer alike? (mixture)"),
)
METRIC = Field(name="metric", label="How near to people", kind="choice", default="wins", choices=METRICS, usual="wins")
COMPARE = Asking(
    task="compare",
    path="/compare",
    page="compare",
    title="Is A better than B?",
    lead="Two judges are compared on the items that both answered and people rated.",
    button="Compare",
    command="compare",
    function="compare",
    fields=(
        Field(name="a", label="First judge", hint="a name; every pair if both are empty", nobody="every pair"),
        Field(name="b", label="Second judge", nobody="every pair"),
        METRIC,
        Field(name="test", label="Test", kind="choice", default="sign-flip", choices=TESTS, usual="sign-flip"),
        Field(name="margin", label="Margin", kind="number", hint="also ask whether B is at most so much worse than A"),
    ),
    example_words={"example:toxicity": "", "example:binary": ""},
)


async def compare_page(request: Request) -> HTMLResponse:
    """Two judges of a data set compared."""
    return await asking_page(request, COMPARE)
