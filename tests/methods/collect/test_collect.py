"""The project that `collect` makes, and what it says while ratings come in."""

import json

import pytest

from dissensus import collect, read
from dissensus.cli.main import main
from dissensus.data.collection import Collection, Event, new_key
from dissensus.errors import DissensusError
from dissensus.methods.collect.collect import drop_rater

from collect_project import TASK, links, make_project

PIXEL = bytes.fromhex("89504e470d0a1a0a0000000d49484452")


def answered(folder, label_of, *, most=None):
    """Everybody answers; `label_of` gives the label from the rater, the item and the slot."""
    with Collection(folder) as collection:
        events = [
            Event(key=new_key(), kind="answer", rater=rater, slot=number,
                  body={"choice": label_of(rater, slot.item, slot), "seconds": 2.0, "order": slot.order})
            for rater, slots in collection.plan.slots.items()
            for number, slot in list(enumerate(slots))[:most]
        ]  # fmt: skip
        collection.add(events)


def by_item(_rater, item, _slot):
    """Everybody agrees."""
    return ("No", "Yes")[item % 2]


def test_a_finished_collection_says_who_failed_checks_and_who_is_inconsistent(tmp_path):
    folder = make_project(
        tmp_path, items=30, raters=4, per_item=3, checks=4, repeat_share=0.2, check_share=0.2, bootstrap=100
    )

    def label(rater, item, slot):
        if rater == "rater-1":
            return "No"  # never looks
        if slot.kind == "check":
            return "Yes"
        return "Yes" if (item + (rater == "rater-2" and slot.kind == "repeat")) % 2 else "No"

    answered(folder, label)
    found = collect(folder, bootstrap=100)
    assert (found.state, found.planned, found.ratings, found.complete) == ("finished", 90, 90, 30)
    rows = {row.rater: row for row in found.by_rater}
    assert rows["rater-1"].checks == 4
    assert rows["rater-1"].checks_right == 0
    assert rows["rater-3"].checks_right == rows["rater-3"].checks == 4
    assert rows["rater-2"].repeats_same == 0
    assert rows["rater-3"].repeats_same == rows["rater-3"].repeats > 0
    assert rows["rater-3"].seconds == 2.0
    # By hand: raters 2 to 4 always agree; pairs with rater 1 agree on even items only.
    pairs = agreeing = 0
    for item in range(30):
        with Collection(folder) as collection:
            team = [
                r
                for r, slots in collection.plan.slots.items()
                if any(s.item == item and s.kind == "rating" for s in slots)
            ]
        labels = ["No" if r == "rater-1" else ("No", "Yes")[item % 2] for r in team]
        agreeing += sum(labels[a] == labels[b] for a in range(3) for b in range(a)) / 3
        pairs += 1
    assert found.agreement.value == pytest.approx(agreeing / pairs)
    assert "Look at the answers of rater-1" in found.summary()


def test_repeats_checks_and_skipped_items_are_not_among_the_ratings(tmp_path):
    folder = make_project(tmp_path, items=10, raters=2, per_item=2, checks=2, repeat_share=0.3, check_share=0.2)
    answered(folder, lambda *_: "Yes", most=5)
    with Collection(folder) as collection:
        collection.post(Event(key="s", kind="skip", rater="rater-1", slot=5, body={"reason": "No option fits"}))
    found = collect(folder, bootstrap=0)
    ratings = read(folder / "data" / "ratings.csv")
    assert ratings.n_ratings == found.ratings
    assert sum(row.skipped for row in found.by_rater) == 1
    text = (folder / "data" / "answers.csv").read_text(encoding="utf-8")
    assert text.count("\n") == 12
    assert "No option fits" in text


