from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.web.fields import Field
from dissensus.web.pages.asking import Asking, asking_page

SCORES = (
    ("accuracy", "the same label"),
    ("rmse", "near in numbers"),
    ("similarity", "alike as sets of answers"),
)
TESTS = (
    ("auto", "as the number of items asks for"),
    ("t", "t"),
    ("sign-flip", "sign flips"),
    ("exact", "exact"),
)
ALT_TEST = Asking(
    task="alt_test",
    path="/alt-test",
    title="Can this judge replace a rater?",
    lead="One rater after the other is left out, and the judge takes the place: who is nearer to the remaining raters?",
    button="Test",
    command="alt-test",
    function="alt_test",
    fields=(
        Field(name="judge", label="Judge", hint="every judge if empty", nobody="every judge"),
        Field(
            name="epsilon", label="What is granted to a judge, as it costs less", kind="number", default="0.1",
            usual="0.1", hint="0.2 for experts, 0.15 for skilled raters, 0.1 for a crowd",
        ),
        Field(
            name="score", label="What near means", kind="choice", default="accuracy", choices=SCORES, usual="accuracy"
        ),
        Field(name="test", label="Test", kind="choice", default="auto", choices=TESTS, usual="auto"),
        Field(name="alpha", label="Level of the test", kind="number", default="0.05", usual="0.05"),
        Field(
            name="min_items", label="Items that a rater needs", kind="number", holds="whole", default="30", step="1",
            usual="30",
        ),
    ),
    example_words={"example:toxicity": "&min_items=10", "example:binary": ""},
)  # fmt: skip


async def alt_test_page(request: Request) -> HTMLResponse:
    """A judge in the place of each rater."""
    return await asking_page(request, ALT_TEST)
