"""Fork, spawn, threads, Ctrl-C, the GIL, and memory that does not grow."""

import concurrent.futures
import gc
import math
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import bvhmill
from bvhmill import _bvhmill
from conftest import run, walk_text


def wait_for(pid, seconds=20):
    """The exit status of a child, which is killed if it hangs."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hangs"


def in_child(work):
    """The exit status of a forked child that does `work`."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    return wait_for(pid)


def test_200_forks_after_threaded_reads(tmp_path):
    text = walk_text(400)
    path = tmp_path / "a.bvh"
    path.write_bytes(text)
    expected = bvhmill.read(text).positions

    def work():
        one = bvhmill.read(text).positions
        two = bvhmill.read(text, threads=2).positions
        many = list(bvhmill.read_many([path] * 3, threads=2))
        return (np.array_equal(one, expected) and np.array_equal(two, expected)
                and all(outcome.ok for outcome in many))

    for _ in range(200):
        bvhmill.read(text, threads=2)
        assert in_child(work) == 0


def test_forks_while_threads_read(tmp_path):
    # Short texts are read by one thread.
    text = walk_text(4000, 10)
    take = bvhmill.read(text, arrays=[])
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            bvhmill.read(text, threads=2)
            _ = take[:].rotations

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(40):
            assert in_child(lambda: bvhmill.read(text,
                                                 threads=2).frames == 4000
                            and take.velocities.shape[0] == 4000) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_batch_of_the_parent_is_refused_in_a_child(tmp_path):
    path = tmp_path / "a.bvh"
    path.write_bytes(walk_text(50))
    outcomes = bvhmill.read_many([path] * 50, threads=2)
    next(outcomes)

    def work():
        try:
            next(outcomes)
        except RuntimeError as error:
            outcomes.close()
            return "parent process" in str(error)
        return False

    assert in_child(work) == 0
    assert sum(1 for _ in outcomes) == 49


def frames_of(text):
    return bvhmill.read(text).frames


def take_of(text):
    return bvhmill.read(text)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_worker_processes_give_takes_and_errors(method):
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, context) as pool:
        takes = list(pool.map(take_of, [walk_text(n) for n in (3, 4, 5)]))
        assert [take.frames for take in takes] == [3, 4, 5]
        np.testing.assert_array_equal(takes[2].positions,
                                      bvhmill.read(walk_text(5)).positions)
        with pytest.raises(bvhmill.BvhError) as caught:
            pool.submit(take_of, b"HIERARCHY").result()
        assert caught.value.report.verdict == "unreadable"


def test_threads_share_a_take():
    take = bvhmill.read(walk_text(2000), arrays=[])
    expected = bvhmill.read(walk_text(2000)).positions
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        arrays = list(pool.map(lambda _: take.positions, range(64)))
    for array in arrays:
        np.testing.assert_array_equal(array, expected)


def test_one_thread_starts_no_thread():
    code = """
        import os, sys
        import bvhmill
        def tasks(): return len(os.listdir('/proc/self/task'))
        before = tasks()
        take = bvhmill.read(sys.stdin.buffer.read())
        take.rotations, take.edit(fps=30), take.to_npz()
        print(tasks() - before)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)],
                          input=walk_text(20_000), capture_output=True,
                          check=True)
    assert done.stdout.strip() == b"0"


def test_the_import_starts_no_thread_and_needs_no_grpc():
    assert run("""
        import os, sys
        import numpy
        before = len(os.listdir('/proc/self/task'))
        import bvhmill
        print(len(os.listdir('/proc/self/task')) - before,
              [m for m in sys.modules if m.split('.')[0] in
               ('grpc', 'google', 'pandas', 'xarray')])
    """).split() == ["0", "[]"]


CTRL_C = """
    import os, signal, sys, threading, time
    import bvhmill
    def once(*_):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt
    # A program that runs in the background ignores it.
    signal.signal(signal.SIGINT, once)
    # Again and again: the first one may come just before the wait.
    def kick():
        while True:
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=kick, daemon=True).start()
    try:
        {work}
    except KeyboardInterrupt:
        pass
    else:
        sys.exit('no interrupt')
    assert bvhmill.read(bvhmill.example()).frames == 3
    print('interrupted')
