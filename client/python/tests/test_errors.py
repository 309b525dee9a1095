"""Errors have the same attributes, whatever reads the file."""

import gzip
import os

import pytest

pytest.importorskip("grpc")

import bvhmill
from bvhmill.client import Client
from bvhmill.jobs import Jobs
from conftest import walk_text
from servers import Server
from test_client import Awaited

WALK = walk_text()
NO_RATE = WALK.replace(b"Frame Time: 0.01", b"Frame Time: 0", 1)

# A name, the bytes of the file (None: there is no file), options, and the type
# and the code of the error.
CASES = [
    ("cut.bvh", b"HIERARCHY\nROOT Hips\n{\n  OFFSET 0\n", {},
     bvhmill.BvhError, "HIERARCHY_OFFSET_INVALID"),
    ("empty.bvh", b"", {}, bvhmill.BvhError, "TEXT_EMPTY"),
    ("zip.bvh", b"PK\x03\x04abc", {}, bvhmill.BvhError, "TEXT_NOT_BVH"),
    ("cut.anim", b"\x01\x00\x00\x00", {}, bvhmill.BvhError, "ANIM_TRUNCATED"),
    ("cut.bvh.gz", gzip.compress(WALK)[:80], {}, bvhmill.BvhError,
     "ENCODING_BROKEN"),
    ("number.bvh", WALK.replace(b"0.7", b"seven", 1), {"strict": True},
     bvhmill.BvhError, "MOTION_NUMBER_INVALID"),
    ("a\x1bb.bvh", b"x", {}, bvhmill.BvhError, "HIERARCHY_WORD_UNKNOWN"),
    (os.fsdecode(b"caf\xe9.bvh"), b"x", {}, bvhmill.BvhError,
     "HIERARCHY_WORD_UNKNOWN"),
    ("drop.bvh", WALK, {"drop": ["absent"]}, bvhmill.EditError,
     "EDIT_DOES_NOT_FIT"),
    ("frames.bvh", WALK, {"frames": (500, 600)}, bvhmill.EditError,
     "EDIT_DOES_NOT_FIT"),
    ("floor.bvh", WALK, {"floor": True}, bvhmill.ConventionUnknown,
     "SOURCE_CONVENTION_UNKNOWN"),
    ("rate.bvh", NO_RATE, {"fps": 30}, bvhmill.ConventionUnknown,
     "FRAME_RATE_UNKNOWN"),
    ("speed.bvh", NO_RATE, {"arrays": ["velocities"], "keep_values": False},
     bvhmill.ConventionUnknown, "FRAME_RATE_UNKNOWN"),
    ("fast.bvh", WALK, {"fps": 1e9}, bvhmill.LimitError, "LIMIT_EXCEEDED"),
    ("absent.bvh", None, {}, FileNotFoundError, None),
    ("folder", "folder", {}, IsADirectoryError, None),
]


@pytest.fixture(scope="module")
def address():
    with Server() as server:
        yield server.address


def attributes(error):
    """All attributes of an error that are no methods and no parts of Python."""
    values = {name: getattr(error, name, None) for name in dir(error)
              if not name.startswith("_")}
    return {name: value for name, value in values.items()
            if not callable(value)}


def raised(work, *args, **options):
    with pytest.raises(Exception) as caught:
        work(*args, **options)
    return caught.value


def errors_of(reader, path, options):
    """The error of each way of reading a file."""
    batch = {key: value for key, value in options.items()
             if key != "keep_values"}
    (outcome,) = reader.read_many([path], **options)
    yield "read", raised(reader.read, path, **options)
    yield "read_many", outcome.error
    yield "read_batch", reader.read_batch([path], **batch).errors[path]


@pytest.mark.parametrize("name, text, options, kind, code", CASES,
                         ids=[ascii(case[0]) for case in CASES])
