"""Names of joints that are not UTF-8: one encoding of a file, text everywhere,
and UTF-8 in what is written."""

import pickle

import numpy as np
import pytest

import bvhmill

FOOT, ARM = "\u53f3\u8db3", "\u5de6\u8155"
NAMES = ("j0", "j1", FOOT, ARM, "j4")


@pytest.fixture
def path(tmp_path, walk):
    path = tmp_path / "odd.bvh"
    path.write_bytes(walk.replace(b"j2", FOOT.encode("cp932"))
                     .replace(b"j3", ARM.encode("cp932")))
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


def test_a_file_has_one_encoding(walk):
    text = walk.replace(b"j2", "caf\xe9".encode()).replace(b"j3", b"caf\xe9")
    take = bvhmill.read(text)
    assert take.names[2:4] == ("caf\xc3\xa9", "caf\xe9")
    both = walk.replace(b"j2", "caf\xe9".encode())
    assert bvhmill.read(both, name_encoding="gbk").names[2] == "caf\u8305"


def test_written_names_are_utf8(path):
    data = bvhmill.read(path).edit(drop=[FOOT]).to_bvh()
    assert b"JOINT " + ARM.encode() + b"\n" in data
    assert FOOT.encode() not in data


def test_a_pickle_has_the_names(path):
    take = pickle.loads(pickle.dumps(bvhmill.read(path)))
    assert take.names == NAMES
    assert b"JOINT " + ARM.encode() + b"\n" in take.to_bvh()
