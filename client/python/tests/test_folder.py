"""The files of a clip get their names, in any folder and after any fault."""

import errno
import os

import pytest

pytest.importorskip("grpc")

import bvhmill
from bvhmill.jobs._folder import Folder, NewFiles


@pytest.fixture
def folder(tmp_path):
    folder = Folder(str(tmp_path))
    yield folder
    folder.close()


def new_files(folder, files, key="a", overwrite=False):
    new = NewFiles(folder, key, overwrite)
    for extension, data in files.items():
        new.begin(extension, data)
    return new


def contents(path):
    return {file.relative_to(path).as_posix(): file.read_bytes()
            for file in path.rglob("*") if file.is_file()}


@pytest.fixture(params=["EPERM", "ENOTSUP", "EOPNOTSUPP"])
def no_links(request, monkeypatch):
    """A file system without hard links."""

    def link(*_, **__):
        raise OSError(getattr(errno, request.param), "no links here")

    monkeypatch.setattr(os, "link", link)


def test_files_are_written_where_there_are_no_hard_links(no_links, folder,
                                                         tmp_path):
    new = new_files(folder, {".npz": b"1", ".csv": b"2"}, "b/a")
    assert new.commit() == (str(tmp_path / "b/a.npz"),
                            str(tmp_path / "b/a.csv"))
    new.close()
    assert contents(tmp_path) == {"b/a.npz": b"1", "b/a.csv": b"2"}


def test_files_are_not_replaced_where_there_are_no_hard_links(no_links, folder,
                                                              tmp_path):
    (tmp_path / "a.npz").write_bytes(b"mine")
    new = new_files(folder, {".npz": b"1"})
    with pytest.raises(FileExistsError):
        new.commit()
    new.close()
    take = bvhmill.read(bvhmill.example())
    take.save(tmp_path / "a.bvh")
    with pytest.raises(FileExistsError):
        take.save(tmp_path / "a.bvh")
    assert contents(tmp_path) == {"a.npz": b"mine", "a.bvh": take.to_bvh()}
