"""Sources, options and errors of reading one file."""

import gzip
import io
import mmap
import pickle
import subprocess

import numpy as np
import pytest

import bvhmill
from bvhmill import BvhError


def sources(path):
    data = path.read_bytes()
    packed = path.with_name("walk.bvh.gz")
    packed.write_bytes(gzip.compress(data))
    return {
        "str": str(path), "path": path, "gz": packed, "bytes": data,
        "bytearray": bytearray(data), "memoryview": memoryview(data),
        "array": np.frombuffer(data, np.uint8), "file": path.open("rb"),
        "BytesIO": io.BytesIO(data),
    }


def test_every_source_gives_the_same_take(walk_path):
    expected = bvhmill.read(walk_path)
    for name, source in sources(walk_path).items():
        take = bvhmill.read(source)
        np.testing.assert_array_equal(take.positions, expected.positions, name)
        np.testing.assert_array_equal(take.values, expected.values, name)


def test_a_zst_is_read(walk_path, walk):
    packed = walk_path.with_name("w.bvh.zst")
    try:
        subprocess.run(["zstd", "-q", walk_path, "-o", packed], check=True)
    except FileNotFoundError:
        pytest.skip("there is no command zstd")
    assert bvhmill.read(packed).frames == 200
    blocks = list(bvhmill.stream(packed, block_frames=64))
    assert sum(map(len, blocks)) == 200


def test_a_named_format_comes_before_that_of_the_path(walk_path):
    misnamed = walk_path.with_name("walk.anim")
    misnamed.write_bytes(walk_path.read_bytes())
    assert bvhmill.read(misnamed, format="bvh").frames == 200
    with pytest.raises(BvhError):
        bvhmill.read(misnamed)


def test_mapped_memory_is_text(walk_path):
    with walk_path.open("rb") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            assert bvhmill.read(mapped).frames == 200


@pytest.mark.parametrize("source, words", [
    (io.StringIO("HIERARCHY"), "open it with 'rb'"),
    (3, "source must be a path"),
    (np.zeros((4, 4), np.uint8)[:, ::2], "C-contiguous"),
])
def test_other_sources_are_type_errors(source, words):
    with pytest.raises(TypeError, match=words):
        bvhmill.read(source)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        bvhmill.read(tmp_path / "absent.bvh")
    assert caught.value.filename == str(tmp_path / "absent.bvh")
    with pytest.raises(IsADirectoryError):
        bvhmill.read(tmp_path)


def test_text_is_never_a_path(walk_path):
    with pytest.raises(BvhError):
        bvhmill.read(bytes(walk_path))


def test_a_bytearray_cannot_be_resized_while_it_is_read(walk):
    text = bytearray(walk)
    bvhmill.read(text)
    text.append(10)  # and can be afterwards


def test_threads_give_the_same_bits(walk):
    one = bvhmill.read(walk)
    for threads in (0, 2, 3):
        many = bvhmill.read(walk, threads=threads)
        np.testing.assert_array_equal(one.positions, many.positions)


ALL = ["positions", "rotations", "world_rotations", "velocities"]


@pytest.mark.parametrize("end_sites", [False, True])
def test_fused_arrays_have_the_bits_of_lazy_ones(walk, end_sites):
    fused = bvhmill.read(walk, arrays=ALL, end_sites=end_sites)
    lazy = bvhmill.read(walk, arrays=[], end_sites=end_sites)
    for name in ALL:
        np.testing.assert_array_equal(getattr(fused, name),
                                      getattr(lazy, name), name)


def test_shapes(walk):
    take = bvhmill.read(walk, arrays=[])
    f, j = take.frames, take.joints
    assert (f, j) == (200, 5)
    shapes = {"positions": (f, j, 3), "rotations": (f, j, 4),
              "world_rotations": (f, j, 4), "velocities": (f, j, 3),
              "values": (f, 18), "euler": (f, j, 3), "offsets": (j, 3),
              "parents": (j,), "times": (f,)}
    types = {"parents": np.int32, "times": np.float64}
    for name, shape in shapes.items():
        array = getattr(take, name)
        assert array.shape == shape, name
        assert array.dtype == types.get(name, np.float32), name
    ends = bvhmill.read(walk, end_sites=True)
    assert ends.positions.shape == (f, j + 1, 3)
    assert len(ends.names) == len(ends.channels) == len(ends.parents) == j + 1
    assert ends.parents.tolist() == [-1, 0, 1, 2, 3, 4]


def test_without_values_only_the_named_arrays_exist(walk):
    take = bvhmill.read(walk, keep_values=False)
    assert take.positions.shape == (200, 5, 3)
    for name in ("rotations", "values"):
        with pytest.raises(ValueError, match="keep_values"):
            getattr(take, name)
    with pytest.raises(ValueError, match="keep_values"):
        take.edit(fps=30)


