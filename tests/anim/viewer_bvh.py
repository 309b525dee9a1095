"""Reads a BVH file as the viewer does, for viewer_oracle.py."""

import math
import re

from viewer_arithmetic import LIBC, rotation_of
from viewer_names import ALIASES

BLANKS = r"[ \t\v\f]+"
DECIMAL = (
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|(?i:nan|inf(?:inity)?))"
)
COUNT = r"[ \t\v\f]*([+-]?[0-9]+)"


class Refused(Exception):
    """Its only argument is the status."""


class Joint:
    def __init__(self, name, count, order, parent):
        self.name = name
        self.count = count
        self.order = order
        self.parent = parent
        self.depth = 0
        self.rotations = []
        self.positions = []


class Lines:
    def __init__(self, text):
        self.lines = [
            line for line in re.split(r"[\r\n]+", text.split("\0")[0]) if line
        ]

    def next(self):
        if not self.lines:
            raise Refused("E_ST_EOF")
        return self.lines.pop(0)

    def next_with(self, word, status):
        line = self.next()
        if word not in line:
            raise Refused(status)
        return line


def read_order(line):
    order, at = "", 0
    for _ in range(3):
        at = line.find("rotation", at)
        if at < 0:
            raise Refused("E_ST_NO_ROTATION")
        letter = line[at - 1] if at > 0 else ""
        if letter not in ("X", "Y", "Z"):
            raise Refused("E_ST_NO_AXIS")
        order += letter
        at += len("rotation")
    return order


def read_joint(line, lines, is_first, parent):
    words = [word for word in re.split(BLANKS, line) if word]
    if len(words) < 2:
        raise Refused("E_ST_NO_NAME")
    name = words[1][:79]
    if is_first and ALIASES.get(name) != "mPelvis":
        raise Refused("E_ST_BAD_ROOT")
    lines.next_with("{", "E_ST_NO_OFFSET")
    lines.next_with("OFFSET", "E_ST_NO_OFFSET")
    line = lines.next_with("CHANNELS", "E_ST_NO_CHANNELS")
    stated = re.match(r"[ \t\v\f]*CHANNELS" + COUNT, line)
    count = 6 if is_first else 3
    if stated:
        count = int(stated.group(1))
    return Joint(name, count, read_order(line), parent)


def read_hierarchy(lines):
    lines.next_with("HIERARCHY", "E_ST_NO_HIER")
    joints, opened = [], []
    while True:
        line = lines.next()
        if "}" in line:
            opened = opened[:-1]
        elif "MOTION" in line:
            return joints
        elif "ROOT" in line or "JOINT" in line:
            parent = opened[-1] if opened else None
            joints.append(read_joint(line, lines, not joints, parent))
            opened = opened + [joints[-1]]
        elif "End Site" in line:
            for _ in range(3):
                lines.next()
        else:
            raise Refused("E_ST_NO_JOINT")


def parsed(word):
    value = LIBC.strtof(word.encode("latin-1"), None)
    if math.isinf(value) and "inf" not in word.lower():
        raise Refused("E_ST_NO_POS")
    return value


def read_row(line, joints):
    words = [word for word in re.split(r"[ \t]+", line) if word]
    for word in words:
        if not re.fullmatch(DECIMAL, word):
            raise Refused("E_ST_NO_POS")
    values = [parsed(word) for word in words]
    for joint in joints:
        taken = 6 if joint.count == 6 else 3
        if joint.count < 0 or len(values) < max(joint.count, taken):
            raise Refused("E_ST_NO_POS")
        position = values[:3] if taken == 6 else [0.0] * 3
        joint.positions.append(tuple(position))
        joint.rotations.append(
            rotation_of(joint.order, values[taken - 3:taken]))
        values = values[taken:]


def read_bvh(text):
    """The joints with their values, the count of frames, the frame time."""
    lines = Lines(text)
    joints = read_hierarchy(lines)
    frames = re.match("Frames:" + COUNT, lines.next())
    if not frames:
        raise Refused("E_ST_NO_FRAMES")
    time = re.match(rf"Frame Time:[ \t\v\f]*({DECIMAL})", lines.next())
    if not time:
        raise Refused("E_ST_NO_FRAME_TIME")
    count = int(frames.group(1))
    for _ in range(count):
        read_row(lines.next(), joints)
    for joint in reversed(joints):
        if joint.parent:
            joint.parent.depth = max(joint.parent.depth, joint.depth + 1)
    return joints, count, LIBC.strtof(time.group(1).encode(), None)
