"""The promises of a Take: sharing, slices, pickles, lifetime, notebooks."""

import copy
import gc
import pickle
import re
import warnings

import numpy as np
import pytest

import bvhmill
from bvhmill import _bvhmill
from conftest import project_clips, walk_text


def test_a_take_does_not_change(walk):
    take = bvhmill.read(walk)
    for name in ("frames", "positions", "frame_time", "weight"):
        with pytest.raises(AttributeError):
            setattr(take, name, 3)
    with pytest.raises(TypeError, match="bvhmill.read"):
        bvhmill.Take()


def test_solved_arrays_are_writable_and_values_are_not(walk):
    take = bvhmill.read(walk, arrays=["positions"])
    for name in ("positions", "rotations", "world_rotations", "velocities"):
        getattr(take, name)[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        take.values[0] = 7
    with pytest.raises(ValueError):
        take.values.flags.writeable = True


def test_values_of_every_take_are_read_only(walk):
    take = bvhmill.read(walk)
    made = bvhmill.Take.from_arrays(take.names, take.parents, take.offsets,
                                    take.channels, take.values,
                                    take.frame_time)
    for other in (take, made, take.with_values(take.values * 2), take[3:9],
                  pickle.loads(pickle.dumps(take)), copy.deepcopy(take),
                  take.edit(frames=(0, 10))):
        for name in ("values", "parents", "offsets"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(other, name)[0] = 7
        with pytest.raises(ValueError):
            other.values.flags.writeable = True


def test_arrays_are_made_once_and_shared_without_copies(walk):
    take = bvhmill.read(walk)
    for name in ("positions", "rotations", "values"):
        assert getattr(take, name) is getattr(take, name)
    assert not take.positions.flags.owndata


def test_from_dlpack_shares_the_memory(walk):
    take = bvhmill.read(walk)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shared = np.from_dlpack(take.positions)
    assert np.shares_memory(shared, take.positions)
    take.positions[3, 2, 1] = 55
    assert shared[3, 2, 1] == 55


def test_arrays_outlive_their_take(walk):
    gc.collect()
    before = _bvhmill.block_count()
    take = bvhmill.read(walk)
    positions, copy_of = take.positions, take.positions.copy()
    del take
    gc.collect()
    np.testing.assert_array_equal(positions, copy_of)
    view = positions[5:6]
    del positions
    np.testing.assert_array_equal(view, copy_of[5:6])
    del view
    gc.collect()
    assert _bvhmill.block_count() == before


def test_slices_are_views_of_the_frames(walk):
    take = bvhmill.read(walk)
    part = take[50:150]
    assert len(part) == part.frames == 100
    assert np.shares_memory(part.positions, take.positions)
    for name in ("positions", "rotations", "values", "velocities", "euler"):
        np.testing.assert_array_equal(getattr(part, name),
                                      getattr(take, name)[50:150], name)
    np.testing.assert_array_equal(part[10:20].values, take.values[60:70])
    assert part.report == take.report
    assert (take[-5:].frames, take[:0].frames, take[9:3].frames) == (5, 0, 0)
    assert take[20:30].to_csv().count(b"\n") == take[:10].to_csv().count(b"\n")


@pytest.mark.parametrize("index, kind", [
    (3, TypeError), ("j0", TypeError), (slice(None, None, 2), ValueError),
    (slice(None, None, -1), ValueError)])
def test_other_indices_are_refused(walk, index, kind):
    with pytest.raises(kind):
        bvhmill.read(walk)[index]


def test_a_take_is_not_a_sequence_of_frames(walk):
    take = bvhmill.read(walk)
    with pytest.raises(TypeError):
        iter(take)
    with pytest.raises(TypeError):
        bool(take)


def test_joints_by_name(walk):
    take = bvhmill.read(walk)
    assert take.joint("j3") == 3
    with pytest.raises(KeyError):
        take.joint("j9")
    twice = bvhmill.read(walk.replace(b"JOINT j3", b"JOINT j2"))
    with pytest.raises(bvhmill.AmbiguousName, match="2 joints"):
        twice.joint("j2")


def assert_equal(back, take):
    for name in ("positions", "values", "velocities", "rotations", "offsets",
                 "parents"):
        np.testing.assert_array_equal(getattr(back, name), getattr(take, name),
                                      name)
    for name in ("names", "channels", "frame_time", "frames", "report", "info",
                 "source_name", "euler_orders"):
        assert getattr(back, name) == getattr(take, name), name


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_takes_and_slices_can_be_pickled(walk, protocol):
    take = bvhmill.read(walk, source_name="walk.bvh", end_sites=True)
    for part in (take, take[20:30], take[:5], take[195:], take[7:7]):
        assert_equal(pickle.loads(pickle.dumps(part, protocol)), part)
    assert_equal(copy.deepcopy(take), take)


def test_every_take_of_the_project_can_be_pickled():
    takes = [o.take for o in bvhmill.read_many(project_clips()) if o.ok]
    assert len(takes) > 300
    for take in takes:
        back = pickle.loads(pickle.dumps(take, 5))
        np.testing.assert_array_equal(back.rotations, take.rotations)
        np.testing.assert_array_equal(back.positions, take.positions)
        assert back.info.nodes == take.info.nodes
        assert back.to_npz() == take.to_npz()


def test_conventions_are_pickled(walk):
    moved = walk.replace(b"OFFSET 0 0 0", b"OFFSET 3 0 0")
    take = bvhmill.read(moved, root_offset="add", arrays=[])
    back = pickle.loads(pickle.dumps(take))
    np.testing.assert_array_equal(back.positions, take.positions)
    plain = bvhmill.read(moved)
    np.testing.assert_allclose(take.positions - plain.positions,
                               np.broadcast_to([3, 0, 0], (200, 5, 3)),
                               atol=1e-5)


# More joints on a path than the default limit allows.
def test_a_take_keeps_the_limits_that_it_was_read_with(tmp_path):
    path = tmp_path / "deep.bvh"
    path.write_bytes(walk_text(3, 10_001))
    with pytest.raises(bvhmill.LimitError):
        bvhmill.read(path)
    limits = {"max_depth": 0}
    take = bvhmill.read(path, limits=limits)
    limits["max_depth"] = 9
    (outcome,) = bvhmill.read_many([path], limits={"max_depth": 20_000})
    for same in (take, take[:2], take.edit(frames=(0, 2)), copy.copy(take),
                 take.with_values(take.values), outcome.take,
                 pickle.loads(pickle.dumps(take.edit(to_up="z", up="y")))):
        assert same.edit(frames=(0, 1)).joints == 10_001
        same.save(tmp_path / "a.csv", overwrite=True)
    narrow = bvhmill.read(walk_text(3), limits={"max_frames": 3})
    with pytest.raises(bvhmill.LimitError):
        narrow.edit(fps=1000)


def test_protocol_5_moves_arrays_out_of_band(walk):
    take = bvhmill.read(walk_text(5000), arrays=["positions"])
    buffers = []
    data = pickle.dumps(take, 5, buffer_callback=buffers.append)
    # The report has as many issues as the rules find.
    assert len(data) - len(pickle.dumps(take.report, 5)) < 5000
    assert sum(len(b.raw()) for b in buffers) >= take.positions.nbytes
    frozen = [memoryview(b.raw()).toreadonly() for b in buffers]
    back = pickle.loads(data, buffers=frozen)
    np.testing.assert_array_equal(back.positions, take.positions)
    np.testing.assert_array_equal(back.rotations, take.rotations)


def test_editing_gives_another_take(walk):
    take = bvhmill.read(walk)
    values = take.values.copy()
    edited = take.edit(frames=(100, 150), drop=["j3", "j4"], fps=50)
    np.testing.assert_array_equal(take.values, values)
    assert edited.names == ("j0", "j1", "j2")
    assert edited.fps == 50
    direct = bvhmill.read(walk, frames=(100, 150), drop=["j3", "j4"],
                          fps=50)
    np.testing.assert_array_equal(edited.values, direct.values)
    np.testing.assert_array_equal(edited.positions, direct.positions)
    stated = take.edit(state_fps=29.97)
    np.testing.assert_array_equal(stated.values, take.values)
    assert stated.frame_time == pytest.approx(1.001 / 30, rel=1e-12)
    with pytest.raises(ValueError, match="state_fps"):
        take.edit(state_fps=30, fps=30)
    assert take.edit(rename={"j0": "Hips"}).names[0] == "Hips"
    assert take.edit(joint_map={"j0": "Hips"}).names[0] == "Hips"
    np.testing.assert_allclose(
        take.edit(units="cm", to_units="m").positions, take.positions * 0.01,
        rtol=1e-5, atol=1e-7)
    with pytest.raises(bvhmill.ConventionUnknown, match="clearly; set up$"):
        take.edit(in_place=True)
    assert not take.edit(in_place=True, up="y").positions[:, 0, 0].any()
    still = take.edit(in_place=True, up="y", body_root=take.names[0])
    assert not still.positions[:, 0, 0].any()
    with pytest.raises(bvhmill.EditError, match="no joint of the clip is 'No'"):
        take.edit(in_place=True, up="y", body_root="No")
    with pytest.raises(ValueError, match="at_origin: cannot be used .* in_place"):
        take.edit(in_place=True, at_origin=True)
    with pytest.raises(TypeError, match="did you mean 'frames'"):
        take.edit(frame=(1, 2))
    with pytest.raises(bvhmill.EditError):
        take.edit(drop=["absent"])


def test_a_slice_is_edited_alone(walk):
    take = bvhmill.read(walk)
    np.testing.assert_array_equal(take[50:90].edit(frames=(10, 20)).values,
                                  take.values[60:70])


def test_with_values_checks_the_shape(walk):
    take = bvhmill.read(walk)
    rows = take.values * 2
    other = take.with_values(rows)
    rows[:] = 0
    np.testing.assert_array_equal(other.values, take.values * 2)
    for wrong in (rows[:-1], rows[:, :-1], rows.ravel()):
        with pytest.raises(ValueError, match="shape"):
            take.with_values(wrong)


@pytest.mark.parametrize("end_sites", [False, True])
def test_from_arrays_gives_a_take_back(walk, end_sites):
    take = bvhmill.read(walk, end_sites=end_sites)
    ends = [not c for c in take.channels] if end_sites else None
    back = bvhmill.Take.from_arrays(
        take.names, take.parents, take.offsets, take.channels, take.values,
        take.frame_time, is_end_site=ends)
    np.testing.assert_array_equal(back.positions, take.positions)
    assert back.names == take.names
    assert bvhmill.read(back.to_bvh()).frames == 200


# As h5py gives them.
def test_names_may_be_bytes_of_utf8():
    take = bvhmill.Take.from_arrays(
        np.array([b"Hips", "H\xe4nd".encode()]), [-1, 0], np.zeros((2, 3)),
        [b"XYZzxy", b"zxy"], np.zeros((2, 9)), 0.01)
    assert take.names == ("Hips", "H\xe4nd")
    assert take.edit(drop=["H\xe4nd".encode()]).names == ("Hips",)
    assert take.edit(keep=np.array([b"Hips"])).names == ("Hips",)
    with pytest.raises(UnicodeDecodeError):
        bvhmill.Take.from_arrays([b"caf\xe9"], [-1], [[0, 0, 0]], ["XYZ"],
                                 np.zeros((1, 3)), 0.01)


def test_arrays_of_an_npz_may_be_named_by_a_generator(walk):
    take = bvhmill.read(walk)
    names = ["velocities", "positions"]
    assert take.to_npz(npz_arrays=(name for name in names)) == take.to_npz(
        npz_arrays=names)
    with pytest.raises(TypeError, match="npz_arrays must be a list"):
        take.to_npz(npz_arrays="positions")


def test_from_arrays_copies_the_rows():
    rows = np.float32([[0, 1, 0, 0, 0, 0]])
    take = bvhmill.Take.from_arrays(["a"], [-1], [[0, 0, 0]], ["XYZzxy"], rows,
                                    0.01)
    rows[:] = 7
    assert take.values.tolist() == [[0, 1, 0, 0, 0, 0]]
    assert take.positions.tolist() == [[[0, 1, 0]]]


@pytest.mark.parametrize("changes, words", [
    ({"parents": [-1, 2, 1]}, "parent"), ({"parents": [-1, 0]}, "length"),
    ({"channels": ["XYZzxy", "zxy", "zxq"]}, "channels"),
    ({"offsets": [[0, 0, np.nan]] * 3}, "finite"),
    ({"names": ["a", "", "c"]}, "joint 1"), ({"frame_time": -1}, "frame_time"),
    ({"rows": np.zeros((4, 3))}, "shape")])
def test_from_arrays_refuses_what_is_no_skeleton(changes, words):
    arrays = {"names": ["a", "b", "c"], "parents": [-1, 0, 1],
              "offsets": np.zeros((3, 3)),
              "channels": ["XYZzxy", "zxy", "zxy"],
              "rows": np.zeros((4, 12)), "frame_time": 0.01}
    bvhmill.Take.from_arrays(**arrays)
    with pytest.raises(ValueError, match=words):
        bvhmill.Take.from_arrays(**{**arrays, **changes})


def test_saving_never_loses_a_file(walk, tmp_path):
    take = bvhmill.read(walk)
    path = tmp_path / "a.bvh"
    take.save(path)
    with pytest.raises(FileExistsError):
        take[:10].save(path)
    assert bvhmill.read(path).frames == 200
    take[:10].save(path, overwrite=True)
    assert bvhmill.read(path).frames == 10
    with pytest.raises(ValueError, match="extension"):
        take.save(tmp_path / "a.fbx")
    with pytest.raises(TypeError, match="decimals"):
        take.save(tmp_path / "b.bvh", decimal=3)
    assert [p.name for p in tmp_path.iterdir()] == ["a.bvh"]


def test_every_format_can_be_saved(walk, tmp_path):
    take = bvhmill.read(walk.replace(b"j0", b"hip").replace(b"j1", b"abdomen")
                        .replace(b"j2", b"chest"))
    for name in ("a.bvh", "a.npz", "a.csv"):
        take.save(tmp_path / name)
    take.save(tmp_path / "a.anim", anim_accept_odd=True,
              anim_priority=4)
    anim = bvhmill.read_anim(tmp_path / "a.anim")
    assert anim.priority == 4
    assert {joint.priority for joint in anim.joints} == {4}
    assert bvhmill.read(tmp_path / "a.anim").frames > 0
    with np.load(tmp_path / "a.npz") as npz:
        np.testing.assert_array_equal(npz["positions"], take.positions)


def test_tables(walk):
    pandas = pytest.importorskip("pandas")
    take = bvhmill.read(walk)
    table = take.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    np.testing.assert_array_equal(table["j2"]["y"], take.positions[:, 2, 1])
    pytest.importorskip("xarray")
    data = take.to_xarray()
    np.testing.assert_array_equal(data.positions.sel(joint="j2"),
                                  take.positions[:, 2])


def test_notebooks_get_escaped_html(walk):
    name = b"<script>alert(1)</script>"
    take = bvhmill.read(walk.replace(b"j0", name),
                        source_name="<img src=x>.bvh")
    html = take._repr_html_()
    assert len(html) < 20_000
    assert html.count("<svg") == 1 and html.count("<path") == 4
    for word in ("<script", "<style", "<img", "id=", "class="):
        assert word not in html, word
    assert "&lt;script&gt;" in html
    assert set(re.findall(r"<(\w+)", html)) <= {
        "table", "tr", "th", "td", "svg", "path"}
    big = bvhmill.read(walk_text(5, 3000))
    assert len(big._repr_html_()) < 20_000
    assert "svg" not in bvhmill.read(walk_text(0))._repr_html_()


def test_odd_joints_have_no_euler_angles():
    odd = b"""HIERARCHY
ROOT a
{
OFFSET 0 0 0
CHANNELS 4 Xposition Yrotation Xrotation Yrotation
JOINT b
{
OFFSET 0 1 0
CHANNELS 1 Xrotation
}
JOINT c
{
OFFSET 0 1 0
CHANNELS 0
}
}
MOTION
Frames: 1
Frame Time: 0.1
7 10 20 30 40
"""
    take = bvhmill.read(odd)
    assert take.euler_orders == ("YXY", "", "")
    assert take.euler[0, 0].tolist() == [10, 20, 30]
    assert np.isnan(take.euler[0, 1:]).all()
    assert take.channels == ("Xyxy", "x", "")
