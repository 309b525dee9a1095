"""The rows of a take, made of rotations and positions: the inverse of solving.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from bvhmill._take import Take

    FloatArray = npt.NDArray[np.float32]
    DoubleArray = npt.NDArray[np.float64]

RotationKind = Literal[
    "quaternion", "quaternion_wxyz", "matrix", "6d", "rotation_vector", "euler",
    "euler_xyz", "euler_xzy", "euler_yxz", "euler_yzx", "euler_zxy",
    "euler_zyx"]
_SHAPES: dict[str, tuple[int, ...]] = {
    "quaternion": (4,), "quaternion_wxyz": (4,), "matrix": (3, 3), "6d": (6,),
    "rotation_vector": (3,), "euler": (3,),
    **{f"euler_{order}": (3,)
       for order in ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")}}
# The largest error of an element of a matrix.
_MATRIX_ERROR = 1e-4
# The largest error of a world position, as a part of the largest coordinate.
_POSITION_ERROR = 1e-3


def quaternions_of_vectors(vectors: npt.ArrayLike) -> DoubleArray:
    """x y z w of rotation vectors, in radians; w >= 0 below a half turn.

    >>> quaternions_of_vectors([[0, 0, np.pi]]).round(3).tolist()
    [[0.0, 0.0, 1.0, 0.0]]
    """
    vectors = np.asarray(vectors, np.float64)
    half = np.linalg.norm(vectors, axis=-1, keepdims=True) / 2
    # sin(half) / (2 * half), which is 1/2 at 0.
    return np.concatenate(
        [vectors * np.sinc(half / np.pi) / 2, np.cos(half)], -1)


def matrices_of(array: npt.ArrayLike, kind: str) -> DoubleArray:
    """Matrices (..., 3, 3) of rotations of a kind other than "euler".

    Quaternions and 6d need not be normalized. ValueError for what is no
    rotation.

    >>> matrices_of([0, 0, 0, 2], "quaternion").tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    data = np.asarray(array, np.float64)
    if not np.isfinite(data).all():
        raise ValueError("rotations must be finite")
    with np.errstate(invalid="ignore", divide="ignore"):
        if kind == "6d":
            matrices = _of_columns(data[..., :3], data[..., 3:])
        elif kind == "matrix":
            matrices = _of_columns(data[..., 0], data[..., 1])
        else:
            if kind == "rotation_vector":
                data = quaternions_of_vectors(data)
            elif kind.startswith("euler_"):
                data = _of_angles(data, kind[-3:])
            elif kind == "quaternion_wxyz":
                data = data[..., [1, 2, 3, 0]]
            matrices = _of_quaternions(data)
    if not np.isfinite(matrices).all():
        raise ValueError("rotations must not be zero")
    if kind == "matrix" and np.abs(matrices - data).max(
            initial=0) > _MATRIX_ERROR:
        raise ValueError("a matrix is no rotation")
    return matrices


def _of_angles(degrees: DoubleArray, order: str) -> DoubleArray:
    """Quaternions of rotations about these axes, the first one outermost."""
    product: DoubleArray = np.array([0.0, 0, 0, 1])
    halves = np.moveaxis(np.radians(degrees) / 2, -1, 0)
    for letter, angle in zip(order, halves):
        v = np.eye(3)["xyz".index(letter)] * np.sin(angle)[..., None]
        w = np.cos(angle)[..., None]
        p, s = product[..., :3], product[..., 3:]
        product = np.concatenate(
            [s * v + w * p + np.cross(p, v),
             s * w - (p * v).sum(-1, keepdims=True)], -1)
    return product


def _of_columns(x: DoubleArray, y: DoubleArray) -> DoubleArray:
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    y = y - x * (x * y).sum(-1, keepdims=True)
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return np.stack([x, y, np.cross(x, y)], -1)


def _of_quaternions(q: DoubleArray) -> DoubleArray:
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    v, w = q[..., :3], q[..., 3, None, None]
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero],
                     -1).reshape(*x.shape, 3, 3)
    matrices: DoubleArray = np.eye(3) + 2 * w * cross + 2 * cross @ cross
    return matrices


def angles_of(matrices: DoubleArray, order: str) -> DoubleArray:
    """Degrees (..., 3) whose rotations about the axes `order`, three different
    ones, give the matrices, the first one outermost.

    Near gimbal lock the first angle is 0.

    >>> turn = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    >>> np.abs(angles_of(turn, "zxy")).round(3).tolist()
    [0.0, 0.0, 90.0]
    """
    i, j, k = ("xyz".index(letter) for letter in order)
    sign = 1 if (j - i) % 3 == 1 else -1
    r = matrices
    a = np.arctan2(-sign * r[..., j, k], r[..., k, k])
    locked = np.hypot(r[..., j, k], r[..., k, k]) < 1e-6
    a = np.where(locked, 0, a)
    sin, cos = sign * np.sin(a)[..., None], np.cos(a)[..., None]
    # Without the first rotation, the others are found exactly.
    row_j = cos * r[..., j, :] + sin * r[..., k, :]
    row_k = cos * r[..., k, :] - sin * r[..., j, :]
    b = np.arctan2(sign * r[..., i, k], row_k[..., k])
    c = np.arctan2(sign * row_j[..., i], row_j[..., j])
    degrees: DoubleArray = np.degrees(np.stack([a, b, c], -1))
    return degrees


