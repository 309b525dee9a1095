"""Threads that close, share, end and interrupt what others work on."""

import os
import signal
import tempfile
import threading
import time

import numpy as np
import pytest

import bvhmill
from bvhmill import _bvhmill
from conftest import run, walk_text


@pytest.fixture
def paths(tmp_path):
    """Small files, as many as a batch of two threads has work with."""
    path = tmp_path / "small.bvh"
    path.write_bytes(walk_text(10))
    return [path] * 400


def tasks():
    return len(os.listdir("/proc/self/task"))


# A thread that was joined may still be listed for a moment.
def await_tasks(most):
    end = time.monotonic() + 60
    while tasks() > most and time.monotonic() < end:
        time.sleep(0.01)
    assert tasks() <= most


def test_an_iterator_is_closed_while_another_thread_waits(paths):
    # A fault of memory ends the process that has it.
    run(f"""
        import threading, time, bvhmill
        for i in range(60):
            outcomes = bvhmill.read_many([{str(paths[0])!r}] * 400, threads=2,
                                         max_bytes=1)
            thread = threading.Thread(target=lambda: list(outcomes))
            thread.start()
            time.sleep(0.001 * (i % 7))
            outcomes.close()
            thread.join()
    """, MALLOC_PERTURB_="165")


def test_the_async_iterator_is_cancelled_while_it_waits(long_path):
    assert run(f"""
        import asyncio, os, bvhmill
        async def read():
            paths = [{str(long_path)!r}] * 4
            async for _ in bvhmill.read_many_async(paths, threads=1):
                pass
        async def cancel():
            task = asyncio.ensure_future(read())
            await asyncio.sleep(0.05)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                print('cancelled')
        for _ in range(5):
            asyncio.run(cancel())
    """, MALLOC_PERTURB_="165").split() == ["cancelled"] * 5


def test_threads_share_an_iterator(long_path):
    # All threads wait for the last file; one of them gets it. Without an end
    # for each, the program would wait forever.
    assert run(f"""
        import threading, bvhmill
        outcomes = bvhmill.read_many([{str(long_path)!r}] * 2, threads=1)
        counts = []
        threads = [threading.Thread(
            target=lambda: counts.append(sum(1 for _ in outcomes)))
            for _ in range(3)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(len(counts), sum(counts))
    """, timeout=60).split() == ["3", "2"]


@pytest.mark.parametrize("work", [
    "bvhmill.read(text)", "bvhmill.read(small)", "take.to_bvh()",
    "list(bvhmill.stream(text, block_frames=16))",
    "list(bvhmill.read_many([path] * 20, threads=2))"])
def test_a_daemon_thread_may_work_when_the_program_ends(paths, work):
    for _ in range(3):
        assert run(f"""
            import sys, threading, time
            sys.path.insert(0, {os.path.dirname(__file__)!r})
            import bvhmill
            from conftest import walk_text
            text, small = walk_text(4000, 10), walk_text(3)
            path = {str(paths[0])!r}
            take = bvhmill.read(text)
            def forever():
                while True: {work}
            for _ in range(2):
                threading.Thread(target=forever, daemon=True).start()
            time.sleep(0.05)
            print('end')
        """, timeout=60) == "end\n"


@pytest.mark.parametrize("work", [
    "sum(o.ok for o in bvhmill.read_many(paths, threads=64))",
    "len(bvhmill.read_batch(paths, threads=64))"])
def test_fewer_threads_start_than_were_asked_for(paths, work):
    """The memory has room for the stacks of a few threads."""
    assert run(f"""
        import resource, sys
        if len(sys.argv) == 1:
            # The size of stacks is that of the start of the program.
            import os
            resource.setrlimit(resource.RLIMIT_STACK, (256 << 20, 256 << 20))
            os.execv(sys.executable, [sys.executable, '-c',
                                      sys.orig_argv[2], 'again'])
        import bvhmill
        status = open('/proc/self/status').read()
        used = int(status.split('VmSize:')[1].split()[0]) << 10
        most = used + (3 * 256 + 240 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        paths = [{str(paths[0])!r}] * 64
        print({work})
    """) == "64\n"


