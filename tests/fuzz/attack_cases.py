"""What is thrown at the commands: files that are almost right or not at all, and options with odd values."""

import gzip
import io
import json
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from pathlib import Path

CELLS = (
    "", " ", "x", "y", "x|y", "NA", "nan", "-", "0", "1", "1.0", "01", "1e400", "-1", "=1+1", "\u202ex", "caf\u00e9",
    "cafe\u0301", "y\u200b", '"', "a,b", "\t", "a\nb", "\x1b[31m", "\x1b]0;x\x07", "x" * 5000, "\U0001f600", "y\u00a0",
    "{}", "[1]", "[" * 300, "true", "3,5", "2024-01-01", "9" * 400, "'", "'=x", "\u2028", "\ufeff", "$(touch X)",
)  # fmt: skip
HEADERS = ("item", "rater", "label", "group", "elicitation", "count", "text", "item", "Label ", "p_x", "question", "")
ILLEGAL = re.compile(r"[\x00-\x1f\ud800-\udfff\ufffe\uffff]")
FEW = ("--bootstrap", "5")
ONE_FILE = (
    ("describe", *FEW), ("raters", *FEW, "--resamples", "20"), ("doctor",), ("import",), ("items",),
)  # fmt: skip
"""Commands that take every file."""
WITH_JUDGES = (
    ("decide", *FEW), ("equivalence", *FEW), ("judges", *FEW), ("compare", *FEW, "--resamples", "20"),
    ("alt-test", "--min-items", "5"),
    ("panel", *FEW), ("report", *FEW, "-o", "{out}"), ("prevalence", "--positive", "{positive}"), ("items",),
    ("gate", *FEW, "--judge", "j1", "--min-equivalence", "0.5"), ("route", *FEW, "--judge", "j1"),
)  # fmt: skip
"""Commands that take a file and its judges."""
COLLECT = (
    "collect", "--task", "{task}", "--raters", "3", "--ratings-per-item", "2", "--text", "label", "-o", "{out}",
)  # fmt: skip
"""A command that takes a file of items; each row of a table of ratings is one, if its ids differ."""
PILOT = ("--pilot", "{file}", "--pilot-judges", "{judges}", "--a", "j0", "--b", "j2", *FEW)
IN_PLACES = (
    COLLECT, ("rate", "--task", "{task}", "--text", "label", "--model", "m", "--dry-run", "-o", "{out}.csv"),
    ("history",), ("apply", "-o", "{out}.csv"), ("plan raters", *PILOT, "--simulations", "100"),
    ("plan labels", *PILOT, "--budget", "50"),
)  # fmt: skip
"""Commands that take the file as items, as a history, as answers of judges, or as a pilot."""
TASK = 'name = "t"\nkind = "single"\ninstructions = "?"\noptions = ["x", "y"]\n'
RECALIBRATION = "judge,answer,p_x,p_y\n" + "".join(f"j{j},x,.8,.2\nj{j},y,.1,.9\n" for j in range(3))
ITEMS = "item,label\n" + "".join(f"i{i},a text\n" for i in range(9))
OTHERS = (("plan raters", "--effect", "0.1"), ("plan labels", "--accuracy", "0.8", "--margin", "0.05"))
"""Commands that are thrown options and no files."""
NOT_ATTACKED = {
    "demo": "takes no file", "serve": "has faults of its own",
    "reproduce": "takes minutes", "simulate urn": "writes", "simulate indeterminate": "writes",
    "simulate responses": "writes", "simulate labels": "writes",
}  # fmt: skip
VALUES = (
    "0", "1", "-1", "2", "0.5", "1e9", "1e99", "1e308", "1e-308",
    "1000000000", "nan", "inf", "", "x", "auto", "a,b", "1,2", "sampled", "fixed",
    "none", "group", "\u00b2", "\u0661", "9" * 5000, "1_0", "0x10", "-0", "1-", ",", "a=", "=", "\0", "../x",
    "/dev/full", "\x1b[31m", "x" * 3000, "\udcff", "=1", "j0", "j1", "*", "item", "label",
)  # fmt: skip

