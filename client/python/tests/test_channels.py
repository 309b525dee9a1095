"""Channels that threads share, close and open, and that children inherit."""

import pathlib
import subprocess
import sys
import textwrap
import threading

import pytest

pytest.importorskip("grpc")

from bvhmill.client import Client, _connection
from bvhmill.jobs import Jobs
from servers import Server

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server("--data-dir", tmp_path_factory.mktemp("data")) as server:
        yield server


class Channel:
    """A channel that lets another thread begin a call while it is closed."""

    def __init__(self, connection):
        self._connection = connection
        self.is_open = True
        self.taken = []

    def close(self):
        self.is_open = False
        with self._connection._calling():
            self.taken.append(self._connection._open())


def test_a_channel_that_is_being_closed_is_not_taken(monkeypatch):
    client = Client("127.0.0.1:9")
    old, new = Channel(client), object()
    monkeypatch.setattr(_connection, "_channel", lambda module, settings: new)
    for close in (client.close, client._reopen, _connection._close_idle):
        client._channel = old
        close()
        assert not old.is_open and old.taken.pop() is new
        assert client._channel is new


def test_a_channel_that_was_taken_is_not_closed():
    client = Client("127.0.0.1:9")
    client._channel = channel = Channel(client)
    with client._calling():
        assert client._open() is channel
        for close in (client._reopen, _connection._close_idle):
            close()
            assert channel.is_open and client._channel is channel
    client._reopen()
    assert not channel.is_open


# Between the choice of a channel and the call, another thread closes it.
@pytest.mark.parametrize("kind, call", [
    (Client, lambda client: client.server_info()),
    (Jobs, lambda client: client.list())])
def test_a_call_on_a_closed_channel_opens_another_one(server, kind, call,
                                                      monkeypatch):
    client = kind(server.address, timeout=20)
    take, closed = client._open, []

    def and_close():
        channel = take()
        if not closed:
            closed.append(channel)
            closer = threading.Thread(target=client.close)
            closer.start()
            closer.join()
        return channel

    monkeypatch.setattr(client, "_open", and_close)
    assert call(client) is not None and closed


# In a program of its own, which has not called a server before.
@pytest.mark.parametrize("kind, call", [
    ("client.AsyncClient", "server_info"), ("jobs.AsyncJobs", "list")])
def test_a_child_may_let_go_of_an_open_client(server, kind, call):
    code = f"""
        import asyncio, gc, sys
        import bvhmill.client, bvhmill.jobs
        sys.path.insert(0, sys.argv[1])
        from test_processes import in_child

        async def run():
            client = bvhmill.{kind}(sys.argv[2], timeout=20)

            def let_go():
                nonlocal client
                client = None
                return gc.collect() >= 0

            for _ in range(3):
                await client.{call}()
                print(in_child(let_go))
                await client.{call}()
            await client.close()

        asyncio.run(run())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), HERE, server.address],
        capture_output=True, text=True, timeout=100)
    assert done.stdout.split() == ["0", "0", "0"], done.stderr
