"""Files of ratings for tests: how to make them, and what was read in plain words."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dissensus.cli.flags import flag_of
from dissensus.errors import DissensusError, in_python, spelled

HEADER = "item,rater,label\n"
PLAIN = HEADER + "1,a,x\n1,b,y\n2,a,x\n"
TRIPLES = [("1", "a", "x"), ("1", "b", "y"), ("2", "a", "x")]
ROWS = [{"item": item, "rater": rater, "label": label} for item, rater, label in TRIPLES]
COLUMNS = {name: [row[name] for row in ROWS] for name in ("item", "rater", "label")}

NO_RATER = "There is no rater column: each rating is taken to be by a rater of its own."
REPEATS = "Keep one of each with --repeats first or --repeats last, or all of them with --repeats keep."
CHECK_LABELS = "Check that it is the right file, or name the column of the labels with --label."
LISTED = "Add what is missing to --labels or to the task's options, or leave the list out."


def write(folder, content, name="r.csv"):
    """Write a text or bytes to a file of this name; its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def parquet(**columns):
    """The bytes of a Parquet file with these columns."""
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def jsonl(*records):
    """One line of JSON per record."""
    return "".join(json.dumps(record) + "\n" for record in records)


def triples(ratings):
    """Item, rater and label of each rating, sorted."""
    rater = [None] * len(ratings.item) if ratings.rater is None else [ratings.raters[r] for r in ratings.rater]
    item, label = (ratings.items[i] for i in ratings.item), (ratings.labels[i] for i in ratings.label)
    return sorted(zip(item, rater, label, strict=True))


def bad(what, name, content, message, **options):
    """A malformed file, how it is read, and the whole message that its reader gets."""
    content = content.encode() if isinstance(content, str) else content
    return pytest.param(name, content, options, message, id=what)


def as_typed(text):
    """A message with its options as the command line has them."""
    return spelled(getattr(text, "message", text), flag_of)


def message_of(call, spelling=in_python):
    """The message of the error that a call raises; it is one line and a sentence."""
    with pytest.raises(DissensusError) as caught:
        call()
    message = spelled(caught.value.message, spelling)
    assert message.isprintable()
    assert message.endswith(".")
    return message


def typed_message_of(call):
    """The same as the command line prints it."""
    return message_of(call, flag_of)
