"""Real exports give the ratings and the judges that a plain look into the file itself gives."""

import csv
import io
import json
import math
import zipfile
from collections import Counter

import pytest

from dissensus import read, read_both, read_judges
from dissensus.data.import_ import import_

from tables import message_of, triples, typed_message_of

yaml = pytest.importorskip("yaml")
zstandard = pytest.importorskip("zstandard")


@pytest.fixture(scope="module")
def tools(shared):
    return shared / "samples" / "annotation_tools"


@pytest.fixture(scope="module")
def raw(shared):
    return shared / "samples" / "raw"


def answers(judges):
    """Item, judge, sample and label of each answer, sorted."""
    columns = zip(judges.item, judges.judge, judges.sample, judges.label, strict=True)
    return sorted((judges.items[i], judges.judges[j], int(s), judges.labels[k]) for i, j, s, k in columns)


def in_label_studio(path, question, *, skipped=False):
    """What the tasks of an export say, read by hand."""
    found = []
    for task in json.loads(path.read_text()):
        for annotation in task["annotations"]:
            who = annotation["completed_by"]
            if annotation["was_cancelled"] and not skipped:
                continue
            for result in annotation["result"]:
                if result["from_name"] == question:
                    value = result["value"]
                    label = "|".join(value["choices"]) if "choices" in value else str(value["rating"])
                    found.append((task["data"]["item_id"], str(who["id"] if isinstance(who, dict) else who), label))
    return sorted(found)


@pytest.mark.parametrize("name", ["labelstudio_export.json", "labelstudio_snapshot.json"])
@pytest.mark.parametrize(("question", "count"), [("label", 11), ("severity", 6), ("tags", 8)])
def test_label_studio_json_and_snapshot_give_the_answers_in_the_file(tools, name, question, count):
    ratings = read(tools / name, question=question)
    assert triples(ratings) == in_label_studio(tools / name, question)
    assert ratings.n_ratings == count


@pytest.mark.parametrize("name", ["labelstudio_export.json", "labelstudio_snapshot.json"])
def test_a_skipped_annotation_is_left_out_and_counted_unless_kept(tools, name):
    result = import_(tools / name, question="label")
    assert [some.as_dict() for some in result.left_out] == [
        {
            "what": "skipped annotation",
            "count": 1,
            "why": "was_cancelled is true",
            "option": "`skipped=` of `import_` keep",
        }
    ]
    kept = read(tools / name, question="label", skipped="keep")
    assert triples(kept) == in_label_studio(tools / name, "label", skipped=True)
    assert ("i5", "2", "ok") in triples(kept)


@pytest.mark.parametrize("name", ["labelstudio_export.min.json", "labelstudio_export.csv", "labelstudio_export.tsv"])
@pytest.mark.parametrize("question", ["label", "severity", "tags"])
def test_the_short_label_studio_exports_say_the_same_as_the_long_one(tools, name, question):
    assert triples(read(tools / name, question=question)) == in_label_studio(
        tools / "labelstudio_export.json", question
    )


@pytest.mark.parametrize(
    "name", ["labelstudio_export.json", "labelstudio_export.min.json", "labelstudio_export.csv", "argilla_records.json"]
)
def test_several_questions_are_listed_and_stop_the_import_and_are_read_one_by_one(tools, name):
    asked = read(tools / name).questions
    assert triples(asked["tags"]) == triples(read(tools / name, question="tags"))
    message = typed_message_of(lambda: import_(tools / name))
    assert "questions: label (" in message
    assert "tags (" in message
    assert message.endswith("Choose one with --question, such as --question label.")


@pytest.mark.parametrize("name", ["labelstudio_export.json", "labelstudio_snapshot.json"])
def test_predictions_are_judges_though_a_plain_export_lists_their_ids_only(tools, name):
    snapshot = json.loads((tools / "labelstudio_snapshot.json").read_text())
    expected = [
        (task["data"]["item_id"], p["model_version"], 0, p["result"][0]["value"]["choices"][0])
        for task in snapshot
        for p in task["predictions"]
    ]
    assert answers(read_judges(tools / name)) == sorted(expected)
    assert len(expected) == 6


@pytest.mark.parametrize(("question", "count"), [("label", 6), ("tags", 3)])
def test_argilla_records_give_the_responses_in_the_file(tools, question, count):
    path = tools / "argilla_records.json"
    expected = [
        (record["id"], response["user_id"], "|".join([value] if isinstance(value, str) else value))
        for record in json.loads(path.read_text())
        for response in record["responses"][question]
        for value in [response["value"]]
    ]
    ratings = read(path, question=question)
    assert triples(ratings) == sorted(expected)
    assert ratings.n_ratings == count
    assert "does not say which responses were discarded" in ratings.warnings[0]


