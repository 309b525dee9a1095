"""Real servers, and a client of asyncio with the calls of the other one."""

import asyncio
import subprocess

import pytest

from conftest import BIN


class Server:
    """A running server."""

    def __init__(self, *flags, port=0):
        if not (BIN / "bvhmilld").exists():
            pytest.skip(f"there is no {BIN}/bvhmilld")
        self.process = subprocess.Popen(
            [BIN / "bvhmilld", "--listen", f"127.0.0.1:{port}", *flags],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if line.startswith("listening on "):
                self.address = line.split()[2]
                self.port = int(self.address.rsplit(":", 1)[1])
                return
        raise RuntimeError("the server did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def kill(self):
        self.process.kill()
        self.process.wait(60)
        self.process.stdout.close()

    def stop(self):
        self.process.terminate()
        self.process.stdout.close()
        self.process.wait(60)


class Awaited:
    """A client of asyncio with the calls of a client that waits.

    Each call has an event loop and a connection of its own.
    """

    kind = None
    # Calls that give an asynchronous iterator.
    iterators = ()

    def __init__(self, target, **settings):
        self._target, self._settings = target, settings

    def __getattr__(self, name):
        async def run(*args, **options):
            async with self.kind(self._target, **self._settings) as client:
                call = getattr(client, name)(*args, **options)
                if name in self.iterators:
                    return [item async for item in call]
                return await call

        return lambda *args, **options: asyncio.run(run(*args, **options))


TOKEN = "c2VjcmV0LW9mLWFsaWNlLTAxMjM0NTY3ODk"


def token_file(folder):
    """A file for --token-file with the token of alice."""
    path = folder / "tokens"
    path.write_text(subprocess.run(
        [BIN / "bvhmilld", "--hash-token", "alice"], input=TOKEN + "\n",
        text=True, check=True, capture_output=True).stdout)
    path.chmod(0o600)
    return path
