"""Many files: outcomes in order, single arrays, blocks of a long file."""

import asyncio
import copy
import dataclasses
import gc
import gzip
import io
import os
import pickle
import threading

import numpy as np
import pytest

import bvhmill
from bvhmill import _bvhmill
from conftest import project_clips, walk_text


@pytest.fixture
def folder(tmp_path):
    """Thirty takes of different lengths, two of them bad."""
    paths = []
    for i in range(30):
        path = tmp_path / f"take{i:02}.bvh"
        path.write_bytes(walk_text(10 + 7 * i, 3 if i % 5 else 4))
        paths.append(path)
    paths[7].write_bytes(b"HIERARCHY\nROOT")
    paths[12] = tmp_path / "absent.bvh"
    return paths


def test_outcomes_are_made_compared_copied_and_pickled():
    take = bvhmill.read(walk_text(3))
    error = FileNotFoundError(2, "absent", "b.bvh")
    good = bvhmill.Outcome("a.bvh", take, None, take.report)
    bad = bvhmill.Outcome("b.bvh", take=None, error=error, report=None)
    assert (good.ok, bad.ok) == (True, False)
    assert type(good) is bvhmill.Loaded and type(bad) is bvhmill.Failed
    assert isinstance(good, bvhmill.Outcome) and isinstance(bad,
                                                            bvhmill.Outcome)
    assert good == bvhmill.Loaded("a.bvh", take, None, take.report)
    assert bad == bvhmill.Outcome("b.bvh", None, error, None) != good
    assert len({good, copy.copy(good)}) == 1
    for protocol in range(6):
        back = pickle.loads(pickle.dumps(bad, protocol))
        assert (type(back), back.path, back.ok) == (bvhmill.Failed, "b.bvh",
                                                    False)
    assert dataclasses.replace(good, path="c").unwrap() is take
    with pytest.raises(dataclasses.FrozenInstanceError):
        good.path = "c"


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("max_bytes", [1, 10_000, 1 << 28])
def test_outcomes_come_in_order(folder, threads, max_bytes):
    outcomes = list(bvhmill.read_many(folder, threads=threads,
                                      max_bytes=max_bytes))
    assert [o.path for o in outcomes] == [str(path) for path in folder]
    assert [i for i, o in enumerate(outcomes) if not o.ok] == [7, 12]
    assert [o.take.frames for o in outcomes if o.ok] == [
        10 + 7 * i for i in range(30) if i not in (7, 12)]


def test_unordered_outcomes_are_the_same(folder):
    ordered = {o.path: o.ok for o in bvhmill.read_many(folder)}
    free = bvhmill.read_many(folder, ordered=False, threads=3)
    assert {o.path: o.ok for o in free} == ordered


def test_bad_files_are_outcomes(folder):
    outcomes = list(bvhmill.read_many(folder))
    bad, absent = outcomes[7], outcomes[12]
    assert isinstance(bad.error, bvhmill.BvhError)
    assert bad.report is bad.error.report
    assert isinstance(absent.error, FileNotFoundError)
    assert absent.report is None
    with pytest.raises(bvhmill.BvhError):
        bad.unwrap()
    with pytest.raises(FileNotFoundError):
        absent.unwrap()
    assert outcomes[0].unwrap() is outcomes[0].take
    assert all(o.seconds > 0 for o in outcomes if o.ok)


def test_one_path_is_a_type_error(folder):
    for call in (bvhmill.read_many, bvhmill.read_batch):
        with pytest.raises(TypeError, match="list of paths"):
            call(str(folder[0]))


def test_closing_joins_the_threads(folder):
    def tasks():
        return len(os.listdir("/proc/self/task"))

    before = tasks()
    outcomes = bvhmill.read_many(folder * 20, threads=4)
    next(outcomes)
    assert tasks() > before
    outcomes.close()
    assert tasks() == before
    with pytest.raises(StopIteration):
        next(outcomes)
    with bvhmill.read_many(folder, threads=4) as outcomes:
        next(outcomes)
    dropped = bvhmill.read_many(folder, threads=4)
    next(dropped)
    del dropped
    gc.collect()
    assert tasks() == before


