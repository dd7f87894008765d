"""Two hundred million ratings: time grows with them, memory does not. `make test-scale` runs this; it takes minutes.

20 million items with 10 ratings each, written by duckdb. Item i has the probability q of "yes", one of 101 steps, so
that the expected agreement of two raters, E(q^2 + (1 - q)^2), is known; the judge says q plus noise.
"""

import json
import subprocess
import sys
import time
from typing import NamedTuple

import duckdb
import pytest

ITEMS = (200_000, 2_000_000, 20_000_000)
RATERS = 10
MOST_SECONDS = 360
MOST_BYTES = 4 * 10**9
# E(q^2 + (1 - q)^2) for q uniform on 0, .01, ..., 1: 1 - 2 E(q) + 2 E(q^2)
AGREEMENT = 1 - 2 * 0.5 + 2 * sum((step / 100) ** 2 for step in range(101)) / 101

pytestmark = pytest.mark.scale


class Run(NamedTuple):
    """What a command took and found."""

    seconds: float
    bytes: int
    result: dict


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Folders with ratings and judges, by number of items."""
    folder = tmp_path_factory.mktemp("scale")
    for n_items in ITEMS:
        write(folder / str(n_items), n_items)
    return folder


def write(folder, n_items):
    (folder / "ratings").mkdir(parents=True)
    connection = duckdb.connect(config={"memory_limit": "2GB", "temp_directory": str(folder / "spill")})
    q = "(hash(i) % 101) / 100.0"
    per_file = n_items // 4
    for part in range(4):
        items = f"range({part * per_file}, {(part + 1) * per_file}) t(i)"
        connection.execute(
            f"COPY (SELECT 'item' || i AS item, 'rater' || ((i * 7919 + r * 2003) % 20021) AS rater, "
            f"CASE WHEN (hash(i * 1000003 + r) % 1000000) / 1000000.0 < {q} THEN 'yes' ELSE 'no' END AS label "
            f"FROM {items}, range({RATERS}) s(r)) TO '{folder}/ratings/{part}.parquet' (FORMAT parquet)"
        )
    noisy = f"least(greatest({q} + ((hash(i * 31) % 1000003) / 1000003.0 - 0.5) * 0.8, 0.0), 1.0)"
    connection.execute(
        f"COPY (SELECT 'item' || i AS item, 'model' AS judge, {noisy} AS p_yes, 1 - p_yes AS p_no "
        f"FROM range({n_items}) t(i)) TO '{folder}/judges.parquet' (FORMAT parquet)"
    )
    connection.close()


def run(*arguments):
    """A command in a process of its own, its time and its largest resident memory."""
    code = "import resource, sys; from dissensus.cli.main import main; sys.argv[0] = 'dissensus'\n"
    code += "try: main()\nfinally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments), "--json", "--quiet"],
        check=True,
        capture_output=True,
        text=True,
    )
    return Run(time.monotonic() - start, int(done.stderr.split()[-1]) * 1024, json.loads(done.stdout)["result"])


def tell(runs):
    """What each number of ratings took, for whoever waits."""
    for n, found in runs.items():
        print(f"{n * RATERS:>11,} ratings: {found.seconds:6.1f} s, {found.bytes / 1e9:.2f} GB")  # noqa: T201


@pytest.fixture(scope="module")
def described(data):
    return {n: run("describe", data / str(n) / "ratings", "--bootstrap", 200) for n in ITEMS}


@pytest.fixture(scope="module")
def placed(data):
    return {
        n: run("equivalence", data / str(n) / "ratings", data / str(n) / "judges.parquet", "--bootstrap", 200)
        for n in ITEMS
    }


def test_200_million_ratings_are_described_in_memory_and_time(described):
    most = described[ITEMS[-1]]
    tell(described)
    assert most.result["ratings"] == ITEMS[-1] * RATERS
    assert most.seconds < MOST_SECONDS
    assert most.bytes < MOST_BYTES


def test_200_million_ratings_and_a_judge_are_compared_in_memory_and_time(placed):
    most = placed[ITEMS[-1]]
    tell(placed)
    assert most.seconds < MOST_SECONDS
    assert most.bytes < MOST_BYTES


def test_time_grows_no_faster_than_the_ratings(described, placed):
    for runs in (described, placed):
        assert runs[ITEMS[2]].seconds < 15 * runs[ITEMS[1]].seconds


def test_memory_stays_below_its_limit_however_many_ratings_there_are(described, placed):
    # duckdb may use 2 GB before it writes to disk; what comes on top must not grow.
    for runs in (described, placed):
        assert runs[ITEMS[2]].bytes < max(runs[ITEMS[1]].bytes, 2 * 10**9) * 1.5


def test_agreement_is_that_of_the_population(described):
    for n, found in described.items():
        low, high = found.result["coefficients"][0]["low"], found.result["coefficients"][0]["high"]
        assert low < found.result["coefficients"][0]["value"] < high
        # The standard deviation of an item's agreement is below .5.
        assert abs(found.result["pairwise_agreement"] - AGREEMENT) < 5 * 0.5 / n**0.5


def test_larger_samples_have_narrower_intervals_around_the_same_worth(placed):
    judges = [found.result["judges"][0] for found in placed.values()]
    widths = [judge["high"] - judge["low"] for judge in judges]
    assert widths[0] > widths[1] > widths[2]
    assert abs(judges[1]["score"] - judges[2]["score"]) < widths[1]
