"""Uploads and downloads end if the server is silent, however it answers pings.
"""

import threading
import time

import pytest

grpc = pytest.importorskip("grpc")

from bvhmill.jobs import Jobs, ServerError
from bvhmill.jobs._watch import ThreadWatch
from conftest import walk_text
from forwarder import READ, WRITE, Forwarder
# Fixtures, too.
from job_fixtures import Awaited, outcomes_of, server, tree

KINDS = pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])
TIMEOUT = 2.0


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
    """Each message of an upload or a download takes some time."""

    # Messages do not wait here in numbers.
    OPTIONS = [*Forwarder.OPTIONS, ("grpc.http2.bdp_probe", 0)]
    SECONDS = 0.3

    def service(self, details):
        handler = super().service(details)
        if details.method == READ:
            return grpc.unary_stream_rpc_method_handler(
                lambda request, context: self.slowly(
                    handler.unary_stream(request, context)))
        if details.method == WRITE:
            return grpc.stream_unary_rpc_method_handler(
                lambda requests, context: handler.stream_unary(
                    self.slowly(requests), context))
        return handler

    def slowly(self, messages):
        for message in messages:
            time.sleep(self.SECONDS)
            yield message


def unseen(frames):
    """A text that no server has."""
    return walk_text(frames) + f"\n# {time.monotonic_ns()}".encode()


def assert_given_up(work):
    begin = time.monotonic()
    with pytest.raises(ServerError, match="silent") as caught:
        work()
    assert TIMEOUT <= time.monotonic() - begin < 4 * TIMEOUT
    assert caught.value.code == "DEADLINE_EXCEEDED"


# Small clips are sent at once, and large ones in pieces.
@KINDS
@pytest.mark.parametrize("clips, answered", [
    ([3], 0), ([3] * 20, 5), ([60_000], 0), ([60_000], 1)],
    ids=["small", "many", "asked", "large"])
def test_an_upload_to_a_silent_server_is_given_up(kind, server, clips,
                                                  answered):
    sources = {str(i): unseen(frames) for i, frames in enumerate(clips)}
    with Silent(server.address, WRITE, answered) as between:
        jobs = kind(between.address, timeout=TIMEOUT)
        assert_given_up(lambda: jobs.submit(sources))
        assert kind is Awaited or not jobs._calls


@KINDS
@pytest.mark.parametrize("answered", [0, 5])
def test_a_download_of_a_silent_server_is_given_up(kind, server, answered,
                                                   tmp_path):
    jobs = Jobs(server.address)
    name = jobs.submit({str(i): walk_text(20 + i) for i in range(12)},
                       emit=["csv"], arrays=["positions"]).name
    jobs.wait(name)
    for work in (lambda jobs: outcomes_of(jobs, name),
                 lambda jobs: jobs.save(name, tmp_path)):
        with Silent(server.address, READ, answered) as between:
            jobs = kind(between.address, timeout=TIMEOUT)
            assert_given_up(lambda: work(jobs))
    assert not [path for path in tmp_path.rglob("*.part")]


# Each takes longer than the timeout in all.
@KINDS
def test_slow_uploads_and_downloads_are_not_given_up(kind, server, tmp_path):
    text = unseen(30_000)
    with Slow(server.address) as between:
        jobs = kind(between.address, timeout=TIMEOUT)
        begin = time.monotonic()
        submitted = jobs.submit({"a": text}, emit=["csv"])
        assert time.monotonic() - begin > TIMEOUT
        Jobs(server.address).wait(submitted)
        begin = time.monotonic()
        (clip,) = jobs.save(submitted, tmp_path)
        assert clip.ok and time.monotonic() - begin > TIMEOUT
    assert list(tree(tmp_path)) == ["a.csv"]


# gRPC may ask for the first message before the caller watches the call.
def test_a_slow_first_message_does_not_end_an_upload():
    end = threading.Event()
    with ThreadWatch(0.2) as watch:
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
        assert not end.wait(0.6) and not call.is_silent
        go_on.set()
        sender.join()
        assert end.wait(30) and call.is_silent


# A call that waits for the server has no more time because of another one.
def test_a_call_is_given_up_while_another_one_reads():
    end = threading.Event()
    with ThreadWatch(0.2) as watch:
        first, second = watch.call(), watch.call()
        watch.begin(first, end.set)
        second.pause()
        assert end.wait(30) and not second.is_silent


# The time of the caller is not that of the server.
@KINDS
def test_a_slow_progress_does_not_end_an_upload(kind, server):
    waits = [2 * TIMEOUT]

    def progress(done, total):
        if waits:
            time.sleep(waits.pop())

    jobs = kind(server.address, timeout=TIMEOUT)
    submitted = jobs.submit({"a": unseen(30_000)}, progress=progress)
    assert submitted.uploaded_files == 1 and not waits
