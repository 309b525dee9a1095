"""Times other readers of BVH: ./dev bench peers [--json [FILE]]

Each reads the same file in a process of its own, in turns with bvhmill, after
their places of all joints were compared. Start-up is not counted. three.js
computes the places as a page does that plays the take; Blender's importer makes
an armature and its keys, and computes none.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

import bvhmill
from turns import in_turns, median_ratio, metrics, run, seconds_of, walk_text

HERE = pathlib.Path(__file__).parent


def three(take, *out):
    done = subprocess.run(["node", HERE / "three_reader.mjs", take, *out],
                          check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout)


def blender(take, *out):
    done = subprocess.run(
        ["blender", "-b", "--factory-startup", "--python-exit-code", "1",
         "--python", HERE / "blender_reader.py", "--", take, *out],
        check=True, stdout=subprocess.PIPE, text=True)
    line = next(line for line in done.stdout.splitlines()
                if line.startswith("seconds "))
    return float(line.split()[1])


def check(name, read, take, folder):
    """Fails if the reader places a joint elsewhere."""
    places = folder / "places"
    read(take, places)
    ours = bvhmill.read(take).positions
    theirs = np.fromfile(places, np.float32).reshape(ours.shape)
    error = np.abs(ours - theirs).max() / np.abs(ours).max()
    assert error < 1e-4, f"{name} differs by {error}"


def bench(name, read, megabytes, turns):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        take = folder / "take.bvh"
        take.write_bytes(walk_text(0.2))
        check(name, read, take, folder)
        take.write_bytes(walk_text(megabytes))
        ours = lambda: seconds_of(lambda: bvhmill.read(take).positions)
        metrics[f"peers.{name}.times_longer"] = median_ratio(
            in_turns(lambda: read(take), ours, turns=turns))


def bench_three(args):
    bench("three", three, args.megabytes, args.turns)


def bench_blender(args):
    if shutil.which("blender"):
        bench("blender", blender, args.megabytes / 10, args.turns)


if __name__ == "__main__":
    run({"three": bench_three, "blender": bench_blender}, __doc__,
        megabytes=10, turns=5)
