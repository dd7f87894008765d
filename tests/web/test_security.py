"""The web app against those who should not get in, or not get far: the real server, spoken to over sockets."""

import asyncio
import contextlib
import gzip
import html
import io
import itertools
import re
import socket
import tempfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from web_server import form, running, until

pytest.importorskip("uvicorn", reason="the extra [web] is not installed")

from dissensus.web import uploads

TOKEN = "correct horse battery"  # noqa: S105 - of a server that lives for a second
SCRIPT = "<script>alert(1)</script>"
RATINGS = b"item,rater,label\n" + b"".join(
    b"%d,%d,%s\n" % (i, r, b"yes" if (i + r) % 3 else b"no") for i in range(9) for r in range(3)
)


@pytest.fixture(scope="module")
def server():
    with running(largest_upload=2 * 2**20, request_seconds=2.0, most_half_open=30) as started:
        yield started


@pytest.fixture(scope="module")
def guarded():
    with running(token=TOKEN) as started:
        yield started


def sign_in(guarded, token):
    return guarded.ask("POST", "/token", body=f"token={token.replace(' ', '+')}".encode())


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:{port}", "", "user@127.0.0.1:{port}", "192.168.1.2:{port}"]
)
def test_a_name_that_was_made_to_point_here_is_refused(server, host):
    status, _, text = server.ask("GET", "/", headers={"Host": host.format(port=server.port)})
    assert status == 421
    assert "Open the address shown in its terminal." in text


