"""Uploads and downloads end if the server is silent, however it answers pings.
"""

import threading
import time

import pytest

grpc = pytest.importorskip("grpc")

from bvhmill.jobs import Jobs, ServerError, _watch
from bvhmill.jobs._watch import ThreadWatch
from conftest import walk_text
from forwarder import READ, WRITE, Forwarder
# Fixtures, too.
from job_fixtures import Awaited, outcomes_of, server, tree

KINDS = pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])
TIMEOUT = 30.0


class Clock:
    """The time of watches: it passes when a test says so."""

    def __init__(self):
        self.now = 0.0
        # Messages that were sent or received.
        self.signs = 0
        self._looks = 0

    def monotonic(self):
        self._looks += 1
        return self.now

    def pass_until(self, is_over):
        """Lets time pass in small steps, each of which is looked at."""
        while not is_over():
            self.now += TIMEOUT / 16
            looks = self._looks
            while self._looks == looks and not is_over():
                time.sleep(0.002)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_watch, "time", clock)
    monkeypatch.setattr(_watch, "_LONGEST_LOOK", 0.01)
    sign = _watch.CallWatch.sign

    def counted(watch):
        sign(watch)
        clock.signs += 1

    monkeypatch.setattr(_watch.CallWatch, "sign", counted)
    return clock


class Silent(Forwarder):
    """Handlers of `method` answer the first `answered` calls and no other."""

    def __init__(self, target, method, answered=0):
        self.method = method
        self.left = answered
        self.end = threading.Event()
        super().__init__(target)

    def __exit__(self, *_):
        self.end.set()
        super().__exit__()

    def service(self, details):
        if details.method == self.method:
            self.left -= 1
            if self.left < 0:
                return grpc.stream_stream_rpc_method_handler(self._wait)
        return super().service(details)

    def _wait(self, requests, context):
        self.end.wait(60)
        yield from ()


class Slow(Forwarder):
    """Each message of an upload or a download takes a part of TIMEOUT."""

    # Messages do not wait here in numbers.
    OPTIONS = [*Forwarder.OPTIONS, ("grpc.http2.bdp_probe", 0)]

    def __init__(self, target, clock):
        self._clock = clock
        super().__init__(target)

    def service(self, details):
        handler = super().service(details)
        if details.method == READ:
            return grpc.unary_stream_rpc_method_handler(
                lambda request, context: self.read_one_by_one(
                    handler.unary_stream(request, context)))
        if details.method == WRITE:
            return grpc.stream_unary_rpc_method_handler(
                lambda requests, context: handler.stream_unary(
                    self.slowly(requests), context))
        return handler

    def slowly(self, messages):
        for message in messages:
            self._clock.now += TIMEOUT / 7
            yield message

    def read_one_by_one(self, messages):
        """Sends a message when the last one was read, so none waits."""
        for message in self.slowly(messages):
            signs = self._clock.signs
            yield message
            end = time.monotonic() + 30
            while message and self._clock.signs == signs:
                assert time.monotonic() < end
                time.sleep(0.002)


def unseen(frames):
    """A text that no server has."""
    return walk_text(frames) + f"\n# {time.monotonic_ns()}".encode()


def assert_given_up(clock, between, work):
    """`work` is given up when a silent server has had TIMEOUT, not before."""
    is_over = threading.Event()

    def wait():
        while between.left >= 0 and not is_over.is_set():
            time.sleep(0.002)
        clock.pass_until(is_over.is_set)

    begin = clock.now
    waiting = threading.Thread(target=wait)
    waiting.start()
    try:
        with pytest.raises(ServerError, match="silent") as caught:
            work()
    finally:
        is_over.set()
        waiting.join()
    assert clock.now - begin >= TIMEOUT
    assert caught.value.code == "DEADLINE_EXCEEDED"


# Small clips are sent at once, and large ones in pieces.
@KINDS
@pytest.mark.parametrize("clips, answered", [
    ([3], 0), ([3] * 20, 5), ([60_000], 0), ([60_000], 1)],
    ids=["small", "many", "asked", "large"])
def test_an_upload_to_a_silent_server_is_given_up(kind, server, clock, clips,
                                                  answered):
    sources = {str(i): unseen(frames) for i, frames in enumerate(clips)}
    with Silent(server.address, WRITE, answered) as between:
        jobs = kind(between.address, timeout=TIMEOUT)
        assert_given_up(clock, between, lambda: jobs.submit(sources))
        assert kind is Awaited or not jobs._calls


@KINDS
@pytest.mark.parametrize("answered", [0, 5])
def test_a_download_of_a_silent_server_is_given_up(kind, server, clock,
                                                   answered, tmp_path):
    jobs = Jobs(server.address)
    name = jobs.submit({str(i): walk_text(20 + i) for i in range(12)},
                       emit=["csv"], arrays=["positions"]).name
    jobs.wait(name)
    for work in (lambda jobs: outcomes_of(jobs, name),
                 lambda jobs: jobs.save(name, tmp_path)):
        with Silent(server.address, READ, answered) as between:
            jobs = kind(between.address, timeout=TIMEOUT)
            assert_given_up(clock, between, lambda: work(jobs))
    assert not [path for path in tmp_path.rglob("*.part")]


# Each takes longer than the timeout in all.
@KINDS
def test_slow_uploads_and_downloads_are_not_given_up(kind, server, clock,
                                                     tmp_path):
    text = unseen(30_000)
    with Slow(server.address, clock) as between:
        jobs = kind(between.address, timeout=TIMEOUT)
        submitted = jobs.submit({"a": text}, emit=["csv"])
        uploaded = clock.now
        assert uploaded > TIMEOUT
        Jobs(server.address).wait(submitted)
        (clip,) = jobs.save(submitted, tmp_path)
        assert clip.ok and clock.now - uploaded > TIMEOUT
    assert list(tree(tmp_path)) == ["a.csv"]


# gRPC may ask for the first message before the caller watches the call.
def test_a_slow_first_message_does_not_end_an_upload(clock):
    end = threading.Event()
    with ThreadWatch(TIMEOUT) as watch:
        call = watch.call()
        asked, go_on = threading.Event(), threading.Event()

        def messages():
            asked.set()
            go_on.wait()
            yield "message"

        sender = threading.Thread(target=next, args=[
            call.requests(messages())])
        sender.start()
        asked.wait()
        watch.begin(call, end.set)
        clock.pass_until(lambda: clock.now > 3 * TIMEOUT)
        assert not end.is_set() and not call.is_silent
        go_on.set()
        sender.join()
        clock.pass_until(end.is_set)
        assert call.is_silent


# A call that waits for the server has no more time because of another one.
def test_a_call_is_given_up_while_another_one_reads(clock):
    end = threading.Event()
    with ThreadWatch(TIMEOUT) as watch:
        first, second = watch.call(), watch.call()
        watch.begin(first, end.set)
        second.pause()
        clock.pass_until(end.is_set)
        assert not second.is_silent


# The time of the caller is not that of the server.
@KINDS
def test_a_slow_progress_does_not_end_an_upload(kind, server, clock):
    begins = [clock.now]

    def progress(done, total):
        if begins:
            end = begins.pop() + 2 * TIMEOUT
            # The watch of asyncio cannot look while the loop is here.
            if kind is Jobs:
                clock.pass_until(lambda: clock.now > end)
            clock.now = end

    jobs = kind(server.address, timeout=TIMEOUT)
    submitted = jobs.submit({"a": unseen(30_000)}, progress=progress)
    assert submitted.uploaded_files == 1 and not begins
