"""The pages that ask one question about a data set, and links to them."""

from collections.abc import Mapping

from dissensus.web.layout import address
from dissensus.web.pages.alt_test import ALT_TEST
from dissensus.web.pages.compare import COMPARE
from dissensus.web.pages.gate import GATE
from dissensus.web.pages.panel import PANEL
from dissensus.web.pages.prevalence import PREVALENCE
from dissensus.web.pages.raters import RATERS

ASKINGS = (COMPARE, ALT_TEST, PREVALENCE, PANEL, RATERS, GATE)
PLANS = (("/plan/raters", "Plan the next test set"), ("/plan/labels", "Plan labels from them"))


def more_questions(said: Mapping[str, str], *, has_judges: bool) -> list[tuple[str, str]]:
    """Addresses and words of what can be asked about a data set; `said` is its id and how it is read."""
    asked = [(one.path, one.title) for one in ASKINGS if has_judges or not one.needs_judges]
    return [(address(path, said), words) for path, words in (*asked, *(PLANS if has_judges else ()))]
