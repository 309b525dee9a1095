"""Takes that are made of rotations and positions."""

import numpy as np
import pytest

import bvhmill
from conftest import project_clips, walk_text

KINDS = ["quaternion", "quaternion_wxyz", "matrix", "6d", "rotation_vector",
         "euler", "euler_xyz", "euler_yzx", "euler_zxy"]


def turned(frames, joints, seed=0):
    """Rotations of SciPy, all of them far from each other."""
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    return rotation.random(frames * joints, random_state=seed)


def arrays_of(rotation, kind, shape, orders):
    """The array of a kind, by SciPy."""
    matrices = rotation.as_matrix()
    if kind == "euler":
        parts = [type(rotation).from_matrix(part).as_euler(order, degrees=True)
                 for part, order in zip(np.swapaxes(
                     matrices.reshape(*shape, 3, 3), 0, 1), orders)]
        return np.stack(parts, 1)
    flat = {"quaternion": rotation.as_quat,
            "quaternion_wxyz": lambda: np.roll(rotation.as_quat(), 1, -1),
            "matrix": lambda: matrices,
            "6d": lambda: np.concatenate([matrices[..., 0], matrices[..., 1]],
                                         -1),
            "rotation_vector": rotation.as_rotvec}.get(kind)
    if flat is None:
        return rotation.as_euler(kind[-3:].upper(), degrees=True).reshape(
            *shape, 3)
    data = flat()
    return data.reshape(*shape, *data.shape[1:])


@pytest.mark.parametrize("end_sites", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_rotations_of_each_kind_become_those_of_the_take(kind, end_sites):
    text = walk_text(40, 4).replace(
        b"CHANNELS 3 Zrotation Xrotation Yrotation",
        b"CHANNELS 3 Yrotation Zrotation Xrotation", 1)
    take = bvhmill.read(text, end_sites=end_sites)
    rotation = turned(40, take.joints)
    array = arrays_of(rotation, kind, (40, take.joints),
                      [order or "XYZ" for order in take.euler_orders])
    expected = rotation.as_matrix().reshape(40, -1, 3, 3)
    if end_sites:
        array[:, -1] = take.euler[:, -1] if kind == "euler" else arrays_of(
            type(rotation).identity(40), kind, (40, 1), [])[:, 0]
        expected[:, -1] = np.eye(3)
    other = take.with_rotations(array, kind=kind)
    np.testing.assert_allclose(other.matrices(), expected, atol=1e-5)
    np.testing.assert_array_equal(other.values[:, :3], take.values[:, :3])
    assert other.names == take.names and other.channels == take.channels
    assert other.report == take.report


def test_the_rotations_of_every_take_of_the_project_come_back():
    takes = [o.take for o in bvhmill.read_many(project_clips()) if o.ok]
    count = 0
    for take in takes:
        if not np.isfinite(take.values).all():
            continue
        other = take.with_rotations(take.rotations)
        np.testing.assert_allclose(other.matrices(), take.matrices(),
                                   atol=1e-5)
        if abs(take.positions).max(initial=0) < 1e4:
            np.testing.assert_allclose(
                other.positions, take.positions, rtol=1e-4,
                atol=1e-4 * abs(take.positions).max(initial=0))
        count += 1
    assert count > 300


@pytest.mark.parametrize("angle", [90, -90, 89.9999, 270])
def test_gimbal_lock_keeps_the_rotation(walk, angle):
    take = bvhmill.read(walk)
    values = take.values.copy()
    # The channel in the middle of each joint.
    values[:, 4::3] = angle
    take = take.with_values(values)
    other = take.with_rotations(take.rotations)
    np.testing.assert_allclose(other.matrices(), take.matrices(), atol=2e-5)


def test_motion_of_any_length_from_positions_and_rotations(walk):
    take = bvhmill.read(walk)
    root = np.arange(21, dtype=float).reshape(7, 3)
    quaternions = turned(7, take.joints).as_quat().reshape(7, -1, 4)
    other = take.with_positions(root, quaternions)
    assert other.frames == 7 and other.frame_time == take.frame_time
    np.testing.assert_allclose(other.positions[:, 0], root, atol=1e-5)
    signs = np.where(quaternions[..., 3:] < 0, -1, 1)
    np.testing.assert_allclose(other.rotations, quaternions * signs, atol=1e-5)
    # A chain of bones of length 1 along Y.
    steps = np.linalg.norm(np.diff(other.positions, axis=1), axis=-1)
    np.testing.assert_allclose(steps, 1, atol=1e-5)
    np.testing.assert_array_equal(
        take.with_positions(take.positions[:, 0]).values, take.values)
    same = take.with_positions(take.positions, take.rotations)
    np.testing.assert_allclose(same.positions, take.positions, atol=1e-4)
    with pytest.raises(ValueError, match="'j2' cannot be at"):
        moved = take.positions.copy()
        moved[5, 2] += 1
        take.with_positions(moved)
    with pytest.raises(ValueError, match="7 frames, not 200"):
        take.with_rotations(quaternions)


@pytest.mark.parametrize("words", [
    {}, {"joint_positions": "add", "root_offset": "add"}])
def test_positions_of_joints_with_position_channels(walk, words):
    text = walk.replace(b"OFFSET 0 0 0", b"OFFSET 3 0 1").replace(
        b"CHANNELS 3 Z", b"CHANNELS 6 Xposition Yposition Zposition Z", 1)
    head, rows = text.split(b"0.01\n", 1)
    rows = [line.split() for line in rows.splitlines()]
    text = head + b"0.01\n" + b"\n".join(
        b" ".join(row[:6] + [b"1", b"2", b"3"] + row[6:]) for row in rows)
    take = bvhmill.read(text, **words)
    # Joint 1, with what hangs on it, is moved by one vector of the world.
    places = take.positions.astype(float)
    places[:, 1:] += [0, 5, 2]
    other = take.with_positions(places)
    np.testing.assert_allclose(other.positions, places, atol=1e-4)
    np.testing.assert_array_equal(other.rotations, take.rotations)
    back = other.with_positions(take.positions)
    np.testing.assert_allclose(back.values, take.values, atol=1e-4)


@pytest.mark.parametrize("change, words", [
    (lambda q: q[:, :3], "shape"), (lambda q: q * 0, "zero"),
    (lambda q: q * np.nan, "finite"), (lambda q: q[..., :3], "shape")])
def test_what_is_no_rotation_is_refused(walk, change, words):
    take = bvhmill.read(walk)
    with pytest.raises(ValueError, match=words):
        take.with_rotations(change(take.rotations))
    with pytest.raises(ValueError, match="no rotation"):
        take.with_rotations(take.matrices() * [1, 1, -1], kind="matrix")
    with pytest.raises(ValueError, match="kind='quat'"):
        take.with_rotations(take.rotations, kind="quat")


def test_a_rotation_that_channels_cannot_state_is_refused(walk):
    text = walk.replace(b"CHANNELS 3 Zrotation Xrotation Yrotation",
                        b"CHANNELS 1 Zrotation", 1)
    head, rows = text.split(b"0.01\n", 1)
    text = head + b"0.01\n" + b"\n".join(
        b" ".join(row.split()[:7] + row.split()[9:])
        for row in rows.splitlines())
    take = bvhmill.read(text)
    quaternions = take.rotations.copy()
    np.testing.assert_allclose(
        take.with_rotations(quaternions).rotations, quaternions, atol=1e-5)
    quaternions[:, 1] = [1, 0, 0, 0]
    with pytest.raises(ValueError, match="'j1': its channels cannot"):
        take.with_rotations(quaternions)
