"""The script that draws a page's charts: Vega, Vega-Lite and vega-embed out of vl-convert, and our few lines.

vega-embed carries Vega's expression interpreter and uses it when told `ast: true`. Without it Vega would compile
expressions with `Function(...)`, and the page's Content-Security-Policy would have to allow that to any script.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files

PRINT = "import sys; from dissensus.report.bundle import made_here; sys.stdout.buffer.write(made_here().encode())"
_elsewhere: list["subprocess.Popen[bytes]"] = []
"""The process that makes the script meanwhile, if one does."""


@cache
def drawing_script() -> str:
    """JavaScript that draws every chart of the page that it stands in; the same bytes each time."""
    return (_made_elsewhere(_elsewhere[-1]) if _elsewhere else "") or made_here()


def made_here() -> str:
    """The script, made in this process."""
    import vl_convert  # noqa: PLC0415 - 60 MB of shared library, for those who draw

    snippet = (files("dissensus.report") / "templates" / "draw.js").read_text(encoding="utf-8")
    # A bundle that spelt the closing tag in a string would end the script element early.
    return vl_convert.javascript_bundle(snippet).replace("</script", r"<\/script")


@contextmanager
def bundled_meanwhile() -> Iterator[None]:
    """While the block computes, another process makes the script that its page will need, which takes seconds."""
    if drawing_script.cache_info().currsize:
        yield
        return
    # -P: a file in the working directory that is named like a module of ours must not be imported.
    command = [sys.executable, "-P", "-c", PRINT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:  # noqa: S603 - our words
        _elsewhere.append(process)
        try:
            yield
        finally:
            _elsewhere.remove(process)
            process.kill()


def _made_elsewhere(process: "subprocess.Popen[bytes]") -> str:
    """The script that another process made; empty if it failed, and then it is made here."""
    made, _ = process.communicate()
    return made.decode() if process.returncode == 0 else ""
