from starlette.responses import HTMLResponse

from dissensus.web.layout import page_html


def refusal(message: str, *, status: int = 400, is_signed_in: bool = True) -> HTMLResponse:
    """A page that says why there is no answer."""
    html = page_html("message.html.j2", title="That did not work", message=message, is_signed_in=is_signed_in)
    return HTMLResponse(html, status_code=status)
