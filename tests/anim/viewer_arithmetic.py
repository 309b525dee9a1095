"""Arithmetic of viewer_oracle.py: single precision, quaternions, codes of keys.

Every operation is rounded to single precision. Sines and parsed numbers are
those of the C library.
"""

import ctypes
import math
import struct

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
