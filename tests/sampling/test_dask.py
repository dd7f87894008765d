"""A real Dask scheduler with workers as separate processes: the same numbers, whatever happens to the workers."""

import dataclasses
import logging
import os
import signal
import socket
import threading
import time
import warnings

import numpy as np
import pytest

from dissensus import equivalence, plan_raters, read, read_judges
from dissensus.cli.flags import flags_beside
from dissensus.cli.main import main
from dissensus.data.large import read_large
from dissensus.data.large.read_large import read_reduced
from dissensus.data.large.tables import find_files
from dissensus.errors import DissensusError, MissingExtraError, OptionError, RepeatedRatingsError
from dissensus.methods.equivalence.scores import label_scores
from dissensus.methods.reproduce.dont_label_twice_sweep import Grid, sweep_grid
from dissensus.methods.reproduce.how_many_raters import ITEMS, PERTURBATIONS, RESPONSES
from dissensus.report.envelope import envelope_json
from dissensus.sampling import dask_cluster as connecting
from dissensus.sampling import dask_cluster as watching
from dissensus.sampling import dask_reduction as pieces
from dissensus.sampling import dask_reduction as reducing
from dissensus.sampling import open_executor, run_tasks
from dissensus.sampling.dask_cluster import check_versions, pack, run_packed, versions_here

from dask_cluster import Cluster, draw, draw_backwards, end_process, fail, run_on, sleep, total_and_process

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'dissensus[dask]'")


@pytest.fixture(scope="module")
def shared_cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.close()


@pytest.fixture
def cluster(shared_cluster):
    """The cluster, with two workers; a test that killed some has others started after it."""
    shared_cluster.mend()
    return shared_cluster


@pytest.fixture
def bare_scheduler(tmp_path):
    """A scheduler to break, without workers."""
    scheduler = Cluster(tmp_path, workers=0)
    yield scheduler
    scheduler.close()


@pytest.fixture(scope="module")
def convabuse(shared):
    folder = shared / "data" / "convabuse"
    return folder / "ratings.csv", folder / "judges.csv"


@pytest.fixture(scope="module")
def local_equivalence(convabuse):
    ratings, judges = convabuse
    return equivalence(read(ratings), read_judges(judges), bootstrap=200)


def once(act, *, after=1):
    """A progress that acts when so many tasks are done, and so in the middle."""

    def progress(done, total):
        assert total > after
        if done == after:
            act()

    return progress


def pretend(folder, package, version):
    """Make whoever finds the folder first believe that another version is installed."""
    described = folder / f"{package}-{version}.dist-info" / "METADATA"
    described.parent.mkdir()
    described.write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")


class TestSameNumbers:
    def test_equivalence_is_the_same_to_the_byte(self, cluster, convabuse, local_equivalence, capfd):
        ratings, judges = map(str, convabuse)
        command = ["equivalence", ratings, judges, "--bootstrap", "200", "--json", "--engine", cluster.engine]
        assert main(command) == 0
        out, err = capfd.readouterr()
        assert (
            out == envelope_json(local_equivalence, flags_beside(local_equivalence)) + "\n"
        )  # its settings too: where the work ran is none of them
        assert err == ""

    def test_equivalence_is_the_same_with_a_worker_killed_in_the_middle(
        self, cluster, convabuse, local_equivalence, capfd
    ):
        ratings, judges = convabuse
        found = equivalence(
            read(ratings),
            read_judges(judges),
            bootstrap=200,
            engine=cluster.engine,
            progress=once(cluster.kill_workers),
        )
        assert found.to_json() == local_equivalence.to_json()
        assert len(cluster.workers) == 1
        assert capfd.readouterr() == ("", "")

    @pytest.mark.slow
    def test_the_288_cells_of_the_power_grid_are_the_same(self, cluster):
        def grid(engine):
            with open_executor(engine) as executor:
                return [
                    plan_raters(
                        metric=metric, effect=effect, items=ITEMS, raters=RESPONSES, method="simulate", simulations=100,
                        engine=executor,
                    )
                    for metric in ("wins", "mae")
                    for effect in PERTURBATIONS
                ]  # fmt: skip

        here, there = grid("local"), grid(cluster.engine)
        assert sum(len(plan.grid) for plan in here) == 288
        assert [plan.to_json() for plan in here] == [plan.to_json() for plan in there]

    @pytest.mark.slow
    def test_a_label_sweep_is_the_same_with_a_worker_killed_in_the_middle(self, cluster):
        grid = Grid(parts=6)
        there = sweep_grid(grid, engine=cluster.engine, progress=once(cluster.kill_workers, after=4))
        assert len(cluster.workers) == 1
        assert sweep_grid(grid) == there

    def test_results_come_in_the_order_of_the_tasks_and_progress_is_told(self, cluster):
        seen, tasks = [], [(place, 8) for place in range(8)]
        there = run_on(cluster.engine, draw_backwards, tasks, progress=lambda *told: seen.append(told))
        assert there == run_on("local", draw_backwards, tasks)
        assert seen == [(done, 8) for done in range(1, 9)]

    def test_no_tasks_have_no_results(self, cluster):
        assert run_on(cluster.engine, draw, []) == []

    def test_single_tasks_can_be_submitted(self, cluster):
        with open_executor(cluster.engine) as executor:
            assert executor.submit(max, 3, 4).result() == 4


