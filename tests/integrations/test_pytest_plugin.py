"""The pytest plugin, run by pytest itself."""

import subprocess
import sys

pytest_plugins = ["pytester"]
PLUGIN = ("-p", "dissensus.pytest", "-p", "no:cacheprovider")
TESTS = """
QUICK = {"judge": "classifier", "bootstrap": 100}

def test_good_enough(dissensus_gate):
    assert dissensus_gate("example:binary", "example:binary", min_equivalence=0.5, **QUICK).passes

def test_too_much_to_ask(dissensus_gate):
    dissensus_gate("example:binary", "example:binary", min_equivalence=9, **QUICK)
"""
HEADINGS = [rf"# test\_gates.py::test\_{name}" for name in (r"good\_enough", r"too\_much\_to\_ask")]


def headings(path):
    return sorted(line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# "))


def test_a_gate_passes_or_fails_its_test_with_the_reason_and_is_reported(pytester):
    pytester.makepyfile(test_gates=TESTS)
    done = pytester.runpytest_inprocess(*PLUGIN, "--dissensus-report", "gates.md")
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(['"classifier" fails*', "*worth at least 9*", "FAILED*test_too_much_to_ask*"])
    assert headings(pytester.path / "gates.md") == HEADINGS


def test_the_report_is_whole_where_tests_run_in_several_processes(pytester):
    pytester.makepyfile(test_gates=TESTS)
    done = pytester.runpytest_subprocess(*PLUGIN, "-n", "2", "--dissensus-report", "gates.md")
    done.assert_outcomes(passed=1, failed=1)
    assert headings(pytester.path / "gates.md") == HEADINGS


def test_a_run_without_gates_imports_nothing_else_and_writes_nothing(pytester):
    pytester.makepyfile("def test_other(): pass")
    code = (
        f"import sys, pytest; pytest.main([*{PLUGIN!r}, '-q', '--dissensus-report', 'gates.md']); "
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'numpy', 'duckdb', 'typer'}),"
        "sorted(name for name in sys.modules if name.startswith('dissensus')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=pytester.path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] ['dissensus', 'dissensus.pytest']"
    assert not (pytester.path / "gates.md").exists()
