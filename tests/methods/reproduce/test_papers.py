import hashlib
import importlib
import subprocess
import sys
import zipfile
from dataclasses import replace
from math import isnan, nan

import pytest

from dissensus.errors import DissensusError, FileError, OptionError, RatingsError
from dissensus.methods.reproduce import PAPERS, Claim, PaperData, download_data, reproduce
from dissensus.methods.reproduce.claims import REQUIREMENT, WHEEL, WHEEL_SHA256, Drawing, Part, Point
from dissensus.methods.reproduce.dont_label_twice_sweep import REDUCED_GRID, sweep_grid
from dissensus.methods.reproduce.reproduce import FIGURES, check_group
from dissensus.methods.reproduce.survey_equivalence import alpha as running_example_alpha
from dissensus.sampling import open_executor, run_tasks

LABELS = "surveyequivalence/data/running_example/ref_rater_labels.csv"
# aa, ab, bb: observed disagreement 2/6, expected 18/30, so alpha = 1 - (1/3) / (3/5) = 4/9
THREE_ITEMS = ",e_1,e_2\n0,pos,pos\n1,pos,neg\n2,neg,neg\n"
ALL_CLAIMS = [claim for claims in PAPERS.values() for claim in claims]


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / WHEEL
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(LABELS, THREE_ITEMS)
    return path


def claim(**changes):
    fields = {
        "paper": "a paper",
        "claim": "section 1, a number",
        "what": "A number.",
        "published": 0.33,
        "compute": lambda _: 0.334,
        "tolerance": 0.005,
        "tolerance_reason": "Printed to two decimals.",
    }
    return Claim(**{**fields, **changes})


def fails(_):
    raise RatingsError("No ratings.")


@pytest.mark.parametrize(
    ("changes", "status", "reason"),
    [
        ({}, "reproduced", "Printed to two decimals."),
        # .335 - .33 is a little more than .005 in binary, and the same in decimals.
        ({"compute": lambda _: 0.335}, "reproduced", "Printed to two decimals."),
        ({"compute": lambda _: 0.336}, "failed", "It should be the same within 0.005. Printed to two decimals."),
        (
            {"compute": lambda _: 0.336, "reason_if_differs": "Theirs is an estimate."},
            "differs",
            "Theirs is an estimate.",
        ),
        ({"reason_if_differs": "Theirs is an estimate."}, "reproduced", "Printed to two decimals."),
        ({"compute": lambda _: nan}, "failed", "It should be the same within 0.005. Printed to two decimals."),
        ({"compute": fails}, "failed", "No ratings."),
        ({"compute": None, "reason_if_differs": "Not published."}, "not reproducible", "Not published."),
        (
            {"compute": lambda data: len(data.text("some/file.csv", remedy="Get it."))},
            "data missing",
            "The authors' data are needed. Get it.",
        ),
    ],
)
def test_the_status_of_a_claim_says_how_ours_compares(changes, status, reason):
    outcome = claim(**changes).check(PaperData())
    assert (outcome.status, outcome.reason) == (status, reason)


def test_an_outcome_has_the_fields_of_the_json():
    row = claim().check(PaperData()).as_dict()
    assert list(row) == ["paper", "claim", "published", "ours", "difference", "tolerance", "status", "reason"]
    assert row["difference"] == pytest.approx(0.004)
    assert isnan(claim(compute=None, reason_if_differs="x").check(PaperData()).as_dict()["difference"])


# Groups of claims


def groups(paper):
    return list(dict.fromkeys(c.group for c in PAPERS[paper]))


SLOW = {
    ("judges-without-gold", "figures 4, 10 and 13"),
    ("dont-label-twice", "appendix A"),  # test_docs runs it
    ("survey-equivalence", "theorems, running example"),  # test_theorems checks the same data sets
    ("survey-equivalence", "theorems, three labels"),
    *(("how-many-raters", f"table {number}") for number in range(12, 16)),
}
GROUPS = [
    pytest.param(paper, group, marks=[pytest.mark.slow] if (paper, group) in SLOW else [])
    for paper in PAPERS
    for group in groups(paper)
]


@pytest.fixture(scope="module")
def swept():
    return sweep_grid(REDUCED_GRID)


@pytest.mark.parametrize(("paper", "group"), GROUPS)
def test_claims_fare_as_they_say(paper, group, request):
    claims = [c for c in PAPERS[paper] if c.group == group]
    path = request.getfixturevalue("authors_wheel") if any(c.needs_data for c in claims) else None
    data = PaperData(path, request.getfixturevalue("swept") if group == "appendix A" else None)
    outcomes = [c.check(data) for c in claims]
    said = [
        "not reproducible" if c.compute is None else "differs" if c.reason_if_differs else "reproduced" for c in claims
    ]
    wrong = [(o.claim.claim, o.status, o.ours) for o, status in zip(outcomes, said, strict=True) if o.status != status]
    assert wrong == []
    assert all(outcome.reason for outcome in outcomes)