FITTING = {
    "N": ("1", "2", "5", "30"), "C": ("0.5", "0.9", "0.99"), "COL": ("item", "rater", "label", "judge"),
    "LABEL": ("0", "1", "2"), "J": ("j0", "j1", "j2"), "A": ("j0",), "B": ("j1",), "A,B,C": ("0,1,2", "2,1,0"),
    "S": ("nominal", "ordinal", "interval"), "R": ("first", "last", "keep"), "OLD=NEW,...": ("0=1", "2="),
    "X": ("0.5", "1", "2"), "E": ("0.1", "forced_choice"), "D": ("0.1", "1"), "K": ("1", "3"), "P": ("0.6", "0.9"),
}  # fmt: skip
"""Values that fit, by what the help has in their place."""


@dataclass(frozen=True)
class Case:
    """A command line and the folder of its files."""

    folder: Path
    words: tuple[str, ...]
    people: Path | None = None  # a plain table whose shape pandas can tell
    writes: bool = False


def attacked() -> set[str]:
    """The commands that are attacked."""
    return {command[0] for command in (*ONE_FILE, *WITH_JUDGES, *IN_PLACES, *OTHERS)}


# ---- Files


def sound(rng: random.Random, who: str, *, items: int, each: int = 3) -> list[list[str]]:
    """Rows of a table that is right: raters who agree on much, or judges of whom the first is the best."""
    wrong = (0.05, 0.3, 0.5) if who == "judge" else (0.2, 0.2, 0.2)
    return [
        [f"i{i}", f"{who[0]}{r}", "xy"[(i % 3 > 0) ^ (rng.random() < wrong[r])]]
        for i in range(items)
        for r in range(each)
    ]


def table(rng: random.Random, *, judges: bool = False) -> str:
    """A table that is almost right, and a few cells that are not; one with a row for each item can be rated."""
    who = "judge" if judges else "rater"
    header = ["item", who, "label"]
    rows = sound(rng, who, items=rng.choice((1, 5, 12, 60)), each=rng.choice((1, 3, 3)))
    for _ in range(rng.choice((0, 0, 1, 1, 3, 10))):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = rng.choice(CELLS)
    if rng.random() < 0.3:
        header.append(rng.choice(HEADERS))
        for row in rows:
            row.append(rng.choice(CELLS))
    if rng.random() < 0.15:
        header[rng.randrange(3)] = rng.choice(HEADERS)
    if rng.random() < 0.1:
        rows.append(rng.choice(rows))
    if rng.random() < 0.1:
        rows.append(["short"])
    if rng.random() < 0.1:
        rng.shuffle(rows)
    return as_csv(header, rows)


def as_csv(header: list[str], rows: list[list[str]]) -> str:
    """Rows as a text."""
    return "\n".join(",".join(map(_quoted, row)) for row in [header, *rows]) + "\n"


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set('",\n\r') else cell


def damaged(rng: random.Random, text: str) -> tuple[str, bytes]:
    """A file name and its bytes: the table as it is, in another form, cut off, or with bytes changed."""
    content = text.encode()
    place = rng.randrange(1, len(content))
    records = [dict(zip("abc", line.split(","), strict=False)) for line in text.splitlines()]
    ways: list[Callable[[], tuple[str, bytes]]] = [
        lambda: ("r.csv", text.encode("utf-16")),
        lambda: ("r.csv", text.encode("latin-1", "replace")),
        lambda: ("r.csv", content[:place]),
        lambda: ("r.csv", content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]),
        lambda: (rng.choice(("r.json", "r.jsonl")), "\n".join(map(json.dumps, records)).encode()),
        lambda: (rng.choice(("r.tsv", "r.txt")), content.replace(b",", rng.choice((b"\t", b";", b"|")))),
        lambda: (rng.choice(("r.parquet", "r.xlsx", "r.csv.gz", "r.yaml", "r.eval")), content),
        lambda: ("r.csv.gz", gzip.compress(content)[: rng.choice((10, -5, 10**6))]),
        lambda: ("r.csv", text.encode("utf-16")[2:]),
        lambda: (
            "r.csv",
            b"\xef\xbb\xbf" * rng.choice((1, 2)) + content.replace(b"\n", rng.choice((b"\r", b"\r\n", b"\n\r"))),
        ),
        lambda: (
            "r.csv",
            content.replace(b"\n", b"\n#comment\n", 1) + rng.choice((b"\x1a", b"\0" * 9, b'"', b",,,\n" * 50)),
        ),
        lambda: ("r.csv", content.splitlines()[0] + b"\n" + content),
        lambda: ("r.zip", _zipped(rng.choice(("r.csv", "../r.csv", "a/b/r.csv")), content)),
        lambda: ("r.csv", gzip.compress(content)),
        lambda: ("r.csv.gz", gzip.compress(gzip.compress(content))),
        lambda: (
            "r.json",
            json.dumps(rng.choice((records, {"data": records}, {"rows": [records]}, [records], "x", 1))).encode(),
        ),
        lambda: ("r.json", text_of_json(rng)),
        lambda: ("r.jsonl", b"\n".join(text_of_json(rng) for _ in range(3))),
        lambda: (
            "r.yaml",
            f"- {text_of_json(rng).decode()}\n".encode() + b"- !!python/object/apply:os.system ['touch X']",
        ),
        lambda: ("r.parquet", b"PAR1" + content + b"\xff\xff\xff\x7fPAR1"),
        lambda: (
            rng.choice(("r .csv", "r'.csv", "-r.csv", "r\u202e.csv", "$(x).csv", "r;x.csv", "r%s{}.csv")),
            content,
        ),
        lambda: trap(rng),
        lambda: workbook(rng, text),
        *[lambda: ("r.csv", content)] * 14,
    ]
    return rng.choice(ways)()


