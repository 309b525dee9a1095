"""Names of joints that are not UTF-8: shown as text, found by that text, and
written back as their bytes."""

import pickle

import numpy as np
import pytest

import bvhmill

LATIN = b"caf\xe9"
JAPANESE = "\u5de6\u8155".encode("cp932")
NAMES = ("j0", "j1", "caf\xe9", "\u5de6\u8155", "j4")


@pytest.fixture
def path(tmp_path, walk):
    path = tmp_path / "odd.bvh"
    path.write_bytes(walk.replace(b"j2", LATIN).replace(b"j3", JAPANESE))
    return path


def test_names_are_the_same_everywhere(path, tmp_path):
    assert bvhmill.read(path).names == NAMES
    assert bvhmill.info(path).names == NAMES
    assert next(bvhmill.stream(path)).info.names == NAMES
    assert bvhmill.read_batch([path]).names == NAMES
    assert next(bvhmill.read_many([path])).take.names == NAMES
    take = bvhmill.read(path, end_sites=True)
    assert take.names == (*NAMES, "j4_End")
    take.save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as npz:
        assert tuple(npz["names"]) == take.names


@pytest.mark.parametrize("read", [
    lambda path, **edits: bvhmill.read(path).edit(**edits), bvhmill.read,
    lambda path, **edits: next(bvhmill.read_many([path], **edits)).unwrap()])
@pytest.mark.parametrize("row", [2, 3])
def test_edits_find_these_names(path, read, row):
    name = NAMES[row]
    assert read(path, drop=[name]).names == (*NAMES[:row], *NAMES[row + 1:])
    assert read(path, drop=[name[:-1] + "*"]).joints == 4
    assert read(path, drop=[name + "#1"]).joints == 4
    assert read(path, keep=["j0", "j1", *NAMES[2:row + 1]]).joints == row + 1
    assert read(path, rename={name: "Chest"}).names[row] == "Chest"
    assert read(path, joint_map={name: "Chest"}).names[row] == "Chest"
    with pytest.raises(bvhmill.EditError):
        read(path, drop=[name + "\xe9"])
    with pytest.raises(bvhmill.EditError):
        read(path, drop=[name + "#2"])


def test_names_that_are_shown_alike_are_one_name(walk):
    text = walk.replace(b"j2", LATIN).replace(b"j3", "caf\xe9".encode())
    take = bvhmill.read(text)
    assert take.names[2:4] == ("caf\xe9", "caf\xe9")
    assert take.edit(drop=["caf\xe9"]).names == ("j0", "j1", "j4")
    assert take.edit(rename={"caf\xe9#2": "Chest"}).names[2:4] == (
        "caf\xe9", "Chest")


def test_an_edit_leaves_the_bytes_of_other_names(path):
    data = bvhmill.read(path).edit(drop=["caf\xe9"]).to_bvh()
    assert b"JOINT " + JAPANESE + b"\n" in data
    assert LATIN not in data


def test_a_pickle_has_the_bytes(path):
    take = pickle.loads(pickle.dumps(bvhmill.read(path)))
    assert take.names == NAMES
    assert b"JOINT " + LATIN + b"\n" in take.to_bvh()
