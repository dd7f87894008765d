"""Write the JavaScript that draws the charts of a page: Vega, Vega-Lite and Vega-Embed in one file.

    python release/bundle_vega.py    needs vl-convert (`dissensus[png]`), which carries them; run when it has newer ones

The file comes with the package, so that nobody needs vl-convert's 84 MB to write a page. Its licences stand beside it,
in vega.LICENSE.txt: look there when a newer bundle brings other libraries.
"""

from pathlib import Path

import vl_convert

BUNDLE = Path(__file__).resolve().parents[1] / "src" / "dissensus" / "report" / "templates" / "vega.js"


def first_line() -> str:
    """Which versions the installed vl-convert carries, as a comment that stays in every page."""
    return (
        f"/* Vega {vl_convert.get_vega_version()}, Vega-Lite {vl_convert.get_vegalite_versions()[-1]} and Vega-Embed "
        f"{vl_convert.get_vega_embed_version()}, bundled by vl-convert {vl_convert.__version__}. BSD-3-Clause, "
        "(c) Trifacta Inc. and the University of Washington Interactive Data Lab. With D3, ISC, (c) Mike Bostock, and "
        "others: see vega.LICENSE.txt in the package dissensus. */"
    )


def bundled() -> str:
    """The file's text: it defines `vegaEmbed` and nothing else."""
    # Imported by vl-convert where the name is used. The function around it keeps its hundreds of short names inside.
    script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # A string that spelt the closing tag would end the script element of a page early.
    return f"{first_line()}\n(() => {{{script}}})();\n".replace("</script", r"<\/script")


if __name__ == "__main__":
    BUNDLE.write_text(bundled(), encoding="utf-8")
    print(f"Wrote {BUNDLE.name}: {BUNDLE.stat().st_size:,} bytes")