def text_of_json(rng: random.Random) -> bytes:
    """JSON that no table is: keys twice, numbers that no machine holds, and values where others are expected."""
    value = rng.choice(
        ("1e999", "-0", "9" * 5000, "null", "true", '"\\ud800"', '"\\u0000"', "[]", "{}", "NaN", "1.0", '"x"')
    )
    ways = (
        f'[{{"item": 1, "rater": 2, "label": {value}}}, {{"item": {value}, "rater": "a", "label": "x"}}]',
        f'{{"item": [1, 2], "rater": ["a", "b"], "label": ["x", {value}]}}',
        f'{{"item": {{"0": 1}}, "rater": {{"0": "a", "1": "b"}}, "label": {{"0": {value}}}}}',
        f'{{"item": 1, "item": 2, "rater": "a", "label": {value}}}',
        f'{{"a": {{"i": {value}, "j": "x"}}, "b": {{"i": "x", "": "y"}}}}',
        f'{{"columns": ["item", "rater", "label"], "data": [[1, 2, {value}], [1]]}}',
        f'{{"schema": {{"fields": []}}, "data": [{{"item": {value}}}]}}',
        f'[{{"annotations": [{{"result": [{{"value": {{"choices": [{value}]}}, "from_name": "q"}}]}}]}}]',
    )  # fmt: skip
    return rng.choice(ways).encode()


def workbook(rng: random.Random, text: str) -> tuple[str, bytes]:
    """A workbook with the table beside what people leave in workbooks, or what no program wrote."""
    import openpyxl  # noqa: PLC0415 - with the extras

    book = openpyxl.Workbook()
    odd = ("=1/0", "#REF!", 1e308, -0.0, True, date(1900, 1, 1), time(1), None, '=HYPERLINK("x")', "'x", " ")
    for line in text.splitlines():
        cells = [ILLEGAL.sub("", cell) for cell in line.split(",")]
        book.active.append([rng.choice(odd) if rng.random() < 0.05 else cell for cell in cells])
    if rng.random() < 0.3:
        book.active.merge_cells("A1:B2")
    if rng.random() < 0.3:
        book.create_sheet(rng.choice(("notes", "ratings", "=x")), rng.choice((0, None))).append(["a note"])
    if rng.random() < 0.2:
        book.active.insert_rows(1, rng.choice((1, 3)))
    stream = io.BytesIO()
    book.save(stream)
    content = bytearray(stream.getvalue())
    if rng.random() < 0.3:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return "r.xlsx", bytes(content)


