"""Outputs of jobs are fetched several at once, in order, in bounded memory."""

import asyncio
import collections
import hashlib
import pathlib
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

pytest.importorskip("grpc")

import bvhmill
from bvhmill.jobs import AsyncJobs, Jobs, ServerError, _calls, _fetch, _folder
from conftest import walk_text
from forwarder import UNUSABLE, Forwarder
# Fixtures, too.
from job_fixtures import Awaited, outcomes_of, server, tree

HERE = pathlib.Path(__file__).parent
PACKAGE = str(pathlib.Path(bvhmill.__file__).parent)
KINDS = pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])


@pytest.fixture(scope="module")
def many(server):
    """A job of 40 clips, whose outputs differ."""
    clips = {f"clip{i:02}": walk_text(20 + i) for i in range(40)}
    jobs = Jobs(server.address)
    return jobs.wait(jobs.submit(clips, emit=["csv", "report"],
                                 arrays=["positions"])).name


class LastReadsWait:
    """The downloads after the first 35 wait for `end`."""

    def __init__(self):
        self.begun, self.end = threading.Event(), threading.Event()
        self.timed_out = []

    def __call__(self, number, blob):
        if number > 35:
            self.begun.set()
            if not self.end.wait(60):
                self.timed_out.append(number)


def wait_at(barrier):
    def on_read(number, blob):
        barrier.wait()

    return on_read


# A download waits until as many as are asked for have begun.
@KINDS
def test_downloads_run_at_once_and_results_are_in_order(kind, server, many):
    barrier = threading.Barrier(_calls.AT_ONCE, timeout=60)
    with Forwarder(server.address, wait_at(barrier)) as between:
        jobs = kind(between.address)
        outcomes = outcomes_of(jobs, many)
        assert [outcome.path for outcome in outcomes] == [
            f"clip{i:02}" for i in range(40)]
        for i, outcome in enumerate(outcomes):
            ours = bvhmill.read(walk_text(20 + i))
            np.testing.assert_array_equal(outcome.unwrap().positions,
                                          ours.positions)
        assert between.most == _calls.AT_ONCE
        # `values` and `positions`.
        assert between.reads == 80


@KINDS
def test_files_are_fetched_at_once_too(kind, server, many, tmp_path):
    barrier = threading.Barrier(_calls.AT_ONCE, timeout=60)
    with Forwarder(server.address, wait_at(barrier)) as between:
        saved = kind(between.address).save(many, tmp_path / "here")
        assert between.most == _calls.AT_ONCE
        assert between.reads == 40
    assert [clip.path for clip in saved] == [f"clip{i:02}" for i in range(40)]
    kind(server.address).save(many, tmp_path / "there")
    assert tree(tmp_path / "here") == tree(tmp_path / "there")
    assert len(tree(tmp_path / "here")) == 80


# What is fetched before it is asked for is bounded, in clips and in bytes.
@pytest.mark.parametrize("clips, limit, reads", [
    (32, 32 << 20, 64), (5, 32 << 20, 10), (32, 0, 2), (32, 8000, 4)])
def test_what_is_fetched_in_advance_is_bounded(server, many, monkeypatch,
                                               clips, limit, reads):
    monkeypatch.setattr(_fetch, "GROUP_CLIPS", clips)
    monkeypatch.setattr(_fetch, "GROUP_BYTES", limit)
    with Forwarder(server.address) as between:
        jobs = Jobs(between.address)
        outcomes = jobs.results(many)
        assert next(outcomes).ok
        assert between.reads == reads
        # Nothing runs while the caller works.
        assert not jobs._calls and between.running == 0
        assert len(list(outcomes)) == 39


@KINDS
@pytest.mark.parametrize("limit", [0, 1500, 32 << 20])
def test_files_of_large_clips_are_the_same(kind, server, many, tmp_path,
                                           monkeypatch, limit):
    jobs = kind(server.address)
    jobs.save(many, tmp_path / "there")
    monkeypatch.setattr(_fetch, "GROUP_BYTES", limit)
    jobs.save(many, tmp_path / "here")
    assert tree(tmp_path / "here") == tree(tmp_path / "there")


# Two names of outputs, one file.
@pytest.mark.parametrize("frames, good", [(30, [True, True]),
                                          (31, [True, False])])
@pytest.mark.parametrize("keys", [("a/x", "a/./x"), ("a//x", "a/x"),
                                  ("bytes:a/x", "a/x")])