@pytest.mark.parametrize("host", ["localhost:{port}", "127.0.0.1:{port}", "[::1]:{port}"])
def test_the_names_of_this_machine_are_answered(server, host):
    assert server.ask("GET", "/", headers={"Host": host.format(port=server.port), "Origin": None})[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Origin": None},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {"Origin": None, "Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_post_from_elsewhere_changes_nothing(server, headers):
    sent = form({"ratings": ("a.csv", RATINGS)})
    assert server.ask("POST", "/upload", body=sent["body"], headers=sent["headers"] | headers)[0] == 403
    assert server.ask("POST", "/start/report?data=example:binary", headers=headers)[0] == 403


def test_a_form_of_our_own_page_is_answered_though_its_origin_is_null(server):
    # Under Referrer-Policy no-referrer browsers send the origin null with a form, and say that it is our own.
    sent = form({"ratings": ("a.csv", RATINGS)})
    own = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
    assert server.ask("POST", "/upload", body=sent["body"], headers=sent["headers"] | own)[0] == 303


@pytest.mark.parametrize("path", ["/", "/plan/labels", "/nothing", "/static/app.css", "/jobs/none"])
def test_every_answer_has_the_headers_that_protect_it(server, path):
    _, headers, _ = server.ask("GET", path)
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Server"] is None


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_cannot_take_a_page_in_but_may_link_to_it(server, site):
    def status(kind):
        headers = {"Origin": None, "Sec-Fetch-Site": site, "Sec-Fetch-Dest": kind}
        return server.ask("GET", "/move/labels", headers=headers)[0]

    assert [status(kind) for kind in ("image", "script", "iframe", "empty")] == [403] * 4
    assert status("document") == 200


@pytest.mark.parametrize("origin", ["http://[", "http://127.0.0.1:{port}@evil.example", "//127.0.0.1:{port}.evil", ""])
def test_an_origin_that_is_none_is_refused(server, origin):
    status, headers, text = server.ask(
        "POST", "/start/report?data=example:binary", headers={"Origin": origin.format(port=server.port)}
    )
    assert status == 403
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "another site" in text


def test_no_page_holds_a_script_or_style_of_its_own(server):
    for path in ("/", "/plan/labels", "/plan", "/explain/worth", "/p/example:binary/results", "/p/example:binary/data"):
        _, _, text = server.ask("GET", path)
        assert not re.search(r"<script(?! src=\"/static/)|<style|\son\w+=|style=\"|javascript:", text), path


@pytest.mark.parametrize(
    "path", ["/", "/plan/labels", "/p/example:binary/results", "/jobs/x", "/static/charts.js", "/nothing"]
)
def test_without_the_token_every_page_asks_for_it(guarded, path):
    status, headers, _ = guarded.ask("GET", path)
    assert status == 303
    assert headers["Location"].partition("?")[0] == "/token"
    assert guarded.ask("GET", path, headers={"HX-Request": "true"})[0] == 401
    assert guarded.ask("GET", path, headers={"Cookie": f"dissensus={TOKEN}"})[0] == 303


def test_without_the_token_nothing_can_be_uploaded_or_started(guarded):
    sent = form({"ratings": ("a.csv", RATINGS)})
    assert guarded.ask("POST", "/upload", **sent)[0] == 401
    assert guarded.ask("POST", "/start/report?data=example:binary")[0] == 401


@pytest.mark.parametrize("token", ["", "wrong", TOKEN + "x", TOKEN[:-1], "\N{SNOWMAN}"])
def test_a_wrong_token_opens_nothing(guarded, token):
    status, headers, text = sign_in(guarded, token)
    assert status == 401
    assert headers["Set-Cookie"] is None
    assert "not the token" in text


def test_the_token_opens_every_page_by_a_cookie_that_scripts_and_other_sites_cannot_use(guarded):
    status, headers, _ = sign_in(guarded, TOKEN)
    cookie = headers["Set-Cookie"]
    assert status == 303
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN.partition(" ")[0] not in cookie
    own = {"Cookie": cookie.partition(";")[0]}
    assert guarded.ask("GET", "/", headers=own)[0] == 200
    assert guarded.ask("GET", "/", headers={"Cookie": own["Cookie"] + "x"})[0] == 303


def signed_in_to(guarded, page):
    """Where the right token leads that was asked for on the way to a page."""
    body = urlencode({"token": TOKEN, "next": page}).encode()
    status, headers, _ = guarded.ask("POST", "/token", body=body)
    assert status == 303
    return headers["Location"]


def test_the_token_leads_to_the_page_that_was_asked_for(guarded):
    page = "/plan/labels?accuracy=0.9&error=0.01"
    _, headers, _ = guarded.ask("GET", page)
    _, _, form_page = guarded.ask("GET", headers["Location"])
    kept = html.unescape(re.search(r'name="next" value="([^"]*)"', form_page)[1])
    assert signed_in_to(guarded, kept) == page
    # A wrong token in between does not forget it.
    _, _, again = guarded.ask("POST", "/token", body=urlencode({"token": "wrong", "next": page}).encode())
    assert html.unescape(re.search(r'name="next" value="([^"]*)"', again)[1]) == page


@pytest.mark.parametrize(
    "page",
    [
        "http://evil.example/",
        "//evil.example/",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\r\nSet-Cookie: a=b",
        "javascript:alert(1)",
        "https:evil.example",
        "evil.example",
        "",
        "/token",
        "/token?next=//evil.example",
        "/" + "x" * 9000,
    ],
)
def test_the_token_leads_to_no_other_site(guarded, page):
    assert signed_in_to(guarded, page) == "/"
    _, _, text = guarded.ask("GET", "/token?" + urlencode({"next": page}))
    assert 'name="next" value="/"' in text


def test_a_path_that_looks_like_another_site_is_not_kept(guarded):
    _, headers, _ = guarded.ask("GET", "//evil.example/")
    assert headers["Location"] == "/token"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/%2e%2e/errors.py",
        "/static/%2fetc%2fpasswd",
        "/static/htmx.LICENSE.txt",
        "/p/..%2f..%2fetc%2fpasswd/data",
        "/p/%2fetc%2fpasswd/data",
        "/p/example:..%2f..%2ferrors.py/results",
        "/p/example:/results",
        "/explain/..%2f..%2fapp",
    ],
)
def test_no_address_leads_out_of_what_is_served(server, path):
    status, _, text = server.ask("GET", path)
    assert status in {303, 400, 404}  # what could be a saved project asks for the token
    assert "import" not in text
    assert "root:" not in text


