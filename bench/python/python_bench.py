"""Benchmarks of the Python package: ./dev bench python [--json [FILE]]

Ratios are medians of seven runs in turns. Before times are measured, results
are compared. docs/performance.md has the meaning of the metrics.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import bvhmill
from turns import (TURNS, in_turns, median_ratio, metrics, run, seconds_of,
                   walk_text)

BIN = pathlib.Path(os.environ["BVHMILL_BIN"])


class Twin:
    """The C++ side, in a process of its own."""

    def __init__(self, path):
        self._process = subprocess.Popen(
            [BIN / "convert_twin", path], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def seconds(self, count=1):
        """(seconds a conversion, bytes of its outputs)."""
        self._process.stdin.write(f"{count}\n")
        self._process.stdin.flush()
        seconds, size = self._process.stdout.readline().split()
        return float(seconds), int(size)

    def stop(self):
        self._process.stdin.close()
        self._process.wait()


def bench_read(folder):
    path = folder / "100mb.bvh"
    path.write_bytes(walk_text(100))
    text = path.read_bytes()
    take = bvhmill.read(text)
    twin = Twin(path)
    assert twin.seconds()[1] == take.positions.nbytes + take.values.nbytes
    del take
    turns = in_turns(lambda: twin.seconds()[0],
                     lambda: seconds_of(lambda: bvhmill.read(text).positions))
    twin.stop()
    metrics["py.read.100mb.ratio_to_cpp"] = median_ratio(turns)
    seconds = statistics.median(turn[1] for turn in turns)
    metrics["py.read.100mb.mb_per_s"] = len(text) / 1e6 / seconds
    fused = bvhmill.read(text).positions
    lazy = bvhmill.read(text, arrays=[]).positions
    assert np.array_equal(fused, lazy)
    del fused, lazy
    turns = in_turns(
        lambda: seconds_of(lambda: bvhmill.read(text).positions),
        lambda: seconds_of(lambda: bvhmill.read(text, arrays=[]).positions))
    metrics["py.lazy.ratio_to_fused"] = median_ratio(turns)
    turns = in_turns(
        lambda: seconds_of(lambda: bvhmill.read(text)),
        lambda: seconds_of(lambda: bvhmill.read(text, ignore=["DATA_*"])))
    metrics["py.read.ignore_data.speedup"] = median_ratio(turns)


def bench_small(folder):
    path = folder / "small.bvh"
    path.write_bytes(bvhmill.example())
    text = path.read_bytes()
    twin = Twin(path)
    turns = in_turns(lambda: twin.seconds(2000)[0],
                     lambda: seconds_of(lambda: bvhmill.read(text), 2000))
    twin.stop()
    metrics["py.small.read_us"] = 1e6 * statistics.median(
        turn[1] for turn in turns)
    metrics["py.small.overhead_us"] = 1e6 * statistics.median(
        turn[1] - turn[0] for turn in turns)


def bench_batch(folder):
    text = walk_text(0.1)
    paths = []
    for i in range(3000):
        paths.append(folder / f"take{i}.bvh")
        paths[-1].write_bytes(text)
    batch = bvhmill.read_batch(paths[:10])
    assert np.array_equal(batch.positions[batch.slice(9)],
                          bvhmill.read(text).positions)

    def many():
        assert sum(o.ok for o in bvhmill.read_many(paths, threads=2)) == 3000

    turns = in_turns(
        lambda: seconds_of(lambda: bvhmill.read_batch(paths, threads=1)),
        lambda: seconds_of(lambda: bvhmill.read_batch(paths, threads=2)))
    metrics["py.batch.3000"] = statistics.median(turn[1] for turn in turns)
    metrics["py.batch.threads2.speedup"] = median_ratio(turns)
    turns = in_turns(lambda: seconds_of(many))
    metrics["py.batch.3000.read_many"] = statistics.median(
        turn[0] for turn in turns)
    fast = {"threads": 2, "ignore": ["DATA_*"]}
    turns = in_turns(
        lambda: seconds_of(lambda: bvhmill.read_batch(paths, **fast)))
    metrics["py.batch.3000.ignore_data"] = statistics.median(
        turn[0] for turn in turns)
    for path in paths:
        path.unlink()


def count_for(seconds, stop=None):
    """Steps a second of a loop in this thread."""
    count = 0
    begin = time.perf_counter()
    while (not stop.is_set() if stop else
           time.perf_counter() - begin < seconds):
        for _ in range(1000):
            count += 1
    return count / (time.perf_counter() - begin)


def bench_gil(folder):
    text = walk_text(300)
    ratios = []
    for _ in range(TURNS):
        alone = count_for(0.5)
        done = threading.Event()

        def read():
            bvhmill.read(text)
            done.set()

        thread = threading.Thread(target=read)
        thread.start()
        ratios.append(count_for(0, done) / alone)
        thread.join()
    metrics["py.gil.other_thread"] = statistics.median(ratios)


def run_python(code, *args):
    done = subprocess.run([sys.executable, "-c", code, *map(str, args)],
                          check=True, capture_output=True, text=True)
    return float(done.stdout)


def bench_import():
    for name, clock in (("", "perf_counter"), (".cpu", "process_time")):
        code = f"from time import {clock} as now; import numpy; b = now(); " \
               "import bvhmill; print(now() - b)"
        times = [run_python(code) for _ in range(TURNS)]
        metrics[f"py.import_ms{name}"] = 1e3 * statistics.median(times)


def bench_stream(folder, megabytes):
    path = folder / "long.bvh"
    part = walk_text(100)
    head, rows = part.split(b"MOTION\n")
    rows = rows.split(b"\n", 2)[2]
    copies = max(1, megabytes // 100)
    frames = rows.count(b"\n") * copies
    with path.open("wb") as file:
        file.write(head + b"MOTION\nFrames: %d\nFrame Time: 0.01\n" % frames)
        for _ in range(copies):
            file.write(rows)
    code = """
