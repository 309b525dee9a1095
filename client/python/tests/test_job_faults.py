"""Jobs while servers are killed, calls are interrupted, and bytes are wrong."""

import asyncio
import hashlib
import pathlib
import subprocess
import sys
import textwrap
import threading
import time

import pytest

grpc = pytest.importorskip("grpc")

import bvhmill
from bvhmill.jobs import AsyncJobs, Jobs, JobState, ServerError, _fetch
from bvhmill.v1 import blob_service_pb2
from bvhmill.v1.blob_service_pb2_grpc import BlobServiceStub
from conftest import walk_text
from forwarder import Forwarder
# Fixtures, too.
from job_fixtures import Awaited, jobs, outcomes_of, server, tree
from servers import Server

HERE = pathlib.Path(__file__).parent


class Restarted:
    """A server that is killed and started again on the same folder."""

    def __init__(self, folder):
        self._flags = ("--data-dir", folder)
        self.server = Server(*self._flags)

    def kill_and_start(self):
        self.server.kill()
        self.server = Server(*self._flags, port=self.server.port)


@pytest.fixture
def restarted(tmp_path):
    server = Restarted(tmp_path / "data")
    yield server
    server.server.stop()


@pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])
def test_waiting_goes_on_if_the_server_is_killed_and_started(kind, restarted):
    jobs = kind(restarted.server.address)
    clips = {str(i): walk_text(6000 + i, 20) for i in range(20)}
    submitted = jobs.submit(clips)
    starter = threading.Timer(0.5, restarted.kill_and_start)
    starter.start()
    states = []
    job = jobs.wait(submitted, progress=lambda job: states.append(job.done),
                    timeout=200)
    starter.join()
    assert (job.state, job.good) == (JobState.SUCCEEDED, 20)
    frames = [outcome.unwrap().frames for outcome in jobs.results(submitted)]
    assert frames == [6000 + i for i in range(20)]


def test_results_go_on_if_the_server_is_killed_and_started(restarted):
    jobs = Jobs(restarted.server.address)
    clips = {str(i): walk_text(2000 + i, 10) for i in range(20)}
    submitted = jobs.submit(clips)
    frames = []
    for outcome in jobs.results(submitted):
        frames.append(outcome.unwrap().frames)
        if len(frames) in (3, 11):
            restarted.kill_and_start()
    assert frames == [2000 + i for i in range(20)]


@pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])
def test_an_upload_goes_on_if_the_server_is_killed_and_started(kind,
                                                               restarted):
    text = walk_text(60_000, 20)
    sent, kills = [], []

    def progress(done, total):
        assert total == len(text)
        sent.append(done)
        if done > total / 2 and not kills:
            kills.append(done)
            restarted.kill_and_start()

    jobs = kind(restarted.server.address)
    submitted = jobs.submit({"long": text}, arrays=[], progress=progress)
    assert kills and sent[-1] == len(text)
    (outcome,) = jobs.results(submitted)
    assert outcome.unwrap().frames == 60_000