@pytest.mark.parametrize(
    "name", ["../../../evil.csv", "/var/evil.csv", "..\\evil.csv", "a\x00b.csv", "x" * 3000 + ".csv", "evil.sh"]
)
def test_the_name_of_a_file_is_shown_but_never_used_as_a_path(server, name):
    id_ = server.upload(ratings=(name, RATINGS))
    text = server.page(id_, "data")
    assert ".." not in text.replace("...", "")
    assert not list(Path(tempfile.gettempdir()).glob("*evil*"))
    assert "27 ratings of 9 items" in server.answer("checkup", f"data={id_}")


def test_an_upload_that_is_too_large_is_refused_before_it_is_all_there(server):
    sent = form({"ratings": ("a.csv", b"x" * (3 * 2**20))})
    status, _, text = server.ask("POST", "/upload", **sent)
    assert status == 413
    assert "larger than 2 MB" in text


def test_an_upload_that_does_not_say_how_large_it_is_is_cut_off(server):
    head = (
        f"POST /upload HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: http://127.0.0.1:{server.port}\r\n"
        "Content-Type: multipart/form-data; boundary=edge\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    first = b'--edge\r\nContent-Disposition: form-data; name="ratings"; filename="a.csv"\r\n\r\n'
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(head.encode() + b"%x\r\n%s\r\n" % (len(first), first))
        for _ in range(40):
            connection.sendall(b"%x\r\n%s\r\n" % (2**16, b"x" * 2**16))
        assert b" 413 " in connection.recv(200)


@pytest.mark.slow
def test_an_upload_of_300_mb_is_refused_at_the_usual_limit():
    with running() as server:
        status, _, text = server.ask("POST", "/upload", **form({"ratings": ("a.csv", b"x" * (300 * 2**20))}))
        assert status == 413
        assert "larger than 200 MB" in text
        assert server.ask("GET", "/")[0] == 200


@pytest.mark.parametrize(
    "body", [b"", b"--edge", b"garbage", b"--edge\r\n\r\n\r\n--edge--", b"--edge\r\n" + b"A" * 9000]
)
def test_garbled_uploads_are_refused_in_words(server, body):
    headers = {"Content-Type": "multipart/form-data; boundary=edge"}
    status, _, text = server.ask("POST", "/upload", body=body, headers=headers)
    assert status == 400
    assert 'class="problem"' in text


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'--edge\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n' * 5000 + b"--edge--", "too many parts"),
        (b"--edge\r\n" + b"X-A: b\r\n" * 5000 + b"\r\n\r\n--edge--", "too many headers|damaged on the way"),
    ],
)
def test_a_form_with_very_many_parts_or_headers_is_refused(server, body, says):
    headers = {"Content-Type": "multipart/form-data; boundary=edge"}
    status, _, text = server.ask("POST", "/upload", body=body, headers=headers)
    assert status == 400
    assert re.search(says, text)