def test_a_signal_handler_may_read_during_a_read():
    text, small = walk_text(60_000, 20), walk_text(50, 4)
    expected = bvhmill.read(text).positions
    inside = bvhmill.read(small).positions
    seen = []

    def read(*_):
        seen.append(np.array_equal(bvhmill.read(small).positions, inside))

    before = signal.signal(signal.SIGPROF, read)
    signal.setitimer(signal.ITIMER_PROF, 0.005, 0.005)
    try:
        for _ in range(3):
            found = bvhmill.read(text).positions
            np.testing.assert_array_equal(found, expected)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert seen and all(seen)


def test_a_take_is_sliced_while_another_thread_makes_an_array():
    take = bvhmill.read(walk_text(10))

    class Slow:
        """An array; while it is sliced, another thread makes one."""

        def __getitem__(self, _):
            thread = threading.Thread(target=lambda: take.rotations)
            thread.start()
            thread.join()
            return np.zeros(1)

    take._made["slow"] = Slow()
    assert take[2:4].frames == 2
    assert "rotations" in take._made


def test_a_kept_error_does_not_keep_the_batch(tmp_path, paths):
    bad = tmp_path / "bad.bvh"
    bad.write_bytes(b"HIERARCHY\nROOT")
    before = tasks()

    def first_error():
        for outcome in bvhmill.read_many([bad, *paths], threads=2,
                                         max_bytes=1):
            return outcome.error

    error = first_error()
    assert isinstance(error, bvhmill.BvhError) and error.__traceback__ is None
    await_tasks(before)


LARGE = 256 << 20


def copy_of_a_block():
    take = bvhmill.Take.from_arrays(["a"], [-1], [[0, 0, 0]], ["XYZ"],
                                    np.zeros((LARGE // 12, 3), np.float32), 1)
    block = take._clip.rows
    return block.to_bytes


def end_of_a_stream():
    flow = _bvhmill._Stream(bvhmill._options.read_options(
        ("world_rotations",), False, False, False, 1, {}), b"")
    flow.push(walk_text(60_000, 20))
    return flow.finish


def conversion_of(work):
    text = walk_text(60_000, 20)
    take = bvhmill.read(text, arrays=[])
    return lambda: work(text, take)


def solving():
    take = bvhmill.read(walk_text(60_000, 20), arrays=[], fps=400)
    return lambda: take.world_rotations


def pushing():
    flow = _bvhmill._Stream(bvhmill._options.read_options(
        ("world_rotations",), False, False, False, 1, {}), b"")
    text = walk_text(200_000, 20)
    return lambda: flow.push(text)


def of_a_file(work):
    """Makes `work` with the path of a file that is kept until it is done."""
    file = tempfile.NamedTemporaryFile(suffix=".bvh")
    file.write(walk_text(60_000, 20))
    file.flush()
    return lambda: work(file.name)


@pytest.mark.parametrize("made", [
    pushing,
    lambda: of_a_file(bvhmill.read),
    lambda: of_a_file(lambda path: bvhmill.read_batch([path], threads=1)),
    lambda: of_a_file(lambda path: next(bvhmill.read_many([path], threads=1))),
    copy_of_a_block, end_of_a_stream,
    lambda: conversion_of(lambda text, take: bvhmill.read(text)),
    solving,
    lambda: conversion_of(lambda text, take: take.edit(fps=150)),
    lambda: conversion_of(lambda text, take: take.to_bytes("bvh")),
], ids=["push", "path", "batch", "many", "to_bytes", "end of a stream", "read",
        "solve", "edit", "encode"])
def test_the_gil_is_free_during(made):
    work = made()
    done = threading.Event()
    steps = 0

    def call():
        work()
        done.set()

    thread = threading.Thread(target=call)
    thread.start()
    while not done.is_set():
        steps += 1
        time.sleep(0.001)
    thread.join()
    # A call that held the GIL would let the loop run once or twice.
    assert steps > 10
