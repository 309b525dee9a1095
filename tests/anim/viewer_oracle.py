#!/usr/bin/env python3
"""What Second Life's viewer makes of a BVH file, step by step.

A slow twin of the profile `viewer`, by the rules of docs/formats/anim.md,
sections 2, 3 and 6. It shares no code and no table with the library. It reads
the BVH files of a folder. EXPECTED.tsv gets the status of each, FILE.anim the
bytes of each that is not refused, and ALIASES.tsv the names of joints.

    viewer_oracle.py FOLDER           writes these files
    viewer_oracle.py --check FOLDER   fails if one of them differs

Every operation is rounded to single precision. Sines and parsed numbers are
those of the C library. viewer_arithmetic.py, viewer_names.py and viewer_bvh.py
are parts of this script.
"""

import pathlib
import struct
import sys

from viewer_arithmetic import (
    AXES,
    IDENTITY,
    INCH,
    add,
    div,
    encode,
    encode_twice,
    inverse,
    length_of,
    mul,
    normalized,
    packed,
    single,
    times,
    turned,
)
from viewer_bvh import Refused, read_bvh
from viewer_names import ALIASES


# ---- Keys -------------------------------------------------------------------


def distance(a, b):
    return length_of([single(x - y) for x, y in zip(a, b)])


def rotation_distance(a, b):
    ways = [
        distance(turned(axis, a), turned(axis, b))
        for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    ]
    return add(*ways)


def square_distance(a, b):
    return add(*(mul(d, d) for d in (single(x - y) for x, y in zip(a, b))))


def chosen_rotations(joint, first):
    """The frames that become rotation keys, and whether the joint turns."""
    rotations = joint.rotations
    last = len(rotations) - 1
    threshold = div(
        single(0.01), max(mul(float(joint.depth), single(0.33)), 1.0))
    keys = set(range(first, last + 1))
    good, considered, worst, beside_worst = first, 2, 0.0, None
    moves = last == 0
    for k in range(first, last + 1):
        tested = max(k - 1, first)
        if rotation_distance(rotations[0], rotations[tested]) > single(0.001):
            moves = True
        if tested == good:
            continue
        part = div(1.0, float(considered))
        rest = single(1 - part)
        blend = normalized(tuple(
            add(mul(part, a), mul(rest, b))
            for a, b in zip(rotations[good], rotations[k])))
        off = rotation_distance(blend, rotations[tested])
        if off >= threshold or (k == last and considered > 2):
            if worst > 0:
                keys.add(beside_worst)
            good, considered, worst = tested, 2, 0.0
            continue
        keys.discard(tested)
        considered += 1
        if off > worst:
            worst, beside_worst = off, k
    return keys, moves


def chosen_positions(joint, first):
    positions = joint.positions
    last = len(positions) - 1
    keep = mul(single(0.03), single(0.03))
    move = mul(single(0.001), single(0.001))
    keys = set(range(first, last + 1))
    good, considered, moves = first, 2, False
    for k in range(first, last + 1):
        tested = max(k - 1, first)
        seen = tested if tested == good else k
        if square_distance(positions[seen], positions[0]) > move:
            moves = True
        if tested == good:
            continue
        part = div(1.0, float(considered))
        line = [add(b, mul(single(a - b), part))
                for a, b in zip(positions[good], positions[k])]
        if square_distance(line, positions[tested]) < keep:
            keys.discard(tested)
            considered += 1
        else:
            good, considered = tested, 2
    return keys, moves


# ---- The file ---------------------------------------------------------------


def rotation_key(joint, frame, axes, start):
    q = times(inverse(axes), joint.rotations[frame])
    q = times(times(q, inverse(start)), axes)
    return [encode_twice(x, 1.0) for x in packed(q)]


def position_key(joint, frame, axes, start, origin):
    p = [single(a - b) for a, b in zip(joint.positions[frame], origin)]
    p = turned(turned(p, inverse(start)), axes)
    return [encode_twice(mul(x, INCH), 5.0) for x in p]


def joint_bytes(joint, frame_time, duration):
    first = 0 if len(joint.rotations) == 1 else 1
    rotations, turns = chosen_rotations(joint, first)
    positions, travels = chosen_positions(joint, first)
    if not turns and not travels:
        return b""
    bone = ALIASES.get(joint.name)
    axes = AXES if bone else IDENTITY
    start, origin = IDENTITY, (0.0, 0.0, 0.0)
    if bone == "mPelvis":
        start, origin = joint.rotations[0], joint.positions[0]
    if bone and joint.count == 3:
        positions = set()

    def keys(frames, values):
        out = struct.pack("<i", len(frames))
        for frame in sorted(frames):
            time = mul(float(max(frame - 1, 0)), frame_time)
            code = encode(time, 0.0, duration)
            out += struct.pack("<4H", code, *values(frame))
        return out

    name = (bone or joint.name).encode("latin-1") + b"\0"
    return (
        name + struct.pack("<i", 2 if bone else 0)
        + keys(rotations, lambda i: rotation_key(joint, i, axes, start))
        + keys(positions,
               lambda i: position_key(joint, i, axes, start, origin)))


def anim_bytes(joints, frames, frame_time):
    duration = mul(float(max(frames - 2, 1)), frame_time)
    ease = single(0.3)
    if add(ease, ease) > duration and duration != 0:
        ease = mul(ease, div(duration, add(ease, ease)))
    blocks = []
    if frames > 0:
        blocks = [joint_bytes(joint, frame_time, duration) for joint in joints]
    blocks = [block for block in blocks if block]
    header = struct.pack("<2Hif", 1, 0, 2, duration) + b"\0"
    header += struct.pack("<2fi2f", 0.0, duration, 0, ease, ease)
    header += struct.pack("<2I", 1, len(blocks))
    return header + b"".join(blocks) + struct.pack("<i", 0)


# ---- The folder -------------------------------------------------------------


def results(folder):
    """What each file must hold, by name."""
    made, rows = {}, ["file\tstatus\tbytes"]
    for path in sorted(folder.glob("*.bvh")):
        status, size = "E_ST_OK", ""
        try:
            take = read_bvh(path.read_bytes().decode("latin-1"))
            made[path.stem + ".anim"] = anim_bytes(*take)
            size = str(len(made[path.stem + ".anim"]))
        except Refused as refused:
            status = str(refused)
        rows.append(f"{path.stem}\t{status}\t{size}")
    made["EXPECTED.tsv"] = ("\n".join(rows) + "\n").encode()
    names = ["alias\tjoint"]
    names += [f"{alias}\t{joint}" for alias, joint in sorted(ALIASES.items())]
    made["ALIASES.tsv"] = ("\n".join(names) + "\n").encode()
    return made


def check(folder, made):
    there = {path.name for path in folder.iterdir() if path.suffix != ".bvh"}
    wrong = sorted(there ^ set(made))
    for name in sorted(there & set(made)):
        if (folder / name).read_bytes() != made[name]:
            wrong.append(name)
    for name in wrong:
        print(f"{folder / name} is not what this script makes")
    if len(made) < 3:
        print(f"{folder} has no BVH files")
    return 1 if wrong or len(made) < 3 else 0


def main(arguments):
    folder = pathlib.Path(arguments[-1])
    made = results(folder)
    if arguments[0] == "--check":
        return check(folder, made)
    for name, data in made.items():
        (folder / name).write_bytes(data)
    return 0


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
