"""Sources of clips, and the errors of files that cannot be decompressed."""

import copy
import errno
import gzip
import io
import mmap
import os
import pickle
import threading
import warnings

import numpy as np
import pytest

import bvhmill
from conftest import walk_text

BONES = {"Hips": "mPelvis", "Spine": "mTorso", "Head": "mHead"}


class Pieces:
    """A file object that gives these pieces."""

    def __init__(self, *pieces):
        self.pieces = list(pieces)

    def read(self, _):
        return self.pieces.pop(0) if self.pieces else b""


def frames_of_stream(source, **options):
    return sum(map(len, bvhmill.stream(source, **options)))


READS = [lambda source: bvhmill.read(source).frames, frames_of_stream]


@pytest.mark.parametrize("read", READS)
def test_a_file_may_give_any_buffer(read, walk):
    half = len(walk) // 2
    for kind in (bytes, bytearray, memoryview,
                 lambda part: np.frombuffer(part, np.uint8)):
        assert read(Pieces(kind(walk[:half]), kind(walk[half:]))) == 200


@pytest.mark.parametrize("read", READS)
def test_a_file_that_does_not_wait_is_not_taken_as_ended(read, walk):
    with pytest.raises(BlockingIOError) as caught:
        read(Pieces(walk[:-300], None, walk[-300:]))
    assert caught.value.errno == errno.EAGAIN
    with pytest.raises(TypeError, match="list, not bytes"):
        read(Pieces(walk[:-300], [1]))


@pytest.mark.parametrize("read", READS)
def test_mapped_memory_is_read_twice(read, walk_path):
    with walk_path.open("rb") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            assert [read(mapped), read(mapped)] == [200, 200]


@pytest.mark.parametrize("call", [
    bvhmill.read, bvhmill.validate, bvhmill.info, bvhmill.read_anim,
    lambda path: list(bvhmill.stream(path)),
    lambda path: bvhmill.read_many([path]),
    lambda path: bvhmill.read_batch([path])])
def test_a_path_with_a_nul_is_refused(call, walk_path):
    with pytest.raises(ValueError, match="null byte"):
        call(f"{walk_path}\0.bvh")


def test_a_path_that_is_no_utf8(tmp_path, walk):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.bvh")
    with open(path, "wb") as file:
        file.write(walk)
    take = bvhmill.read(path)
    assert take.source_name == path
    assert frames_of_stream(path) == 200
    assert bvhmill.read_batch([path]).paths == [path]
    # A notebook needs UTF-8.
    assert r"caf\xE9.bvh" in take._repr_html_().encode("utf-8").decode()


def test_path_objects_of_bytes(walk_path):
    class Path:
        def __fspath__(self):
            return os.fsencode(walk_path)

    assert bvhmill.read(Path()).source_name == str(walk_path)
    assert next(bvhmill.read_many([Path()])).path == str(walk_path)
    assert frames_of_stream(Path()) == 200
    with pytest.raises(TypeError, match="not bytes"):
        bvhmill.read_many([bytes(walk_path)])


def anim_bytes():
    take = bvhmill.read(bvhmill.example())
    data = take.to_anim(anim_map=BONES, anim_accept_odd=True)
    return np.frombuffer(data, np.uint8)


def test_an_anim_has_the_unit_that_read_or_edit_states():
    def root_of(take):
        data = take.to_anim(anim_map=BONES, anim_accept_odd=True,
                            anim_max_mm=1)
        return bvhmill.read_anim(data).joints[0].positions

    example = bvhmill.example()
    inches = root_of(bvhmill.read(example, units="in"))
    np.testing.assert_array_equal(root_of(bvhmill.read(example)), inches)
    metres = root_of(bvhmill.read(example, units="cm", to_units="m"))
    assert not np.allclose(metres, inches, rtol=0.1, atol=0)
    take = bvhmill.read(example, units="cm")
    for same in (take, take.edit(to_units="m"), take[:], copy.copy(take),
                 bvhmill.read(example).edit(units="cm"),
                 take.with_values(take.values)):
        np.testing.assert_allclose(root_of(same), metres, atol=1e-3)


