"""Time a call as the best of several, so that a busy machine spoils no ratio; and one shared table of results."""

import resource
import time

from recording import record


def processor_seconds():
    """Time that finished commands spent computing: unlike the time that passed, a busy machine hardly changes it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def best_seconds(call, *, times=5, clock=time.perf_counter):
    """The shortest of several runs."""
    return answer_and_seconds(call, times=times, clock=clock)[1]


def answer_and_seconds(call, *, times=5, clock=time.perf_counter):
    """What the call returns, and the shortest of several runs."""
    seconds, answer = [], None
    for _ in range(times):
        start = clock()
        answer = call()
        seconds.append(clock() - start)
    return answer, min(seconds)


def report(what, ours, theirs, *, limit=None, against=None, difference=None, tolerance=None):
    """Print our time over the alternative's, and whether that keeps the promise; record both for the page.

    Where both give a number, `difference` is how far apart the two are, and the promise includes its tolerance.
    """
    ratio = ours / theirs
    is_fast, is_same = limit is None or ratio <= limit, difference is None or difference <= tolerance
    verdict = "" if limit is None else f"  (at most {limit:.3g}: {'kept' if is_fast else 'NOT KEPT'})"
    if difference is not None:
        verdict += f"  apart by {difference:.1g} (at most {tolerance:.1g}: {'same' if is_same else 'NOT THE SAME'})"
    faster = f" = 1/{1 / ratio:,.0f}" if ratio < 0.1 else ""
    print(f"{what:<72} {ours * 1000:9.1f} ms  {theirs * 1000:9.1f} ms  ratio {ratio:.3g}{faster}{verdict}", flush=True)
    record(
        "ratio", what=what.strip(), against=against, ours=ours, theirs=theirs, limit=limit, difference=difference,
        tolerance=tolerance, kept=is_fast and is_same,
    )  # fmt: skip
    return is_fast and is_same
