"""Ctrl-C ends a call in its middle."""

import contextlib
import gzip
import os
import subprocess
import sys
import textwrap
import threading

import pytest

from conftest import walk_text

# A call looks for signals every 50 ms. The first one is only seen: it shows that
# the call looks while it works. The second one ends it.
CTRL_C = """
    import ctypes, re, resource, signal, sys
    import numpy, bvhmill
    path = sys.argv[1]
    status = open('/proc/self/status').read()
    most = (int(status.split('VmSize:')[1].split()[0]) << 10) + (8 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    {make}
    def work():
        try:
            {work}
        except bvhmill.BvhError:
            pass
    seen = 0
    def interrupt(*_):
        global seen
        seen += 1
        if seen == 2:
            # The pages that are read from now on can be told from others.
            open('/proc/self/clear_refs', 'w').write('1')
            raise KeyboardInterrupt
        signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        work()
    except KeyboardInterrupt:
        pass
    else:
        sys.exit('no interrupt')
    {check}
    assert bvhmill.read(bvhmill.example()).frames == 3
    print('interrupted')
"""
# The part of the pages of `data` that was read after the interrupt. The kernel
# counts pages by mappings, so they become a mapping of their own.
PAGES = """
    page = resource.getpagesize()
    data = numpy.frombuffer(data, numpy.uint8)
    begin = -(-data.ctypes.data // page) * page
    size = (data.ctypes.data + data.size) // page * page - begin
    MADV_DONTDUMP = 16
    assert ctypes.CDLL(None).madvise(ctypes.c_void_p(begin),
                                     ctypes.c_size_t(size), MADV_DONTDUMP) == 0
    def part_read():
        maps = open('/proc/self/smaps').read()
        found = re.search(rf'^0*{begin:x}-.*?^Referenced: +([0-9]+) kB', maps,
                          re.MULTILINE | re.DOTALL)
        return (int(found[1]) << 10) / size
    assert part_read() > 0.9
"""
ENDS_SOON = "assert part_read() < 0.3, part_read()"


def interrupted(path, work, make="pass", check="pass"):
    """Runs a program that is interrupted during `work`, after `make`."""
    code = textwrap.dedent(CTRL_C).replace("{work}", work).replace(
        "{make}", textwrap.dedent(make)).replace("{check}", check)
    done = subprocess.run([sys.executable, "-c", code, path], timeout=100,
                          capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("interrupted\n", 0), done.stderr


@pytest.mark.parametrize("work", [
    "bvhmill.read(text)", "bvhmill.read(text, threads=2)",
    "bvhmill.validate(text)"])
def test_ctrl_c_ends_the_work_on_a_text(long_path, work):
    make = "data = text = open(path, 'rb').read()" + textwrap.dedent(PAGES)
    interrupted(long_path, work, make, ENDS_SOON)


@pytest.mark.parametrize("work", [
    "take.edit(fps=120)", "take.edit(replace_spikes=True, unwrap=True)",
    "take.to_bvh()",
    # The report of from_arrays.
    "bvhmill._save.report_of_clip(take._clip, {})"])
def test_ctrl_c_ends_the_work_on_a_take(long_path, work):
    make = ("take = bvhmill.read(path, arrays=[])\ndata = numpy.asarray(take._clip.rows)"
            + textwrap.dedent(PAGES))
    interrupted(long_path, work, make, ENDS_SOON)


# Much more than can be read within the time of a test.
@pytest.mark.parametrize("work", [
    "list(bvhmill.read_many([path] * 1000, threads=2))",
    "bvhmill.read_batch([path] * 1000, threads=2)"])
def test_ctrl_c_ends_a_batch(long_path, work):
    interrupted(long_path, work)


@contextlib.contextmanager
def endless(path, head, piece):
    """A named pipe that gives `head`, and then `piece` without end."""
    os.mkfifo(path)

    def write():
        with contextlib.suppress(BrokenPipeError), open(path, "wb", 0) as pipe:
            pipe.write(head)
            while True:
                pipe.write(piece)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield path
    finally:
        # Lets it go if no other has opened the pipe.
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        writer.join()


@pytest.mark.parametrize("work", ["bvhmill.read(path)",
                                  "sum(1 for _ in bvhmill.stream(path))"])
def test_ctrl_c_ends_the_reading_of_an_endless_file(tmp_path, work):
    head, rows = walk_text(1000, 20).split(b"0.01\n", 1)
    head = head.replace(b"1000", b"1000000000")
    with endless(tmp_path / "endless.bvh", head + b"0.01\n", rows) as path:
        interrupted(path, work)


def blanks():
    """Packed text of 16 MB that is no clip."""
    return gzip.compress(b" " * (16 << 20), 1)


def test_ctrl_c_ends_the_decompression_of_a_stream(tmp_path):
    with endless(tmp_path / "endless.bvh.gz", b"", blanks()) as path:
        interrupted(path, "list(bvhmill.stream(path))")


# It is unpacked when all of it was read.
def test_ctrl_c_ends_the_decompression_of_a_file(tmp_path):
    path = tmp_path / "blank.bvh.gz"
    path.write_bytes(blanks() * 500)
    interrupted(path, "bvhmill.read(path)")