def test_an_anim_must_be_in_one_piece():
    data = anim_bytes()
    assert bvhmill.read_anim(data).plays
    for odd in (data[::-1], np.broadcast_to(data[:1], (1 << 40,))):
        with pytest.raises(TypeError, match="C-contiguous"):
            bvhmill.read_anim(odd)
        with pytest.raises(TypeError):
            frames_of_stream(odd)


def test_an_anim_that_is_too_long_is_a_limit_error(tmp_path):
    data = anim_bytes()
    path = tmp_path / "a.anim"
    path.write_bytes(data)
    for source in (data, path):
        with pytest.raises(bvhmill.LimitError) as caught:
            bvhmill.read_anim(source, limits={"max_clip_bytes": 20})
        assert (caught.value.limit_name, caught.value.limit) == (
            "max_clip_bytes", 20)


def test_an_array_without_elements_is_an_empty_text():
    for read in READS:
        with pytest.raises(bvhmill.BvhError) as caught:
            read(np.zeros((0, 4), np.uint8))
        assert caught.value.code == "TEXT_EMPTY"


PACKED = gzip.compress(walk_text(2000))
BROKEN = {
    "truncated": PACKED[:len(PACKED) // 2],
    "garbled": PACKED[:300] + b"\xff" * 50 + PACKED[350:],
    "plain": walk_text(20), "trailing": PACKED + b"junkjunk",
    "checksum": PACKED[:-8] + b"\0" * 8, "empty": b"",
    "zeros": PACKED + b"\0" * 100,
    "members": gzip.compress(walk_text(2000)[:5000]) + gzip.compress(
        walk_text(2000)[5000:]),
}


def outcome_of(call):
    try:
        return call()
    except Exception as error:
        return type(error), getattr(error, "code", ""), str(error)


@pytest.mark.parametrize("name", BROKEN)
def test_a_stream_has_the_errors_of_reading_a_packed_file(tmp_path, name):
    path = tmp_path / f"{name}.bvh.gz"
    path.write_bytes(BROKEN[name])
    whole = outcome_of(lambda: bvhmill.read(path).frames)
    assert outcome_of(lambda: frames_of_stream(path)) == whole
    assert outcome_of(lambda: bvhmill.info(path).frames) == whole
    if name == "members":
        assert whole == 2000
    elif name not in ("empty", "zeros"):
        assert whole[:2] == (bvhmill.BvhError, "ENCODING_BROKEN")


def test_a_packed_stream_is_limited(tmp_path):
    path = tmp_path / "long.bvh.gz"
    path.write_bytes(PACKED)
    for read in (bvhmill.read, frames_of_stream):
        with pytest.raises(bvhmill.LimitError) as caught:
            read(path, limits={"max_clip_bytes": 1000})
        assert caught.value.limit == 1000
    assert frames_of_stream(path) == 2000


@pytest.mark.parametrize("limits, code", [
    ({}, "ENCODING_BROKEN"), ({"max_clip_bytes": 100}, None)])
def test_a_broken_packed_file_has_a_report(tmp_path, limits, code):
    path = tmp_path / "broken.bvh.gz"
    path.write_bytes(BROKEN["truncated"] if code else PACKED)
    report = bvhmill.validate(path, limits=limits)
    assert report.verdict == "unreadable" and len(report.issues) == 1
    assert report.issues[0].severity == "error"
    assert code in (report.issues[0].code, None)
    assert report.issues[0].message


def test_a_broken_packed_file_has_a_row(tmp_path):
    path = tmp_path / "broken.bvh.gz"
    path.write_bytes(BROKEN["truncated"])
    rows = bvhmill.issues_table(bvhmill.read_many([path, "absent.bvh"]))
    assert [(row["path"], row["code"]) for row in rows] == [
        (str(path), "ENCODING_BROKEN"), ("absent.bvh", "FILE_UNREADABLE")]
    assert "broken.bvh.gz" in rows[0]["message"]


@pytest.mark.parametrize("options, words", [
    ({"root_correction": (1, 2)}, "root_correction: .*three numbers"),
    ({"max_issues": 1 << 70}, "max_issues: .*whole number"),
    ({"fill_gaps": 10**10}, "fill_gaps: .*whole number"),
    ({"limits": {"max_frames": 10**30}}, "limits=.*out of range"),
    ({"rename": {"j0": 5}}, "rename: .*names"),
    ({"rename": [("a", "b")]}, "rename=.*mapping"),
    ({"joint_map": 5}, "joint_map=.*mapping"),
    ({"threads": 2.5}, "float"), ({"threads": 10**12}, "threads=.*1024"),
    ({"drop": ["\udc80"]}, "drop=.*UTF-8"),
    ({"rename": {3: "j0"}}, "rename=.*text"),
    ({"rename": {"j0": "\udc80"}}, "rename=.*UTF-8"),
    ({"joint_map": {3: "j0"}}, "joint_map=.*text"),
    ({"max_issues": 2.5}, "max_issues=2.5: .*whole number"),
    ({"frames": slice(0, 0)}, "frames: .*end"),
    ({"frames": (5, 0)}, "frames: .*end"),
    ({"frames": (0.5, 5)}, "frames: .*frames"),
])
def test_values_that_do_not_fit_name_their_keyword(walk, options, words):
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        bvhmill.read(walk, **options)
    assert not isinstance(caught.value, bvhmill.BvhError)


@pytest.mark.parametrize("call, words", [
    (lambda take: take.to_bvh(bvh_decimals="3"),
     "bvh_decimals='3'"),
    (lambda take: take.to_anim(anim_priority="high"),
     "anim_priority='high'"),
    (lambda take: take.to_anim(anim_max_bytes=1 << 70),
     "anim_max_bytes: .*whole number"),
    (lambda take: take.to_anim(anim_map=5), "anim_map=5.*mapping"),
    (lambda take: take.to_npz(npz_arrays="positions"), "list")])
def test_values_of_outputs_that_do_not_fit(walk, call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call(bvhmill.read(walk))


@pytest.mark.parametrize("frames, blocks", [(20, 2), (21, 3), (9, 1), (10, 1)])
def test_the_last_block_has_the_report(frames, blocks):
    reports = [block.report for block in bvhmill.stream(walk_text(frames),
                                                        block_frames=10)]
    assert len(reports) == blocks
    assert reports[:-1] == [None] * (blocks - 1)
    assert reports[-1] == bvhmill.validate(walk_text(frames))


@pytest.mark.parametrize("stated, is_good", [
    ("1", True), ("1024", True), ("0", False), ("1025", False), ("-1", False),
    ("two", False), ("1.5", False), ("", True)])
def test_threads_of_the_environment_are_checked(walk, monkeypatch, stated,
                                                is_good):
    monkeypatch.setenv("BVHMILL_THREADS", stated)
    # A number of threads in the call wins.
    assert bvhmill.read(walk, threads=1).frames == 200
    assert bvhmill.read_batch([], threads=1).frames == 0
    if is_good:
        assert bvhmill.read_batch([], threads=0).frames == 0
        return
    with pytest.raises(ValueError, match="BVHMILL_THREADS.*1 to 1024"):
        bvhmill.read_batch([], threads=0)


def test_a_slice_without_an_end_goes_to_the_last_frame(walk):
    for frames, count in ((slice(5, None), 195), (slice(None, 5), 5),
                          (slice(None, None, 2), 100), ((5, 9), 4)):
        assert bvhmill.read(walk, frames=frames).frames == count


def test_arrays_may_be_named_by_a_generator(walk_path):
    def names():
        yield "positions"
        yield "rotations"

    found = {"positions", "rotations"}
    assert set(bvhmill.read(walk_path, arrays=names())._made) == found
    assert set(bvhmill.read_batch([walk_path], arrays=names()).arrays) == found
    assert set(next(bvhmill.stream(walk_path, arrays=names())).arrays) == found
    outcome = next(bvhmill.read_many([walk_path], arrays=names()))
    assert set(outcome.take._made) == found


def test_a_batch_without_a_good_file_has_arrays():
    batch = bvhmill.read_batch(["absent.bvh"],
                               arrays=["positions", "world_rotations"])
    assert batch.positions.shape == (0, 0, 3)
    assert batch.world_rotations.shape == (0, 0, 4)
    assert not hasattr(batch, "rotations")


def test_a_take_of_no_frames_has_a_table():
    pytest.importorskip("pandas")
    table = bvhmill.read(walk_text(3))[0:0].to_pandas()
    assert table.shape == (0, 15)


def links_fail(number):
    def link(*_, **__):
        raise OSError(number, os.strerror(number))
    return link


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP,
                                    errno.ENOSYS, errno.EMLINK])