def test_argilla_suggestions_are_judges(tools):
    path = tools / "argilla_records.json"
    expected = [(r["id"], "judge-a", 0, r["suggestions"]["label"]["value"]) for r in json.loads(path.read_text())]
    assert answers(read_judges(path)) == sorted(expected)


def members(path):
    """The members of an archive of zstandard frames, unpacked by hand."""
    with zipfile.ZipFile(path) as archive, path.open("rb") as stream:
        for info in archive.infolist():
            stream.seek(info.header_offset + 26)
            lengths = stream.read(4)
            stream.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), io.SEEK_CUR)
            packed = stream.read(info.compress_size)
            yield info.filename, zstandard.ZstdDecompressor().decompressobj().decompress(packed)


@pytest.mark.parametrize(("name", "scorers", "count"), [("inspect.eval", 2, 24), ("inspect_mc.eval", 1, 4)])
def test_scores_of_an_inspect_log_are_judges_and_epochs_their_samples(tools, name, scorers, count):
    samples = [json.loads(content) for member, content in members(tools / name) if member.startswith("samples/")]
    expected = [
        (sample["id"], scorer, sample["epoch"] - 1, score["value"])
        for sample in samples
        for scorer, score in sample["scores"].items()
    ]
    judges = read_judges(tools / name)
    assert answers(judges) == sorted(expected)
    assert (len(judges.judges), judges.n_answers) == (scorers, count)


def test_what_the_model_chose_in_an_inspect_log_is_its_choices_and_not_their_letters(tools):
    summaries = json.loads(dict(members(tools / "inspect_mc.eval"))["summaries.json"])
    expected = []
    for sample in summaries:
        letters = sample["scores"]["choice"]["answer"].split(", ")
        chosen = sorted(sample["choices"]["ABC".index(letter)] for letter in letters)
        expected.append((sample["id"], "mockllm/model", 0, "|".join(chosen)))
    assert answers(read_judges(tools / "inspect_mc.eval", question="answer")) == sorted(expected)


@pytest.mark.parametrize(
    ("question", "count"), [("success", 8), ("score", 8), ("mentions", 8), ("quality", 4), ("output", 8)]
)
def test_promptfoo_results_are_judges_by_provider_and_prompt(tools, question, count):
    path = tools / "promptfoo_output.json"
    expected = []
    for result in json.loads(path.read_text())["results"]["results"]:
        said = {
            "success": "pass" if result["success"] else "fail",
            "score": f"{result['score']:g}",
            "output": result["response"]["output"],
            **{name: f"{value:g}" for name, value in result["namedScores"].items()},
        }
        judge = f"{result['provider']['id']} prompt {result['promptIdx']}"
        if question in said:
            expected.append((str(result["testIdx"]), judge, 0, said[question]))
    assert answers(read_judges(path, question=question)) == sorted(expected)
    assert len(expected) == count


@pytest.mark.parametrize("question", ["success", "mentions", "quality", "output"])
def test_promptfoo_csv_says_the_same_as_its_json(tools, question):
    table, document = tools / "promptfoo_output.csv", tools / "promptfoo_output.json"
    assert answers(read_judges(table, question=question)) == answers(read_judges(document, question=question))


def test_promptfoo_items_can_be_named_by_a_key(tools):
    judges = read_judges(tools / "promptfoo_output.json", question="success", item_key="metadata.item_id")
    assert judges.items == ("i1", "i2")
    by_column = read_judges(tools / "promptfoo_output.csv", question="success", item_key="Description")
    assert by_column.items == ("item-1", "item-2")


def test_lm_eval_log_probabilities_that_are_text_become_probabilities(tools):
    path = tools / "lm_eval_samples.jsonl"
    judges = read_judges(path)
    for line in path.read_text().splitlines():
        record = json.loads(line)
        weights = [math.exp(float(response[0])) for response in record["filtered_resps"]]
        row = list(judges.item).index(judges.items.index(str(record["doc_id"])))
        shares = dict(zip(judges.labels, judges.probability[row], strict=True))
        assert shares["toxic"] == pytest.approx(weights[0] / sum(weights))
        # The file's own accuracy says whether the most likely answer is the target.
        is_right = ["toxic", "ok"][int(record["target"])] == judges.labels[judges.label[row]]
        assert is_right == (record["acc"] == 1)
    assert judges.n_answers == 4


