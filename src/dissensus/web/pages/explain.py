from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from dissensus.web.layout import page_html
from dissensus.web.messages import refusal
from dissensus.web.questions import QUESTIONS
from dissensus.web.showing import Recipe


async def explain(request: Request) -> Response:
    """What one question means."""
    name = request.path_params.get("name")
    if name is None:
        return RedirectResponse(f"/explain/{QUESTIONS[0].name}", status_code=303)
    found = next((one for one in QUESTIONS if one.name == name), None)
    if found is None:
        return refusal("There is no such page.", status=404)
    recipe = Recipe(command=found.command, python=found.python)
    html = page_html(
        "explain.html.j2", title=found.question, page="explain", recipe=recipe, one=found, questions=QUESTIONS
    )
    return HTMLResponse(html)