def test_an_address_with_very_many_fields_is_answered_or_refused_and_harms_nobody(server):
    status, _, _ = server.ask("GET", "/move/labels?" + "&".join(f"x{n}={n}" for n in range(5000)))
    assert status == 200
    with half_open(server) as connection:
        fields = "&".join(f"x{n}={n}" for n in range(50_000))
        with contextlib.suppress(ConnectionError):  # cut off before all is sent is refused, too
            connection.sendall(f"GET /move/labels?{fields} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            assert b" 200 " not in connection.recv(200)
    assert server.ask("GET", "/")[0] == 200


def test_more_uploads_at_once_than_the_disk_should_hold_are_refused():
    from dissensus.web.uploads import MOST_AT_ONCE  # noqa: PLC0415 - the extra may be missing

    sent = form({"ratings": ("a.csv", RATINGS)})
    with running() as server, contextlib.ExitStack() as stack:
        head = (
            f"POST /upload HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: http://127.0.0.1:{server.port}\r\n"
            f"Content-Type: {sent['headers']['Content-Type']}\r\nContent-Length: 5000\r\n\r\n"
        )
        for _ in range(MOST_AT_ONCE):
            stack.enter_context(half_open(server, head.encode() + sent["body"][:50]))
        status, _, text = until(lambda: server.ask("POST", "/upload", **sent), lambda answer: answer[0] == 503)
        assert status == 503
        assert "Busy" in text
        stack.close()
        assert until(lambda: server.ask("POST", "/upload", **sent), lambda answer: answer[0] == 303)[0] == 303


def test_what_is_in_an_address_cannot_add_a_header(server):
    _, headers, text = server.ask("GET", "/move/raters?items=50%0d%0aSet-Cookie:%20a=b&effect=0.1")
    assert headers["Set-Cookie"] is None
    assert "%0D%0ASet-Cookie" in text


def test_the_id_of_a_job_or_an_upload_that_is_not_known_says_nothing_about_others(server):
    id_ = server.upload(ratings=("a.csv", RATINGS))
    wrong = id_[:-1] + ("A" if id_[-1] != "A" else "B")
    assert server.ask("GET", f"/p/{wrong}/data")[0] == 404
    for path in (f"/jobs/{id_}", f"/jobs/{wrong}", "/jobs/1"):
        assert server.ask("GET", path)[0] == 404
        assert server.ask("POST", f"{path}/cancel")[0] == 404


@pytest.mark.parametrize(("limit", "low"), [("columns", 2), ("labels", 1)])
def test_the_limits_of_the_command_line_hold_for_uploads(tmp_path, monkeypatch, limit, low):
    monkeypatch.setenv("DISSENSUS_LIMITS", f"{limit}={low}")
    with running(is_lasting=True, folder=str(tmp_path)) as server:
        id_ = server.upload(ratings=("a.csv", RATINGS))
        answers = [server.answer(task, f"data={id_}&bootstrap=0") for task in ("checkup", "report")]
    assert any(f"our limit for {limit} is {low}" in text for text in answers)


def test_garbled_bytes_after_a_sound_head_print_nothing(tmp_path):
    with running(folder=str(tmp_path)) as server:
        for line in ("POST /upload", "GET /", "HEAD /"):
            host = f"127.0.0.1:{server.port}"
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
                head = f"{line} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nTransfer-Encoding: chunked\r\n"
                connection.sendall(f"{head}\r\nzz\r\n".encode())
                connection.recv(1000)
        sent = form({"ratings": ("r.csv", RATINGS)})
        server.ask("POST", "/upload", body=sent["body"].replace(b"Content", b"\xff", 1), headers=sent["headers"])
        server.process.terminate()
        assert server.process.communicate(timeout=60)[1] == ""


HUGE = "9" * 5000
"""More digits than Python makes a number of."""


@pytest.mark.parametrize(("change", "field"), [("undo", "place"), ("labels", "up")])
def test_a_place_that_no_list_has_changes_nothing(server, change, field):
    id_ = server.upload(ratings=("a.csv", RATINGS))
    for place in (HUGE, "\N{SUPERSCRIPT TWO}", "-1"):
        assert server.change(id_, change, **{field: place, "label": ["no", "yes"]})[0] == 303
    assert "no longer" not in server.page(id_, "data")


@pytest.mark.parametrize("path", [f"/p/{HUGE}/data", f"/p/{HUGE}/collect", "/p/%00/data", f"/r/x/image/{HUGE}/0"])
def test_an_address_that_no_file_or_number_can_have_is_refused(server, path):
    assert 400 <= server.ask("GET", path, headers=server.sign_in())[0] < 500


def test_a_file_that_unpacks_to_a_thousand_times_its_size_harms_nobody(server):
    bomb = gzip.compress(b"item,rater,label\n" + b"1,1,yes\n" * 10 + b"\0" * (150 * 2**20))
    assert len(bomb) < 2**20
    text = server.answer("checkup", f"data={server.upload(ratings=('bomb.csv.gz', bomb))}")
    assert 'class="problem"' in text or 'class="seen"' in text
    assert server.ask("GET", "/")[0] == 200


def test_a_workbook_that_is_a_bomb_harms_nobody(server):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>" + " " * (150 * 2**20))
    text = server.answer("checkup", f"data={server.upload(ratings=('bomb.xlsx', packed.getvalue()))}")
    assert 'class="problem"' in text or "cannot be read" in text
    assert server.ask("GET", "/")[0] == 200


def test_a_label_that_is_a_script_is_shown_as_text(server):
    rows = RATINGS.replace(b"yes", SCRIPT.encode())
    id_ = server.upload(ratings=(f"{SCRIPT}.csv", rows))
    for text in (
        server.page(id_, "data"),
        server.answer("checkup", f"data={id_}"),
        server.answer("report", f"data={id_}&bootstrap=20"),
    ):
        assert SCRIPT not in text
    assert "&lt;script&gt;alert(1)" in text


def test_what_is_typed_into_a_form_is_shown_as_text(server):
    for path in ("/plan/labels", "/plan"):
        _, _, text = server.ask(
            "GET", f"{path}?accuracy={SCRIPT}&effect={SCRIPT}&items={SCRIPT}&goal={SCRIPT}".replace(" ", "+")
        )
        assert SCRIPT not in text
        assert "cannot be" in text


def test_an_error_of_ours_shows_no_traceback_on_the_page_but_in_the_log(caplog):
    from dissensus.web.guard import Guard, Settings  # noqa: PLC0415

    async def fails(*_):
        raise ZeroDivisionError("a secret of ours")

    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")]}
    with ThreadPoolExecutor(1) as thread:  # the browser tests leave a loop running in this one
        thread.submit(lambda: asyncio.run(Guard(fails, Settings())(scope, None, send))).result()
    text = b"".join(message.get("body", b"") for message in sent).decode()
    assert sent[0]["status"] == 500
    assert "Something went wrong on our side" in text
    assert "secret" not in text
    assert "a secret of ours" in caplog.text


def test_an_error_in_a_worker_shows_no_traceback_on_the_page(capfd):
    from dissensus.web.process import run_task  # noqa: PLC0415 - as above

    message = run_task({"task": "plan_labels", "arguments": {"options": {"nonsense": 1}, "wants": "first"}}, print)
    assert message["kind"] == "failed"
    assert message["error"].startswith("Something went wrong on our side")
    assert "nonsense" in capfd.readouterr().err


def test_over_a_network_only_numbers_and_own_names_are_answered():
    from dissensus.web.guard import Guard, Settings  # noqa: PLC0415

    guard = Guard(None, Settings(host="judge.lab.example", token=TOKEN))
    status = {
        host: getattr(
            guard.refusal({"type": "http", "method": "GET", "path": "/token", "headers": [(b"host", host)]}),
            "status_code",
            200,
        )
        for host in (b"judge.lab.example", b"192.168.1.2:8000", b"evil.example", b"localhost:8000")
    }
    assert list(status.values()) == [200, 200, 421, 200]


def half_open(server, sent=b""):
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    connection.sendall(sent)
    return connection


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
        b"POST /token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\ntok",
    ],
)
def test_a_connection_without_a_complete_request_is_dropped(server, sent):
    with half_open(server, sent) as connection:
        connection.settimeout(6)  # the server allows 2 seconds
        received = b""
        try:
            while chunk := connection.recv(4096):
                received += chunk
        except ConnectionResetError:
            pass
    assert received == b"" or b" 403 " in received