def test_parallel_lists_give_each_worker_the_label_at_their_place(raw):
    path = raw / "ambient_linguist_parallel_lists.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    expected = [
        (str(record["id"]), worker, "|".join(sorted(label.split("|"))))
        for record in records
        for worker, label in zip(record["worker_ids"], record["annotations"], strict=True)
    ]
    assert triples(read(path, repeats="keep")) == sorted(expected)
    assert "--repeats first" in typed_message_of(lambda: read(path))


def test_a_yaml_dict_of_dicts_has_raters_outside_and_items_inside(raw):
    path = raw / "bluebirds_labels.yaml"
    document = yaml.safe_load(path.read_text())
    expected = [
        (str(item), str(rater), str(label).lower())
        for rater, labels in document.items()
        for item, label in labels.items()
    ]
    assert triples(read(path)) == sorted(expected)
    turned = read(path, item="outer")
    assert (turned.n_items, turned.n_raters) == (39, 108)


def rows_of(path, delimiter=",", encoding="utf-8"):
    with path.open(encoding=encoding, newline="") as stream:
        return list(csv.reader(stream, delimiter=delimiter))


def test_a_mechanical_turk_file_with_blank_rows_asks_for_the_item_and_the_question(raw):
    path = raw / "convabuse_mturk_semicolon_blank_rows.csv"
    assert "--item-key Input.conv_id" in typed_message_of(lambda: read(path))
    assert "--question" in typed_message_of(lambda: import_(path, item_key="Input.conv_id"))
    header, *rows = rows_of(path, ";")
    item, label = header.index("Input.conv_id"), header.index("is_abuse")
    ratings = read(path, item_key="Input.conv_id", question="is_abuse")
    assert triples(ratings) == sorted((row[item], None, row[label]) for row in rows if row[label])
    assert f"Left out {sum(not any(row) for row in rows)} blank rows." in ratings.warnings


def test_one_hot_columns_become_labels_and_response_sets(raw):
    path = raw / "convabuse_onehot_long.csv"
    header, *rows = rows_of(path)
    assert "--question is_abuse" in typed_message_of(lambda: import_(path))
    for question in ("is_abuse", "type"):
        places = [(i, name.partition(".")[2]) for i, name in enumerate(header) if name.startswith(f"{question}.")]
        expected = [(row[0], row[1], "|".join(sorted(o for i, o in places if row[i] == "1"))) for row in rows]
        assert triples(read(path, question=question)) == sorted(triple for triple in expected if triple[2])


def test_one_hot_columns_per_annotator_survive_a_misnamed_column(raw):
    path = raw / "convabuse_wide_onehot_per_annotator.csv"
    header, *rows = rows_of(path)
    expected = []
    for row in rows:
        for i, name in enumerate(header):
            rater, _, rest = name.partition("_is_abuse.")
            if rest:
                expected += [(row[0], rater, rest) for mark in row[i].split(", ") if mark == "1"]
    # Some cells are "1, 1": the same annotator saw the item twice.
    assert "2 ratings with the item and rater of an earlier one" in typed_message_of(
        lambda: read(path, question="is_abuse")
    )
    ratings = read(path, question="is_abuse", repeats="keep")
    assert triples(ratings) == sorted(expected)
    assert "Columns with the same name were numbered: Annotator6_transphobic." in ratings.warnings


@pytest.mark.parametrize("options", [{}, {"count": "credCount*_ret"}])
def test_counts_in_a_column_per_label_are_counted(raw, options):
    path = raw / "credbank_counts_per_label.csv"
    assert "--item" in typed_message_of(lambda: read(path, **options))
    header, *rows = rows_of(path)
    ratings = read(path, item="event", **options)
    assert ratings.labels == ("-2", "-1", "0", "1", "2")
    first = header.index("credCount-2_ret")
    expected = {row[0]: [int(cell) for cell in row[first : first + 5]] for row in rows}
    assert dict(zip(ratings.items, ratings.counts().tolist(), strict=True)) == expected


def test_a_file_without_a_header_asks_for_the_names_of_its_columns(raw):
    gal = raw / "gal_headerless_tsv_repeat_ratings.txt"
    assert "--columns rater,item,label " in typed_message_of(lambda: read(gal))
    expected = [(item, rater, label) for rater, item, label in rows_of(gal, "\t")]
    columns = ["rater", "item", "label"]
    assert triples(read(gal, columns=columns, repeats="keep")) == sorted(expected)
    assert "--repeats" in typed_message_of(lambda: read(gal, columns=columns))
    last = {(item, rater): label for item, rater, label in expected}
    assert triples(read(gal, columns=columns, repeats="last")) == sorted((*key, label) for key, label in last.items())