class TestLargeTasks:
    def test_tasks_that_share_arrays_travel_with_one_copy_of_them(self):
        shared, own = np.arange(100_000.0), [np.arange(50_000.0) + i for i in range(3)]
        packed, parts = pack([(shared, own[i % 3], i) for i in range(30)])
        assert sorted(len(part) // 1000 for part in parts) == [400, 400, 400, 800]
        assert max(len(task.small) for task in packed) < 200
        assert {len(task.large) for task in packed} == {2}

    def test_an_array_that_starts_at_any_byte_is_added_up_in_the_same_order(self):
        values, weights = np.random.default_rng(0).random(40_000), np.random.default_rng(1).random((25, 40_000))
        [task], _ = pack([(np.einsum, ("rt,t->r", weights, values))])
        # As another worker's message would hold it.
        moved = np.frombuffer(bytearray(3) + weights.tobytes(), offset=3).reshape(weights.shape)
        assert not moved.flags.aligned
        assert (moved == weights).all()
        there = run_packed(task.small, [moved, values], expected=versions_here())
        assert (there == np.einsum("rt,t->r", weights, values)).all()

    def test_tasks_that_share_an_array_run_on_all_workers(self, cluster):
        large = np.arange(2_000_000.0)
        there = run_on(cluster.engine, total_and_process, [(large, i) for i in range(4)])
        assert {process for _, process in there} == {worker.pid for worker in cluster.workers}
        here = run_on("local", total_and_process, [(large, i) for i in range(4)])
        assert [total for total, _ in there] == [total for total, _ in here]

    def test_a_shared_array_outlives_the_workers_that_had_it(self, cluster):
        def replace_workers():
            cluster.add_workers(1)
            cluster.wait_for_workers()
            cluster.kill_workers(2)

        # The scheduler may hand a task of the first lost worker to the second before it knows that this is lost too.
        cluster.allow_failures(2)

        large = np.arange(200_000.0)
        tasks = [(large, i) for i in range(6)]
        there = run_on(cluster.engine, total_and_process, tasks, progress=once(replace_workers))
        assert [int(total - large.sum()) for total, _ in there] == list(range(6))
        assert there[-1][1] == cluster.workers[0].pid


class TestTrouble:
    def test_an_error_in_a_task_reaches_the_caller_and_the_cluster_goes_on(self, cluster):
        with open_executor(cluster.engine) as executor:
            with pytest.raises(ArithmeticError, match="task 7"):
                run_tasks(executor, fail, [7, 8], rng=0)
            assert run_tasks(executor, draw, [0], rng=0) == [0.0]

    def test_a_task_that_kills_its_workers_is_given_up(self, cluster):
        with pytest.raises(DissensusError, match=r"was on 2 Dask workers when they were lost.*out of memory"):
            run_on(cluster.engine, end_process, [1])

    def test_an_interrupt_cancels_what_is_left(self, cluster):
        interrupt = once(lambda: os.kill(os.getpid(), signal.SIGINT))
        with open_executor(cluster.engine) as executor:
            with pytest.raises(KeyboardInterrupt):
                run_tasks(executor, sleep, [0.05] * 2000, rng=0, progress=interrupt)
            started = time.monotonic()
            assert run_tasks(executor, draw, [0, 0], rng=0) == [0.0, 0.0]
        assert time.monotonic() - started < 20  # and not the 50 seconds that two workers need for the rest

    def test_a_cluster_without_workers_is_one_line_after_a_while(self, bare_scheduler, monkeypatch, capfd):
        monkeypatch.setattr(watching, "LOST_SECONDS", 1.0)
        with pytest.raises(
            DissensusError, match=r"has had no worker for 1 seconds\. Start workers with `dask worker 1"
        ):
            run_on(bare_scheduler.engine, draw, [1])
        assert capfd.readouterr() == ("", "")

    def test_workers_that_are_all_lost_in_the_middle_are_one_line_after_a_while(self, cluster, monkeypatch, capfd):
        monkeypatch.setattr(watching, "LOST_SECONDS", 2.0)
        cluster.allow_failures(10)
        started = time.monotonic()
        with pytest.raises(DissensusError, match="has had no worker for 2 seconds"):
            run_on(cluster.engine, sleep, [0.05] * 200, progress=once(lambda: cluster.kill_workers(2)))
        assert time.monotonic() - started < 60
        assert capfd.readouterr() == ("", "")

    def test_nothing_waits_for_a_lost_cluster_for_more_than_a_minute(self):
        assert watching.LOST_SECONDS + 2 * watching.LOOK_SECONDS + connecting.CLOSE_SECONDS < 60

    def test_a_scheduler_that_does_not_answer_is_one_line_after_a_while(self, bare_scheduler, monkeypatch, capfd):
        with open_executor(bare_scheduler.engine) as executor:
            bare_scheduler.scheduler.send_signal(signal.SIGSTOP)
            monkeypatch.setattr(watching, "LOST_SECONDS", 1.0)
            with pytest.raises(DissensusError, match="has not answered for 1 seconds"):
                run_tasks(executor, draw, [1], rng=0)
        assert capfd.readouterr() == ("", "")

    def test_a_lost_scheduler_is_one_line_and_exit_status_2(self, bare_scheduler, convabuse, monkeypatch, capfd):
        looks = []

        def kill_at_the_second_look(watch, look=watching.Watch.workers):
            looks.append(watch)
            if len(looks) == 2:  # the first one is before the tasks are sent
                bare_scheduler.scheduler.kill()
            return look(watch)

        monkeypatch.setattr(watching.Watch, "workers", kill_at_the_second_look)
        ratings, judges = map(str, convabuse)
        assert main(["equivalence", ratings, judges, "--bootstrap", "50", "--engine", bare_scheduler.engine]) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert err == (
            f"dissensus: The Dask scheduler at {bare_scheduler.address} was lost, and the work with it. Start it again "
            "with `dask scheduler`, and run the command again.\n"
        )

    def test_the_log_and_the_warnings_of_dask_are_as_they_were(self, cluster):
        logger = logging.getLogger("distributed")
        level, filters = logger.level, list(warnings.filters)
        with open_executor(cluster.engine):
            assert not logger.isEnabledFor(logging.CRITICAL)
        assert (logger.level, warnings.filters) == (level, filters)


def test_a_cluster_with_certificates_is_asked_over_tls(tmp_path):
    pytest.importorskip("cryptography", reason="certificates are made with cryptography")
    import dask  # noqa: PLC0415 - it is there, as distributed is
    from distributed.security import Security  # noqa: PLC0415

    made = Security.temporary()
    (tmp_path / "cert.pem").write_text(made.tls_ca_file)
    (tmp_path / "key.pem").write_text(made.tls_client_key)
    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    secure = Cluster(tmp_path, workers=1, tls=("--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key))
    try:
        assert secure.engine.startswith("tls://127.0.0.1:")
        own = {"ca-file": cert, "client.cert": cert, "client.key": key}
        with dask.config.set({f"distributed.comm.tls.{name}": path for name, path in own.items()}):
            assert run_on(secure.engine, draw, [1.0, 2.0]) == run_on("local", draw, [1.0, 2.0])
        with pytest.raises(DissensusError, match="No Dask scheduler answered at tls://"):
            run_on(secure.engine, draw, [1.0])  # without certificates
    finally:
        secure.close()


class TestRefusals:
    def test_without_dask_the_extra_is_named(self, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "distributed", None)
        with pytest.raises(MissingExtraError, match=r"pip install 'dissensus\[dask\]'"), open_executor("dask://here"):
            pass

    @pytest.mark.parametrize("address", ["", "two words", "host:port", "tcp://host:1", "host:1:2"])
    def test_what_is_no_address_is_refused(self, address):
        with pytest.raises(OptionError, match="give a scheduler's address"), open_executor(f"dask://{address}"):
            pass

    def test_an_address_at_which_nobody_answers_is_one_line(self, monkeypatch):
        monkeypatch.setattr(connecting, "CONNECT_SECONDS", 1)
        with socket.socket() as unheard:
            unheard.bind(("127.0.0.1", 0))  # and nobody listens
            with pytest.raises(DissensusError, match=r"No Dask scheduler answered at 127.0.0.1:\d+ within 1 seconds"):
                run_on(f"dask://127.0.0.1:{unheard.getsockname()[1]}", draw, [])

    def test_an_address_at_which_somebody_answers_otherwise_is_one_line(self, monkeypatch):
        monkeypatch.setattr(connecting, "CONNECT_SECONDS", 1)
        with socket.create_server(("127.0.0.1", 0)) as server:

            def reply():
                connection, _ = server.accept()
                with connection:
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    time.sleep(3)

            thread = threading.Thread(target=reply)
            thread.start()
            with pytest.raises(DissensusError, match="No Dask scheduler answered"):
                run_on(f"dask://127.0.0.1:{server.getsockname()[1]}", draw, [])
            thread.join()

    def test_the_address_of_a_worker_is_refused(self, cluster):
        from distributed import Client  # noqa: PLC0415 - where it is not installed, all of this is skipped

        with Client(cluster.address, set_as_default=False) as client:
            worker = next(iter(client.nthreads())).removeprefix("tcp://")
        with pytest.raises(DissensusError, match="is a Dask worker: give the address of the scheduler"):
            run_on(f"dask://{worker}", draw, [])

    def test_a_worker_with_another_version_is_refused_with_both_versions(self, cluster, tmp_path):
        pretend(tmp_path, "dissensus", "9.9.9")
        cluster.add_workers(1, path=tmp_path)
        cluster.wait_for_workers()
        own = versions_here()["dissensus"]
        with pytest.raises(DissensusError, match=rf"dissensus is {own} here and 9\.9\.9 on the Dask worker at 127"):
            run_on(cluster.engine, draw, [])
        cluster.kill_workers(3)

    def test_a_worker_with_another_version_that_comes_later_is_refused_too(self, cluster, tmp_path):
        def replace_workers():
            cluster.add_workers(1, path=tmp_path)
            cluster.kill_workers(2)

        pretend(tmp_path, "numpy", "1.2.3")
        with pytest.raises(DissensusError, match=rf"numpy is {np.__version__} here and 1\.2\.3 on a Dask worker"):
            run_on(cluster.engine, sleep, [0.1] * 20, progress=once(replace_workers))
        cluster.kill_workers()

    def test_of_python_only_the_minor_version_counts(self):
        check_versions(versions_here() | {"dask": "1"}, "there", here=versions_here() | {"dask": "1"})
        with pytest.raises(DissensusError, match=r"python is 3\.\d+ here and 3\.9 on there.* with Python 3"):
            check_versions(versions_here() | {"python": "3.9"}, "there")


def assert_identical(one, other):
    """The same to the last bit, field by field."""
    assert type(one) is type(other)
    for field in dataclasses.fields(one):
        own, others = getattr(one, field.name), getattr(other, field.name)
        if isinstance(own, np.ndarray):
            assert (own.dtype, own.shape, own.tobytes()) == (others.dtype, others.shape, others.tobytes()), field.name
        elif dataclasses.is_dataclass(own):
            assert_identical(own, others)
        else:
            assert own == others, field.name


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(pieces, "ROWS", 700)
    monkeypatch.setattr(pieces, "BYTES", 60_000)


@pytest.fixture(scope="module")
def large_files(tmp_path_factory):
    """Ratings in three files of each kind, whose items come in all of them, and answers of two judges."""
    import duckdb  # noqa: PLC0415 - only these tests make files with it

    folder = tmp_path_factory.mktemp("large")
    database = duckdb.connect()
    database.execute(
        "CREATE TABLE ratings AS SELECT (i * 7919) % 600 AS item, 'r' || i // 600 AS rater, "
        "CASE WHEN hash(i) % 5 < 2 THEN 'yes' WHEN hash(i) % 50 = 7 THEN '' ELSE 'no' END AS label, "
        "CASE WHEN i % 3 = 0 THEN 'here' ELSE 'there' END AS \"group\", i % 3 AS file FROM range(4200) t(i)"
    )
    database.execute(
        "CREATE TABLE answers AS SELECT i AS item, judge, (hash(i, judge) % 9)::DOUBLE / 8 AS p_yes, 1 - p_yes AS p_no "
        "FROM range(620) t(i), (VALUES ('a'), ('b')) v(judge)"
    )
    for kind, how in (("parquet", "PARQUET"), ("csv", "CSV"), ("jsonl", "JSON")):
        (folder / kind).mkdir()
        for file in range(3):
            rows = f"SELECT * EXCLUDE file FROM ratings WHERE file = {file}"
            database.execute(f"COPY ({rows}) TO '{folder / kind}/{file}.{kind}' (FORMAT {how})")
        database.execute(f"COPY answers TO '{folder}/judges.{kind}' (FORMAT {how})")
    database.close()
    return folder


class TestReduction:
    @pytest.mark.usefixtures("small_pieces")
    @pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
    def test_files_reduced_on_a_cluster_are_the_same_to_the_bit(self, cluster, large_files, kind):
        files = large_files / kind, large_files / f"judges.{kind}"
        here = read_reduced(*files, group="group")
        there = read_reduced(*files, group="group", engine=cluster.engine)
        assert here[0].items_in_all == 600
        assert here[0].n_items < 600
        for one, other in zip(here, there, strict=True):
            assert_identical(one, other)

    @pytest.mark.usefixtures("small_pieces")
    def test_moments_are_the_same_to_the_bit(self, cluster, large_files, monkeypatch):
        monkeypatch.setattr(read_large, "MOST_SCORED", 50)
        files, scores = (large_files / "parquet", large_files / "judges.parquet"), label_scores("cross-entropy")
        here = read_reduced(*files, scored_by=scores)
        there = read_reduced(*files, scored_by=scores, engine=cluster.engine)
        assert here[1].moments is not None
        for one, other in zip(here, there, strict=True):
            assert_identical(one, other)

    @pytest.mark.usefixtures("small_pieces")
    def test_a_reduction_survives_a_worker_killed_in_the_middle(self, cluster, large_files, monkeypatch):
        asked = []

        def kill_before_the_second_step(parts, step, original=reducing.ManyParts.map):
            asked.append(step)
            if len(asked) == 2:
                cluster.kill_workers()
            return original(parts, step)

        monkeypatch.setattr(reducing.ManyParts, "map", kill_before_the_second_step)
        ratings, _ = read_reduced(large_files / "parquet", engine=cluster.engine)
        assert len(cluster.workers) == 1
        assert_identical(ratings, read_reduced(large_files / "parquet")[0])

    def test_a_rating_that_comes_twice_is_refused_in_the_same_words(self, cluster, large_files, tmp_path):
        for name in ("0.csv", "again.csv"):
            (tmp_path / name).write_bytes((large_files / "csv" / "0.csv").read_bytes())
        said = []
        for engine in ("local", cluster.engine):
            with pytest.raises(RepeatedRatingsError) as refusal:
                read_reduced(tmp_path, engine=engine)
            said.append(str(refusal.value).partition(":")[0])
        assert said[0] == said[1]

    @pytest.mark.parametrize("size", [1, 7, 16, 64, 1000])
    def test_every_line_is_in_one_block(self, tmp_path, monkeypatch, size):
        monkeypatch.setattr(pieces, "BYTES", size)
        lines = [f"{'x' * (i % 13)},{i}" for i in range(40)]
        file = tmp_path / "table.csv"
        file.write_text("\n".join(["text,number", *lines]))
        files = find_files(file)
        found = []
        for piece in pieces.pieces_of(files, None, {"text", "number"}):
            _, path = pieces.piece_at(piece, files, "", folder=tmp_path)
            header, *some = path.read_text().splitlines()
            assert header == "text,number"
            found += some
        assert found == lines

    def test_a_text_file_with_quotes_is_one_piece(self, tmp_path, monkeypatch):
        monkeypatch.setattr(pieces, "BYTES", 8)
        file = tmp_path / "table.csv"
        file.write_text('item,label\n"two\nlines",yes\n')
        assert len(pieces.pieces_of(find_files(file), None, {"item", "label"})) == 1
