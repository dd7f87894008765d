from collections.abc import Mapping
from importlib.resources import files

from dissensus.web.work.process import Message, Tell


def run(arguments: Mapping[str, object], tell: Tell) -> Message:
    """The script that draws charts: the report's, and what draws those that come later."""
    del arguments, tell  # it is always the same
    import vl_convert  # noqa: PLC0415 - 60 MB of shared library, for this task only

    report = (files("dissensus.report") / "templates" / "draw.js").read_text(encoding="utf-8")
    later = (files("dissensus.web") / "static" / "draw_later.js").read_text(encoding="utf-8")
    return {"script": vl_convert.javascript_bundle(report + later)}
