"""Thirty things that people type: each gives a result, or a message that names what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dissensus
from dissensus.errors import DissensusError

LABELS = ["yes" if (i * j) % 3 != 1 else "no" for i in range(12) for j in (1, 2, 4)]
LONG = {"item": [i // 3 for i in range(36)], "rater": ["ann", "bob", "cyd"] * 12, "label": LABELS}
df = pd.DataFrame(LONG)
wide = pd.DataFrame({name: LABELS[j::3] for j, name in enumerate(("ann", "bob", "cyd"))})
gpt = ["yes" if i % 2 else "no" for i in range(12)]
both = wide.assign(**{"gpt-4o": gpt, "claude-3": gpt[::-1]})
survey = both.rename_axis("comment_id").reset_index().assign(text="what a day this was, and it is not over yet")
stars = pd.DataFrame({"id": [1, 1, 2, 2, 3, 3], "annotator": list("ababab"), "stars": [5, 4, 1, 2, 4, 5]})
NAMES = {
    "dissensus": dissensus, "pd": pd, "np": np, "pl": pl, "pa": pa, "df": df, "wide": wide, "gpt": gpt, "both": both,
    "survey": survey, "stars": stars, "quick": {"bootstrap": 0},
    "pair": {"a": "classifier", "b": "keywords", "bootstrap": 0},
}  # fmt: skip

WORKS = [
    "dissensus.plan_raters(pilot='example:toxicity', pilot_judges='example:toxicity', a='strong', b='weak', **quick)",
    "dissensus.plan_labels(pilot='example:binary', pilot_judges='example:binary', budget=900, **pair)",
    "dissensus.describe(df, **quick)",
    "dissensus.describe(wide, **quick)",
    "dissensus.describe(pl.DataFrame(df.to_dict('list')), **quick)",
    "dissensus.describe(pa.table(df.to_dict('list')), **quick)",
    "dissensus.describe(df.to_dict('records'), **quick)",
    "dissensus.describe(df.to_dict('list'), **quick)",
    "dissensus.describe(wide.to_numpy(), **quick)",
    "dissensus.describe(df.pivot(index='item', columns='rater', values='label'), **quick)",
    "dissensus.describe(df.set_index(['item', 'rater']), **quick)",
    "dissensus.describe(df.set_index(['item', 'rater'])['label'], **quick)",
    "dissensus.describe('example:toxicity', **quick)",
    "dissensus.describe(stars, **quick)",
    "dissensus.judges(wide, {'gpt-4o': gpt}, **quick)",
    "dissensus.judges(both, **quick)",
    "dissensus.judges(survey, 'gpt*', **quick)",
    "dissensus.judges(*dissensus.read_both(survey, people='ann,bob', judges='gpt*'), **quick)",
    "dissensus.judges(stars, [{'id': i, 'model': 'm', 'prediction': 5} for i in (1, 2, 3)], positive=[4, 5], **quick)",
    "dissensus.compare(survey, a='gpt-4o', b='claude-3', resamples=20, **quick)",
    "dissensus.prevalence(both, judge='gpt-4o', positive='yes')",
    "dissensus.raters(df, resamples=20, **quick)",
    "dissensus.doctor(df).shape['ratings'] == 36",
    "len(dissensus.read(df)) == 36",
    "repr(dissensus.read(df)) == '<Ratings: 36 ratings of 12 items by 3 raters; 2 labels (no, yes), nominal>'",
    "dissensus.read(dissensus.read(df).to_frame()).n_ratings == 36",
    "dissensus.read(df, labels=['yes', 'no']).labels == ('yes', 'no')",
]
FAILS = {
    "dissensus.describe(None)": "give a path, a frame",
    "dissensus.describe('ratings.csv')": "There is no file ratings.csv: check the path.",
    "dissensus.describe({'ann': ['yes', 'no'], 'bob': ['yes']})": "Write None where a label is missing",
    "dissensus.judges(dissensus.read(df))": "give their answers after the ratings",
    "dissensus.judges(wide)": "name the columns of both with",
    "dissensus.judges(dissensus.read(df), {'gpt': gpt[:3]})": "give a table with the columns item, judge and label",
    "dissensus.judges(df, df)": "judge",
    "dissensus.describe(df, scale='ordinal')": "unexpected keyword",
    "dissensus.read(df, label='lable')": "The likely match is label.",
}


def test_there_are_thirty():
    assert len(WORKS) + len(FAILS) >= 30


@pytest.mark.parametrize("snippet", WORKS)
def test_what_people_type_works(snippet):
    assert eval(snippet, dict(NAMES))  # noqa: S307 - our own snippets


@pytest.mark.parametrize("snippet", FAILS)
def test_what_cannot_work_says_what_to_do_in_the_words_of_python(snippet):
    with pytest.raises((DissensusError, TypeError)) as caught:
        eval(snippet, dict(NAMES))  # noqa: S307 - our own snippets
    assert FAILS[snippet] in str(caught.value)
    assert "--" not in str(caught.value)
