from starlette.requests import Request
from starlette.responses import HTMLResponse

from dissensus.ratings.sources.input_file import SUFFIXES
from dissensus.web.layout import EXAMPLES, page_html
from dissensus.web.questions import QUESTIONS
from dissensus.web.settings import MEGABYTE
from dissensus.web.showing import Recipe
from dissensus.web.state import desk_of

RECIPE = Recipe(
    command="dissensus report ratings.csv judges.csv",
    python='import dissensus\n\nratings = dissensus.read("ratings.csv")\n'
    'judges = dissensus.read_judges("judges.csv")\nprint(dissensus.equivalence(ratings, judges).summary())',
)


async def home(request: Request) -> HTMLResponse:
    """The first page: what this does, and where files go in."""
    largest = desk_of(request).settings.largest_upload
    html = page_html(
        "home.html.j2",
        title="How good is your judge?",
        page="home",
        recipe=RECIPE,
        largest=largest,
        megabytes=largest // MEGABYTE,
        accept=",".join([*SUFFIXES, ".gz"]),
        examples=EXAMPLES,
        questions=QUESTIONS,
    )
    return HTMLResponse(html)