def test_what_a_rater_leaves_goes_to_those_with_the_least_to_do(tmp_path):
    folder = make_project(tmp_path, items=12, raters=4, per_item=2)
    answered(folder, lambda *_: "Yes", most=2)
    with Collection(folder) as collection:
        taken, left = drop_rater(collection, "rater-2")
        standing = collection.standing
    assert (taken, left) == (4, 0)
    assert standing.raters["rater-2"].is_dropped
    loads = [len(one.open_slots()) for name, one in standing.raters.items() if name != "rater-2"]
    assert max(loads) - min(loads) <= 1
    for one in standing.raters.values():
        asked = [slot.item for slot in one.slots]
        assert len(set(asked)) == len(asked)
    found = collect(folder, bootstrap=0)
    assert {item.planned for item in found.by_item} == {2}
    with pytest.raises(DissensusError, match="'rater-2' has no link"), Collection(folder) as collection:
        drop_rater(collection, "rater-2")


def test_a_collection_may_stop_only_at_a_look_that_was_fixed_before(tmp_path):
    folder = make_project(tmp_path, items=100, raters=4, per_item=2, stop_at=0.2, looks=4)
    answered(folder, by_item, most=12)
    found = collect(folder, bootstrap=200)
    assert [look.at for look in found.looks] == [50, 100, 150, 200]
    assert [look.is_reached for look in found.looks] == [False] * 4
    assert not found.may_stop
    assert "Next look at 50 ratings" in found.summary()
    (tmp_path / "b").mkdir()
    folder_2 = make_project(tmp_path / "b", items=100, raters=4, per_item=2, stop_at=0.2, looks=4)
    answered(folder_2, by_item, most=30)
    found = collect(folder_2, bootstrap=200)
    assert [look.is_reached for look in found.looks] == [True, True, False, False]
    assert found.looks[0].confidence == pytest.approx(1 - 0.05 / 4)
    assert found.may_stop  # everybody agrees on everything


def test_a_plan_says_how_many_items_and_ratings(tmp_path, capsys):
    make_project(tmp_path, items=40)
    plan = {"result": {"recommended": {"items": 25, "raters": 3, "raters_in_all": None}}}
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    command = ["collect", str(tmp_path / "items.csv"), "--task", str(tmp_path / "task.toml"), "--plan",
               str(tmp_path / "plan.json"), "-o", str(tmp_path / "planned")]  # fmt: skip
    assert main(command) == 2
    assert "give --raters" in capsys.readouterr().err
    assert not (tmp_path / "planned").exists()
    assert main([*command, "--raters", "5"]) == 0
    assert "25 items are ready for 5 raters: 75 ratings, 3 of each item." in capsys.readouterr().out