# A program of its own, which is killed in the middle of a file.
def test_an_interrupted_upload_goes_on_where_it_stopped(server, tmp_path):
    path = tmp_path / "long.bvh"
    text = walk_text(60_000, 21) + f"\n# {time.monotonic_ns()}".encode()
    path.write_bytes(text)
    code = """
        import os, signal, sys
        from bvhmill.jobs import Jobs
        def progress(done, total):
            if done > total / 2:
                os.kill(os.getpid(), signal.SIGKILL)
        Jobs(sys.argv[1]).submit([sys.argv[2]], progress=progress)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code),
                           server.address, path], capture_output=True)
    assert done.returncode == -9, done.stderr
    sent = []
    submitted = Jobs(server.address).submit(
        [path], progress=lambda done, total: sent.append(done))
    assert submitted.uploaded_files == 1
    assert sent[-1] == len(text)
    assert sent[0] > len(text) / 4
    (outcome,) = Jobs(server.address).results(submitted)
    assert outcome.unwrap().frames == 60_000


@pytest.mark.parametrize("frames", [20, 30_000], ids=["small", "large"])
def test_an_upload_begins_again_if_the_server_had_other_bytes(jobs, server,
                                                              frames):
    text = walk_text(frames, 22) + f"\n# {time.monotonic_ns()}".encode()
    blob = "blobs/" + hashlib.sha256(text).hexdigest()
    with grpc.insecure_channel(server.address) as channel:
        answer = BlobServiceStub(channel).WriteBlob(iter(
            [blob_service_pb2.WriteBlobRequest(blob=blob, data=b"J" * 1000)]))
    assert answer.committed_bytes == 1000
    submitted = jobs.submit({"a": text})
    (outcome,) = outcomes_of(jobs, submitted)
    assert outcome.unwrap().frames == frames


def test_an_error_of_the_progress_ends_the_call(jobs):
    def progress(done, total):
        raise LookupError("enough")

    text = walk_text(9) + f"\n# {time.monotonic_ns()}".encode()
    with pytest.raises(LookupError, match="enough"):
        jobs.submit({"a": text}, progress=progress)


def damage(folder, data, change):
    """Changes the file that has these bytes."""
    (blob,) = [path for path in folder.rglob("*")
               if path.is_file() and path.read_bytes() == data]
    blob.chmod(0o600)
    blob.write_bytes(change(data))


@pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])
@pytest.mark.parametrize("limit", [0, 32 << 20])
@pytest.mark.parametrize("change", [
    lambda data: data[:99] + bytes([data[99] ^ 1]) + data[100:],
    lambda data: data[:-9], lambda data: data + b"more"],
    ids=["other", "cut", "longer"])
def test_an_output_with_other_bytes_is_an_error_of_its_clip(
        tmp_path, monkeypatch, kind, limit, change):
    monkeypatch.setattr(_fetch, "GROUP_BYTES", limit)
    clips = {key: walk_text(20 + i) for i, key in enumerate("abc")}
    with Server("--data-dir", tmp_path / "data") as server:
        jobs = kind(server.address)
        submitted = jobs.submit(clips, emit=["csv", "report"],
                                arrays=["positions"])
        saved = jobs.save(submitted, tmp_path / "there")
        there = tree(tmp_path / "there")
        take = bvhmill.read(clips["b"])
        for data in (there["b.csv"], take.positions.tobytes()):
            damage(tmp_path / "data", data, change)
        again = jobs.save(submitted, tmp_path / "here")
        outcomes = outcomes_of(jobs, submitted)
        for clip in (again[1], outcomes[1]):
            assert isinstance(clip.error, bvhmill.BvhError)
            assert clip.error.code == "JOB_DAMAGED"
            assert clip.error.report == clip.report == saved[1].report
            assert str(clip.error).startswith("b: error: JOB_DAMAGED: ")
        for clips in (again, outcomes):
            assert [clip.ok for clip in clips] == [True, False, True]
            assert [clip.path for clip in clips] == ["a", "b", "c"]
        assert again[1].files == ()
        assert tree(tmp_path / "here") == {
            name: data for name, data in there.items() if name[0] != "b"}
        # The files that are there are good.
        assert all(clip.was_there for clip in jobs.save(submitted,
                                                        tmp_path / "there"))


class LosesAnswers(Forwarder):
    """The first answer to DeleteJob is lost on its way."""

    def __init__(self, target):
        self.deletes = 0
        super().__init__(target)

    def service(self, details):
        handler = super().service(details)
        if not details.method.endswith("/DeleteJob"):
            return handler

        def delete(request, context):
            self.deletes += 1
            answer = handler.unary_unary(request, context)
            if self.deletes == 1:
                context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")
            return answer

        return grpc.unary_unary_rpc_method_handler(delete)


@pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])
def test_a_job_is_deleted_though_the_answer_is_lost(kind, server, walk):
    jobs = Jobs(server.address)
    name = jobs.wait(jobs.submit({"a": walk}, again=True)).name
    with LosesAnswers(server.address) as between:
        kind(between.address, timeout=20).delete(name)
        assert between.deletes == 2
        with pytest.raises(ServerError) as caught:
            kind(between.address, timeout=20).delete(name)
        assert caught.value.reason == "JOB_UNKNOWN"
        assert between.deletes == 3


# In a program of its own, which has not called a server before.
def test_jobs_in_a_forked_child_say_why_not(server):
    code = """
        import sys
        sys.path.insert(0, sys.argv[1])
        from bvhmill.jobs import Jobs
        from test_processes import in_child
        jobs = Jobs(sys.argv[2], timeout=30)
        def is_told():
            try:
                jobs.list()
            except RuntimeError as error:
                return 'spawn' in str(error)
        print(in_child(lambda: isinstance(jobs.list(), list)))
        jobs.list()
        print(in_child(is_told))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), HERE, server.address],
        capture_output=True, text=True, timeout=100)
    assert done.stdout.split() == ["0", "0"], done.stderr


