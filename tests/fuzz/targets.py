"""What is fuzzed: every door through which a file or a model's answer comes in."""

import contextlib
import io
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dissensus.data import read, read_judges, read_task
from dissensus.data.doctor import doctor
from dissensus.errors import DissensusError
from dissensus.methods.rate.answers import read_answer
from dissensus.methods.rate.requests import ShownOption

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT.parent / "shared" / "samples"
EXAMPLES = ROOT / "src" / "dissensus" / "data" / "example_data"

TIDY = "item,rater,label,group,elicitation\n1,a,x,g,forced_choice\n1,b,y,h,response_set\n2,a,x|y,g,response_set\n"
WIDE = "item,r1,r2,r3\n1,x,y,\n2,,x,x\n3,y,,x\n"
COUNTS = "item,label,count\n1,x,3\n1,y,1\n2,y,2\n"
ANSWERS = "item,judge,sample,label,p_x,p_y\n1,j,0,x,0.9,0.1\n1,j,1,,0.5,0.5\n2,k,0,y,,\n"
TASK = 'name = "t"\noptions = ["x", "y"]\npositive = ["x"]\nresponse_sets = [["x"], ["x", "y"]]\n'
LINES = '{"item": 1, "rater": "a", "label": "x"}\n{"item": 1, "rater": "b", "label": ["x", "y"]}\n'
SHOWN = (ShownOption("A", "Yes", "", "Yes"), ShownOption("B", "No", "not at all", "No"), ShownOption("C", "4", "", "4"))
SAID = ("A", "a.", "A, B", '{"answer": ["A", "B"]}', '```json\n["A"]\n```', "<think>hm</think> The answer is **B**.")


@dataclass(frozen=True)
class Target:
    """A door: how to knock, and what to begin with.

    Attributes
    ----------
    knock : callable
        Takes bytes; may raise DissensusError and nothing else.
    seeds : callable
        Inputs to begin with.
    """

    knock: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


def of_file(name: str, *calls: Callable[[Path], object]) -> Callable[[bytes], None]:
    """Reads a file of this name that holds the bytes."""
    folder = tempfile.TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True)

    def knock(content: bytes) -> None:
        path = Path(folder.name) / name
        path.write_bytes(content)
        for call in calls:
            with contextlib.suppress(DissensusError):
                call(path)

    return knock


def of_export(*names: str) -> Callable[[bytes], None]:
    """Reads and examines an export; the first byte chooses how its file is called."""
    knocks = [of_file(name, read, read_judges, doctor) for name in names]

    def knock(content: bytes) -> None:
        if content:
            knocks[content[0] % len(knocks)](content[1:])

    return knock


def answer(content: bytes) -> None:
    """Reads a model's answer, which is any text: it has a meaning or a reason why not, and raises nothing at all."""
    reading = read_answer(content.decode("utf-8", "replace"), SHOWN)
    if bool(reading.picks) == bool(reading.reason):
        raise AssertionError(f"An answer has picks or a reason, one of them: {reading}")


def parquet() -> list[bytes]:
    import pyarrow as pa  # noqa: PLC0415 - slow, and for one target
    import pyarrow.parquet as pq  # noqa: PLC0415 - as above

    tables = [
        {"item": ["1", "1", "2"], "rater": ["a", "b", "a"], "label": ["x", "y", None]},
        {"item": [1, 2], "label": [[1, 2], [1]]},
        {"item": [1, 2], "label": [0.5, 1.5], "count": [3, 4]},
    ]
    made = []
    for columns in tables:
        stream = io.BytesIO()
        pq.write_table(pa.table(columns), stream, compression="none")
        made.append(stream.getvalue())
    return made


def workbooks() -> list[bytes]:
    import openpyxl  # noqa: PLC0415 - slow, and for one target

    made = []
    for text in (TIDY, WIDE):
        book = openpyxl.Workbook()
        for line in text.splitlines():
            book.active.append(line.split(","))
        stream = io.BytesIO()
        book.save(stream)
        made.append(stream.getvalue())
    return made


EXPORT_NAMES = ("r.json", "r.jsonl", "r.csv", "r.tsv", "r.yaml", "r.txt", "r.eval")


def exports() -> list[bytes]:
    """Real exports, small enough to be read a hundred times a second."""
    files = [path for folder in ("annotation_tools", "raw") for path in sorted((SAMPLES / folder).glob("*"))]
    suffixes = [Path(name).suffix for name in EXPORT_NAMES]
    kept = [path for path in files if path.suffix in suffixes and path.stat().st_size < 40_000]
    found = [bytes([suffixes.index(path.suffix)]) + path.read_bytes() for path in kept]
    return found or [b"\x00[]", b"\x02" + TIDY.encode()]


def texts(*contents: str) -> Callable[[], list[bytes]]:
    return lambda: [content.encode() for content in contents]


def tasks() -> list[bytes]:
    found = [path.read_bytes() for path in sorted(EXAMPLES.glob("*/task.toml"))]
    for content in found:
        tomllib.loads(content.decode())
    return [*found, TASK.encode()]


def mutated_member(content: bytes, mutate: Callable[[bytes, int], bytes], largest: int, seed: int) -> bytes:
    """A workbook in which the text of one member is mutated: mutated bytes of an archive are hardly ever one."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, OSError, RuntimeError):  # hurt by an earlier mutation
        return mutate(content, largest)
    if not members or seed % 10 == 0:
        return mutate(content, largest)
    chosen = sorted(members)[seed % len(members)]
    members[chosen] = mutate(members[chosen], largest)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return stream.getvalue() if len(stream.getvalue()) <= largest else mutate(content, largest)


TARGETS = {
    "csv": Target(of_file("r.csv", read), texts(TIDY, WIDE, COUNTS)),
    "tsv": Target(of_file("r.tsv", read), texts(*(text.replace(",", "\t") for text in (TIDY, WIDE, COUNTS)))),
    "jsonl": Target(of_file("r.jsonl", read, read_judges), texts(LINES)),
    "parquet": Target(of_file("r.parquet", read), parquet),
    "xlsx": Target(of_file("r.xlsx", read), workbooks),
    "judges": Target(of_file("r.csv", read_judges), texts(ANSWERS)),
    "exports": Target(of_export(*EXPORT_NAMES), exports),
    "task": Target(of_file("task.toml", read_task), tasks),
    "answer": Target(answer, texts(*SAID)),
}
