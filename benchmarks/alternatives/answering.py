"""Answer a problem that comes as JSON on stdin: what each call returns, its seconds, and the versions used."""

import json
import platform
import sys
from importlib.metadata import version

from timing import answer_and_seconds


def answer(calls, packages):
    """Print one line of JSON; `calls` makes, from the problem, a call for each name.

    The problem's `times` says how often each call is timed.
    """
    problem = json.load(sys.stdin)
    answers, seconds = {}, {}
    for name, call in calls(problem).items():
        answers[name], seconds[name] = answer_and_seconds(call, times=problem.get("times", 3))
    versions = {"python": platform.python_version(), **{package: version(package) for package in packages}}
    print(json.dumps({"answers": answers, "seconds": seconds, "versions": versions}))