def test_a_take_is_saved_where_there_are_no_hard_links(
        tmp_path, walk, monkeypatch, number):
    take = bvhmill.read(walk)
    monkeypatch.setattr(os, "link", links_fail(number))
    take.save(tmp_path / "a.bvh")
    assert bvhmill.read(tmp_path / "a.bvh").frames == 200
    assert os.listdir(tmp_path) == ["a.bvh"]
    with pytest.raises(FileExistsError):
        take.save(tmp_path / "a.bvh")


def test_a_pipe_takes_a_take_and_stays_a_pipe(tmp_path, walk):
    take = bvhmill.read(walk)
    take.save(tmp_path / "file.csv")
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for overwrite in (False, True):
        got = []
        reader = threading.Thread(
            target=lambda: got.append(pipe.read_bytes()))
        reader.start()
        take.save(pipe, overwrite=overwrite)
        reader.join()
        assert got == [(tmp_path / "file.csv").read_bytes()]
        assert pipe.is_fifo()


def test_a_file_that_is_saved_again_keeps_its_link_and_mode(tmp_path, walk):
    take = bvhmill.read(walk)
    real, link = tmp_path / "real.bvh", tmp_path / "link.bvh"
    take[:3].save(real)
    real.chmod(0o640)
    link.symlink_to(real)
    take.save(link, overwrite=True)
    assert link.is_symlink() and bvhmill.read(real).frames == 200
    assert real.stat().st_mode & 0o777 == 0o640