def test_there_are_hundreds_of_distinct_claims():
    names = [(c.paper, c.claim) for c in ALL_CLAIMS]
    assert len(set(names)) == len(names) >= 200


def test_claims_say_where_they_stand_and_what_they_are():
    places = {
        "abstract", "appendix", "conjecture", "corollary", "figure", "finding", "lemma", "proposition", "section",
        "table", "tables", "theorem",
    }  # fmt: skip
    assert {c.claim.split()[0].rstrip(",") for c in ALL_CLAIMS} == places
    assert all(c.what.endswith(".") for c in ALL_CLAIMS)
    assert all(c.tolerance_reason.endswith(".") for c in ALL_CLAIMS if c.compute is not None)
    assert all(c.reason_if_differs for c in ALL_CLAIMS if c.compute is None)


def test_figures_belong_to_groups_that_there_are():
    assert set(FIGURES) <= {(paper, group) for paper in PAPERS for group in groups(paper)}


# Running them, on papers made up for the purpose

OF_FIRST, OF_SECOND = [], []
FIRST, SECOND = Part(OF_FIRST, "first", "a"), Part(OF_FIRST, "first", "b", needs_data=True)
FIRST.printed("section 1, half", 0.5, decimals=2, what="One half.")(lambda: 0.502)
SECOND.printed("section 2, letters", 3, decimals=0)(lambda data: len(data.text("x", remedy="Get it.")))
FIRST.printed("section 3, a third", 0.3, decimals=2, differs="Cut off.", what="One third.")(lambda _: 1 / 3)
FIRST.out_of_reach("table 1, lost", "Lost.", 7, "The dog ate it.")
Part(OF_SECOND, "second", "c").always("lemma 1", what="A share.")(lambda: 1.0)
MADE_UP = {"first": tuple(OF_FIRST), "second": tuple(OF_SECOND)}


def test_a_claim_says_what_its_function_says():
    found = []

    @Part(found, "first", "a").within("section 1, half", 0.5, 0.01, "Noise.")
    def half():
        """One half.

        Or nearly.
        """
        return 0.502

    assert (found[0].what, found[0].check(PaperData()).ours, half()) == ("One half.", 0.502, 0.502)


@pytest.fixture
def made_up(monkeypatch):
    # The package's function of that name hides the module from a dotted path.
    module = importlib.import_module("dissensus.methods.reproduce.reproduce")
    monkeypatch.setattr(module, "PAPERS", MADE_UP)
    monkeypatch.setattr(module, "FIGURES", {("first", "a"): draw, ("first", "b"): draw_from_data})


def draw(_):
    points = (Point(series="s", x=1, y=0.5), Point(series="s", x=2, y=0.7))
    return [Drawing(paper="first", place="figure 1", title="It rises", caption="Made up.", kind="lines", points=points)]


def draw_from_data(data):
    data.text("x", remedy="Get it.")
    return []


@pytest.mark.usefixtures("made_up")
def test_claims_are_told_in_the_order_of_the_paper_whatever_their_groups():
    result = reproduce()
    assert result.command == "reproduce"
    assert [row["claim"] for row in result.as_dict()["claims"]] == [c.claim for cs in MADE_UP.values() for c in cs]
    assert [o.status for o in result.claims] == [
        "reproduced", "data missing", "differs", "not reproducible", "reproduced",
    ]  # fmt: skip
    assert result.warnings == ("1 number needs the authors' data, which are not here.",)
    assert result.data == {}
    assert result.drawings == ()


@pytest.mark.usefixtures("made_up")
def test_figures_are_drawn_where_their_data_are_here():
    assert [drawing.title for drawing in reproduce("first", figures=True).drawings] == ["It rises"]
    assert "drawings" not in reproduce("first", figures=True).as_dict()


