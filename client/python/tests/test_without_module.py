"""Clients of a server work where the compiled module is not installed."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import bvhmill
from servers import Server

PACKAGE = pathlib.Path(bvhmill.__file__).parent

PROGRAM = """
import sys
import numpy as np
import bvhmill
from bvhmill.client import Client
from bvhmill.jobs import Jobs

path, address = sys.argv[1:]
client = Client(address)
take = client.read(path, fps=30, end_sites=True)
np.savez("take", positions=take.positions, parents=take.parents,
         offsets=take.offsets, values=take.values, names=take.names,
         channels=take.channels, fps=take.fps)
print(client.validate(path).verdict)
jobs = Jobs(address)
job = jobs.wait(jobs.submit({"walk": path}, arrays=["positions"]))
(outcome,) = jobs.results(job)
assert outcome.take.frames == 120
for call in (lambda: client.read(b"HIERARCHY\\nROOT", source_name="a.bvh"),
             lambda: bvhmill.read(path), lambda: take[:3]):
    try:
        call()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
"""

MISSING = "ImportError: bvhmill is installed without its compiled module ("


@pytest.fixture
def environment(tmp_path):
    """The environment of a Python with no compiled module."""
    shutil.copytree(PACKAGE, tmp_path / "site/bvhmill",
                    ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return {**os.environ, "PYTHONPATH": str(tmp_path / "site")}


def run(environment, tmp_path, *words):
    return subprocess.run([sys.executable, *words], cwd=tmp_path, text=True,
                          env=environment, capture_output=True)


def test_clients_read_what_the_module_reads(environment, tmp_path, samples):
    pytest.importorskip("grpc")
    path = samples / "walk_cycle.bvh"
    with Server("--data-dir", tmp_path / "data") as server:
        done = run(environment, tmp_path, "-c", PROGRAM, str(path),
                   server.address)
    assert done.returncode == 0, done.stderr
    verdict, invalid, read, sliced = done.stdout.splitlines()
    assert verdict == "valid"
    assert invalid.startswith("BvhError: a.bvh:2:")
    assert read.startswith(MISSING) and sliced.startswith(MISSING)
    here = bvhmill.read(path, fps=30, end_sites=True)
    there = np.load(tmp_path / "take.npz")
    for name in there:
        np.testing.assert_array_equal(there[name], getattr(here, name), name)


def test_a_module_that_cannot_be_loaded_says_why(environment, tmp_path):
    (module,) = PACKAGE.glob("*.so")
    (tmp_path / "site/bvhmill" / module.name).write_text("no library")
    done = run(environment, tmp_path, "-c", "import bvhmill")
    assert done.returncode == 1 and "file too short" in done.stderr
