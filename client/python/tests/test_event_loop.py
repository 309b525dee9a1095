"""The event loop goes on while servers are gone."""

import asyncio
import contextlib
import socket
import threading
import time

import pytest

grpc = pytest.importorskip("grpc")

from bvhmill.client import AsyncClient, ServerError
from bvhmill.client import _connection
from bvhmill.client._connection import Settings
from bvhmill.jobs import AsyncJobs, _calls


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
                plain.settimeout(0.2)
                try:
                    is_grpc = plain.recv(3).startswith(b"PRI")
                except OSError:
                    is_grpc = True
                if is_grpc:
                    plain.close()
                else:
                    self.handshakes.append(plain)


async def longest_stop_in(work):
    """The longest time in seconds in which the loop does nothing else."""
    stops = [0.0]

    async def beat():
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.01)
            stops.append(time.monotonic() - last)
            last = time.monotonic()

    beats = asyncio.ensure_future(beat())
    await asyncio.sleep(0.02)
    await work
    await asyncio.sleep(0.02)
    beats.cancel()
    return max(stops)


async def all_of(items):
    return [item async for item in items]


@pytest.mark.parametrize("kind, call", [
    (AsyncClient, lambda client, path: client.server_info()),
    (AsyncClient, lambda client, path: all_of(client.read_many([path]))),
    (AsyncJobs, lambda client, path: client.list())],
    ids=["unary", "stream", "jobs"])
def test_the_loop_runs_while_a_server_does_not_answer(kind, call, walk_path):
    async def refused(client):
        with pytest.raises(ServerError, match="cannot reach"):
            await call(client, walk_path)

    async def run():
        with Mute() as server:
            async with kind(server.address, timeout=1) as client:
                stop = await longest_stop_in(refused(client))
            assert server.handshakes
            return stop

    begin = time.monotonic()
    assert asyncio.run(run()) < 0.4
    # The question about TLS is part of the time of the call.
    assert time.monotonic() - begin < 2.5


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
