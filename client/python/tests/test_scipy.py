"""Rotations against those of SciPy."""

import pathlib

import numpy as np
import pytest

import bvhmill
from conftest import DATA, clips_in, project_clips

Rotation = pytest.importorskip("scipy.spatial.transform").Rotation


def assert_rotations(take):
    """The number of joints that were compared."""
    quaternions = take.rotations
    compared = 0
    for joint, order in enumerate(take.euler_orders):
        angles = take.euler[:, joint].astype(float)
        if len(set(order)) != 3 or not np.isfinite(angles).all():
            continue
        # Capital letters: the first axis of the list is outermost.
        expected = Rotation.from_euler(order, np.remainder(angles, 360),
                                       degrees=True)
        ours = Rotation.from_quat(quaternions[:, joint])
        assert (ours * expected.inv()).magnitude().max(initial=0) < 2e-5
        np.testing.assert_allclose(take.matrices()[:, joint],
                                   expected.as_matrix(), atol=4e-6)
        compared += 1
    return compared


def assert_chain(take):
    """World rotations are products; positions follow from them."""
    world = take.world_rotations
    for joint, parent in enumerate(take.parents):
        if parent < 0:
            continue
        above = Rotation.from_quat(world[:, parent])
        below = above * Rotation.from_quat(take.rotations[:, joint])
        ours = Rotation.from_quat(world[:, joint])
        assert (ours * below.inv()).magnitude().max(initial=0) < 1e-4
        if set("XYZ") & set(take.channels[joint]):
            continue
        expected = (take.positions[:, parent]
                    + above.apply(take.offsets[joint]))
        scale = np.abs(take.positions).max(initial=1)
        np.testing.assert_allclose(take.positions[:, joint], expected,
                                   atol=1e-5 * scale)


def good_takes(paths):
    for outcome in bvhmill.read_many(paths, ignore=["DATA_*"]):
        if outcome.ok and outcome.take.frames:
            yield outcome.take


def test_rotations_of_all_clips_of_the_project():
    assert sum(map(assert_rotations, good_takes(project_clips()))) > 300


@pytest.mark.skipif(not DATA, reason="BVHMILL_DATA is not set")
def test_rotations_of_the_corpus():
    takes = good_takes(clips_in(pathlib.Path(DATA)))
    assert sum(assert_rotations(take[:200]) for take in takes) > 500


def test_a_chain(walk):
    assert_chain(bvhmill.read(walk))
    assert_chain(bvhmill.read(walk, end_sites=True))


def test_six_d_is_the_first_two_columns(walk):
    take = bvhmill.read(walk)
    for world in (False, True):
        six = take.six_d(world=world)
        matrices = take.matrices(world=world)
        np.testing.assert_array_equal(six[..., :3], matrices[..., 0])
        np.testing.assert_array_equal(six[..., 3:], matrices[..., 1])


def test_continuous_quaternions_have_no_flips(walk):
    take = bvhmill.read(walk.replace(b"0.9 0 ", b"0.9 0 3"))
    turning = take.with_values(take.values * 9)
    plain = turning.rotations
    smooth = turning.quaternions(continuous=True)
    dots = np.einsum("fjc,fjc->fj", smooth[1:], smooth[:-1])
    flips = np.einsum("fjc,fjc->fj", plain[1:], plain[:-1])
    assert (flips < 0).any()
    assert (dots >= 0).all()
    np.testing.assert_array_equal(np.abs(smooth), np.abs(plain))
    np.testing.assert_array_equal(smooth[0], plain[0])
    np.testing.assert_array_equal(
        turning.quaternions(order="wxyz")[..., 1:], plain[..., :3])
    with pytest.raises(ValueError, match="wxyz"):
        turning.quaternions(order="zyxw")
