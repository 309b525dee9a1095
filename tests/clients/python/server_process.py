"""Runs bvhmilld for tests, in its own process and on a free port."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = pathlib.Path(os.environ["BVHMILL_BIN"])


class ServerProcess:
    """A running server; stop() fails if its exit status is not 0."""

    def __init__(self, *flags):
        self._process = subprocess.Popen(
            [BIN / "bvhmilld", "--listen", "127.0.0.1:0", *flags],
            stdout=subprocess.PIPE, text=True)
        self.address = self.http_address = None
        for line in self._process.stdout:
            if line.startswith("listening on "):
                self.address = line.split()[2]
            if line.startswith("http on "):
                self.http_address = line.split()[2]
            if line.startswith("calls need"):
                break
        if self.address is None:
            raise RuntimeError("the server did not start")

    def stop(self):
        self._process.terminate()
        self._process.stdout.close()
        if self._process.wait(timeout=60) != 0:
            raise RuntimeError("the server did not stop well")

    def kill(self):
        self._process.kill()
        self._process.stdout.close()
        self._process.wait(timeout=60)


def make_takes(folder):
    """Writes sample takes and returns their names."""
    subprocess.run([BIN / "bvhmill_samples", folder], check=True,
                   stdout=subprocess.DEVNULL)
    return sorted(path.stem for path in folder.glob("*.bvh"))


def convert_here(takes, out, emit):
    """Converts takes by the command line without a server."""
    subprocess.run([BIN / "bvhmill", "convert", "-r", takes, "-o", out,
                    "--emit", emit, "--local"], check=True,
                   capture_output=True)
