"""Every page and form of the web app against whatever is typed into it: an answer or a sentence, never a failure.

Pages come from the app's routes and fields from the forms in their HTML, so that new ones are tested as they come.
"""

import contextlib
import io
import json
import re
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("uvicorn", reason="the extra [web] is not installed")

from starlette.testclient import TestClient

from dissensus.errors import DissensusError
from dissensus.web import app as web_app
from dissensus.web.app import WORKS
from dissensus.web.guard import Settings
from dissensus.web.jobs import Job
from dissensus.web.process import OURS, run_task

ORIGIN = "http://127.0.0.1:8000"
EVIL = "<zq>\"'&zq"
"""What no page may repeat as it is: it would end a text, an attribute, or begin a tag."""
TYPED = st.sampled_from([
    EVIL, "", " ", "0", "1", "2", "-1", "0.5", "1.0", "1e-9", "1e400", "nan", "inf", "-inf", "9" * 30, "0x1", "1,3",
    "\u0663", "1,,3", ",", "|", "=", "a=b", "yes", "no", "near", "near,far", "judge=near", "item=*", "[", "*", "\x00",
    "\r\nX: y", "%", "{{ 7*7 }}", "../../etc/passwd", "example:binary", "é\u202e\U0001f600", "x" * 3000,
])  # fmt: skip
QUICK = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
RATINGS = "item,rater,label\n" + "".join(
    f"i{i},r{r},{'yes' if (i + r) % 3 else EVIL.replace(chr(34), '')}\n" for i in range(8) for r in range(3)
)
JUDGES = "item,judge,label\n" + "".join(
    f"i{i},{judge},{'yes' if i % often else EVIL.replace(chr(34), '')}\n"
    for judge, often in (("near", 3), ("far", 2))
    for i in range(8)
)