def test_the_default_threads_are_those_of_the_process(monkeypatch, folder):
    from bvhmill._options import thread_count

    assert thread_count(0) == len(os.sched_getaffinity(0))
    monkeypatch.setenv("BVHMILL_THREADS", "3")
    assert thread_count(0) == 3
    assert thread_count(2) == 2
    monkeypatch.setenv("BVHMILL_THREADS", "many")
    with pytest.raises(ValueError, match="BVHMILL_THREADS"):
        bvhmill.read_many(folder)


def test_async_outcomes(folder):
    async def collect():
        seen = []
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        other = asyncio.ensure_future(tick())
        async for outcome in bvhmill.read_many_async(folder, threads=2):
            seen.append(outcome.path)
        other.cancel()
        return seen, ticks

    seen, ticks = asyncio.run(collect())
    assert seen == [str(path) for path in folder]
    assert ticks > 0


def check_batch(batch, arrays, end_sites=False, **options):
    for i, path in enumerate(batch.paths):
        take = bvhmill.read(path, arrays=arrays, end_sites=end_sites,
                            **options)
        frames = batch.slice(i)
        for name in arrays:
            np.testing.assert_array_equal(batch.arrays[name][frames],
                                          getattr(take, name), path)
        assert batch.rigs[batch.rig[i]].nodes == take.info.nodes
        assert batch.names == take.names
        np.testing.assert_equal(batch.frame_times[i], take.frame_time)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_has_the_bits_of_its_takes(folder, threads):
    batch = bvhmill.read_batch(folder, arrays=["positions", "rotations"],
                               threads=threads)
    assert batch.names == ("j0", "j1", "j2")
    assert len(batch) == 22 and [len(b) for b in batch.other] == [6]
    assert set(batch.errors) == {str(folder[7]), str(folder[12])}
    assert batch.positions.shape == (batch.frames, 3, 3)
    assert batch.frame_offsets.dtype == np.int64
    for part in (batch, *batch.other):
        check_batch(part, ["positions", "rotations"])
    with pytest.raises(AttributeError, match="positions"):
        batch.velocities
    with pytest.raises(IndexError):
        batch.slice(22)


def test_names_of_a_batch_are_those_of_its_rows(folder):
    end_sites = bvhmill.read_batch(folder, end_sites=True)
    assert end_sites.names == ("j0", "j1", "j2", "j2_End")
    for part in (end_sites, *end_sites.other):
        assert part.has_end_sites
        assert len(part.names) == part.positions.shape[1]
        check_batch(part, ["positions"], end_sites=True)
    assert not bvhmill.read_batch(folder).has_end_sites


def test_a_batch_of_all_clips_of_the_project():
    clips = project_clips()
    batch = bvhmill.read_batch(clips)
    parts = [batch, *batch.other]
    assert sum(map(len, parts)) + len(batch.errors) == len(clips)
    for part in parts:
        check_batch(part, ["positions"])


_RIG = ("pelvis left_hip left_knee left_ankle left_foot right_hip right_knee "
        "right_ankle right_foot spine1 spine2 spine3 neck head left_collar "
        "left_shoulder left_elbow left_wrist right_collar right_shoulder "
        "right_elbow right_wrist").split()


def test_one_rig_makes_one_batch(samples):
    paths = [samples / name for name in (
        "walk_cycle.bvh", "crlf_end_site.bvh", "six_channels.bvh",
        "mixed_orders.bvh")]
    apart = bvhmill.read_batch(paths)
    assert len(apart.other) > 0
    batch = bvhmill.read_batch(paths, rig="smpl22",
                               arrays=["positions", "rotations"])
    assert (len(batch), batch.errors, batch.other) == (4, {}, [])
    assert batch.names == tuple(_RIG)
    assert len(batch.rigs) > 1
    check_batch(batch, ["positions", "rotations"], rig="smpl22")
    assert all(rig.names == batch.names for rig in batch.rigs)


