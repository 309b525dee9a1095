#!/usr/bin/env python3
"""What Second Life's viewer makes of a BVH file, step by step.

A slow twin of the profile `viewer`, by the rules of docs/formats/anim.md,
sections 2, 3 and 6. It shares no code and no table with the library. It reads
the BVH files of a folder. EXPECTED.tsv gets the status of each, FILE.anim the
bytes of each that is not refused, and ALIASES.tsv the names of joints.

    viewer_oracle.py FOLDER           writes these files
    viewer_oracle.py --check FOLDER   fails if one of them differs

Every operation is rounded to single precision. Sines and parsed numbers are
those of the C library.
"""

import ctypes
import math
import pathlib
import re
import struct
import sys

LIBM = ctypes.CDLL("libm.so.6")
LIBC = ctypes.CDLL(None)
for function in (LIBM.sinf, LIBM.cosf):
    function.argtypes = [ctypes.c_float]
    function.restype = ctypes.c_float
LIBC.strtof.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
LIBC.strtof.restype = ctypes.c_float


# ---- Single precision -------------------------------------------------------


def single(x):
    """x, rounded to single precision."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def add(*terms):
    """The sum from left to right."""
    total = terms[0]
    for term in terms[1:]:
        total = single(total + term)
    return total


def mul(a, b):
    return single(a * b)


def div(a, b):
    if b != 0:
        return single(a / b)
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a)


def square_root(x):
    return single(math.sqrt(x)) if x >= 0 else math.nan


DEGREE = single(math.pi / 180)
INCH = single(0.02540005)


# ---- Quaternions x, y, z, w; vectors are rows, so `a` of a * b acts first ----


def times(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        add(mul(bw, ax), mul(bx, aw), mul(by, az), -mul(bz, ay)),
        add(mul(bw, ay), mul(by, aw), mul(bz, ax), -mul(bx, az)),
        add(mul(bw, az), mul(bz, aw), mul(bx, ay), -mul(by, ax)),
        add(mul(bw, aw), -mul(bx, ax), -mul(by, ay), -mul(bz, az)),
    )


def inverse(q):
    return (-q[0], -q[1], -q[2], q[3])


def turned(v, q):
    """v * q."""
    qx, qy, qz, qw = q
    w = add(-mul(qx, v[0]), -mul(qy, v[1]), -mul(qz, v[2]))
    x = add(mul(qw, v[0]), mul(qy, v[2]), -mul(qz, v[1]))
    y = add(mul(qw, v[1]), mul(qz, v[0]), -mul(qx, v[2]))
    z = add(mul(qw, v[2]), mul(qx, v[1]), -mul(qy, v[0]))
    return (
        add(-mul(w, qx), mul(x, qw), -mul(y, qz), mul(z, qy)),
        add(-mul(w, qy), mul(y, qw), -mul(z, qx), mul(x, qz)),
        add(-mul(w, qz), mul(z, qw), -mul(x, qy), mul(y, qx)),
    )


def length_of(v):
    return square_root(add(*(mul(x, x) for x in v)))


def normalized(q):
    length = length_of(q)
    if not length > single(1e-7):
        return (0.0, 0.0, 0.0, 1.0)
    if not abs(single(1 - length)) > single(1e-6):
        return q
    factor = div(1.0, length)
    return tuple(mul(x, factor) for x in q)


IDENTITY = (0.0, 0.0, 0.0, 1.0)
# BVH's x, y, z become y, z, x of the avatar.
AXES = (0.5, 0.5, 0.5, 0.5)


def rotation_of(order, angles):
    """Channels in the order of the file: the first is the outermost."""
    if len(set(order)) < 3:
        # A repeated letter keeps its last angle; the order is ZYX.
        named = dict(zip(order, angles))
        order, angles = "ZYX", [named.get(letter, 0.0) for letter in "ZYX"]
    product = None
    for letter, degrees in reversed(list(zip(order, angles))):
        half = mul(mul(degrees, DEGREE), 0.5)
        q = [0.0, 0.0, 0.0, LIBM.cosf(half)]
        q["XYZ".index(letter)] = LIBM.sinf(half)
        product = tuple(q) if product is None else times(product, tuple(q))
    return product


# ---- Codes ------------------------------------------------------------------


def encode(v, low, high):
    if v < low:
        v = low
    elif v > high:
        v = high
    scaled = mul(div(single(v - low), single(high - low)), 65535.0)
    return int(scaled) if scaled >= 0 else 0


def decode(code, low, high):
    step = single(1 / 65535)
    width = single(high - low)
    v = add(mul(mul(float(code), step), width), low)
    return 0.0 if abs(v) < mul(width, step) else v


def encode_twice(v, most):
    return encode(decode(encode(v, -most, most), -most, most), -most, most)


def packed(q):
    length = length_of(q)
    v = q[:3]
    if length > single(1e-7):
        v = [div(x, length) for x in v]
    return [-x for x in v] if q[3] < 0 else list(v)


# ---- Names ------------------------------------------------------------------

SIDES = ("Left", "Right")


def both_sides(*names):
    return [name + side for name in names for side in SIDES]


def numbered(name, count):
    return [f"{name}{i}" for i in range(1, count + 1)]


FACE = (
    "EyeAlt EyebrowOuter EyebrowCenter EyebrowInner EyeLidUpper EyeLidLower "
    "EyecornerInner Ear1 Ear2 Nose CheekLower CheekUpper LipUpper LipLower "
    "LipCorner Forehead"
).split()
FACE_MIDDLE = (
    "Root ForeheadCenter NoseBase NoseBridge NoseCenter Jaw JawShaper Chin "
    "TeethUpper TeethLower LipUpperCenter LipLowerCenter TongueBase TongueTip"
).split()
FINGERS = "Index Middle Ring Pinky Thumb".split()

BONES = (
    "mPelvis mTorso mChest mNeck mHead mSkull mGroin mWingsRoot mHindLimbsRoot"
).split()
BONES += numbered("mSpine", 4) + numbered("mTail", 6)
BONES += both_sides(
    "mEye", "mCollar", "mShoulder", "mElbow", "mWrist", "mHip", "mKnee",
    "mAnkle", "mFoot", "mToe", "mWing4Fan",
    *numbered("mWing", 4), *numbered("mHindLimb", 4),
    *(f"mHand{finger}{i}" for finger in FINGERS for i in (1, 2, 3)),
    *("mFace" + part for part in FACE),
)
BONES += ["mFace" + part for part in FACE_MIDDLE]
assert len(BONES) == len(set(BONES)) == 133

SHORT = {
    "hip": "mPelvis", "abdomen": "mTorso", "chest": "mChest", "neck": "mNeck",
    "head": "mHead", "figureHair": "mSkull",
}
for short, bone in (
    ("Collar", "mCollar"), ("Shldr", "mShoulder"), ("ForeArm", "mElbow"),
    ("Hand", "mWrist"), ("Thigh", "mHip"), ("Shin", "mKnee"),
    ("Foot", "mAnkle"),
):
    for side in SIDES:
        SHORT[side[0].lower() + short] = bone + side

# Attachment points with blanks in their names.
ATTACHMENTS = (
    [f"{side} {part}" for side in SIDES for part in (
        "Ear", "Eyeball", "Foot", "Hand", "Hind Foot", "Hip", "Pec",
        "Ring Finger", "Shoulder", "Wing")]
    + [f"{side} {part}" for side in "LR" for part in (
        "Forearm", "Lower Leg", "Upper Arm", "Upper Leg")]
    + [f"Alt {side} {part}" for side in SIDES for part in ("Ear", "Eye")]
    + ["Avatar Center", "Tail Base", "Tail Tip"]
    + ["Bottom Left", "Bottom Right", "Top Left", "Top Right", "Center 2"]
)

ALIASES = {name: name for name in BONES}
ALIASES.update(("avatar_" + name, name) for name in BONES)
ALIASES.update(SHORT)
ALIASES.update((name.replace(" ", "_"), name) for name in ATTACHMENTS)
assert len(ALIASES) == 326


# ---- Text -------------------------------------------------------------------


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