def test_one_byte_now_and_then_does_not_keep_a_connection_open(server):
    with half_open(server, b"GET / HTTP/1.1\r\n") as connection:
        start, is_open = time.monotonic(), True
        while is_open and time.monotonic() - start < 8:
            try:
                connection.sendall(b"X")
            except OSError:
                is_open = False
            time.sleep(0.2)
    assert not is_open


def test_many_half_open_connections_do_not_keep_others_out(server):
    held = [half_open(server, b"GET / HTTP/1.1\r\nHost: ") for _ in range(100)]
    try:
        for _ in range(5):
            assert server.ask("GET", "/plan/labels")[0] == 200
    finally:
        for connection in held:
            connection.close()


def test_a_second_request_on_a_connection_has_its_own_deadline(server):
    whole = f"GET /explain/worth HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    with half_open(server, whole) as connection:
        connection.settimeout(8)
        assert b" 200 " in connection.recv(65536)
        connection.sendall(b"GET / HT")
        try:
            while connection.recv(65536):
                pass
        except ConnectionResetError:
            pass


@pytest.mark.parametrize(("bytes_a_second", "is_cut"), [(19_000, True), (25_000, False)])
def test_an_upload_below_twenty_kilobytes_a_second_for_thirty_seconds_is_cut(monkeypatch, bytes_a_second, is_cut):
    seconds = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: next(seconds))  # each look at the clock is a second later
    monkeypatch.setattr(uploads, "time", clock)

    async def slow():
        for _ in range(100):
            yield b"x" * bytes_a_second

    written = []
    parser = SimpleNamespace(write=written.append, finalize=lambda: None)
    feeding = uploads._feed(parser, slow(), largest=10**9, idle=60)
    if is_cut:
        with ThreadPoolExecutor(1) as thread, pytest.raises(TimeoutError):
            thread.submit(asyncio.run, feeding).result()
        assert len(written) < 40
    else:
        with ThreadPoolExecutor(1) as thread:  # a browser's loop may run in this one
            thread.submit(asyncio.run, feeding).result()
        assert len(written) == 100