def trap(rng: random.Random) -> tuple[str, bytes]:
    """A small file that is large once it is read, or deep, or wide, or of very many labels."""
    many = range(rng.choice((2_000, 30_000)))
    ways: list[Callable[[], tuple[str, bytes]]] = [
        lambda: ("r.csv.gz", gzip.compress(b"item,rater,label\n" + b"a,b,c\n" * 20_000_000, 1)),
        lambda: ("r.xlsx", _zipped("xl/worksheets/sheet1.xml", b"<c r='XFD1048576'/>")),
        lambda: ("r.eval", _zipped("header.json", b" " * (80 << 20))),
        lambda: ("r.json", b'{"a":' * 50_000),
        lambda: ("r.json", b'[{"item":1,"label":' + b"[" * 500 + b"]" * 500 + b"}]"),
        lambda: ("r.csv", ("item,rater,label," + ",".join(f"c{i}" for i in many) + "\n1,2,3\n").encode()),
        lambda: ("r.csv", ("item,rater,label\n" + "".join(f"i{i},r,text {i}\n" for i in many)).encode()),
        lambda: ("r.csv", b'item,rater,label\na,b,"' + b"x" * (17 << 20)),
        lambda: ("r.csv", ("item,rater,label\n" + "".join(f"i{i // 9},r{i % 9},{i % 40}\n" for i in many)).encode()),
        lambda: ("r.csv", b"item,rater,label\n" + b"a,b,c" * 200_000),
        lambda: ("r.csv", b"\n" * 2_000_000 + b"item,rater,label\na,b,c\n"),
        lambda: ("r.csv", b"item,rater,label\n" + b'"' * 300_001),
        lambda: ("r.tsv", b"item\trater\tlabel\n" + b"a\tb\t" + b"=" * 200_000),
        lambda: ("r.jsonl", b'{"item": 1, "label": "x"}\n' * 3 + b"{" + b'"k": 1,' * 60_000 + b'"z": 1}\n'),
        lambda: ("r.json", b"[" + b'{"' + b"k" * 70_000 + b'": 1},' * 3 + b"{}]"),
        lambda: ("r.csv", ("item,rater,label\n" + "".join(f"i,r{i},x\n" for i in many)).encode()),
        lambda: (
            "r.csv",
            ("item,rater,label\n" + "".join(f"i{i},r,{'|'.join(map(str, range(40)))}\n" for i in range(20))).encode(),
        ),
        lambda: ("r.yaml", ("a: &a [x]\n" + "".join(f"b{i}: [*a, *a]\n" for i in range(30))).encode()),
        lambda: ("r.csv", ("item," + ",".join(f"r{i}" for i in many) + "\n" + "1" + ",x" * len(many)).encode()),
    ]
    return rng.choice(ways)()


def _zipped(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, content)
    return stream.getvalue()


# ---- Command lines


def file_cases(rng: random.Random, place: Path, *, is_sound: bool = False) -> list[Case]:
    """Files through every command that reads one: mostly people's ratings are hostile, else what is beside them."""
    hostile = "" if is_sound else rng.choice(("people", "people", "people", "judges", "recalibration"))
    texts = {"people": table(rng), "judges": table(rng, judges=True), "recalibration": RECALIBRATION}
    if hostile != "people":
        texts["people"] = as_csv(["item", "rater", "label"], sound(rng, "rater", items=60))
    if hostile != "judges" and rng.random() < 0.7:
        texts["judges"] = as_csv(["item", "judge", "label"], sound(rng, "judge", items=60))
    files = {}
    for role, text in texts.items():
        name, content = damaged(rng, text) if role == hostile else ("r.csv", text.encode())
        files[role] = place / role / name
        files[role].parent.mkdir()
        files[role].write_bytes(content)
    (place / "h.duckdb").write_bytes(_history() if is_sound else _changed(rng, _history()))
    wrong = "" if is_sound else rng.choice([*_project()])
    for name, content in _project().items():
        path = place / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_changed(rng, content) if name == wrong else content)
    plain = files["people"] if files["people"].read_bytes() == texts["people"].encode() else None
    made = [Case(place, (words[0], str(files["people"]), *words[1:]), plain) for words in ONE_FILE]
    pair = [str(files["people"]), str(files["judges"])]
    if not is_sound and rng.random() < 0.1:
        pair.reverse()
    made += [_filled(command, place, *pair) for command in WITH_JUDGES]
    (place / "items.csv").write_text(ITEMS, encoding="utf-8")
    made.append(Case(place, ("collect", str(place / "project"), *FEW), writes=True))
    others = {
        "apply": [str(files["recalibration"]), pair[1]], "history": [str(place / "h.duckdb")],
        "plan raters": [], "plan labels": [],
    }  # fmt: skip
    read = str(place / "items.csv") if is_sound else pair[0]
    return made + [_filled(command, place, *others.get(command[0], [read]), named=pair) for command in IN_PLACES]


