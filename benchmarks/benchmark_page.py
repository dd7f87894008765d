"""The page docs/reference/benchmarks.md, from what one run recorded."""

MARKER = "<!-- Written by `make bench`, from what it measured: a change belongs into benchmarks/benchmark_page.py. -->"
HEAD = """\
{marker}

# Benchmarks

`make bench` compares dissensus with the packages that one would use instead, each from PyPI in its own environment, in
the same run on the same machine, and fails if a promise is not kept. Each time is the shortest of several calls on data
in memory, with linear algebra on one thread. If both sides give a number, it must be the same. Seconds differ from
machine to machine, ratios much less.

Measured on {date}: dissensus {version}{commit} on Python {python}, {cores} cores, load {load:.1f} at the start.
"""
ALTERNATIVES = """
## Against the alternatives

"Apart by" is the difference between the two answers: at most 1e-09 where they are computed, at most what chance
explains where both sides draw at random. Promises are in brackets.

{table}
"""
EXACT = """
## The quick way of `equivalence` against `--exact`

Where going through every survey in every bootstrap sample would take long, `equivalence` does less; `--exact` does it
all. "Apart by" is the largest difference of any score, worth or end of an interval, in widths of its interval: at most
0.1. Sizes that `--exact` samples as well are left out.

{table}
"""
QUALITY = """
## How well a rater who was not asked is predicted

Nine raters label an item; how well is the tenth one predicted? The data are simulated, so the best possible
prediction is known. *Bits*: mean base-2 logarithm of the probability given to the tenth rater's label; nearer to 0
is better. Dawid and Skene's model assumes that every item has one true label. If that holds, and each rater
errs in their own way, it helps to know who gave which label; if people really differ, it misleads.

{table}
"""
GROWTH = """
## How cost grows

Each size is doubled five times while the others stay at {usual}.
The exponent is fitted to the last three points: 1 means that twice as much costs twice as much, 0 that it costs no
more. Times are of the processor. Above 1.3: {why}.

{table}
"""
OTHERS = """
## Other promises

{kept} of {count} other promises are kept: `benchmarks/history.jsonl` has them.
"""
VERSIONS = """
## Versions

{table}
"""
SKIPPED = """
Not measured in this run, because they could not be installed or did not answer: {names}.
"""
EXACTLY = "--exact"
"""The other side of what `bench_exact.py` measures."""
KINDS = ("ratio", "quality", "growth", "versions", "skipped")
WORDS = {"bootstrap": "bootstrap samples"}


def page(figures, about):
    """The page's text."""
    kinds = {kind: [each for each in figures if each["kind"] == kind] for kind in KINDS}
    ratios = kinds["ratio"]
    parts = [
        HEAD.format(marker=MARKER, **{**about, "commit": f" ({about['commit']})" if about["commit"] else ""}),
        _part(ALTERNATIVES, _ratio_rows([each for each in ratios if each["against"] not in {None, EXACTLY}])),
        _part(EXACT, _exact_rows([each for each in ratios if each["against"] == EXACTLY])),
        _part(QUALITY, _quality_rows(kinds["quality"])),
        _part(GROWTH, _growth_rows(kinds["growth"]), **_growth_words(kinds["growth"])),
        _others([each for each in ratios if not each["against"] and each["limit"] is not None]),
        _part(VERSIONS, _version_rows(kinds["versions"])),
    ]
    names = sorted({each["name"] for each in kinds["skipped"]})
    return "".join(parts) + (SKIPPED.format(names=", ".join(names)) if names else "")


def _part(text, rows, **more):
    """A part with its table; nothing where nothing was measured."""
    return text.format(table=table(rows), **more) if len(rows) > 1 else ""


def _others(ratios):
    """How many of the other promises are kept, and those that are not."""
    broken = [each for each in ratios if each["ours"] / each["theirs"] > each["limit"]]
    rows = f"\n{table(_other_rows(broken))}\n" if broken else ""
    return OTHERS.format(kept=len(ratios) - len(broken), count=len(ratios)) + rows if ratios else ""


def table(rows):
    """Rows of text as Markdown; the first one is the head."""
    head, *body = [f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *body])


def _ratio_rows(ratios):
    rows = [["What", "Package", "Ours", "Theirs", "Times as fast", "Apart by"]]
    return rows + [[_what(each), each["against"], *_times(each), _sameness(each)] for each in ratios]


def _exact_rows(ratios):
    return [["Data", "Quick", "Exact", "Times as fast", "Apart by"]] + [
        [_what(each), *_times(each), _sameness(each)] for each in ratios
    ]


def _other_rows(ratios):
    return [["What", "Before", "Behind", "Times as fast"], *([each["what"], *_times(each)] for each in ratios)]


def _what(each):
    """The left side alone where the right one only repeats the package's name."""
    ours, _, theirs = each["what"].rpartition(" / ")
    return ours if theirs == each["against"] else each["what"]


def _times(each):
    """Both times, and how many times as fast ours is, with what is promised."""
    fast = times(each["theirs"] / each["ours"])
    if each["limit"] is not None:
        is_kept = each["ours"] / each["theirs"] <= each["limit"]
        fast += f" (at least {times(1 / each['limit'])}{'' if is_kept else ': **not kept**'})"
    return [seconds(each["ours"]), seconds(each["theirs"]), fast]


def _sameness(each):
    if each["difference"] is None:
        return ""
    apart = f"{each['difference']:.0e}" if each["difference"] else "0"
    is_same = each["difference"] <= each["tolerance"]
    return apart if is_same else f"{apart}: **not the same**, at most {each['tolerance']:.0e}"


def _quality_rows(qualities):
    rows = [["Where", "Prediction", "Bits", "Against ours"]]
    for each in qualities:
        gap = f"{each['against_ours']:+.3f} ± {each['standard_error']:.3f}" if each["standard_error"] else ""
        rows.append([each["population"], each["what"], f"{each['bits']:.3f}", gap])
    return rows


def _growth_rows(cases):
    rows = [["Question", "Grows", "From", "To", "Time at the end", "Exponent", "At most"]]
    for each in cases:
        limit = "" if each["limit"] is None else f"{each['limit']:g}{'' if each['kept'] else ': **not kept**'}"
        first, last = f"{each['sizes'][0]:,}", f"{each['sizes'][-1]:,}"
        what = f"`{each['question']}`", WORDS.get(each["grows"], each["grows"])
        rows.append([*what, first, last, seconds(each["seconds"][-1]), f"{each['exponent']:.2f}", limit])
    return rows


def _growth_words(cases):
    """The sizes that stay, and why some costs grow faster than what they grow with."""
    usual = cases[0]["usual"] if cases else {}
    why = [f"{each['question']} with {each['grows']}, {each['why']}" for each in cases if each.get("why")]
    return {
        "usual": ", ".join(f"{size:,} {WORDS.get(name, name)}" for name, size in usual.items()),
        "why": "; ".join(why) or "none",
    }


def _version_rows(found):
    rows = [["Alternative", "Versions"]]
    versions = {each["name"]: each["versions"] for each in found}
    return rows + [[name, ", ".join(f"{k} {v}" for k, v in own.items())] for name, own in versions.items()]


def seconds(value):
    """A time with its unit, in two digits or three."""
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}" if value < 100 * size else f"{value / size:,.0f} {unit}"
    return f"{value * 1e6:.3g} µs"


def times(value):
    """A ratio: with a decimal where it is small."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