def rows_with_rotations(take: Take, rotations: npt.ArrayLike,
                        kind: str) -> FloatArray:
    """The rows (F, C) of a take with these local rotations. With another
    number of frames, all other values are NaN."""
    if kind not in _SHAPES:
        raise ValueError(f"kind={kind!r}: must be one of " + ", ".join(_SHAPES))
    turns = np.asarray(rotations, np.float64)
    wanted = (take.joints, *_SHAPES[kind])
    if turns.shape[1:] != wanted:
        raise ValueError(f"rotations have the shape {turns.shape}, not "
                         f"(frames, {', '.join(map(str, wanted))})")
    if kind != "euler":
        turns = matrices_of(turns, kind)
    rows = take.values.copy()
    if len(turns) != take.frames:
        rows = np.full((len(turns), rows.shape[1]), np.nan, np.float32)
    for joint, (letters, columns) in enumerate(take._rotation_columns()):
        try:
            if kind == "euler":
                _set_angles(rows, columns, turns[:, joint])
            elif len(letters) == len(set(letters)):
                _set_turns(rows, letters, columns, turns[:, joint])
            else:
                _need_same(take.matrices()[:, joint], turns[:, joint])
        except ValueError as error:
            raise ValueError(f"{take.names[joint]!r}: {error}") from None
    return rows


def _set_turns(rows: FloatArray, letters: str, columns: list[int],
               turns: DoubleArray) -> None:
    rest = "".join(sorted(set("xyz") - set(letters)))
    angles = angles_of(turns, letters + rest)
    if np.abs(np.radians(angles[:, len(letters):])).max(
            initial=0) > _MATRIX_ERROR:
        raise ValueError("its channels cannot state this rotation")
    rows[:, columns] = angles[:, :len(letters)]


def _set_angles(rows: FloatArray, columns: list[int],
                angles: DoubleArray) -> None:
    if len(columns) != 3:
        if not np.isnan(angles).all():
            raise ValueError("it has no three rotation channels: its angles "
                             "must be NaN, as in Take.euler")
        return
    if not np.isfinite(angles).all():
        raise ValueError("its angles must be finite")
    rows[:, columns] = angles


def _need_same(old: FloatArray, new: DoubleArray) -> None:
    if old.shape != new.shape or np.abs(old - new).max(
            initial=0) > _MATRIX_ERROR:
        raise ValueError("its channels are not those of three axes, and its "
                         "rotation cannot change")


def rows_with_positions(take: Take, rows: FloatArray,
                        positions: npt.ArrayLike) -> FloatArray:
    """`rows` with position channels that give these world positions: (F, 3)
    of the root, or (F, J, 3). `take` has the rotations of `rows`."""
    places = np.asarray(positions, np.float64)
    if places.shape not in ((take.frames, 3), (take.frames, take.joints, 3)):
        raise ValueError(
            f"positions have the shape {places.shape}, not "
            f"{(take.frames, 3)} or {(take.frames, take.joints, 3)}")
    if not np.isfinite(places).all():
        raise ValueError("positions must be finite")
    joints = range(take.joints)
    if places.ndim == 2:
        if (take.parents < 0).sum() != 1:
            raise ValueError("a take with several roots needs the positions "
                             "of all joints")
        joints, places = range(1), places[:, None]
    world = take.matrices(world=True)
    words = take._conventions
    rows = rows.copy()
    for joint in joints:
        parent = take.parents[joint]
        local = places[:, joint]
        if parent >= 0:
            local = np.einsum("fji,fj->fi", world[:, parent],
                              local - places[:, parent])
        if "add" == words.get("joint_positions" if parent >= 0
                              else "root_offset"):
            local = local - take.offsets[joint]
        for letter, column in _position_columns(take)[joint]:
            rows[:, column] = local[:, "XYZ".index(letter)]
    return rows


def need_positions(take: Take, positions: npt.ArrayLike) -> None:
    """ValueError if a take does not have these world positions."""
    wanted = np.asarray(positions)
    ours = take.positions[:, 0] if wanted.ndim == 2 else take.positions
    far = np.abs(ours - wanted)
    if far.max(initial=0) > _POSITION_ERROR * np.abs(wanted).max(initial=0):
        joint = int(far.max(axis=(0, -1)).argmax()) if far.ndim == 3 else 0
        raise ValueError(f"{take.names[joint]!r} cannot be at these positions:"
                         " its OFFSET, its channels and the rotations are "
                         f"{far.max():g} from them")


def _position_columns(take: Take) -> list[list[tuple[str, int]]]:
    """Position letters and their columns in `values`, a row each."""
    rows = []
    first = 0
    for node in take.info.nodes:
        if take.has_end_sites or not node.is_end_site:
            rows.append([(letter, first + i)
                         for i, letter in enumerate(node.channels)
                         if letter in "XYZ"])
        first += len(node.channels)
    return rows
