"""Takes as AMASS-like archives, from archives, in tables and in pictures."""

import io

import numpy as np
import pytest

import bvhmill
from bvhmill import Take
from conftest import walk_text


def saved(arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("end_sites", [False, True])
def test_poses_are_the_rotation_vectors_of_scipy(walk, end_sites):
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    take = bvhmill.read(walk, end_sites=end_sites)
    arrays = take.to_amass()
    vectors = rotation.from_quat(take.rotations.reshape(-1, 4)).as_rotvec()
    np.testing.assert_allclose(arrays["poses"].reshape(-1, 3), vectors,
                               atol=1e-6)
    np.testing.assert_array_equal(arrays["trans"], take.positions[:, 0])
    assert arrays["mocap_framerate"] == pytest.approx(100)
    assert arrays["names"].tolist() == list(take.names)


@pytest.mark.parametrize("end_sites", [False, True])
@pytest.mark.parametrize("made", [
    lambda take: saved(take.to_amass()), Take.to_npz,
    lambda take: take.to_npz(rotation_kind="matrix"),
    lambda take: take.to_npz(rotation_kind="6d")])
def test_archives_become_takes_with_equal_arrays(walk, tmp_path, made,
                                                 end_sites):
    take = bvhmill.read(walk, end_sites=end_sites)
    path = tmp_path / "a.npz"
    path.write_bytes(made(take))
    for back in (Take.from_npz(path), Take.from_npz(path.read_bytes())):
        assert (back.names, back.channels) == (take.names, take.channels)
        assert back.has_end_sites == end_sites
        assert back.frame_time == pytest.approx(take.frame_time, rel=1e-12)
        np.testing.assert_array_equal(back.offsets, take.offsets)
        np.testing.assert_allclose(back.rotations, take.rotations, atol=1e-5)
        np.testing.assert_allclose(back.positions, take.positions, atol=1e-4)
    assert back.report.rules_version == take.report.rules_version
    assert bvhmill.read(back.to_bvh()).frames == 200


def test_archives_that_are_no_takes_are_refused(walk, tmp_path):
    take = bvhmill.read(walk)
    with pytest.raises(ValueError, match="lacks names, parents, off"):
        Take.from_npz(saved({"poses": np.zeros((2, 3)), "trans": [[0] * 3] * 2,
                             "mocap_framerate": 30}))
    with pytest.raises(ValueError, match="lacks rotations"):
        Take.from_npz(take.to_npz(npz_arrays=["positions"]))
    with pytest.raises(ValueError, match="cannot be at"):
        Take.from_npz(take.to_npz(rotation_space="world"))
    for data in (b"", b"x", walk, take.to_npz()[:90]):
        with pytest.raises(bvhmill.BvhError, match="NPZ_NO_TAKE: is no .npz"):
            Take.from_npz(data)
    for work in (Take.from_npz, bvhmill.read):
        with pytest.raises(FileNotFoundError) as caught:
            work(tmp_path / "absent.npz")
        assert caught.value.filename == str(tmp_path / "absent.npz")


@pytest.mark.parametrize("made", [
    lambda take: saved(take.to_amass()), Take.to_npz])
def test_read_takes_archives_by_name_and_by_content(walk, tmp_path, made):
    take = bvhmill.read(walk, end_sites=True)
    data = made(take)
    path = tmp_path / "A.NPZ"
    path.write_bytes(data)
    for source in (path, str(path), data, bytearray(data), io.BytesIO(data),
                   np.frombuffer(data, np.uint8)):
        back = bvhmill.read(source, end_sites=True, arrays=["rotations"])
        assert list(back._made) == ["rotations"]
        assert (back.names, back.channels) == (take.names, take.channels)
        assert back.report == Take.from_npz(data).report
        np.testing.assert_allclose(back.rotations, take.rotations, atol=1e-5)
        np.testing.assert_allclose(back.positions, take.positions, atol=1e-4)
    assert bvhmill.read(path).source_name == str(path)
    assert bvhmill.read(data, source_name="a.npz").source_name == "a.npz"
    assert bvhmill.read(path).joints == take.joints - 1
    # Keywords of `read` are those of any take.
    half = bvhmill.read(path, frames=(0, 100), drop=["j4"], ignore=["DATA_*"])
    assert half.frames == 100 and "j4" not in half.names
    assert not any(i.code.startswith("DATA_") for i in half.report.issues)
    np.testing.assert_allclose(half.positions, take.positions[:100, :4],
                               atol=1e-4)
    assert bvhmill.read(path, keep_values=False).positions.shape == (200, 5, 3)
    with pytest.raises(bvhmill.LimitError):
        bvhmill.read(path, limits={"max_joints": 2})


@pytest.mark.parametrize("changes, message", [
    ({"poses": None, "trans": None}, "lacks rotations, positions, frame_time"),
    ({"names": None, "offsets": None, "betas": np.zeros(10)},
     "lacks names, offsets; it has .*betas"),
    ({"names": np.array([None] * 5, object)}, "allow_pickle=False"),
    ({"gender": np.array([None], object)}, None),
    ({"names": np.arange(5)}, "names has the type int64"),
    ({"names": np.array(["a"])}, "differ in length"),
    ({"offsets": np.zeros((5, 2))}, r"offsets has the shape \(5, 2\)"),
    ({"parents": np.zeros(5)}, "parents has the type float64"),
    ({"parents": np.array([-1, 3, 1, 2, 3])}, "parents are not"),
    ({"parents": np.array([-1, -7, 1, 2, 3])}, "parents are not"),
    ({"poses": np.zeros((200, 14))}, r"poses has the shape \(200, 14\)"),
    ({"poses": np.zeros((200, 12))}, "rotations have the shape"),
    ({"poses": np.full((200, 15), np.nan)}, "must be finite"),
    ({"trans": np.zeros((3, 3))}, "3, 3"),
    ({"mocap_framerate": np.zeros(2)}, "mocap_framerate has the type"),
    ({"channels": np.array(["XYZzxy"] + ["q"] * 4)}, "channel"),
])
def test_foreign_archives_are_refused_with_a_reason(walk, tmp_path, changes,
                                                    message):
    arrays = {**bvhmill.read(walk).to_amass(), **changes}
    path = tmp_path / "foreign.npz"
    np.savez(path, **{key: array for key, array in arrays.items()
                      if array is not None})
    if message is None:
        assert bvhmill.read(path).frames == 200
        return
    for work in (bvhmill.read, Take.from_npz):
        with pytest.raises(bvhmill.BvhError, match=message) as caught:
            work(path)
        error = caught.value
        assert str(error).startswith(f"{path}: error: NPZ_NO_TAKE: ")
        assert (error.code, error.source_name, error.report.verdict) == (
            "NPZ_NO_TAKE", str(path), "unreadable")
        assert error.issue.code == "NPZ_NO_TAKE" and error.line is None


def test_poses_state_one_root_and_fixed_bones(walk):
    head, rows = walk.split(b"MOTION", 1)
    text = head + b"ROOT k\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION" + rows
    with pytest.raises(ValueError, match="one root"):
        bvhmill.read(text).to_amass()
    text = walk.replace(b"CHANNELS 3 Zrotation Xrotation Yrotation",
                        b"CHANNELS 3 Xposition Yposition Zposition", 1)
    with pytest.raises(ValueError, match="'j1' does not stay"):
        bvhmill.read(text).to_amass()


def test_a_folder_is_a_table(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b/good.bvh").write_bytes(walk_text(50, 4))
    (tmp_path / "a.bvh").write_bytes(b"HIERARCHY\nROOT")
    (tmp_path / "c.txt").write_bytes(b"x")
    (tmp_path / "gone.bvh").symlink_to(tmp_path / "absent")
    rows = bvhmill.scan(tmp_path)
    assert [row["path"] for row in rows] == [
        str(tmp_path / name) for name in ("a.bvh", "b/good.bvh", "gone.bvh")]
    bad, good, gone = rows
    assert (gone["verdict"], gone["code"]) == ("unreadable", "FILE_UNREADABLE")
    report = bvhmill.validate(tmp_path / "b/good.bvh")
    assert [good[key] for key in ("frames", "joints", "seconds", "height")] == [
        50, 4, pytest.approx(0.5), 4]
    assert good["fps"] == pytest.approx(100)
    assert good["verdict"] == report.verdict
    assert good["warnings"] == report.counts.warnings
    assert (bad["verdict"], bad["frames"], bad["height"]) == (
        "unreadable", None, None)
    assert bad["issue"].endswith(
        bvhmill.validate(tmp_path / "a.bvh").issues[0].message)
    assert list(good) == list(bad)
    assert bvhmill.scan(tmp_path, ignore=["DATA_*"])[1]["frames"] == 50
    with pytest.raises(NotADirectoryError):
        bvhmill.scan(tmp_path / "c.txt")
    with pytest.raises(TypeError, match="fsp"):
        bvhmill.scan(tmp_path, fsp=3)


def test_plots_have_a_line_of_bones_for_each_frame(walk):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    take = bvhmill.read(walk)
    axes = take.plot([0, -1])
    first, last = axes.lines
    assert last.get_label() == "frame 199"
    # Y of the take is vertical; a bone has its parent, its joint and a gap.
    heights = first.get_data_3d()[2].reshape(-1, 3)
    np.testing.assert_allclose(heights[:, 0], take.positions[0, :-1, 1])
    np.testing.assert_allclose(heights[:, 1], take.positions[0, 1:, 1])
    assert np.isnan(heights[:, 2]).all()
    assert take.plot(5, axes) is axes and len(axes.lines) == 3
    assert axes.get_zlabel() == "Y"
    assert take.plot(0, up="z").get_zlabel() == "Z"
    with pytest.raises(TypeError, match="three-dimensional"):
        take.plot(0, matplotlib.pyplot.figure().add_subplot())


def test_a_plot_without_matplotlib_says_so(walk, monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="needs matplotlib"):
        bvhmill.read(walk).plot()