def test_facts_of_a_take_are_read_only(walk):
    take = bvhmill.read(walk)
    for array in (take.parents, take.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def take_of_rows(value):
    return bvhmill.Take.from_arrays(
        ["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]], ["XYZzxy", "zxy"],
        np.full((3, 9), value), 0.1)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_rows_that_are_not_finite_are_in_the_report(value):
    take = take_of_rows(value)
    codes = {issue.code for issue in take.report.issues}
    assert "DATA_NOT_FINITE" in codes
    assert take.report == bvhmill.validate(take.to_bvh())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "<table>" in take._repr_html_()


class Named(bvhmill.Take):
    """A subclass, which pickles find here."""


def test_a_subclass_stays_one(walk):
    take = Named.from_arrays(["a"], [-1], [[0, 0, 0]], ["XYZ"],
                             [[1, 2, 3], [4, 5, 6]], 0.1)
    for other in (pickle.loads(pickle.dumps(take)), take[:1],
                  take.edit(frames=(0, 1)), take.with_values(take.values)):
        assert type(other) is Named


def test_io_objects_are_files(walk):
    assert bvhmill.read(io.BytesIO(walk)).frames == 200


def test_the_text_of_a_file_is_no_path():
    text = "HIERARCHY\nROOT Hips\n"
    for call in (bvhmill.read, bvhmill.validate, bvhmill.info):
        with pytest.raises(TypeError, match="text must be bytes"):
            call(text)
