"""A real server in a process of its own, for tests that talk to it as a browser or an attacker does."""

import contextlib
import html
import http.client
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from urllib.parse import urlencode

START = """
import sys
from dissensus.web.server import serve
from dissensus.web.guard import Settings
serve(Settings(port=0, **{settings!r}), opens=False, say=lambda text: print(text, flush=True))
"""
LASTING = """
from dissensus.web import app
fresh = app.Pool
app.Pool = lambda *given, **named: fresh(*given, **named | {"is_fresh": False})
"""
"""Processes that do one job after the other: to start one for each takes a second, and only some tests are about it."""


@dataclass
class Running:
    """A server: its process and its address."""

    process: subprocess.Popen
    url: str
    port: int
    owner: str = ""
    key: str = ""
    cookie: str = ""

    def sign_in(self):
        """Open the address that was printed, and keep the cookie."""
        _, headers, _ = self.ask("GET", f"/?token={self.key}")
        self.cookie = headers["Set-Cookie"].partition(";")[0]
        return {"Cookie": self.cookie}

    def ask(self, method, path, *, body=None, headers=None):
        """Status, headers and text of an answer; a request of our own pages unless `headers` say otherwise."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        own = {"Host": f"127.0.0.1:{self.port}", "Origin": f"http://127.0.0.1:{self.port}"}
        with contextlib.closing(connection):
            sent = {name: value for name, value in {**own, **(headers or {})}.items() if value is not None}
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            if body is not None:
                sent.setdefault("Content-Length", str(len(body)))
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def upload(self, **files):
        """The id of a new project with files: role=(name, content)."""
        status, headers, text = self.ask("POST", "/upload", **form(files))
        assert status == 303, text
        return re.fullmatch(r"/p/([^/]+)/data", headers["Location"])[1]

    def page(self, id_, page, query=""):
        """The text of a page of a project."""
        status, _, text = self.ask("GET", f"/p/{id_}/{page}" + (f"?{query}" if query else ""))
        assert status == 200, text
        return text

    def change(self, id_, change, **fields):
        """Press a button of the Data tab."""
        body = urlencode(fields, doseq=True).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": self.cookie}
        return self.ask("POST", f"/p/{id_}/data/{change}", body=body, headers=headers)

    def answer(self, task, query, *, seconds=240):
        """What long work comes to, asked for as a page does."""
        status, _, text = self.ask("POST", f"/start/{task}?{query}", headers={"HX-Request": "true"})
        assert status == 200, text
        end = time.monotonic() + seconds
        while (found := re.search(r'hx-get="/jobs/([^"?]+)', text)) and time.monotonic() < end:
            time.sleep(0.2)
            status, _, text = self.ask("GET", f"/jobs/{found[1]}", headers={"HX-Request": "true"})
        return text


def until(answer, wanted, *, seconds=120):
    """What `answer` gives once it is what is wanted, or in the end: a busy machine takes its time."""
    end = time.monotonic() + seconds
    while not wanted(found := answer()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def form(files):
    """Body and headers of an upload."""
    edge = b"----edge"
    parts = [
        b'--%s\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n%s\r\n'
        % (edge, role.encode(), name.encode(), content)
        for role, (name, content) in files.items()
    ]
    body = b"".join(parts) + b"--%s--\r\n" % edge
    return {"body": body, "headers": {"Content-Type": f"multipart/form-data; boundary={edge.decode()}"}}


@contextlib.contextmanager
def running(*, is_lasting=False, **settings):
    """A server on a free port; its processes may last for many jobs."""
    program = (LASTING if is_lasting else "") + START.format(settings=settings)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        line = process.stdout.readline()
        found = re.search(r"http://[^ ]+:(\d+)/(?:\?token=([^ ]+))?", line)
        assert found, process.stderr.read()
        yield Running(process, f"http://127.0.0.1:{found[1]}", int(found[1]), found[0], found[2] or "")
    finally:
        process.terminate()
        process.communicate(timeout=60)


def shown(text, id_):
    """The text of an element of a page."""
    return html.unescape(re.search(rf'id="{id_}">(.*?)</code>', text, re.DOTALL)[1])


def words(text):
    """A text as one line without tags, to compare what is shown here and there."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def lead_of(text):
    """The sentence that an answer begins with."""
    after = text.partition('id="plan-place"')[2] if 'class="panel"' in text else text.partition('id="answer"')[2]
    return words(re.search(r'<p class="lead"[^>]*>(.*?)</p>', after or text, re.DOTALL)[1])


def verdict_of(text):
    """What the results come down to, as the first screen says it and a command prints it."""
    return words(re.search(r'<li class="answer">(.*?)</li>', text, re.DOTALL)[1]).rstrip(".")