@pytest.mark.usefixtures("made_up")
def test_a_claim_s_data_come_from_the_file_that_is_given(tmp_path):
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", "abcd")
    result = reproduce("first", data=path)
    assert (result.claims[1].status, result.claims[1].ours) == ("failed", 4)
    assert result.count("failed") == 1
    assert result.data["authors"] == {"file": "a.whl", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert result.warnings == ()


def test_two_processes_find_the_same_as_one():
    # Real claims, as a process knows those only.
    one, two = (run_tasks_of([("judges-without-gold", "theorems and appendix C")] * 2, workers) for workers in (1, 2))
    assert one == two


def run_tasks_of(tasks, workers):
    with open_executor(workers=workers) as executor:
        return run_tasks(executor, check_group, [(*task, PaperData(), False) for task in tasks], rng=0)


# The authors' data


def test_missing_data_come_with_the_command_that_gets_them():
    needing = next(c for c in PAPERS["survey-equivalence"] if c.needs_data)
    outcome = needing.check(PaperData())
    assert outcome.status == "data missing"
    assert "`pip download --no-deps surveyequivalence==0.1.3`" in outcome.reason
    assert f"`dissensus reproduce survey-equivalence --data {WHEEL}`" in outcome.reason


def test_only_the_claims_that_say_so_need_data():
    fast = [c for c in PAPERS["survey-equivalence"] if not c.group.startswith("theorems")]
    assert [c.claim for c in fast if c.check(PaperData()).status == "data missing"] == [
        c.claim for c in fast if c.needs_data
    ]


def test_the_printed_numbers_of_section_4_are_those_of_the_paper():
    printed = {
        c.claim: c.published
        for c in PAPERS["survey-equivalence"]
        if c.group == "running example, the model" and c.claim.startswith("section 4")
    }
    assert list(printed.values())[1:] == [-0.699, -0.951, 0.252, 0.029]


def test_alpha_is_computed_from_the_wheel_from_its_folder_and_from_any_level_of_it_unpacked(wheel, tmp_path):
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    for path in (wheel, tmp_path, unpacked, unpacked / "surveyequivalence", unpacked / "surveyequivalence" / "data"):
        assert running_example_alpha(PaperData(path)) == pytest.approx(4 / 9), path


def test_a_folder_without_the_file_is_missing_data(tmp_path):
    outcome = claim(compute=running_example_alpha).check(PaperData(tmp_path))
    assert outcome.status == "data missing"
    assert f"{tmp_path.name} has no file {LABELS}. Run `pip download" in outcome.reason


def test_a_wheel_with_a_file_that_is_no_text_fails_the_claim(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr(LABELS, b"\xff\xfe")
    outcome = claim(compute=running_example_alpha).check(PaperData(tmp_path / "a.whl"))
    assert (outcome.status, outcome.reason) == (
        "failed",
        f"{LABELS} is not UTF-8: invalid start byte. Download it again.",
    )


def test_a_file_that_is_too_large_is_not_unpacked(wheel, monkeypatch):
    monkeypatch.setattr("dissensus.methods.reproduce.claims.LARGEST_MEMBER", 10)
    with pytest.raises(FileError, match="is larger than 10 bytes"):
        running_example_alpha(PaperData(wheel))


def test_a_sweep_that_was_not_run_is_missing():
    with pytest.raises(DissensusError, match="No sweep was run"):
        PaperData().sweep_result()


def test_a_path_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"There is no file or folder .*nowhere: check data="):
        reproduce(data=tmp_path / "nowhere")


def test_a_file_that_is_no_wheel_is_refused(tmp_path):
    (tmp_path / "labels.csv").write_text(THREE_ITEMS)
    with pytest.raises(FileError, match=r"labels\.csv is neither a folder nor a wheel"):
        reproduce(data=tmp_path / "labels.csv")


def test_an_unknown_paper_is_refused():
    with pytest.raises(OptionError, match="The paper cannot be 'best-seller': choose one of all, survey-equivalence"):
        reproduce("best-seller")


# Downloading, without the network: pip is replaced


def test_pip_is_called_without_a_shell_and_runs_nothing_of_the_package(tmp_path, monkeypatch):
    content = b"not the real wheel"
    calls = []

    def fake_pip(command, **options):
        calls.append((command, options))
        (tmp_path / "cache" / WHEEL).write_bytes(content)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", fake_pip)
    monkeypatch.setattr("dissensus.methods.reproduce.claims.WHEEL_SHA256", hashlib.sha256(content).hexdigest())
    assert download_data(tmp_path / "cache") == tmp_path / "cache" / WHEEL
    [(command, options)] = calls
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert command[-1] == REQUIREMENT
    assert {"--no-deps", "--only-binary", ":all:"} <= set(command)
    assert "shell" not in options
    download_data(tmp_path / "cache")
    assert len(calls) == 1, "what is in the cache is not downloaded again"


def test_a_file_with_another_hash_is_refused(tmp_path):
    (tmp_path / WHEEL).write_bytes(b"something else")
    with pytest.raises(FileError, match="is not the file that the authors published"):
        download_data(tmp_path)
    assert len(WHEEL_SHA256) == 64


def test_what_pip_says_is_passed_on(tmp_path, monkeypatch):
    def fake_pip(command, **_):
        return subprocess.CompletedProcess(command, 1, "", "some\nERROR: No matching distribution\n")

    monkeypatch.setattr(subprocess, "run", fake_pip)
    with pytest.raises(
        FileError, match=r"could not download surveyequivalence==0\.1\.3: ERROR: No matching distribution"
    ):
        download_data(tmp_path / "cache")


def test_a_pip_that_cannot_run_is_an_error_with_a_remedy(tmp_path, monkeypatch):
    def fake_pip(command, **_):
        raise subprocess.TimeoutExpired(command, 600)

    monkeypatch.setattr(subprocess, "run", fake_pip)
    with pytest.raises(FileError, match="elsewhere and give the file with data="):
        download_data(tmp_path / "cache")


def test_a_claim_can_be_checked_with_another_tolerance():
    assert replace(claim(), tolerance=0.001).check(PaperData()).status == "failed"
