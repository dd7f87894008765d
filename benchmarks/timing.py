"""Time a call as the best of several, so that a busy machine spoils no ratio; and one shared table of results."""

import time


def best_seconds(call, *, times=5):
    """The shortest of several runs."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def report(what, ours, theirs, *, limit=None):
    """Print our time over the alternative's, and whether that keeps the promise."""
    ratio = ours / theirs
    verdict = "" if limit is None else f"  (at most {limit:.3g}: {'kept' if ratio <= limit else 'NOT KEPT'})"
    faster = f" = 1/{1 / ratio:,.0f}" if ratio < 0.1 else ""
    print(f"{what:<72} {ours * 1000:9.1f} ms  {theirs * 1000:9.1f} ms  ratio {ratio:.3g}{faster}{verdict}", flush=True)
    return limit is None or ratio <= limit