@pytest.mark.parametrize("options, kind, words", [
    ({"arrays": "positions"}, TypeError, "list"),
    ({"arrays": ["position"]}, ValueError, "positions"),
    ({"strictt": True}, TypeError, "did you mean 'strict'"),
    ({"units": "furlong"}, ValueError, "m, cm, mm, in, inch, ft, cmu"),
    ({"up": "w"}, ValueError, "none of x, y, z"),
    ({"threads": -1}, ValueError, "threads"),
    ({"ignore": ["NO_SUCH_CODE"]}, ValueError, "NO_SUCH_CODE"),
    ({"ignore": "DATA_*"}, TypeError, "ignore"),
    ({"fps": -3}, ValueError, "fps"),
    ({"fps": 0}, ValueError, "number above 0"),
    ({"frames": (0, 10, 0)}, ValueError, "maybe step"),
    ({"keep": []}, ValueError, "must name a joint"),
    ({"limits": {"max_frame": 3}}, ValueError, "max_frame"),
    ({"thresholds": {"DATA_SPIKE": 3}}, ValueError, "CODE.name"),
    ({"root_offset": "replace"}, ValueError, "ignore, add"),
    ({"name_encoding": "sjis"}, ValueError, "shift-jis, gbk"),
])
def test_wrong_options_are_refused_before_reading(options, kind, words):
    for call in (lambda: bvhmill.read("absent.bvh", **options),
                 lambda: bvhmill.read_many(["absent.bvh"], **options)):
        with pytest.raises(kind, match=words) as caught:
            call()
        assert not isinstance(caught.value, (BvhError, OSError))


def test_errors_say_what_a_compiler_says(golden):
    with pytest.raises(BvhError) as caught:
        bvhmill.read(golden / "number_with_comma.bvh")
    error = caught.value
    assert str(error).startswith(f"{golden}/number_with_comma.bvh:"
                                 f"{error.line}:{error.column}: error: "
                                 f"{error.code}: ")
    assert error.code == "MOTION_NUMBER_INVALID"
    assert error.report.verdict == "invalid"
    assert error.frame is not None
    assert error.source_name == str(golden / "number_with_comma.bvh")


def test_more_errors_are_counted(golden):
    with pytest.raises(BvhError) as caught:
        bvhmill.read(b"HIERARCHY\nJOINT", source_name="x.bvh")
    assert "(+1 more errors)" in str(caught.value)


@pytest.mark.parametrize("limit, value", [
    ("max_frames", 10), ("max_joints", 2), ("max_clip_bytes", 100)])
def test_limits(walk_path, limit, value):
    with pytest.raises(bvhmill.LimitError) as caught:
        bvhmill.read(walk_path, limits={limit: value})
    assert (caught.value.limit_name, caught.value.limit) == (limit, value)


def test_errors_of_edits(walk):
    with pytest.raises(bvhmill.EditError, match=r" drop: no joint"):
        bvhmill.read(walk, drop=["NoSuchJoint"])
    with pytest.raises(bvhmill.ConventionUnknown,
                       match=r" to_units: the unit of .*; set units$"):
        bvhmill.read(walk, to_units="m")
    with pytest.raises(ValueError, match=r"^thresholds.*: "):
        bvhmill.read(walk, thresholds={"DATA_SPIKE.no_such": 1})
    with pytest.raises(ValueError, match=r"^anim_loop: "):
        bvhmill.read(walk).to_anim(anim_loop=(-1, 1))
    still = walk.replace(b"Frame Time: 0.01", b"Frame Time: 0")
    with pytest.raises(bvhmill.ConventionUnknown):
        bvhmill.read(still, fps=30)
    with pytest.raises(bvhmill.ConventionUnknown):
        bvhmill.read(still).velocities


def test_errors_can_be_pickled(golden, walk):
    for call in (lambda: bvhmill.read(golden / "number_with_comma.bvh"),
                 lambda: bvhmill.read(walk, limits={"max_frames": 3})):
        with pytest.raises(BvhError) as caught:
            call()
        back = pickle.loads(pickle.dumps(caught.value))
        assert type(back) is type(caught.value)
        assert str(back) == str(caught.value)
        assert back.report == caught.value.report
        assert (back.line, back.code) == (caught.value.line, caught.value.code)


def test_a_repaired_file_raises_and_warns_nothing(recwarn, golden):
    take = bvhmill.read(golden / "comments.bvh")
    assert take.report.verdict == "accepted"
    assert not recwarn.list


def test_info_reads_no_arrays(walk):
    info = bvhmill.info(walk)
    assert (info.frames, info.joints, info.frame_time) == (200, 5, 0.01)
    assert [node.is_end_site for node in info.nodes] == [False] * 5 + [True]
    assert info.nodes[0].channels == "XYZzxy"
    assert info == bvhmill.read(walk).info
    with pytest.raises(TypeError, match="fps"):
        bvhmill.info(walk, fps=3)
