"""The event loop goes on while servers are gone, and files are slow."""

import asyncio
import contextlib
import os
import socket
import threading

import pytest

grpc = pytest.importorskip("grpc")

from bvhmill.client import AsyncClient, ServerError, _connection, _tls
from bvhmill.client import _calls as client_calls
from bvhmill.client._connection import Settings
from bvhmill.jobs import AsyncJobs, _calls, _fetch, _folder, _sources
from servers import Server


class Mute:
    """A server that ends calls of gRPC, and does not answer a handshake."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._socket.getsockname()[1]
        self.handshakes = []
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()
        for handshake in self.handshakes:
            handshake.close()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                plain = self._socket.accept()[0]
                plain.settimeout(1)
                try:
                    is_grpc = plain.recv(3).startswith(b"PRI")
                except OSError:
                    is_grpc = True
                if is_grpc:
                    plain.close()
                else:
                    self.handshakes.append(plain)


async def turns_in(work, has_begun):
    """The turns of the loop while `work` waits, of which `has_begun` tells."""
    task = asyncio.ensure_future(work)
    turns = 0
    while not task.done():
        turns += bool(has_begun())
        await asyncio.sleep(0.01)
    await task
    return turns


async def all_of(items):
    return [item async for item in items]


@pytest.mark.parametrize("kind, call", [
    (AsyncClient, lambda client, path: client.server_info()),
    (AsyncClient, lambda client, path: all_of(client.read_many([path]))),
    (AsyncJobs, lambda client, path: client.list())],
    ids=["unary", "stream", "jobs"])
def test_the_loop_runs_while_a_server_does_not_answer(kind, call, walk_path,
                                                      monkeypatch):
    seconds = []

    def asked(*words):
        seconds.append(words[-1])
        return _tls.tls_fault(*words)

    monkeypatch.setattr(_connection, "tls_fault", asked)

    async def refused(client):
        with pytest.raises(ServerError, match="cannot reach"):
            await call(client, walk_path)

    async def run():
        with Mute() as server:
            async with kind(server.address, timeout=2) as client:
                return await turns_in(refused(client),
                                      lambda: server.handshakes)

    # A loop that waits for the handshake has one turn at its end.
    assert asyncio.run(run()) > 5
    # The question about TLS is part of the time of the call.
    assert seconds and all(0 <= left < 2 for left in seconds)


def test_a_question_about_tls_is_not_asked_without_time():
    with Mute() as server:
        assert _tls.tls_fault(server.address, False, None, 0.0) == ""
        assert not server.handshakes


class Away(grpc.RpcError):
    def code(self):
        return grpc.StatusCode.UNAVAILABLE

    def details(self):
        return self.args[0]

    def trailing_metadata(self):
        return ()


@pytest.fixture
def probes(monkeypatch):
    """The seconds of each question about TLS."""
    seconds = []
    monkeypatch.setattr(_connection, "tls_fault",
                        lambda *words: seconds.append(words[-1]) or "")
    return seconds


def test_a_server_that_has_answered_is_not_asked_about_tls(probes):
    call = _calls.unary("JobService/ListJobs", None)
    settings = Settings("127.0.0.1:9", timeout=2)
    assert _calls.Tries(call, settings).pause_after(Away("gone"), True) > 0
    assert not probes
    assert _calls.Tries(call, settings).pause_after(Away("gone"), False) > 0
    assert len(probes) == 1 and 1 < probes[0] <= 2


def test_a_name_that_is_not_known_is_not_looked_for_again(probes):
    settings = Settings("nowhere.invalid:9")
    error = _connection.server_error_of(Away("DNS resolution failed"), settings)
    assert error.code == "UNAVAILABLE" and not probes


def noted(monkeypatch, owner, name, seen):
    """Notes the threads that run a function, or a generator."""
    made = getattr(owner, name)

    def steps(items):
        while True:
            seen.append(threading.current_thread())
            try:
                item = next(items)
            except StopIteration:
                return
            yield item

    def run(*args):
        seen.append(threading.current_thread())
        answer = made(*args)
        return steps(answer) if hasattr(answer, "__next__") else answer

    monkeypatch.setattr(owner, name, run)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server("--data-dir", tmp_path_factory.mktemp("data")) as server:
        yield server


def test_files_are_read_outside_of_the_loop(server, walk_path, monkeypatch):
    seen = []
    for owner, name in ((client_calls.Clips, "_requests_of"),
                        (_sources.Clip, "pieces"),
                        (client_calls, "path_bytes")):
        noted(monkeypatch, owner, name, seen)

    async def run():
        async with AsyncClient(server.address, timeout=60) as client:
            assert [outcome.ok async for outcome
                    in client.read_many([walk_path] * 3)] == [True] * 3
        count = len(seen)
        async with AsyncJobs(server.address, timeout=60) as jobs:
            submitted = await jobs.submit([walk_path])
            assert submitted.uploaded_files == 1
        return count

    assert 0 < asyncio.run(run()) < len(seen)
    assert threading.main_thread() not in seen


@pytest.mark.parametrize("limit", [0, 32 << 20], ids=["large", "small"])
def test_files_are_written_outside_of_the_loop(server, walk_path, monkeypatch,
                                               tmp_path, limit):
    seen = []
    monkeypatch.setattr(_fetch, "GROUP_BYTES", limit)
    for name in ("begin", "add", "commit"):
        noted(monkeypatch, _folder.NewFiles, name, seen)

    async def run():
        async with AsyncJobs(server.address, timeout=60) as jobs:
            submitted = await jobs.submit([walk_path], emit=["npz", "csv"])
            (clip,) = await jobs.save(submitted, tmp_path / "out")
            assert clip.ok

    asyncio.run(run())
    assert len(seen) > 4 and threading.main_thread() not in seen


# The writer of the pipe never comes.
def test_the_loop_runs_while_a_file_of_many_waits(server, tmp_path):
    path = tmp_path / "pipe.bvh"
    os.mkfifo(path)

    async def run():
        async def read():
            async with AsyncClient(server.address, timeout=0.5) as client:
                with pytest.raises(ServerError, match="DEADLINE_EXCEEDED"):
                    await all_of(client.read_many([path]))

        turns = await turns_in(read(), lambda: True)
        # Lets the thread go.
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        return turns

    assert asyncio.run(run()) > 5