def test_a_headerless_file_with_more_columns_is_read_by_the_names_that_count(raw):
    music = raw / "music_genre_headerless_worker_task_label_gold.csv"
    assert "--columns rater,item,label,column4 " in typed_message_of(lambda: read(music))
    expected = [(item, rater, label) for rater, item, label, _ in rows_of(music)]
    assert triples(read(music, columns=["rater", "item", "label", "gold"])) == sorted(expected)
    wrong = typed_message_of(lambda: read(music, columns=["rater", "item"]))
    assert "has 4 columns" in wrong


def test_votes_with_timestamps_name_their_columns_and_keep_the_last_of_each(raw):
    path = raw / "polis_long_votes_with_timestamps.csv"
    assert "Keep one of each with --repeats first" in typed_message_of(lambda: read(path))
    last = {(item, rater): label for _, _, item, rater, label in rows_of(path)[1:]}
    ratings = read(path, repeats="last")
    assert ratings.warnings[-1] == (
        "Columns taken by their names: voter-id as rater, vote as label and comment-id as item."
    )
    assert triples(ratings) == sorted((*key, label) for key, label in last.items())


def test_a_wide_file_with_a_row_per_rater_is_turned(raw):
    path = raw / "polis_wide_participants_votes.csv"
    assert "--rater participant --item" in typed_message_of(lambda: read(path))
    header, *rows = rows_of(path)
    expected = [(header[i], row[0], cell) for row in rows for i, cell in enumerate(row) if i > 5 and cell]
    assert triples(read(path, rater="participant", item="[0-9]*")) == sorted(expected)


def test_probabilities_in_cells_ask_for_the_names_of_their_labels(raw):
    path = raw / "surveyequivalence_predictions_string_cells.csv"
    assert "--labels pos,neg" in typed_message_of(lambda: read_judges(path))
    judges = read_judges(path, labels=["pos", "neg"])
    header, *rows = rows_of(path)
    names = [judges.judges[j] for j in judges.judge]
    assert Counter(names) == dict.fromkeys(header[1:], len(rows))
    for row in rows:
        item = judges.items.index(row[0])
        place = next(i for i, name in enumerate(names) if name == header[3] and judges.item[i] == item)
        assert judges.probability[place].tolist() == pytest.approx(json.loads(row[3].removeprefix("Prediction: ")))
        hard = next(i for i, name in enumerate(names) if name == header[1] and judges.item[i] == item)
        assert f"Prediction: {judges.labels[judges.label[hard]]}" == row[1]


def test_the_index_of_a_frame_is_taken_for_the_item_of_a_wide_file(raw):
    path = raw / "surveyequivalence_wide_ref_rater_labels.csv"
    header, *rows = rows_of(path)
    expected = [(row[0], header[i], cell) for row in rows for i, cell in enumerate(row) if i and cell]
    assert triples(read(path)) == sorted(expected)


def test_a_list_in_a_cell_behind_a_byte_order_mark_is_a_list_of_ratings(raw):
    path = raw / "vader_bom_tsv_list_in_cell.txt"
    rows = rows_of(path, "\t", "utf-8-sig")
    ratings = read(path)
    assert triples(ratings) == triples(read(path, columns=["item", "mean", "sd", "labels"]))
    assert "There is no header: the columns were taken for item and label by what stands in them." in ratings.warnings
    assert "1_1" in ratings.items
    expected = [(row[0], None, str(label)) for row in rows for label in json.loads(row[3])]
    assert triples(ratings) == sorted(expected)
    # The file's own mean of each item says the same.
    means = dict(zip(ratings.items, ratings.counts() @ ratings.values / 20, strict=True))
    assert means == pytest.approx({row[0]: float(row[1]) for row in rows})


@pytest.mark.parametrize("name", ["argilla_records.json", "labelstudio_export.json", "labelstudio_snapshot.json"])
def test_of_several_questions_the_only_one_that_judges_answered_is_taken(tools, name):
    ratings, judges = read_both(tools / name)
    [question] = [q for q in read(tools / name).questions if q == "label"]
    assert not ratings.questions
    assert f"Only the question {question} was read: judges answered none of the others." in ratings.warnings
    assert ratings.n_ratings == read(tools / name, question=question).n_ratings
    assert judges.n_answers == read_judges(tools / name, question=question).n_answers > 0


def test_a_log_of_judges_alone_is_not_taken_for_a_table(tools):
    message = message_of(lambda: read_both(tools / "inspect.eval"))
    assert message == "inspect.eval does not have both people and judges: give a file of each, people first."
