"""What an attacker or a broken disk may hand us: refused in one line, within the limits that the code states."""

import io
import json
import stat
import struct
import tracemalloc
import zipfile

import pytest

import dissensus
from dissensus import read, read_judges
from dissensus.data.import_ import import_

from tables import HEADER, message_of, triples, write


def archive(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name.replace("__", "/").replace("_json", ".json"), content)
    return stream.getvalue()


LOG = {"header_json": json.dumps({"version": 2, "eval": {"model": "m"}}), "summaries_json": "[]"}


@pytest.mark.parametrize("cut", [10, 40, -30, -1])
def test_a_truncated_archive_is_refused(tmp_path, cut):
    path = write(tmp_path, archive(**LOG)[:cut], "log.eval")
    assert "Copy it again." in message_of(lambda: read_judges(path))


def test_a_damaged_member_is_refused(tmp_path):
    content = bytearray(archive(**LOG))
    start = content.find(b"header.json") + len("header.json")
    content[start + 4] ^= 0xFF
    path = write(tmp_path, bytes(content), "log.eval")
    assert "header.json is damaged" in message_of(lambda: read_judges(path))


@pytest.mark.parametrize("shift", [-100_000, 1000])
def test_an_archive_whose_directory_lies_about_places_is_refused(tmp_path, shift):
    content = archive(**LOG)
    end = content.rfind(b"PK\x05\x06") + 16  # where the place of the directory stands
    place = (int.from_bytes(content[end : end + 4], "little") + shift) % 2**32
    path = write(tmp_path, content[:end] + struct.pack("<I", place) + content[end + 4 :], "log.eval")
    assert "is cut off before header.json" in message_of(lambda: read_judges(path))


def test_a_zip_bomb_stops_at_the_stated_limit(tmp_path):
    bomb = archive(**(LOG | {"summaries_json": b"0" * 2**22}))
    path = write(tmp_path, bomb, "log.eval")
    assert len(bomb) < 2**14
    with dissensus.limits(bytes=2**20):
        message = message_of(lambda: read_judges(path))
    assert "our limit for bytes is 1,048,576" in message
    assert "raise it with `bytes=" in message