class Forms(HTMLParser):
    """The fields of a page: name, and what can be chosen."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fields: dict[str, set[str]] = {}
        self._select = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        given_ = dict(attrs)
        name = given_.get("name")
        if tag in {"input", "select", "textarea"} and name and given_.get("type") != "file":
            self.fields.setdefault(name, set())
            self._select = name if tag == "select" else ""
        elif tag == "option" and self._select:
            self.fields[self._select].add(given_.get("value") or "")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(web_app, "LONGEST_QUICK", 2.0)  # a plan too large to be made is stopped sooner
        guarded = web_app.make_app(
            Settings(folder=str(folder / "projects"), reports_at_once=1, most_waiting=2, longest_job=5.0)
        )
        with TestClient(guarded._app, base_url=ORIGIN) as opened:
            opened.app = guarded
            yield opened


@pytest.fixture(scope="module")
def uploaded(client):
    """The id of a small data set whose labels are evil, too."""
    files = {"ratings": ("r.csv", RATINGS.encode()), "judges": ("j.csv", JUDGES.encode())}
    answer = client.post("/upload", files=files, headers={"Origin": ORIGIN}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].split("/")[2]


def pages() -> list[str]:
    """The addresses of pages: those of a project have its id in them."""
    paths = [r.path for r in web_app.ROUTES if "GET" in r.methods]
    return [path for path in paths if not re.search(r"\{(?!id\})", path) and not path.startswith("/jobs/")]


def typed_into(fields: dict[str, set[str]]) -> st.SearchStrategy[dict[str, str]]:
    """A few fields filled in, mostly with nonsense."""
    values = {name: TYPED | st.sampled_from(sorted(choices or {""})) for name, choices in sorted(fields.items())}
    if not values:
        return st.just({})
    some = st.lists(st.sampled_from(sorted(values)), max_size=4, unique=True)
    return some.flatmap(lambda names: st.fixed_dictionaries({name: values[name] for name in names}))


def assert_harmless(answer) -> None:
    """An answer or a sentence; nothing that was typed has become part of the page."""
    assert answer.status_code < 500 or answer.status_code == 503, answer.text  # 503: busy
    assert OURS not in answer.text
    assert "Traceback" not in answer.text
    assert "x: y" not in str(answer.headers).lower()
    if "application/json" in answer.headers.get("content-type", ""):
        return  # which no browser shows as a page
    assert "<zq" not in answer.text
    assert 'zq>"' not in answer.text
    if "text/html" in answer.headers.get("content-type", ""):
        assert "zq" not in " ".join(re.findall(r"<[^>\"']*", answer.text))


def test_every_page_of_the_app_is_tried(client, uploaded):
    assert len(pages()) > 10
    found = [client.get(path.replace("{id}", uploaded)) for path in pages()]
    assert sum(bool(Forms(answer.text).fields) for answer in found) > 8


@pytest.mark.parametrize("path", pages())
def test_whatever_is_in_the_address_of_a_page_is_answered_or_refused_in_words(client, uploaded, path):
    path = path.replace("{id}", uploaded)
    fields = {name: choices for name, choices in Forms(client.get(path).text).fields.items() if name != "data"}

    @QUICK
    @given(
        typed_into({**fields, "token": set(), "next": set(), "have": set(), "beside": set()}),
        st.sampled_from([uploaded, EVIL, ""]),
    )
    def ask(values, data):
        query = {**values, **({"data": data} if data else {})}
        for headers in ({}, {"HX-Request": "true"}):
            assert_harmless(client.get(path, params=query, headers=headers, follow_redirects=False))

    ask()


@pytest.mark.parametrize("route", [r for r in web_app.ROUTES if "{" in r.path], ids=lambda route: route.path)
def test_a_name_that_is_none_is_refused_in_words(client, route):
    method = "POST" if "POST" in route.methods else "GET"

    @QUICK
    @given(TYPED.filter(bool))
    def ask(name):
        where = re.sub(r"\{\w+\}", lambda _: urlencode({"": name})[1:], route.path)
        assert_harmless(client.request(method, where, headers={"Origin": ORIGIN}, follow_redirects=False))

    ask()


@pytest.mark.parametrize("path", [r.path for r in web_app.ROUTES if "POST" in r.methods and "{" not in r.path])
@QUICK
@given(
    fields=st.dictionaries(st.sampled_from(["ratings", "judges", "token", "next", EVIL]), TYPED, max_size=3), name=TYPED
)
def test_whatever_is_posted_is_answered_or_refused_in_words(client, path, fields, name):
    files = {role: (name or "r.csv", text.encode()) for role, text in fields.items() if role in {"ratings", "judges"}}
    for more in ({"data": fields}, {"files": files} if files else {"content": name.encode()}):
        assert_harmless(client.post(path, headers={"Origin": ORIGIN}, follow_redirects=False, **more))


@pytest.mark.parametrize("task", WORKS)
def test_whatever_is_typed_long_work_ends_with_an_answer_or_a_sentence(client, uploaded, task):
    # In this process: whatever a worker would print as a failure of ours is a failure of this test.
    shelf = client.app._app.state.desk.shelf
    html = client.get(f"/p/{uploaded}/{WORKS[task].page}").text
    fields = {name: choices for name, choices in Forms(html).fields.items() if name not in {"data", "bootstrap"}}

    @settings(QUICK, max_examples=5)
    @given(typed_into(fields))
    def ask(values):
        small = {"bootstrap": "5", "resamples": "50", "items": "20,40", "raters": "1,3", "simulations": "100"}
        query = {**{name: small[name] for name in small if name in fields or name == "bootstrap"}, **values}
        try:
            order = WORKS[task].order(shelf, {**query, "data": uploaded})
        except DissensusError:  # in words
            return
        job = Job(key=order.key, task=order.task, arguments=order.arguments)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            message = run_task({"task": order.task, "arguments": order.arguments}, job.take)
        assert message.get("error") != OURS, said.getvalue()
        if message["kind"] == "done":
            job.end("done", result=json.loads(json.dumps(message["result"])))  # as it comes through the pipe
            assert "<zq" not in WORKS[task].show(job)
            assert not any("<zq" in html for html in job.parts.values())

    ask()