def _history(known: list[bytes] = []) -> bytes:  # noqa: B006 - made once
    """A history with a run, as `--record` writes it."""
    if not known:
        with tempfile.TemporaryDirectory() as folder:
            for who in ("rater", "judge"):
                rows = sound(random.Random(0), who, items=12)  # noqa: S311 - no secret
                Path(folder, f"{who}.csv").write_text(as_csv(["item", who, "label"], rows), encoding="utf-8")
            asked = [sys.executable, "-m", "dissensus", "decide", "rater.csv", "judge.csv", *FEW, "--record", "h"]
            subprocess.run(asked, cwd=folder, capture_output=True, check=True)
            known.append(Path(folder, "h").read_bytes())
    return known[0]


def _project(known: dict[str, bytes] = {}) -> dict[str, bytes]:  # noqa: B006 - made once
    """The files of a collection in which a rater has answered, by name."""
    if not known:
        from dissensus import collect  # noqa: PLC0415 - as long as `--help` takes
        from dissensus.data.collection import Collection, Event  # noqa: PLC0415 - as above

        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "task.toml").write_text(TASK, encoding="utf-8")
            (place / "items.csv").write_text(ITEMS.replace("label", "text"), encoding="utf-8")
            project = place / "project"
            collect(
                place / "items.csv", task=place / "task.toml", output=project, raters=3, ratings_per_item=2, bootstrap=0
            )
            with Collection(project) as collection:
                for slot, label in enumerate("xyxy"):
                    body = {"choice": label, "seconds": 1.5, "order": ""}
                    collection.post(Event(key=f"k{slot}", kind="answer", rater="rater-1", slot=slot, body=body))
            for path in project.rglob("*"):
                if path.is_file():
                    known[str(path.relative_to(project))] = path.read_bytes()
    return known


def _changed(rng: random.Random, content: bytes) -> bytes:
    """Bytes that are mostly as they were."""
    changed = bytearray(content[: rng.choice((None, None, None, rng.randrange(len(content))))])
    for _ in range(rng.choice((0, 1, 1, 20)) if changed else 0):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def option_case(rng: random.Random, place: Path) -> Case:
    """A command with options that it has, and values that may be none of theirs."""
    (place / "r.csv").write_text(_counted("rater"), encoding="utf-8")
    (place / "j.csv").write_text(_counted("judge"), encoding="utf-8")
    (place / "items.csv").write_text(ITEMS, encoding="utf-8")
    command = rng.choice([*ONE_FILE, *WITH_JUDGES, COLLECT, *OTHERS])
    files = [] if command in OTHERS else [str(place / ("items.csv" if command == COLLECT else "r.csv"))]
    files += [str(place / "j.csv")] * (command in WITH_JUDGES)
    chosen = [word for _ in range(rng.randint(1, 3)) for word in _value(rng, *rng.choice(flags(command[0])))]
    filled = _filled(command, place, *files, positive="1")
    return replace(filled, words=(*filled.words, *chosen))


def _filled(
    command: Sequence[str], place: Path, *files: str, named: Sequence[str] = ("", ""), positive: str = "x"
) -> Case:
    """A command line, with the files after the command and in its options."""
    (place / "task.toml").write_text(TASK, encoding="utf-8")
    out = place / f"out {command[0]}.html"
    places = {"out": out, "task": place / "task.toml", "file": named[0], "judges": named[1], "positive": positive}
    words = (*command[0].split(), *files, *(word.format(**places) for word in command[1:]))
    return Case(place, words, writes=any("{out}" in word for word in command))


def _counted(who: str) -> str:
    """A table whose labels are numbers."""
    rows = [[f"i{i}", f"{who[0]}{r}", str((i * r + i // 7) % 3)] for i in range(30) for r in range(3)]
    return as_csv(["item", who, "label"], rows)


def flags(command: str, known: dict[str, list[tuple[str, str]]] = {}) -> list[tuple[str, str]]:  # noqa: B006 - once each
    """The options that a command's help lists, each with what stands for its value; nothing for one without."""
    if command not in known:
        asked = [sys.executable, "-m", "dissensus", *command.split(), "--help"]
        shown = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        elsewhere = {"--output", "--help", "--engine", "--workers", "--record", "--junit", "--summary"}
        found = re.findall(r"^  (?:-\w, )?(--[\w-]+)(?: (\S+))?(?:  |$)", shown, re.MULTILINE)
        known[command] = [pair for pair in found if pair[0] not in elsewhere]
    return known[command]


def _value(rng: random.Random, flag: str, stands_for: str) -> list[str]:
    """An option with a value that may fit, or with any."""
    if not stands_for:
        return [flag]
    return [flag, rng.choice(FITTING.get(stands_for, VALUES) if rng.random() < 0.6 else VALUES)]