def test_a_zip_bomb_that_lies_about_its_size_stops_all_the_same(tmp_path):
    bomb = bytearray(archive(**(LOG | {"summaries_json": b"0" * 2**24})))
    lie = struct.pack("<I", 100)
    bomb = bytes(bomb).replace(struct.pack("<I", 2**24), lie)
    path = write(tmp_path, bomb, "log.eval")
    tracemalloc.start()
    message = message_of(lambda: read_judges(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "summaries.json is damaged" in message
    assert peak < 2**23  # never the sixteen megabytes that it would be


def test_many_small_members_stop_at_the_limit_for_all_of_them(tmp_path):
    members = {f"samples__{i}_json": json.dumps({"x": "y" * 2**14}) for i in range(10)}
    path = write(tmp_path, archive(header_json=LOG["header_json"], **members), "log.eval")
    with dissensus.limits(bytes=2**16):
        assert "our limit for bytes is 65,536" in message_of(lambda: read_judges(path))


def test_a_link_out_of_an_archive_is_not_followed(tmp_path):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        link = zipfile.ZipInfo("header.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
        packed.writestr("summaries.json", "[]")
    path = write(tmp_path, stream.getvalue(), "log.eval")
    assert "header.json is a link to a file outside, which we do not follow" in message_of(lambda: read_judges(path))


def test_an_archive_is_never_unpacked_to_disk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path, archive(**LOG, **{"..__..__evil_json": "{}"}), "log.eval")
    message_of(lambda: read_judges(path))  # it has no samples
    assert {entry.name for entry in tmp_path.iterdir()} == {"log.eval"}


@pytest.mark.parametrize("name", ["r.json", "r.jsonl"])
@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"annotations":['])
def test_deeply_nested_json_is_refused(tmp_path, name, opening):
    path = write(tmp_path, opening * 100_000, name)
    assert message_of(lambda: read(path))


def test_nested_python_in_a_cell_is_only_a_text(tmp_path):
    cell = "[" * 20_000 + "]" * 20_000
    assert read(write(tmp_path, f"{HEADER}1,a,{cell}\n1,b,x\n")).n_ratings == 2


def test_a_200_megabyte_document_on_one_line_stops_at_the_stated_limit(tmp_path):
    path = tmp_path / "large.json"
    with path.open("w") as stream:
        stream.write('{"a": "')
        for _ in range(200):
            stream.write("x" * 2**20)
        stream.write('"}')
    assert "our limit for document is 67,108,864" in message_of(lambda: read(path))


def test_a_long_list_on_one_line_is_read_piece_by_piece(tmp_path):
    rows = [{"item": str(i), "rater": "a", "label": "x", "text": "y" * 500} for i in range(4000)]
    text = json.dumps(rows)
    assert len(text) > 2**21
    path = write(tmp_path, text, "r.json")
    tracemalloc.start()
    with dissensus.limits(document=2**17):
        assert read(path).n_ratings == 4000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**24


@pytest.mark.parametrize("name", ["r.csv", "r.json", "r.jsonl", "r.yaml", "r.txt"])
def test_zero_bytes_are_refused(tmp_path, name):
    if name == "r.yaml":
        pytest.importorskip("yaml")
    path = write(tmp_path, b"item,label\n1,\x00\n" if name in {"r.csv", "r.txt"} else b'[{"item": "\x00"}]', name)
    assert message_of(lambda: read(path))


def test_bytes_that_are_no_text_are_refused_in_json(tmp_path):
    assert "is not UTF-8 text" in message_of(lambda: read(write(tmp_path, b'[{"item": "\xff"}]', "r.json")))


def test_a_file_that_ends_within_its_byte_order_mark_is_refused(tmp_path):
    assert "byte 0xef is not UTF-8" in message_of(lambda: read(write(tmp_path, b"\xef\xbb", "r.csv")))


@pytest.mark.parametrize("text", ['[{"item": 1', '[{"item": 1}', '{"a": "b', '[{"item": 1},', "[1, 2"])
def test_json_that_is_cut_off_is_refused(tmp_path, text):
    message = message_of(lambda: read(write(tmp_path, text, "r.json")))
    assert "cut off" in message or "is needed" in message


def test_json_with_a_fault_far_in_front_of_its_end_is_refused_at_the_fault(tmp_path):
    text = "[" + '{"item": 1, "label": x},' + '{"item": 1},' * 300_000
    assert "not valid JSON (Expecting value at character 23)" in message_of(
        lambda: read(write(tmp_path, text, "r.json"))
    )


def test_a_number_of_a_million_digits_is_only_a_text(tmp_path):
    rows = json.dumps([{"item": "1", "rater": "a", "label": "x"}]).replace('"x"', "1" * 10**6)
    assert read(write(tmp_path, rows, "r.json")).n_ratings == 1


def test_formulas_stay_text(tmp_path):
    cells = ["=cmd|' /C calc'!A0", "@SUM(1+1)", "+1+1", '=HYPERLINK("http://x")']
    rows = [{"item": cell, "rater": cell, "label": "x"} for cell in cells]
    path = write(tmp_path, json.dumps(rows), "r.json")
    result = import_(path, output=tmp_path / "out.csv")
    assert result.imported.items == tuple(sorted(cells))
    assert triples(read(tmp_path / "out.csv")) == triples(result.imported)


def test_formulas_in_a_workbook_are_never_computed(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    book.active.append(["item", "label"])
    book.active.append(["1", "x"])
    book.active.append(["=cmd|' /C calc'!A0", "y"])
    book.active["A3"].data_type = "s"  # a text that looks like a formula
    book.active.append(["3", "=1+1"])  # a formula that was never computed
    book.save(tmp_path / "r.xlsx")
    ratings = read(tmp_path / "r.xlsx")
    assert ("=cmd|' /C calc'!A0", None, "y") in triples(ratings)
    assert "2" not in ratings.labels


def test_a_workbook_with_a_cell_in_the_last_corner_stops_at_the_stated_limit(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    book.active.append(["item", "label"])
    book.active.cell(row=1_048_576, column=16_384, value="far")
    book.save(tmp_path / "r.xlsx")
    message = message_of(lambda: read(tmp_path / "r.xlsx"))
    assert "our limit for cells is 20,000,000" in message


def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path):
    pytest.importorskip("python_calamine")
    path = write(tmp_path, archive(**{"xl__worksheets__sheet1.xml": b" " * 2**20}), "r.xlsx")
    with dissensus.limits(bytes=2**16):
        assert "unpacks to more than" in message_of(lambda: read(path))


def test_yaml_aliases_that_would_unfold_to_gigabytes_are_refused(tmp_path):
    pytest.importorskip("yaml")
    bomb = "a: &a [x, x]\n" + "".join(f"b{i}: &b{i} [*{'a' if not i else f'b{i - 1}'}, *a]\n" for i in range(30))
    assert "has an alias (*), which we do not read" in message_of(lambda: read(write(tmp_path, bomb, "r.yaml")))


def test_yaml_tags_make_nothing(tmp_path):
    pytest.importorskip("yaml")
    path = write(tmp_path, 'a: {1: !!python/object/apply:os.system ["touch x"], 2: y}\n', "r.yaml")
    assert triples(read(path)) == [("1", "a", "touch x"), ("2", "a", "y")]
    assert not (tmp_path / "x").exists()


def test_yaml_past_its_limit_or_nested_too_deeply_is_refused(tmp_path):
    pytest.importorskip("yaml")
    deep = write(tmp_path, "".join("  " * i + f"k{i}:\n" for i in range(150)) + "  " * 150 + "x: y\n", "deep.yaml")
    assert "our limit for depth is 100" in message_of(lambda: read(deep))
    large = write(tmp_path, "a: {" + ", ".join(f"{i}: x" for i in range(100)) + "}\n", "large.yaml")
    with dissensus.limits(document=800):
        assert "more than 100 bytes" in message_of(lambda: read(large))


def test_a_file_that_is_something_else_than_its_suffix_says_is_refused(tmp_path):
    pytest.importorskip("python_calamine")
    assert "is not a workbook that we can read" in message_of(
        lambda: read(write(tmp_path, b"item,label\n1,x\n", "r.xlsx"))
    )
    assert "is not a complete ZIP archive" in message_of(lambda: read_judges(write(tmp_path, b"item", "r.eval")))


def test_a_missing_extra_says_what_to_install(tmp_path, monkeypatch):
    for module, name, content in (
        ("python_calamine", "r.xlsx", b"x"), ("yaml", "r.yaml", b"a: {1: x}"),
    ):  # fmt: skip
        monkeypatch.setitem(__import__("sys").modules, module, None)
        path = write(tmp_path, content, name)
        assert "run `pip install 'dissensus[" in message_of(lambda path=path: read(path))
