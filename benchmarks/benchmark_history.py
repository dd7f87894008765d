"""One line of JSON for every full run of the benchmarks, so that a slow change is seen before a promise breaks."""

import json

DIGITS = 4


def line_of(figures, about):
    """The run's figures by name: ratios of ours to theirs, exponents, bits."""
    ratios = {_name(each): rounded(each["ours"] / each["theirs"]) for each in figures if each["kind"] == "ratio"}
    growth = [each for each in figures if each["kind"] == "growth"]
    quality = [each for each in figures if each["kind"] == "quality"]
    return {
        **about,
        "ratios": ratios,
        "exponents": {f"{each['question']} by {each['grows']}": rounded(each["exponent"]) for each in growth},
        "bits": {f"{each['population']}: {each['what']}": rounded(each["bits"]) for each in quality},
        "not_kept": [_name(each) for each in figures if not each.get("kept", True)],
    }


def _name(each):
    return each["what"] if "what" in each else f"{each['question']} by {each['grows']}"


def rounded(value):
    """The first digits of a figure: the rest is noise."""
    return float(f"{value:.{DIGITS}g}")


def append(path, line):
    """Add a run to the file."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line, ensure_ascii=False) + "\n")


def runs(path):
    """Every run, the oldest first."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def changes(before, now, *, factor):
    """Ratios that grew by more than a factor since another run, as (name, then, now)."""
    both = before["ratios"].keys() & now["ratios"].keys()
    pairs = sorted((name, before["ratios"][name], now["ratios"][name]) for name in both)
    return [(name, then, ratio) for name, then, ratio in pairs if ratio > factor * then]
