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


@pytest.fixture(params=["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])
def no_links(request, monkeypatch):
    """A file system without hard links."""

    def link(*_, **__):
        raise OSError(getattr(errno, request.param), "no links here")

    monkeypatch.setattr(os, "link", link)


def test_files_are_written_where_there_are_no_hard_links(no_links, folder,
                                                         tmp_path):
    new = new_files(folder, {".npz": b"1", ".csv": b"2"}, "b/a")
    assert new.commit() == [".npz", ".csv"]
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


# A name has 255 bytes at most, which end within a character if they are cut.
@pytest.mark.parametrize("length", [242, 250, 251])
@pytest.mark.parametrize("letter", ["a", "\xe9", "\u65e5", "\U0001f3c3",
                                    "\udce9"])
def test_names_may_be_as_long_as_a_file_system_allows(folder, tmp_path, length,
                                                      letter):
    count, rest = divmod(length, len(os.fsencode(letter)))
    stem = "x" * rest + letter * count
    parts = []
    new = NewFiles(folder, stem, False)
    new.begin(".csv", b"1")
    parts += os.listdir(tmp_path)
    assert new.commit() == [".csv"]
    new.close()
    take = bvhmill.read(bvhmill.example())
    for overwrite in (False, True):
        take.save(tmp_path / f"{stem}.bvh", overwrite=overwrite)
    assert sorted(os.listdir(tmp_path)) == [f"{stem}.bvh", f"{stem}.csv"]
    (part,) = parts
    assert len(os.fsencode(part)) <= 255
    assert letter == "\udce9" or part.isprintable()


@pytest.fixture
def second_link_fails(monkeypatch):
    """The second hard link of a program fails with the error in the list."""
    link, faults, calls = os.link, [], []

    def counted(*words, **options):
        calls.append(words)
        if len(calls) == 2 and faults:
            raise faults[0]
        link(*words, **options)

    monkeypatch.setattr(os, "link", counted)
    return faults


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError("a disk")])
def test_no_file_of_a_clip_gets_its_name_if_one_cannot(second_link_fails,
                                                       folder, tmp_path,
                                                       fault):
    second_link_fails.append(fault)
    new = new_files(folder, {".npz": b"1", ".csv": b"2"})
    with pytest.raises(type(fault)):
        new.commit()
    new.close()
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("there, named", [
    ({"a.npz": b"1"}, [".csv"]), ({"a.csv": b"2"}, [".npz"]),
    ({"a.csv": b"2", "a.npz": b"1"}, []), ({"a.csv": b"21"}, None),
    ({"a.csv": b""}, None)])
def test_a_file_that_is_there_with_its_bytes_counts_as_named(folder, tmp_path,
                                                             there, named):
    for name, data in there.items():
        (tmp_path / name).write_bytes(data)
    new = new_files(folder, {".npz": b"1", ".csv": b"2"})
    if named is None:
        with pytest.raises(FileExistsError, match="overwrite=True"):
            new.commit()
    else:
        assert new.commit() == named
    new.close()
    assert contents(tmp_path) == (there if named is None else {
        "a.npz": b"1", "a.csv": b"2"})


# Opening it would wait for its writer.
def test_a_pipe_with_the_name_of_a_file_is_no_such_file(folder, tmp_path):
    os.mkfifo(tmp_path / "a.npz")
    new = new_files(folder, {".npz": b"1"})
    assert not new.has(".npz", b"", "blobs/00")
    assert not new.holds(".npz", b"1")
    with pytest.raises(FileExistsError):
        new.commit()
    new.close()
