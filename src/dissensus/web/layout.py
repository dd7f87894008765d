"""What all pages have in common."""

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import dissensus
from dissensus.web.rendering import render

if TYPE_CHECKING:
    from markupsafe import Markup

RUN = secrets.token_hex(4)
"""Part of the addresses of scripts and styles: those of an earlier version are not taken from a browser's cache."""
PAGES = (
    ("/", "Start", "home"),
    ("/plan/labels", "Plan labels", "plan_labels"),
    ("/plan/raters", "Plan raters", "plan_raters"),
    ("/compare", "Compare", "compare"),
    ("/explain", "What it means", "explain"),
)
EXAMPLES = (("example:toxicity", "Toxic comments"), ("example:binary", "Yes or no"))


def page_html(template: str, **values: object) -> str:
    """A whole page.

    Parameters
    ----------
    template : str
        Its file.
    values
        What the template needs, `title` above all. `page` is the current entry of the navigation, `recipe` how to do
        the same elsewhere, `has_charts` asks for the script that draws them, `refresh` lets a browser without
        JavaScript ask again, and `is_signed_in` shows the other pages.
    """
    usual = {"page": "", "recipe": None, "has_charts": False, "refresh": False, "is_signed_in": True}
    fixed = {"pages": PAGES, "run": RUN, "version": dissensus.__version__}
    return render(template, **{**usual, **fixed, **values})


def rendered(html: str) -> "Markup":
    """HTML that our own templates made, in which all that others wrote is escaped already."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2

    return Markup(html)  # noqa: S704 - see above


def address(path: str, values: Mapping[str, str]) -> str:
    """An address that restores a page; what is empty is left out.

    Examples
    --------
    >>> address("/report", {"data": "example:binary", "scale": ""})
    '/report?data=example%3Abinary'
    """
    filled = {name: value for name, value in values.items() if value}
    return f"{path}?{urlencode(filled)}" if filled else path