@pytest.mark.parametrize("work", ["jobs.wait(name)",
                                  "list(jobs.results(name))",
                                  "jobs.submit({'big': big}, again=True)"])
def test_ctrl_c_ends_calls_of_jobs(server, work):
    code = """
        import os, signal, sys, threading, time
        from bvhmill.jobs import Jobs
        sys.path.insert(0, sys.argv[2])
        from conftest import walk_text
        signal.signal(signal.SIGINT, signal.default_int_handler)
        jobs = Jobs(sys.argv[1])
        big = walk_text(50_000, 20)
        clips = {str(i): big[:i - 40] for i in range(40)}
        name = jobs.submit(clips, again=True).name
        def kick():
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=kick).start()
        try:
            while True:
                WORK
        except KeyboardInterrupt:
            pass
        jobs.cancel(name)
        print('interrupted')
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code).replace("WORK", work),
         server.address, HERE], capture_output=True, text=True, timeout=200)
    assert done.stdout == "interrupted\n", done.stderr


def test_a_cancelled_task_ends_its_call(server):
    clips = {str(i): walk_text(9000 + i, 20) for i in range(30)}

    async def run():
        async with AsyncJobs(server.address) as jobs:
            submitted = await jobs.submit(clips, again=True)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(jobs.wait(submitted), 0.01)
            await jobs.cancel(submitted)
            return (await jobs.wait(submitted)).is_over

    assert asyncio.run(run())


def test_results_that_are_left_are_no_burden(server):
    jobs = Jobs(server.address)
    submitted = jobs.submit({str(i): walk_text(500) for i in range(9)})
    outcomes = jobs.results(submitted)
    assert next(outcomes).ok
    outcomes.close()
    assert not jobs._calls
    with jobs.results(submitted) as outcomes:
        assert next(outcomes).ok
    assert list(outcomes) == []
    assert len(outcomes_of(jobs, submitted)) == 9

    async def run():
        async with AsyncJobs(server.address) as jobs:
            async with jobs.results(submitted) as outcomes:
                assert (await outcomes.__anext__()).ok
            return [outcome async for outcome in outcomes]

    assert asyncio.run(run()) == []


def test_the_loop_runs_while_jobs_work(server):
    text = walk_text(30_000, 20)

    async def run():
        async with AsyncJobs(server.address) as jobs:
            work = asyncio.ensure_future(jobs.submit({"a": text}, again=True))
            turns = 0
            while not work.done():
                turns += 1
                await asyncio.sleep(0.001)
            name = (await work).name
            return turns, [o.ok async for o in jobs.results(name)]

    turns, oks = asyncio.run(run())
    assert turns > 3 and oks == [True]