"""


READERS = ["bvhmill.read(sys.argv[1])", "bvhmill.read(sys.argv[1], threads=2)",
           "list(bvhmill.read_many([sys.argv[1]], threads=2))",
           "bvhmill.read_batch([sys.argv[1]], threads=2)",
           "bvhmill.read_anim(sys.argv[1])", "bvhmill.info(sys.argv[1])",
           "list(bvhmill.stream(sys.argv[1]))"]


@pytest.mark.parametrize("work", READERS)
def test_ctrl_c_ends_the_wait_for_the_writer_of_a_pipe(tmp_path, work):
    path = tmp_path / "pipe.bvh"
    os.mkfifo(path)
    code = textwrap.dedent(CTRL_C).format(work=work)
    done = subprocess.run([sys.executable, "-c", code, path], timeout=60,
                          capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("interrupted\n", 0), done.stderr


def await_reader(path):
    """Waits until this process has opened the pipe."""
    def is_open(number):
        try:
            return os.path.samefile(f"/proc/self/fd/{number}", path)
        except OSError:
            return False

    while not any(is_open(number) for number in os.listdir("/proc/self/fd")):
        time.sleep(0.005)


@pytest.mark.parametrize("read", [
    bvhmill.read, lambda path: bvhmill.read(path, threads=2),
    lambda path: next(bvhmill.read_many([path])).unwrap()])
def test_a_pipe_is_read_when_its_writer_comes(tmp_path, read):
    path = tmp_path / "pipe.bvh"
    os.mkfifo(path)
    text = walk_text(3000)

    def write():
        # The GIL is free while the reader waits.
        await_reader(path)
        time.sleep(0.05)
        with open(path, "wb", buffering=0) as pipe:
            for first in range(0, len(text), 50_000):
                pipe.write(text[first:first + 50_000])
                time.sleep(0.01)

    writer = threading.Thread(target=write)
    writer.start()
    take = read(path)
    writer.join()
    np.testing.assert_array_equal(take.positions,
                                  bvhmill.read(text).positions)


def test_closing_a_batch_ends_the_wait_for_the_writer_of_a_pipe(tmp_path):
    path = tmp_path / "pipe.bvh"
    os.mkfifo(path)
    outcomes = bvhmill.read_many([path], threads=2)
    await_reader(path)
    outcomes.close()


def rss():
    pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def test_10_000_reads_need_no_more_memory():
    text = walk_text(60)
    bad = b"HIERARCHY\nROOT a\n{\n}\n"

    def reads(count):
        for _ in range(count):
            take = bvhmill.read(text)
            _ = take.rotations, take[3:5].velocities, take.report
            try:
                bvhmill.read(bad)
            except bvhmill.BvhError:
                pass

    gc.collect()
    blocks = _bvhmill.block_count()
    reads(1000)
    before = rss()
    reads(10_000)
    gc.collect()
    assert rss() - before < 2 << 20
    assert _bvhmill.block_count() == blocks


def test_a_stream_needs_the_memory_of_its_rows(tmp_path):
    # A swing of 1,000 frames, again and again. Rules record jumps, of which
    # this take has none.
    lines = []
    for frame in range(1000):
        turns = [30 * math.sin(frame / 1000 * math.tau + i) for i in range(60)]
        lines.append(" ".join(["0 0.9 0"] + [f"{turn:.3f}" for turn in turns]))
    path = tmp_path / "long.bvh"
    path.write_bytes(walk_text(0, 20).split(b"Frames:")[0] +
                     b"Frames: 200000\nFrame Time: 0.01\n" +
                     200 * ("\n".join(lines) + "\n").encode())
    size = path.stat().st_size
    assert size > 60 << 20
    used = run(f"""
        import numpy, bvhmill
        def peak():
            status = open("/proc/self/status").read()
            return int(status.split("VmHWM:")[1].split()[0])
        list(bvhmill.stream(bvhmill.example()))
        before = peak()
        frames = sum(len(b) for b in bvhmill.stream({str(path)!r}))
        assert frames == 200_000
        print((peak() - before) * 1024)
    """)
    # The rows of the reader and of the take, and the poses of a block.
    rows = 200_000 * (3 + 3 * 20) * 4
    assert rows < int(used) < 2 * rows + (40 << 20)


def test_a_file_that_states_too_many_frames_takes_no_memory():
    text = walk_text(10).replace(b"Frames: 10", b"Frames: 40000000")
    used = run("""
        import sys, bvhmill
        def peak():
            status = open("/proc/self/status").read()
            return int(status.split("VmHWM:")[1].split()[0])
        text = %r
        before = peak()
        for threads in (1, 2):
            try: print(bvhmill.read(text, threads=threads).frames)
            except bvhmill.BvhError: print('refused')
        print(peak() - before)
    """ % text)
    assert int(used.split()[-1]) < 30 << 10