def test_only_the_items_are_rated_that_route_leaves_to_people(tmp_path):
    make_project(tmp_path, items=10)
    rows = ["item,raters,gain", "c001,2,0.4", "c002,0,0.0", "c005,2,0.3"]
    (tmp_path / "assignments.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    asked = {"task": tmp_path / "task.toml", "raters": 3, "bootstrap": 0}
    found = collect(tmp_path / "items.csv", chosen=tmp_path / "assignments.csv", output=tmp_path / "routed", **asked)
    assert [(item.item, item.planned) for item in found.by_item] == [("c001", 2), ("c005", 2)]


def test_pairs_have_their_sides_recorded_and_images_come_from_the_items_folder(tmp_path):
    (tmp_path / "pics").mkdir()
    for name in "ab":
        (tmp_path / "pics" / f"{name}.png").write_bytes(PIXEL)
    rows = ["item,text_a,text_b,image_a,image_b", "p1,one,two,pics/a.png,pics/b.png", "p2,three,four,,"]
    (tmp_path / "items.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "task.toml").write_text('kind = "pairwise"\ninstructions = "Which is better?"\n', encoding="utf-8")
    asked = {"task": tmp_path / "task.toml", "raters": 2, "ratings_per_item": 2, "bootstrap": 0}
    collect(tmp_path / "items.csv", output=tmp_path / "pairs", **asked)
    with Collection(tmp_path / "pairs") as collection:
        assert {slot.order for slots in collection.plan.slots.values() for slot in slots} <= {"ab", "ba"}
    assert (tmp_path / "pairs" / "images" / "1.png").read_bytes() == PIXEL
    for bad, message in (
        ("../secret.png", "is not in the folder of the items"), ("http://evil.example/a.png", "is not in the folder"),
        ("pics/none.png", "cannot be opened"), ("task.toml", "cannot be shown"),
    ):  # fmt: skip
        (tmp_path / "items.csv").write_text(f"item,text_a,text_b,image_a,image_b\np1,x,y,{bad},pics/a.png\n")
        with pytest.raises(DissensusError, match=message):
            collect(tmp_path / "items.csv", output=tmp_path / "bad", **asked)
        assert not (tmp_path / "bad").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,text\na,x\na,y\n", r"1 item twice: a \(rows 2 and 3\)"),
        ("item,text\na,\n", "row 2: there is neither a text nor an image"),
        ("item,text,check\na,x,Maybe\nb,y,\n", "the check expects 'Maybe', which is not an option"),
        ("item,text,check\na,x,Yes\n", "has attention checks only"),
        ("id,comment\na,x\n", "has no column 'item' and no column 'text'"),
    ],
)
def test_items_that_cannot_be_rated_are_refused_and_no_folder_is_left(tmp_path, text, message):
    (tmp_path / "items.csv").write_text(text, encoding="utf-8")
    (tmp_path / "task.toml").write_text(TASK.format(elicitation="both"), encoding="utf-8")
    with pytest.raises(DissensusError, match=message):
        collect(
            tmp_path / "items.csv", task=tmp_path / "task.toml", output=tmp_path / "out", raters=1, ratings_per_item=1
        )
    assert not (tmp_path / "out").exists()


def test_more_ratings_than_raters_and_a_folder_with_something_in_it_are_refused(tmp_path):
    folder = make_project(tmp_path)
    with pytest.raises(DissensusError, match="is more than the 2 raters"):
        make_project(tmp_path, raters=2, per_item=3)
    before = links(folder)
    with pytest.raises(DissensusError, match="it is not empty"):
        make_project(tmp_path)
    assert links(folder) == before


def test_a_model_is_asked_about_the_items_of_a_project_with_its_task(tmp_path, capsys):
    folder = make_project(tmp_path, items=7, elicitation="both")
    assert main(["rate", str(folder), "--model", "M", "--samples", "2", "--dry-run"]) == 0
    assert "28 requests" in capsys.readouterr().out  # 7 items, choice and set, 2 samples
    (tmp_path / "empty").mkdir()
    assert main(["rate", str(tmp_path / "empty"), "--model", "M", "--dry-run"]) == 2
    assert "empty has no items.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["a,2,0.5", "b,two,0.5"], "The item b has 'two' raters: give a whole number."),
        (["a,2,0.5", "b,1.5,0.5"], "The item b has '1.5' raters"),
        (["a,2,0.5", "b,2,0"], "The item b has the inclusion_probability '0': give every item one above 0"),
        (["a,2,0.5", "b,2,"], "The item b has no inclusion_probability"),
    ],
)
def test_chosen_items_without_a_number_are_refused_before_anybody_rates_them(tmp_path, rows, message):
    (tmp_path / "items.csv").write_text("item,text\na,one\nb,other\n")
    (tmp_path / "task.toml").write_text('instructions = "?"\noptions = ["Yes", "No"]\n')
    (tmp_path / "next.csv").write_text("\n".join(["item,raters,inclusion_probability", *rows, ""]))
    with pytest.raises(DissensusError, match=message):
        collect(
            tmp_path / "items.csv", task=tmp_path / "task.toml", chosen=tmp_path / "next.csv", raters=3,
            output=tmp_path / "project",
        )  # fmt: skip
    assert not (tmp_path / "project").exists()
