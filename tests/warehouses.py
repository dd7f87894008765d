"""Databases for tests: a table goes in, the answer of a query comes out as a CSV file."""

import csv
import io
import os
import pwd
import secrets
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

NULL = "\\N"
TYPES = {"rated_at": "INTEGER", "p_No": "DOUBLE PRECISION", "p_Yes": "DOUBLE PRECISION"}
"""Of columns that are no text."""


def definition(table, columns):
    """What makes an empty table."""
    listed = ", ".join(f'"{name}" {TYPES.get(name, "TEXT")}' for name in columns)
    return f'CREATE TABLE "{table}" ({listed})'


class Duckdb:
    """A database of duckdb in memory."""

    def __init__(self, folder):
        del folder
        self.connection = duckdb.connect()

    def load(self, table, columns, rows):
        self.connection.execute(f'DROP TABLE IF EXISTS "{table}"')
        self.connection.execute(definition(table, columns))
        cells = pa.table({name: [row[place] for row in rows] for place, name in enumerate(columns)})
        self.connection.register("cells", cells)
        self.connection.execute(f'INSERT INTO "{table}" FROM cells')

    def export(self, query, path):
        self.connection.execute(f"COPY ({query}) TO '{path}'")


class Sqlite:
    """A file of SQLite."""

    def __init__(self, folder):
        self.path = folder / "ratings.db"

    def load(self, table, columns, rows):
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(f'DROP TABLE IF EXISTS "{table}"')
            connection.execute(definition(table, columns))
            connection.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(columns))})', rows)

    def export(self, query, path):
        with closing(sqlite3.connect(self.path)) as connection, path.open("w", newline="", encoding="utf-8") as file:
            answer = connection.execute(query)
            writer = csv.writer(file)
            writer.writerow([column[0] for column in answer.description])
            writer.writerows(answer)


class Postgresql:
    """A server of PostgreSQL, asked by psql."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.environment = environment

    def psql(self, *arguments, text=None):
        done = subprocess.run(
            ["psql", "-v", "ON_ERROR_STOP=1", *arguments],
            input=text, capture_output=True, text=True, encoding="utf-8", env=self.environment, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def load(self, table, columns, rows):
        stream = io.StringIO()
        for row in rows:  # what is quoted is never NULL, be it empty or \N
            stream.write(
                ",".join(NULL if cell is None else '"' + str(cell).replace('"', '""') + '"' for cell in row) + "\n"
            )
        self.psql("-q", "-c", f'DROP TABLE IF EXISTS "{table}"', "-c", definition(table, columns))
        self.psql("-q", "-c", f"\\copy \"{table}\" FROM STDIN WITH (FORMAT csv, NULL '{NULL}')", text=stream.getvalue())

    def export(self, query, path):
        (self.folder / "counts.sql").write_text(query, encoding="utf-8")
        path.write_text(self.psql("--csv", "-f", str(self.folder / "counts.sql")), encoding="utf-8", newline="")


def _program(name):
    """Where PostgreSQL has a program; Debian keeps those of the server out of the path."""
    places = [shutil.which(name), *map(str, sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True))]
    found = next((place for place in places if place is not None), None)
    if found is None or shutil.which("psql") is None:
        pytest.skip(f"PostgreSQL is not installed ({name} or psql was not found)")
    return found


def _somebody():
    """How to start a process of PostgreSQL, which refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running_postgresql():
    """A server of its own on loopback, on a free port and with a password; gone afterwards."""
    initdb, server = _program("initdb"), _program("postgres")
    somebody = _somebody()
    with tempfile.TemporaryDirectory(prefix="dissensus-postgresql-") as name:
        folder, data = Path(name), Path(name) / "data"
        password, port = secrets.token_hex(16), _free_port()
        (folder / "password").write_text(password, encoding="utf-8")
        if somebody:
            for path in (folder, folder / "password"):
                os.chown(path, somebody["user"], somebody["group"])
        subprocess.run(
            [initdb, "-D", data, "-U", "tester", "-A", "scram-sha-256", f"--pwfile={folder / 'password'}",
             "-E", "UTF8", "--locale=C", "--no-sync"],
            check=True, capture_output=True, cwd=folder, **somebody,
        )  # fmt: skip
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [server, "-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1",
                 "-c", "unix_socket_directories=", "-c", "fsync=off"],
                stdout=log, stderr=log, cwd=folder, **somebody,
            )  # fmt: skip
        try:
            environment = {
                "PATH": os.environ["PATH"], "HOME": name, "PGHOST": "127.0.0.1", "PGPORT": str(port),
                "PGUSER": "tester", "PGPASSWORD": password, "PGDATABASE": "postgres", "PGCLIENTENCODING": "UTF8",
            }  # fmt: skip
            _wait(process, environment, folder / "log")
            yield Postgresql(folder, environment)
        finally:
            process.terminate()  # it lets nobody in any more and ends when those inside have left
            process.wait(timeout=60)


def _wait(process, environment, log):
    deadline = time.monotonic() + 60
    while subprocess.run(["psql", "-c", "SELECT 1"], env=environment, capture_output=True, check=False).returncode:
        assert process.poll() is None, log.read_text(errors="replace")
        assert time.monotonic() < deadline, log.read_text(errors="replace")
        time.sleep(0.1)
