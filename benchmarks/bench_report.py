"""A whole report on 349,582 ratings: where its time goes. Drawing the page must stay a small part of it."""

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT.parent / "shared" / "data" / "wiki_attacks"
ITEMS, RATINGS_PER_ITEM, BOOTSTRAP = 23_178, 15, 500
MOST_RENDERING = 0.2


def main():
    """Print each part's share of the time; 1 if rendering is more than a fifth of it."""
    with tempfile.TemporaryDirectory() as folder:
        ratings, judges = real_files() or simulated_files(Path(folder))
        parts, size = timed(ratings, judges, Path(folder) / "report.html")
    whole = sum(parts.values())
    for name, seconds in parts.items():
        print(f"{name:10} {seconds:6.2f} s {seconds / whole:6.1%}")
    print(f"{'whole':10} {whole:6.2f} s, {size / 1e6:.2f} MB, {BOOTSTRAP} bootstrap samples")
    share = parts["rendering"] / whole
    print(f"Rendering takes {share:.1%} of the time, at most {MOST_RENDERING:.0%} is allowed.")
    return int(share > MOST_RENDERING)


def real_files():
    """Wikipedia's personal attacks, where they are beside the checkout."""
    files = REAL / "ratings.csv.gz", REAL / "judges.csv"
    return files if all(path.is_file() for path in files) else None


def simulated_files(folder):
    """Two labels by 15 raters of each item and one judge's probabilities: as many rows as the real files have."""
    import numpy as np  # noqa: PLC0415 - importing is timed

    rng = np.random.default_rng(0)
    chance = rng.beta(0.4, 1.6, ITEMS)
    given = rng.random((ITEMS, RATINGS_PER_ITEM)) < chance[:, None]
    names = ("none", "attack")
    rows = [f"{i},a{r},{names[int(given[i, r])]}\n" for i in range(ITEMS) for r in range(RATINGS_PER_ITEM)]
    said = np.clip(chance + rng.normal(0, 0.15, ITEMS), 0.01, 0.99).round(4)
    answers = [f"{i},model,{p:.4f},{1 - p:.4f}\n" for i, p in enumerate(said)]
    ratings, judges = folder / "ratings.csv", folder / "judges.csv"
    ratings.write_text("item,rater,label\n" + "".join(rows))
    judges.write_text("item,judge,p_attack,p_none\n" + "".join(answers))
    return ratings, judges


def timed(ratings_file, judges_file, page):
    """Seconds of each part, and the size of the page in bytes."""
    times = [time.perf_counter()]
    from dissensus.data import read, read_judges  # noqa: PLC0415 - importing is timed
    from dissensus.report.answers import answers_of  # noqa: PLC0415 - importing is timed
    from dissensus.report.files import write_page  # noqa: PLC0415 - as above
    from dissensus.report.whole import report_of  # noqa: PLC0415 - as above

    times.append(time.perf_counter())
    ratings, judges = read(ratings_file), read_judges(judges_file)
    times.append(time.perf_counter())
    answers = answers_of(ratings, judges, bootstrap=BOOTSTRAP)
    times.append(time.perf_counter())
    write_page(report_of(answers, title="What the ratings say"), page)
    times.append(time.perf_counter())
    names = ("importing", "reading", "computing", "rendering")
    parts = {name: after - before for name, before, after in zip(names, times, times[1:], strict=False)}
    return parts, page.stat().st_size


if __name__ == "__main__":
    sys.exit(main())