@pytest.mark.parametrize("limit", [0, 32 << 20])
@pytest.mark.parametrize("overwrite", [False, True])
def test_clips_with_one_name_do_not_replace_each_other(
        server, tmp_path, monkeypatch, frames, good, keys, limit, overwrite):
    monkeypatch.setattr(_fetch, "GROUP_BYTES", limit)
    jobs = Jobs(server.address)
    clips = dict(zip(keys, (walk_text(30), walk_text(frames))))
    submitted = jobs.submit(clips, emit=["csv"])
    # The files of the first clip are there the second time.
    for i in range(1 + overwrite):
        first, second = jobs.save(submitted, tmp_path, overwrite=overwrite)
        assert [first.ok, second.ok] == good
        assert first.was_there == bool(i)
        assert second.was_there == good[1]
        assert isinstance(second.error, (type(None), FileExistsError))
        assert list(tree(tmp_path)) == ["a/x.csv"]
        assert len(tree(tmp_path)["a/x.csv"].splitlines()) == 31


def refuse(data):
    """The download of an output with these bytes fails."""
    bad = "blobs/" + hashlib.sha256(data).hexdigest()
    return lambda number, blob: "a broken disk" if blob == bad else None


@KINDS
def test_outcomes_before_a_fault_are_given(kind, server, many):
    seen = []

    async def follow(address):
        async with AsyncJobs(address) as jobs:
            async for outcome in jobs.results(many):
                seen.append(outcome.path)

    bad = refuse(bvhmill.read(walk_text(25)).positions.tobytes())
    with Forwarder(server.address, bad) as between:
        with pytest.raises(ServerError, match="a broken disk") as caught:
            if kind is Jobs:
                for outcome in Jobs(between.address).results(many):
                    seen.append(outcome.path)
            else:
                asyncio.run(follow(between.address))
        assert caught.value.code == "DATA_LOSS"
        assert seen == [f"clip{i:02}" for i in range(5)]
        # Nothing more is begun after the fault.
        assert between.reads <= 2 * _fetch.GROUP_CLIPS


# The error is kept, and with it what its traceback holds.
def test_a_fault_ends_the_other_downloads(server, many):
    bad = "blobs/" + hashlib.sha256(
        bvhmill.read(walk_text(20)).values.tobytes()).hexdigest()
    begun, end = threading.Event(), threading.Event()

    def on_read(number, blob):
        if blob == bad:
            begun.wait(60)
            return "a broken disk"
        begun.set()
        end.wait(60)

    with Forwarder(server.address, on_read) as between:
        jobs = Jobs(between.address)
        with pytest.raises(ServerError) as caught:
            list(jobs.results(many))
        until = time.monotonic() + 30
        while between.open and time.monotonic() < until:
            time.sleep(0.01)
        is_open, is_running = between.open, between.running
        end.set()
    assert caught.value.code == "DATA_LOSS"
    assert is_open == 0 and is_running > 0


# What a thread works with is freed after it.
def test_a_cancelled_task_waits_for_its_thread(server, many, tmp_path,
                                               monkeypatch):
    begun, go, ended = threading.Event(), threading.Event(), []
    commit = _folder.NewFiles.commit

    def slow(files):
        begun.set()
        go.wait(60)
        ended.append(commit(files))
        return ended[-1]

    monkeypatch.setattr(_folder.NewFiles, "commit", slow)

    async def run():
        async with AsyncJobs(server.address) as jobs:
            task = asyncio.ensure_future(jobs.save(many, tmp_path))
            await asyncio.get_running_loop().run_in_executor(
                None, begun.wait, 60)
            for _ in range(3):
                task.cancel()
                await asyncio.sleep(0.02)
            is_done = task.done()
            go.set()
            with pytest.raises(asyncio.CancelledError):
                await task
            return is_done

    assert not asyncio.run(run())
    assert len(ended) == 1
    assert sorted(tree(tmp_path)) == ["clip00.csv", "clip00.report.json"]
    assert len(list(tmp_path.iterdir())) == 2


@KINDS
def test_files_before_a_fault_are_whole(kind, server, many, tmp_path):
    jobs = kind(server.address)
    jobs.save(many, tmp_path / "there")
    there = tree(tmp_path / "there")
    bad = refuse(there["clip10.csv"])
    with Forwarder(server.address, bad) as between:
        with pytest.raises(ServerError, match="a broken disk"):
            kind(between.address).save(many, tmp_path / "here")
    here = tree(tmp_path / "here")
    assert sorted(here) == sorted(
        f"clip{i:02}{extension}" for i in range(10)
        for extension in (".csv", ".report.json"))
    assert all(there[name] == data for name, data in here.items())
    again = jobs.save(many, tmp_path / "here")
    assert [clip.was_there for clip in again] == [True] * 10 + [False] * 30
    assert tree(tmp_path / "here") == there


