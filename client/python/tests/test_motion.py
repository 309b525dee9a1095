"""Features of a motion, by formulas of their own."""

import numpy as np
import pytest

import bvhmill
from bvhmill import Take
from conftest import walk_text

# A body of sticks in metres, with the names of Mixamo: Y up, facing +Z.
BODY = [("Hips", -1, (0, 0, 0)), ("Spine", 0, (0, .2, 0)),
        ("Spine1", 1, (0, .1, 0)), ("Neck", 2, (0, .2, 0)),
        ("Head", 3, (0, .1, 0)),
        ("LeftShoulder", 2, (.05, .15, 0)), ("LeftArm", 5, (.1, 0, 0)),
        ("LeftForeArm", 6, (.3, 0, 0)), ("LeftHand", 7, (.25, 0, 0)),
        ("RightShoulder", 2, (-.05, .15, 0)), ("RightArm", 9, (-.1, 0, 0)),
        ("RightForeArm", 10, (-.3, 0, 0)), ("RightHand", 11, (-.25, 0, 0)),
        ("LeftUpLeg", 0, (.1, 0, 0)), ("LeftLeg", 13, (0, -.4, 0)),
        ("LeftFoot", 14, (0, -.4, 0)), ("LeftToeBase", 15, (0, -.08, .15)),
        ("RightUpLeg", 0, (-.1, 0, 0)), ("RightLeg", 17, (0, -.4, 0)),
        ("RightFoot", 18, (0, -.4, 0)), ("RightToeBase", 19, (0, -.08, .15))]
# From Y up, Z forward and X left to another axis up.
TURNS = {"y": (0, 1, 2), "z": (1, 2, 0), "x": (2, 0, 1)}


def body(root, yaw, up="y"):
    """A take whose root is at `root` and turns by `yaw`, in degrees, about the
    axis `up`; the columns of the arrays are those of Y up."""
    names, parents, offsets = zip(*BODY)
    axes = TURNS[up]
    place = np.zeros_like(np.array(root, float))
    offset = np.zeros((len(BODY), 3))
    for axis, to in enumerate(axes):
        place[:, to] = np.array(root)[:, axis]
        offset[:, to] = np.array(offsets)[:, axis]
    rows = np.zeros((len(root), 3 + 3 * len(BODY)))
    rows[:, :3] = place
    rows[:, 3 + "zxy".index(up)] = yaw
    return Take.from_arrays(names, parents, offset,
                            ["XYZzxy"] + ["zxy"] * (len(BODY) - 1), rows, 0.02)


@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_the_heading_is_the_angle_of_the_root(up):
    yaw = np.linspace(-170, 170, 30)
    root = np.c_[np.arange(30) * .1, np.ones(30), np.arange(30) * -.2]
    take = body(root, yaw, up)
    np.testing.assert_allclose(np.degrees(take.heading(up=up)), yaw, atol=1e-3)
    # A rigid body that is turned back has the same pose in each frame.
    still = body([[0, 1, 0]], 0, up).positions
    np.testing.assert_allclose(take.facing_positions(up=up),
                               np.repeat(still, 30, 0), atol=1e-5)
    if up != "y":
        stated = take.edit(up=up)
        np.testing.assert_array_equal(stated.heading(), take.heading(up=up))


def test_hips_and_shoulders_need_a_naming_scheme(walk):
    take = bvhmill.read(walk)
    for call in (take.heading, take.facing_positions, take.contacts):
        with pytest.raises(bvhmill.EditError, match="naming scheme"):
            call()


def test_feet_touch_the_ground_while_they_rest():
    # The body rests, jumps 0.3 m, and rests.
    height = np.full(90, .88)
    height[30:60] += .3 * np.sin(np.linspace(0, np.pi, 30))
    root = np.c_[np.zeros(90), height, np.zeros(90)]
    contacts = body(root, 0).contacts()
    assert contacts.names == ("LeftFoot", "LeftToeBase", "RightFoot",
                              "RightToeBase")
    assert [BODY[row][0] for row in contacts.rows] == list(contacts.names)
    assert contacts.touches[:29].all() and contacts.touches[62:].all()
    assert not contacts.touches[32:58].any()
    # Feet that slide do not touch; a larger speed allows them to.
    slide = body(np.c_[np.arange(90) * .02, np.full((90, 1), .88),
                       np.zeros(90)], 0)
    assert not slide.contacts().touches.any()
    assert slide.contacts(speed=1.1).touches.all()
    assert not slide.contacts(speed=0.9).touches.any()


def test_joints_are_selected_in_the_order_of_patterns(walk):
    take = bvhmill.read(walk)
    assert take.select("j3", "j?").tolist() == [3, 0, 1, 2, 4]
    assert take.select().tolist() == []
    with pytest.raises(KeyError):
        take.select("j0", "k*")
    starred = bvhmill.read(walk.replace(b"j3", b"j*"))
    assert starred.select("j*").tolist() == [3]
    twice = bvhmill.read(walk.replace(b"j3", b"j2"))
    assert twice.select("j*").tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(bvhmill.AmbiguousName):
        twice.select("j2")


@pytest.mark.parametrize("length, stride", [(1, 1), (16, 8), (200, 1), (7, 9),
                                            (201, 1)])
def test_windows_are_slices_of_frames(walk, length, stride):
    take = bvhmill.read(walk)
    for name in ("positions", "rotations"):
        array = getattr(take, name)
        windows = take.windows(length, stride, name)
        firsts = range(0, 200 - length + 1, stride)
        assert windows.shape == (len(firsts), length, *array.shape[1:])
        for window, first in zip(windows, firsts):
            np.testing.assert_array_equal(window, array[first:first + length])
        assert not len(firsts) or np.shares_memory(windows, array)
    with pytest.raises(ValueError, match="length=0"):
        take.windows(0)
    with pytest.raises(ValueError, match="array='values'"):
        take.windows(3, array="values")


def test_relative_positions_are_those_from_the_own_root():
    one = walk_text(5, 2)
    head, rows = one.split(b"MOTION", 1)
    second = head.replace(b"HIERARCHY\n", b"").replace(b"j", b"k")
    lines = rows.splitlines()
    text = head + second + b"MOTION" + b"\n".join(
        lines[:3] + [line + b" 7 8 9 " + b" ".join(line.split()[3:])
                     for line in lines[3:]]) + b"\n"
    take = bvhmill.read(text)
    relative = take.relative_positions()
    assert take.names == ("j0", "j1", "k0", "k1")
    np.testing.assert_allclose(relative[:, 1], relative[:, 3], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(relative, axis=-1),
                               np.tile([0, 1, 0, 1], (5, 1)), atol=1e-5)


def test_the_mirror_image_is_the_edit():
    take = body([[.3, 1, 0], [.4, 1, 0]], [20, 40])
    mirrored = take.mirror().positions
    left, right = take.joint("LeftHand"), take.joint("RightHand")
    np.testing.assert_allclose(mirrored[:, left],
                               take.positions[:, right] * [-1, 1, 1],
                               atol=1e-5)