def test_all_attributes_are_equal(address, tmp_path, name, text, options, kind,
                                  code):
    path = os.path.join(tmp_path, name)
    if text == "folder":
        os.mkdir(path)
    elif text is not None:
        with open(path, "wb") as file:
            file.write(text)
    ours = raised(bvhmill.read, path, **options)
    wanted = attributes(ours)
    assert type(ours) is kind and wanted.get("code") == code
    if code is None:
        assert ours.filename == path
    else:
        assert ours.source_name == path and ours.report is not None
        assert {"column", "details", "frame", "issue", "joint", "line"} < set(
            wanted)
    for reader in (bvhmill, Client(address, timeout=60),
                   Awaited(address, timeout=60)):
        for way, error in errors_of(reader, path, options):
            assert (type(error), str(error)) == (kind, str(ours)), way
            assert attributes(error) == wanted, way


def test_a_stream_without_a_rate_has_no_velocities(address, tmp_path):
    path = tmp_path / "a.bvh"
    path.write_bytes(NO_RATE)
    ours = raised(bvhmill.read, path, arrays=["velocities"])
    for reader in (bvhmill, Client(address), Awaited(address)):
        error = raised(lambda: list(reader.stream(path,
                                                  arrays=["velocities"])))
        assert (type(error), str(error)) == (type(ours), str(ours))
        assert (error.code, error.issue, error.details) == (
            ours.code, ours.issue, ours.details)


def test_wrong_calls_are_refused_alike(address, walk_path):
    client = Client(address)
    for options in ({"fsp": 30}, {"fps": -1}, {"arrays": ["six_d"]},
                    {"arrays": ["position"]}, {"arrays": "positions"},
                    {"ignore": ["NOPE"]}, {"drop": "Head"},
                    {"format": "fbx"}, {"to_units": "m"}):
        ours = raised(bvhmill.read, walk_path, **options)
        for way in (client.read, Awaited(address).read,
                    lambda path, **options: bvhmill.read_many([path],
                                                              **options),
                    lambda path, **options: client.read_batch([path],
                                                              **options)):
            theirs = raised(way, walk_path, **options)
            assert (type(theirs), str(theirs)) == (type(ours), str(ours))
            assert attributes(theirs) == attributes(ours)


@pytest.mark.parametrize("name, hint", [
    ("position", "did you mean 'positions'?"),
    ("worldrotations", "did you mean 'world_rotations'?"),
    ("six_d", "take.six_d() gives it"), ("6d", "take.six_d() gives it"),
    ("matrices", "take.matrices() gives it"), ("euler", "take.euler gives it"),
    ("zzz", "there are positions, rotations, world_rotations, velocities")])
def test_unknown_arrays_have_a_hint(name, hint):
    for work in (bvhmill.read, bvhmill.stream, Client("127.0.0.1:1").stream,
                 lambda source, arrays: bvhmill.read_many([], arrays=arrays),
                 lambda source, arrays: bvhmill.read_batch([], arrays=arrays)):
        with pytest.raises(ValueError) as caught:
            list(work(WALK, arrays=[name]))
        assert str(caught.value).endswith(hint)


def test_unknown_formats_of_jobs_have_a_hint():
    jobs = Jobs("127.0.0.1:1", timeout=1)
    for name, hint in (("npy", "did you mean 'npz'?"), ("fbx", "glb, report"),
                       ("reports", "did you mean 'report'?")):
        with pytest.raises(ValueError) as caught:
            jobs.submit({"a": WALK}, emit=[name])
        assert str(caught.value).endswith(hint)


def test_every_array_can_be_named(walk_path):
    for name in ("positions", "rotations", "world_rotations", "velocities"):
        assert list(bvhmill.read(WALK, arrays=[name])._made) == [name]
        assert list(bvhmill.read_batch([walk_path], arrays=[name]).arrays) == [
            name]
        assert [list(block.arrays) for block in bvhmill.stream(
            WALK, arrays=[name])] == [[name]]