def test_a_rig_may_be_a_table(samples):
    take = bvhmill.read(samples / "walk_cycle.bvh",
                        rig="joint,parent\nHips,\nHead,Hips\n")
    assert take.names == ("Hips", "Head")
    whole = bvhmill.read(samples / "walk_cycle.bvh")
    np.testing.assert_allclose(
        take.positions, whole.positions[:, whole.select("Hips", "Head")],
        atol=1e-3)
    with pytest.raises(ValueError, match="'smpl' is no rig"):
        bvhmill.read(samples / "walk_cycle.bvh", rig="smpl")


def test_rigs_of_one_layout_differ_in_offsets(tmp_path):
    paths = [tmp_path / f"{i}.bvh" for i in range(4)]
    for i, path in enumerate(paths):
        text = walk_text(5, 3)
        path.write_bytes(text.replace(b"OFFSET 0 1 0", b"OFFSET 0 2 0")
                         if i % 2 else text)
    batch = bvhmill.read_batch(paths)
    assert batch.rig.tolist() == [0, 1, 0, 1]
    assert batch.rigs[1].nodes[1].offset == (0, 2, 0)


@pytest.mark.parametrize("block_frames", [1, 64, 333, 5000])
def test_blocks_are_the_take(block_frames):
    text = walk_text(1000)
    take = bvhmill.read(text)
    names = ["positions", "rotations", "velocities"]
    blocks = list(bvhmill.stream(io.BytesIO(text), arrays=names,
                                 block_frames=block_frames))
    assert [b.first_frame for b in blocks] == list(range(0, 1000,
                                                         block_frames))
    for name in names:
        joined = np.concatenate([getattr(b, name) for b in blocks])
        np.testing.assert_array_equal(joined, getattr(take, name), name)
    assert [b.report is None for b in blocks[:-1]] == [True] * (
        len(blocks) - 1)
    assert blocks[-1].report == take.report
    assert blocks[-1].info == take.info


def test_blocks_of_other_sources(tmp_path):
    text = walk_text(100)
    path = tmp_path / "a.bvh.gz"
    path.write_bytes(gzip.compress(text))
    for source in (path, text, memoryview(text)):
        assert sum(map(len, bvhmill.stream(source, block_frames=30))) == 100
    reader, writer = os.pipe()
    thread = threading.Thread(
        target=lambda: open(writer, "wb").write(text))
    thread.start()
    with open(reader, "rb") as pipe:
        assert sum(map(len, bvhmill.stream(pipe))) == 100
    thread.join()


def test_an_error_comes_before_the_blocks():
    text = walk_text(1000).rstrip().rsplit(b" ", 1)[0] + b" x,y\n"
    with pytest.raises(bvhmill.BvhError) as caught:
        next(bvhmill.stream(text, block_frames=100))
    assert caught.value.line > 1000


def test_edits_of_a_stream():
    text = walk_text(1000)
    blocks = bvhmill.stream(text, frames=(100, 900), fps=50, block_frames=64)
    joined = np.concatenate([b.positions for b in blocks])
    np.testing.assert_array_equal(
        joined, bvhmill.read(text, frames=(100, 900), fps=50).positions)


def test_a_stream_that_is_left_frees_its_memory():
    gc.collect()
    before = _bvhmill.block_count()
    blocks = bvhmill.stream(walk_text(1000), block_frames=10)
    next(blocks)
    del blocks
    gc.collect()
    assert _bvhmill.block_count() == before


@pytest.mark.parametrize("options, kind", [
    ({"arrays": []}, ValueError), ({"block_frames": 0}, ValueError),
    ({"keep_values": True}, TypeError)])
def test_wrong_options_of_a_stream(options, kind):
    with pytest.raises(kind):
        bvhmill.stream(b"", **options)


def test_a_stream_can_be_closed():
    with bvhmill.stream(bvhmill.example(), block_frames=1) as blocks:
        assert next(blocks).first_frame == 0
    assert list(blocks) == []
    blocks.close()


def test_outcomes_for_async_for_can_be_closed(tmp_path):
    async def run():
        async with bvhmill.read_many_async([tmp_path / "absent"]) as outcomes:
            assert not (await outcomes.__anext__()).ok
        return [outcome async for outcome in outcomes]

    assert asyncio.run(run()) == []