@KINDS
@pytest.mark.parametrize("limit", [0, 32 << 20])
def test_downloads_that_are_cut_off_go_on(kind, server, tmp_path, monkeypatch,
                                          limit):
    monkeypatch.setattr(_fetch, "GROUP_BYTES", limit)
    text = walk_text(60_000)
    jobs = Jobs(server.address)
    name = jobs.submit({"long": text}, emit=["positions"]).name
    jobs.wait(name)
    ours = bvhmill.read(text)
    # The first two tries of each.
    seen = collections.Counter()

    def on_read(number, blob):
        seen[blob] += 1
        return 1 if seen[blob] < 3 else None

    with Forwarder(server.address, on_read) as between:
        (clip,) = kind(between.address).save(name, tmp_path)
        assert clip.ok, clip.error
        assert list(seen.values()) == [3]
    np.testing.assert_array_equal(np.load(clip.files[0]), ours.positions)
    seen.clear()
    name = jobs.submit({"long": text}).name
    jobs.wait(name)
    with Forwarder(server.address, on_read) as between:
        (outcome,) = outcomes_of(kind(between.address), name)
        assert list(seen.values()) == [3, 3]
    assert outcome.unwrap().values.tobytes() == ours.values.tobytes()
    assert outcome.take.positions.tobytes() == ours.positions.tobytes()


# The first downloads end, the others never do.
@pytest.mark.parametrize("work", ["list(jobs.results(name))",
                                  "jobs.save(name, folder)"])
def test_ctrl_c_ends_downloads_and_leaves_no_half_file(server, many, tmp_path,
                                                       work):
    code = """
        import signal, sys
        from bvhmill.jobs import Jobs
        signal.signal(signal.SIGINT, signal.default_int_handler)
        address, name, folder = sys.argv[1:]
        jobs = Jobs(address)
        try:
            WORK
        except KeyboardInterrupt:
            print("interrupted", len(jobs._calls))
    """
    reads = LastReadsWait()
    try:
        with Forwarder(server.address, reads) as between:
            child = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(code).replace(
                    "WORK", work), between.address, many, tmp_path],
                stdout=subprocess.PIPE, text=True)
            assert reads.begun.wait(60)
            # Python drops an interrupt that arrives in a __del__ of gRPC.
            out = None
            while out is None:
                child.send_signal(2)
                try:
                    out = child.communicate(timeout=30)[0]
                except subprocess.TimeoutExpired:
                    assert not reads.timed_out
            assert out == "interrupted 0\n"
            # No call has waited for the downloads.
            assert not reads.timed_out
            reads.end.set()
    finally:
        reads.end.set()
    if "save" in work:
        names = [path.name for path in tmp_path.rglob("*")]
        assert sorted(names) == sorted(tree(tmp_path))
        assert len(names) == 64 and not [n for n in names if "part" in n]


@KINDS
def test_a_blob_that_the_server_cannot_read_is_an_error_at_once(kind, server,
                                                                many):
    with Forwarder(server.address, lambda number, blob: UNUSABLE) as between:
        with pytest.raises(ServerError) as caught:
            outcomes_of(kind(between.address), many)
        error = caught.value
        assert (error.code, error.reason) == ("UNAVAILABLE", "DATA_UNUSABLE")
        # The sync client makes a call that was begun early once more.
        assert between.reads <= _calls.AT_ONCE + 1


def test_a_cancelled_task_ends_its_downloads(server, many, tmp_path, caplog):
    reads = LastReadsWait()
    async def run(address):
        async with AsyncJobs(address) as jobs:
            task = asyncio.ensure_future(jobs.save(many, tmp_path))
            await asyncio.get_running_loop().run_in_executor(
                None, reads.begun.wait, 60)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return [task for task in asyncio.all_tasks()
                    if PACKAGE in str(task.get_coro().cr_code)]

    try:
        with Forwarder(server.address, reads) as between:
            assert asyncio.run(run(between.address)) == []
            assert not reads.timed_out
            reads.end.set()
    finally:
        reads.end.set()
    names = [path.name for path in tmp_path.rglob("*")]
    assert len(names) == 64 and not [n for n in names if "part" in n]
    # gRPC writes into the log of asyncio, too.
    assert "never retrieved" not in caplog.text
    assert "was destroyed" not in caplog.text