def test_an_upload_that_is_broken_off_prints_nothing_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with running() as server:
        sent = form({"ratings": ("ratings.csv", b"x" * 100_000)})
        headers = {
            "Host": f"127.0.0.1:{server.port}",
            "Origin": server.url,
            "Content-Length": 200_000,
            **sent["headers"],
        }
        line = "POST /upload HTTP/1.1\r\n" + "".join(f"{key}: {value}\r\n" for key, value in headers.items()) + "\r\n"
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(line.encode() + sent["body"][:50_000])
            assert until(lambda: list(tmp_path.rglob("data-*/file.csv")), bool)
        assert not until(lambda: list(tmp_path.rglob("data-*")), lambda found: not found)
        assert server.ask("GET", "/")[0] == 200
        server.process.terminate()
        assert server.process.stderr.read() == ""


@pytest.mark.parametrize(("bytes_a_second", "is_cut"), [(100, True), (1_000_000, False)])
def test_an_upload_that_drips_is_cut(monkeypatch, bytes_a_second, is_cut):
    now = iter(range(10_000))
    clock = SimpleNamespace(monotonic=lambda: float(next(now)))  # a second for each chunk
    monkeypatch.setattr(uploads, "time", clock)

    async def drips():
        for _ in range(100):
            yield b"x" * bytes_a_second

    class Parser:
        def write(self, _chunk): ...

        def finalize(self): ...

    feed = uploads._feed(Parser(), drips(), largest=10**9, idle=60.0)
    with ThreadPoolExecutor(1) as thread, pytest.raises(TimeoutError) if is_cut else contextlib.nullcontext():
        thread.submit(lambda: asyncio.run(feed)).result()  # a browser's tests may have a loop in this one
