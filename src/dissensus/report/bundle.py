"""The script that draws a page's charts: Vega, Vega-Lite and vega-embed out of vl-convert, and our few lines.

vega-embed carries Vega's expression interpreter and uses it when told `ast: true`. Without it Vega would compile
expressions with `Function(...)`, and the page's Content-Security-Policy would have to allow that to any script.
"""

from functools import cache
from importlib.resources import files


@cache
def drawing_script() -> str:
    """JavaScript that draws every chart of the page that it stands in; the same bytes each time."""
    import vl_convert  # noqa: PLC0415 - 60 MB of shared library, for those who draw

    snippet = (files("dissensus.report") / "templates" / "draw.js").read_text(encoding="utf-8")
    # A bundle that spelt the closing tag in a string would end the script element early.
    return vl_convert.javascript_bundle(snippet).replace("</script", r"<\/script")
