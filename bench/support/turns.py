"""Shared parts of benchmarks in Python: measures in turns, metrics, a take."""

import argparse
import json
import pathlib
import statistics
import sys
import time

import numpy as np

TURNS = 7
metrics = {}


def walk_text(megabytes, joints=26):
    """A chain of joints of about this many megabytes, decimals as exported."""
    lines = ["HIERARCHY"]
    for i in range(joints):
        turn = "Zrotation Xrotation Yrotation"
        lines += [f"{'JOINT' if i else 'ROOT'} joint{i}", "{",
                  f"OFFSET 0 {5.5 if i else 0} 0",
                  f"CHANNELS 3 {turn}" if i else
                  f"CHANNELS 6 Xposition Yposition Zposition {turn}"]
    lines += ["End Site", "{", "OFFSET 0 1 0", "}"] + ["}"] * joints
    columns = 3 * joints + 3
    frames = max(1, int(megabytes * 1e6 / (columns * 9.6)))
    lines += ["MOTION", f"Frames: {frames}", "Frame Time: 0.0083333"]
    rows = []
    times = np.arange(min(frames, 2000))[:, None] * 0.02
    for row in 60 * np.sin(times * (1 + np.arange(columns) * 0.03)):
        rows.append(" ".join(f"{value:.6f}" for value in row))
    while len(rows) < frames:
        rows += rows[:frames - len(rows)]
    return ("\n".join(lines + rows) + "\n").encode()


def seconds_of(call, count=1):
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begin) / count


def in_turns(*calls, turns=TURNS):
    """The seconds of each call, by turn."""
    for call in calls:
        call()
    return [[call() for call in calls] for _ in range(turns)]


def spread(values):
    """The median and the quartiles."""
    low, median, high = statistics.quantiles(values, n=4)
    return [median, low, high]


def median_ratio(turns):
    """The median and the quartiles of first / second."""
    return spread([first / second for first, second in turns])


def run(benches, doc, **defaults):
    """Runs the benches, by name, as the command line says; writes the metrics."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE")
    parser.add_argument("--only", metavar="WORD", default="")
    for name, value in defaults.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int,
                            default=value)
    args = parser.parse_args()
    for word, bench in benches.items():
        if args.only in word:
            bench(args)
    for name, value in sorted(metrics.items()):
        numbers = value if isinstance(value, list) else [value]
        print(f"{name:40} " + "".join(f"{number:10.4g}" for number in numbers),
              file=sys.stderr)
    lines = [f"    {json.dumps(name)}: {json.dumps(value)}"
             for name, value in sorted(metrics.items())]
    text = '{"metrics": {\n' + ",\n".join(lines) + "\n}}\n"
    if args.json == "-":
        sys.stdout.write(text)
    elif args.json:
        pathlib.Path(args.json).write_text(text)