import re, sys, numpy, bvhmill
def peak():
    status = open("/proc/self/status").read()
    return int(re.search(r"VmHWM:\\s+(\\d+)", status).group(1)) / 1024
for block in bvhmill.stream(bvhmill.example()): pass
frames = 0
before = peak()
limits = {"max_clip_bytes": 0}
for block in bvhmill.stream(sys.argv[1], limits=limits): frames += len(block)
assert frames == int(sys.argv[2])
print(peak() - before)
"""
    metrics["py.stream.1gb.peak_mb"] = run_python(code, path, frames)
    path.unlink()


def numpy_read(text):
    """A reader as one would write it with NumPy: (positions)."""
    head, motion = text.split(b"MOTION", 1)
    offsets, parents, channels, stack = [], [], [], [-1]
    ends = False
    for line in head.decode().splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT"):
            parents.append(stack[-1])
            channels.append([])
        elif words[0] == "End":
            ends = True
        elif words[0] == "{":
            stack.append(len(parents) - 1)
        elif words[0] == "}":
            stack.pop()
            ends = False
        elif words[0] == "OFFSET" and not ends:
            offsets.append([float(word) for word in words[1:]])
        elif words[0] == "CHANNELS":
            channels[-1] = words[2:]
    _, count, _, rows = motion.split(b"\n", 3)
    values = np.fromstring(rows, np.float32, sep=" ")
    return numpy_positions(values.reshape(int(count.split()[1]), -1), offsets,
                           parents, channels)


def numpy_positions(values, offsets, parents, channels):
    frames = len(values)
    positions = np.empty((frames, len(parents), 3), np.float32)
    rotations = np.empty((len(parents), frames, 3, 3), np.float32)
    column = 0
    for joint, names in enumerate(channels):
        place = np.tile(np.float32(offsets[joint]), (frames, 1))
        turn = np.tile(np.eye(3, dtype=np.float32), (frames, 1, 1))
        for name in names:
            axis = "XYZ".index(name[0])
            if name.endswith("position"):
                place[:, axis] = values[:, column]
            else:
                turn = turn @ axis_rotation(axis, values[:, column])
            column += 1
        parent = parents[joint]
        if parent < 0:
            rotations[joint], positions[:, joint] = turn, place
            continue
        rotations[joint] = rotations[parent] @ turn
        positions[:, joint] = positions[:, parent] + np.einsum(
            "fij,fj->fi", rotations[parent], place)
    return positions


def axis_rotation(axis, degrees):
    angle = np.radians(degrees)
    matrix = np.zeros((len(degrees), 3, 3), np.float32)
    one, two = (axis + 1) % 3, (axis + 2) % 3
    matrix[:, axis, axis] = 1
    matrix[:, one, one] = matrix[:, two, two] = np.cos(angle)
    matrix[:, two, one] = np.sin(angle)
    matrix[:, one, two] = -np.sin(angle)
    return matrix


def bench_numpy():
    text = walk_text(10)
    ours, theirs = bvhmill.read(text).positions, numpy_read(text)
    assert np.abs(ours - theirs).max() < 1e-2
    fast = {"ignore": ["DATA_*"]}
    turns = in_turns(lambda: seconds_of(lambda: numpy_read(text)),
                     lambda: seconds_of(lambda: bvhmill.read(text)))
    metrics["py.vs_numpy"] = median_ratio(turns)
    turns = in_turns(lambda: seconds_of(lambda: numpy_read(text)),
                     lambda: seconds_of(lambda: bvhmill.read(text, **fast)))
    metrics["py.vs_numpy.ignore_data"] = median_ratio(turns)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run({"import": lambda _: bench_import(),
             "small": lambda _: bench_small(folder),
             "read": lambda _: bench_read(folder),
             "batch": lambda _: bench_batch(folder),
             "numpy": lambda _: bench_numpy(),
             "gil": lambda _: bench_gil(folder),
             "stream": lambda args: bench_stream(
                 folder, args.stream_megabytes)},
            __doc__, stream_megabytes=1000)


if __name__ == "__main__":
    main()
