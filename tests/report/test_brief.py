"""What a command prints unless it is asked for details: the answer, one table, a few notes, on one screen."""

from pathlib import Path

import pytest

import dissensus
from dissensus.data.examples import example_path
from dissensus.data.import_ import import_
from dissensus.report.document import Fold, Note, Paragraph, Points, Table
from dissensus.report.views import section_of

SHARED = Path(__file__).parents[3] / "shared" / "data"
MOST_LINES = 25
MOST_WORDS = 30
PLAN_LABELS = {"accuracy": 0.8, "margin": 0.03, "label_accuracy": 0.9}


def _folder(name):
    folder = example_path("toxicity") if name == "toxicity" else SHARED / name
    if not folder.exists():
        pytest.skip(f"{folder} is not here")
    return folder


def _result(method, data):
    """The answer of a method to some data, with few samples: the words are looked at, not the numbers."""
    if method == "plan_labels":
        return dissensus.plan_labels(**PLAN_LABELS, **({"budget": 2000} if data == "toxicity" else {"error": 0.05}))
    if method == "plan_raters":
        return dissensus.plan_raters(effect=0.1, items=(100, 300), raters=(1, 3, 5))
    folder = _folder(data)
    if method in FILES:
        return FILES[method](folder / "ratings.csv")
    ratings, judges = dissensus.read(folder / "ratings.csv"), dissensus.read_judges(folder / "judges.csv")
    keywords = {
        "gate": {"judge": judges.judges[0], "min_equivalence": 0.5, "bootstrap": 20},
        "prevalence": {"positive": ratings.labels[0]},
        "alt_test": {},
        "compare": {"resamples": 50},
    }
    given = (ratings,) if method == "describe" else (ratings, judges)
    return getattr(dissensus, method)(*given, **keywords.get(method, {"bootstrap": 20}))


FILES = {"doctor": dissensus.doctor, "import": import_}
"""Commands about one file; the tests of `apply`, `rate` and `reproduce` count their lines, `simulate` writes one."""
METHODS = (
    "decide", "describe", "equivalence", "raters", "plan_labels", "plan_raters", "panel", "prevalence", "gate",
    "doctor", "import", "compare", "alt_test", "judges",
)  # fmt: skip
DATA = ("toxicity", "mtbench_pairs", "convabuse")


@pytest.fixture(scope="module", params=[f"{method} {data}" for method in METHODS for data in DATA])
def answered(request):
    method, data = request.param.split()
    try:
        return _result(method, data)
    except dissensus.DissensusError as error:
        pytest.skip(f"{method} refuses {data}: {error}")


def test_the_answer_fits_on_a_screen_and_comes_first(answered):
    lines = answered.summary().splitlines()
    assert len(lines) <= MOST_LINES
    assert lines[0].startswith(section_of(answered).lead[:40])
    assert max(len(line) for line in lines) <= 80
    assert len(answered.summary(details=True).splitlines()) >= len(lines) - 1


def test_the_answer_is_one_short_sentence(answered):
    assert len(section_of(answered).lead.split()) <= MOST_WORDS


def test_outside_folds_stand_one_table_charts_and_three_notes(answered):
    blocks = [block for block in section_of(answered).blocks if not isinstance(block, Fold)]
    assert not [block for block in blocks if isinstance(block, Paragraph)]
    assert sum(isinstance(block, Table) for block in blocks) <= 1
    notes = [t for b in blocks for t in (b.texts if isinstance(b, Points) else [b.text] if isinstance(b, Note) else [])]
    assert len(notes) <= 3


def test_a_notebook_shows_the_answer_the_table_and_the_notes(answered):
    html = answered._repr_html_()
    assert html.count("<table") <= 1
    assert html.count("<li>") <= 3
