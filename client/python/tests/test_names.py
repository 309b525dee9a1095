"""Names of joints that are not UTF-8: in and out as bytes, like file names."""

import os
import pickle

import numpy as np
import pytest

import bvhmill
from bvhmill import Take
from conftest import shown

LATIN = b"caf\xe9"
JAPANESE = "\u5de6\u8155".encode("cp932")
ODD = os.fsdecode(LATIN)


@pytest.fixture
def text(walk):
    return walk.replace(b"j2", LATIN).replace(b"j3", JAPANESE)


@pytest.fixture
def path(tmp_path, text):
    path = tmp_path / "odd.bvh"
    path.write_bytes(text)
    return path


def test_names_leave_as_their_bytes(path, tmp_path):
    names = ("j0", "j1", ODD, os.fsdecode(JAPANESE), "j4")
    assert bvhmill.read(path).names == names
    assert bvhmill.info(path).names == names
    assert next(bvhmill.stream(path)).info.names == names
    assert bvhmill.read_batch([path]).names == names
    assert next(bvhmill.read_many([path])).take.names == names
    take = bvhmill.read(path, end_sites=True)
    assert take.names == (*names, "j4_End")
    assert [node.name for node in take.info.nodes] == [*names, "j4_End"]
    assert [shown(name) for name in names[2:4]] == ["caf\xe9", "\u5de6\u8155"]
    with np.load(save(take, tmp_path / "a.npz")) as npz:
        assert list(npz["names"])[:5] == [shown(name) for name in names]


def save(take, path):
    take.save(path)
    return path


def test_the_end_site_of_such_a_joint_has_its_bytes(walk):
    take = bvhmill.read(walk.replace(b"j4", LATIN), end_sites=True)
    assert take.names[-2:] == (ODD, ODD + "_End")


def test_joints_are_found_by_these_names(path):
    take = bvhmill.read(path)
    for row, name in enumerate(take.names):
        assert take.joint(name) == row


@pytest.mark.parametrize("read", [
    lambda path, **edits: bvhmill.read(path).edit(**edits), bvhmill.read,
    lambda path, **edits: next(bvhmill.read_many([path], **edits)).unwrap()])
def test_edits_take_these_names(path, read):
    assert ODD not in read(path, drop=[ODD]).names
    assert read(path, drop=["caf*"]).joints == 4
    assert read(path, keep=["j0", "j1", ODD]).names == ("j0", "j1", ODD)
    assert read(path, rename={ODD: "Chest"}).names[2] == "Chest"
    assert read(path, rename={"j0": ODD + "\udcff"}).to_bvh().startswith(
        b"HIERARCHY\nROOT caf\xe9\xff")
    assert read(path, joint_map={ODD: "Chest"}).names[2] == "Chest"
    with pytest.raises(bvhmill.EditError, match=r"caf\\xE9\\xFF"):
        read(path, drop=[ODD + "\udcff"])
    # That is how it is shown, not its name.
    with pytest.raises(bvhmill.EditError):
        read(path, drop=["caf\xe9"])


def test_names_that_are_shown_alike_are_told_apart(walk):
    text = walk.replace(b"j2", LATIN).replace(b"j3", "caf\xe9".encode())
    take = bvhmill.read(text)
    assert take.names[2:4] == (ODD, "caf\xe9")
    assert take.edit(drop=["caf\xe9"]).names == ("j0", "j1", ODD,
                                                    "j4")
    assert (take.joint(ODD), take.joint("caf\xe9")) == (2, 3)


def test_files_of_a_batch_that_are_shown_alike_are_told_apart(walk, tmp_path):
    for name, word in (("a", LATIN), ("b", "caf\xe9".encode())):
        (tmp_path / name).write_bytes(walk.replace(b"j2", word))
    batch = bvhmill.read_batch([tmp_path / "a", tmp_path / "b"])
    assert (len(batch), len(batch.other)) == (1, 1)


def test_takes_of_arrays_have_these_names(path, text):
    take = bvhmill.read(path)
    back = Take.from_arrays(take.names, take.parents, take.offsets,
                            take.channels, take.values, take.frame_time)
    assert back.names == take.names
    for data in (back.to_bvh(), take.to_bvh()):
        assert b"JOINT " + LATIN + b"\n" in data
        assert b"JOINT " + JAPANESE + b"\n" in data
    assert pickle.loads(pickle.dumps(take)).names == take.names


def test_an_anim_takes_such_a_name(path):
    bones = {"j0": "mPelvis", "j1": "mTorso", ODD: "mChest"}
    take = bvhmill.read(path, units="m")
    anim = bvhmill.read_anim(take.to_anim(joint_map=bones, accept_odd=True))
    assert "mChest" in [joint.name for joint in anim.joints]


def test_tables_and_notebooks_of_such_names(path):
    take = bvhmill.read(path)
    assert "caf?" in take._repr_html_().encode("utf-8").decode()
    pytest.importorskip("pandas")
    assert (ODD, "x") in take.to_pandas().columns
    pytest.importorskip("xarray")
    np.testing.assert_array_equal(
        take.to_xarray().positions.sel(joint=ODD), take.positions[:, 2])
