"""The clients against a real server: the same takes, reports and errors."""

import asyncio
import concurrent.futures
import gzip
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

grpc = pytest.importorskip("grpc")

import bvhmill
from bvhmill.client import AsyncClient, Client, ServerError
from bvhmill.jobs import Jobs
import servers
from conftest import project_clips, walk_text
from servers import TOKEN, Server, token_file

HERE = pathlib.Path(__file__).parent
ALL = ["positions", "rotations", "world_rotations", "velocities"]


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.stop()


class Awaited(servers.Awaited):
    kind = AsyncClient
    iterators = ("read_many", "stream")


@pytest.fixture(params=[Client, Awaited], ids=["sync", "async"])
def client(server, request):
    return request.param(server.address, timeout=60)


def assert_same(theirs, ours, arrays=("positions", "values")):
    for name in arrays:
        a, b = getattr(theirs, name), getattr(ours, name)
        assert a.shape == b.shape and a.tobytes() == b.tobytes(), name
    for name in ("names", "channels", "frames", "has_end_sites", "report",
                 "source_name"):
        assert getattr(theirs, name) == getattr(ours, name), name
    assert theirs.info.nodes == ours.info.nodes
    np.testing.assert_equal(theirs.frame_time, ours.frame_time)
    np.testing.assert_array_equal(theirs.rotations, ours.rotations)


def result_or_error(work):
    try:
        return work()
    except bvhmill.BvhError as error:
        return error


def test_info_is_that_of_the_module(client, walk, walk_path):
    assert client.info(walk_path) == bvhmill.info(walk_path)
    assert client.info(walk).names == bvhmill.info(walk).names
    with pytest.raises(TypeError, match="fps"):
        client.info(walk, fps=30)
    with pytest.raises(FileNotFoundError):
        client.info("absent.bvh")
    errors = 0
    for path in project_clips()[::7]:
        for options in ({}, {"strict": True}):
            ours = result_or_error(lambda: bvhmill.info(path, **options))
            theirs = result_or_error(lambda: client.info(path, **options))
            if isinstance(ours, bvhmill.BvhError):
                assert_same_error(theirs, ours)
                assert theirs.details == ours.details
                assert theirs.source_name == ours.source_name == str(path)
                errors += 1
            else:
                # Not a number is no frame time.
                assert theirs.nodes == ours.nodes
                assert theirs.frames == ours.frames
                np.testing.assert_equal(theirs.fps, ours.fps)
    assert errors > 5


def test_a_batch_is_that_of_the_module(client, tmp_path):
    paths = [tmp_path / f"{i:02}.bvh" for i in range(12)]
    for i, path in enumerate(paths):
        text = walk_text(5 + i, 3 if i % 4 else 4)
        path.write_bytes(text.replace(b"OFFSET 0 1 0", b"OFFSET 0 2 0")
                         if i % 2 else text)
    paths[3].write_bytes(b"HIERARCHY")
    paths.append(tmp_path / "absent.bvh")
    names = ["positions", "rotations"]
    for options in ({}, {"end_sites": True, "fps": 50}):
        ours = bvhmill.read_batch(paths, arrays=names, **options)
        theirs = client.read_batch(paths, arrays=names, **options)
        for a, b in zip([theirs, *theirs.other], [ours, *ours.other]):
            assert a.paths == b.paths and a.names == b.names
            assert a.rigs == b.rigs
            for name in names:
                np.testing.assert_array_equal(getattr(a, name),
                                              getattr(b, name))
            for name in ("frame_offsets", "rig", "frame_times"):
                x, y = getattr(a, name), getattr(b, name)
                assert x.dtype == y.dtype
                np.testing.assert_array_equal(x, y)
        assert len(theirs.other) == len(ours.other) == 1
        assert list(theirs.errors) == list(ours.errors) == [
            str(paths[3]), str(paths[-1])]
        assert_same_error(theirs.errors[str(paths[3])],
                          ours.errors[str(paths[3])])
        assert isinstance(theirs.errors[str(paths[-1])], FileNotFoundError)
    assert len(client.read_batch([])) == 0
    with pytest.raises(ValueError, match="at least one"):
        client.read_batch(paths, arrays=[])


@pytest.mark.parametrize("block_frames", [1, 64, 500])
def test_blocks_are_those_of_the_module(client, walk_path, block_frames):
    options = {"arrays": ALL, "block_frames": block_frames, "end_sites": True}
    ours = list(bvhmill.stream(walk_path, **options))
    theirs = list(client.stream(walk_path, **options))
    assert len(theirs) == len(ours)
    for a, b in zip(theirs, ours):
        assert (a.first_frame, a.info, a.report) == (b.first_frame, b.info,
                                                     b.report)
        for name in ALL:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    with pytest.raises(bvhmill.BvhError):
        list(client.stream(b"HIERARCHY"))
    with pytest.raises(ValueError, match="block_frames=0"):
        client.stream(walk_path, block_frames=0)


def assert_same_error(theirs, ours):
    assert type(theirs) is type(ours)
    assert str(theirs) == str(ours)
    assert theirs.code == ours.code
    assert theirs.report == ours.report


@pytest.mark.parametrize("options", [
    {}, {"arrays": ALL, "end_sites": True},
    {"frames": (20, 90, 2), "drop": ["j4"], "fps": 20, "up": "y",
     "to_up": "z", "units": "cm", "to_units": "m", "in_place": True,
     "body_root": "j0", "floor": True},
    {"joint_map": {"j0": "Hips"}, "interpolation": "lerp"},
    {"rename": {"j1": "a", "j2": "b"}, "root_axes": "xzy",
     "root_signs": "+-+", "root_correction": (1, 2, 3)},
    {"replace_spikes": True, "unwrap": True, "fill_gaps": 2},
    {"strict": True, "root_offset": "add", "joint_positions": "ignore"},
    {"state_fps": 60, "strip_prefix": True},
    {"tpose_frame": 3, "trim": (0.5, None), "drop": ["j4"],
     "drop_mode": "rigid"},
    {"name_encoding": "gbk", "figure": 1},
    {"ignore": ["DATA_*"], "severities": {"DATA_SPIKE": "error"},
     "thresholds": {"DATA_SPIKE.degrees": 2}, "max_issues": 2},
])
def test_takes_are_those_of_the_module(client, walk, options):
    ours = bvhmill.read(walk, source_name="w.bvh", **options)
    theirs = client.read(walk, source_name="w.bvh", **options)
    assert_same(theirs, ours, options.get("arrays", ("positions", "values")))


def test_large_takes_come_over_a_stream(client):
    text = walk_text(40_000)
    assert_same(client.read(text, arrays=ALL), bvhmill.read(text), ALL)


def test_many_files_are_those_of_the_module(client, tmp_path):
    paths = [*project_clips(), tmp_path / "absent.bvh", tmp_path]
    ours = list(bvhmill.read_many(paths))
    theirs = list(client.read_many(paths))
    assert [o.path for o in theirs] == [o.path for o in ours]
    for their, our in zip(theirs, ours):
        assert their.ok == our.ok, our.path
        if our.ok:
            assert_same(their.take, our.take)
        elif isinstance(our.error, OSError):
            assert type(their.error) is type(our.error)
            assert str(their.error) == str(our.error)
        else:
            assert_same_error(their.error, our.error)


def test_reports_are_those_of_the_module(client):
    for path in project_clips()[::10]:
        assert client.validate(path) == bvhmill.validate(path), path


# Requests and answers that do not fit one message.
@pytest.mark.parametrize("flag", ["--max-request-message-bytes=8192",
                                  "--max-unary-response-bytes=1"])
@pytest.mark.parametrize("kind", [Client, Awaited], ids=["sync", "async"])
def test_reports_are_had_though_a_message_is_too_small(kind, flag, tmp_path):
    packed, broken = tmp_path / "a.bvh.gz", tmp_path / "broken.bvh.gz"
    packed.write_bytes(gzip.compress(walk_text(4000)))
    broken.write_bytes(packed.read_bytes()[:-200])
    with Server(flag) as server:
        client = kind(server.address, timeout=60)
        for source, options in [
                *((path, {}) for path in project_clips()[::40]),
                (walk_text(4000), {}), (packed, {}),
                (walk_text(4000), {"ignore": ["DATA_*"], "strict": True}),
                (walk_text(4000)[:20_000], {}), (b"BVH" + b" " * 9000, {})]:
            assert client.validate(source, **options) == bvhmill.validate(
                source, **options)
        report = client.validate(broken)
        assert report.verdict == "unreadable"
        assert [issue.code for issue in report.issues] == ["ENCODING_BROKEN"]
        assert client.read(packed).frames == 4000


# A take that stands still becomes a thousandth of its size.
def test_a_small_packed_file_may_have_a_large_take(client, tmp_path):
    head, _ = walk_text(1, 20).split(b"Frames: 1\n")
    text = (head + b"Frames: 20000\nFrame Time: 0.01\n"
            + (b"0 " * 62 + b"0\n") * 20_000)
    path = tmp_path / "still.bvh.gz"
    path.write_bytes(gzip.compress(text))
    assert path.stat().st_size < 20_000
    arrays = ["positions", "rotations"]
    assert_same(client.read(path, arrays=arrays),
                bvhmill.read(path, arrays=arrays), [*arrays, "values"])


@pytest.mark.parametrize("text, options", [
    (walk_text(2000), {"fps": 2000, "arrays": ["rotations"]}),
    # Joints without channels have no text in a row.
    (walk_text(2000, 60).replace(
        b"CHANNELS 3 Zrotation Xrotation Yrotation", b"CHANNELS 0").split(
            b"Frame Time")[0] + b"Frame Time: 0.01\n" + b"0 0 0 1 2 3\n" * 2000,
     {"arrays": ALL})], ids=["more frames", "no channels"])
def test_a_small_text_may_have_a_large_take(client, text, options):
    assert_same(client.read(text, **options), bvhmill.read(text, **options),
                options["arrays"])


# The command line and the module see a packed clip in walk.bvh.gz only.
def test_the_ending_gz_alone_does_not_mean_a_packed_clip(client, tmp_path,
                                                         walk):
    for name, data in (("take.gz", walk), ("take.bvh.gz", gzip.compress(walk)),
                       ("take.BVH.GZ", gzip.compress(walk))):
        path = tmp_path / name
        path.write_bytes(data)
        assert_same(client.read(path), bvhmill.read(path))


def test_threads_share_a_client(server, walk):
    client = Client(server.address, timeout=60)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        takes = list(pool.map(lambda _: client.read(walk), range(64)))
    assert [take.frames for take in takes] == [200] * 64
    assert not client._calls


def test_errors_are_those_of_the_module(client, golden):
    for path in (golden / "number_with_comma.bvh", golden / "empty.bvh"):
        with pytest.raises(bvhmill.BvhError) as ours:
            bvhmill.read(path)
        with pytest.raises(bvhmill.BvhError) as theirs:
            client.read(path)
        assert_same_error(theirs.value, ours.value)
    with pytest.raises(FileNotFoundError):
        client.read("absent.bvh")
    with pytest.raises(TypeError, match="did you mean"):
        client.read(b"", fsp=3)
    with pytest.raises(ValueError, match="NO_SUCH_CODE"):
        client.read(b"", ignore=["NO_SUCH_CODE"])
    with pytest.raises(TypeError, match="server"):
        client.read(b"", limits={"max_frames": 1})


def test_errors_of_edits_are_those_of_the_module(client, walk):
    for options in ({"drop": ["absent"]}, {"keep": ["absent"]}):
        with pytest.raises(bvhmill.EditError) as ours:
            bvhmill.read(walk, **options)
        with pytest.raises(bvhmill.EditError) as theirs:
            client.read(walk, **options)
        assert_same_error(theirs.value, ours.value)


@pytest.fixture(scope="module")
def small_server():
    with Server("--max-clip-bytes", "20000") as server:
        yield server


@pytest.mark.parametrize("kind", [Client, Awaited])
@pytest.mark.parametrize("name", ["a.bvh", "a.bvh.gz", "a.bvh.zst"])
def test_a_clip_that_is_too_large_is_a_limit_error(kind, name, small_server,
                                                   tmp_path):
    path = tmp_path / name
    path.write_bytes(walk_text(2000))
    if name.endswith("gz"):
        path.write_bytes(gzip.compress(walk_text(2000)))
    elif name.endswith("zst"):
        subprocess.run(["zstd", "-q", "-f", path, "-o", path.with_suffix(".p")],
                       check=True)
        os.replace(path.with_suffix(".p"), path)
    limits = {"max_clip_bytes": 20000}
    with pytest.raises(bvhmill.LimitError) as ours:
        bvhmill.read(path, limits=limits)
    client = kind(small_server.address, timeout=60)
    with pytest.raises(bvhmill.LimitError) as theirs:
        client.read(path)
    (outcome,) = client.read_many([path])
    for error in (theirs.value, outcome.error, ours.value,
                  pickle.loads(pickle.dumps(theirs.value))):
        assert type(error) is bvhmill.LimitError
        assert (error.limit_name, error.limit) == ("max_clip_bytes", 20000)
        assert error.source_name == str(path)
        assert not error.report.ok
        assert str(error).startswith(f"{path}:")
        if name != "a.bvh":
            assert error.code == ours.value.code == "LIMIT_EXCEEDED"
    if name != "a.bvh":
        report = client.validate(path)
        assert report.verdict == bvhmill.validate(path, limits=limits).verdict
        assert [issue.code for issue in report.issues] == ["LIMIT_EXCEEDED"]


def test_a_name_that_is_not_utf8_is_edited_by_its_text(client, walk):
    text = walk.replace(b"j3", b"caf\xe9")
    for read in (client.read, bvhmill.read):
        assert read(text).names[3] == "caf\xe9"
        assert read(text, drop=["caf\xe9"]).joints == 4


@pytest.mark.parametrize("kind", [Client, Awaited])
def test_no_server_is_a_server_error(kind, walk):
    with pytest.raises(ServerError) as caught:
        kind("127.0.0.1:9", timeout=3).read(walk)
    assert caught.value.code == "UNAVAILABLE"
    back = pickle.loads(pickle.dumps(caught.value))
    assert (str(back), back.code) == (str(caught.value), "UNAVAILABLE")


def test_tokens(server, tmp_path, walk):
    guarded = Server("--token-file", token_file(tmp_path))
    try:
        with pytest.raises(ServerError) as caught:
            Client(guarded.address, timeout=10).read(walk)
        assert caught.value.code == "UNAUTHENTICATED"
        client = Client(guarded.address, timeout=10, token=TOKEN)
        assert client.read(walk).frames == 200
    finally:
        guarded.stop()


def test_a_client_finds_a_server_that_starts_later(walk, monkeypatch):
    first = Server()
    port = int(first.address.rsplit(":", 1)[1])
    client = Client(first.address, timeout=60)
    assert client.read(walk).frames == 200
    first.stop()
    started = []

    def sleep(seconds):
        assert 0 < seconds < 2
        if not started:
            started.append(Server(port=port))

    monkeypatch.setattr("time.sleep", sleep)
    try:
        assert client.read(walk).frames == 200
    finally:
        for server in started:
            server.stop()
    assert started


def test_clips_without_a_result_are_sent_again(tmp_path):
    paths = []
    for i in range(60):
        paths.append(tmp_path / f"{i}.bvh")
        paths[-1].write_bytes(walk_text(3000 + i))
    first = Server()
    port = int(first.address.rsplit(":", 1)[1])
    client = Client(first.address)
    frames = []
    second = None
    try:
        for outcome in client.read_many(paths):
            frames.append(outcome.unwrap().frames)
            if len(frames) == 5:
                first.process.kill()
                first.process.wait()
                second = Server(port=port)
    finally:
        if second:
            second.stop()
    assert frames == [3000 + i for i in range(60)]


def test_a_left_stream_is_cancelled(server, tmp_path):
    path = tmp_path / "a.bvh"
    path.write_bytes(walk_text(2000))
    client = Client(server.address, timeout=60)
    outcomes = client.read_many([path] * 200)
    next(outcomes)
    outcomes.close()
    assert client.read(path).frames == 2000
    with client.read_many([path] * 200) as outcomes:
        next(outcomes)
        assert client._calls
    assert not client._calls and list(outcomes) == []


def test_a_left_stream_of_asyncio_is_cancelled(server, tmp_path):
    path = tmp_path / "a.bvh"
    path.write_bytes(walk_text(2000))

    async def run():
        async with AsyncClient(server.address, timeout=60) as client:
            async with client.read_many([path] * 200) as outcomes:
                assert (await outcomes.__anext__()).ok
            assert [outcome async for outcome in outcomes] == []
            return (await client.read(path)).frames

    assert asyncio.run(run()) == 2000


def test_a_pickled_client_has_its_settings(server, walk):
    back = pickle.loads(pickle.dumps(Client(server.address, timeout=30)))
    assert back.read(walk).frames == 200


# In a program of its own, which has not called a server before.
def test_forks_before_a_call_work_and_others_say_why_not(server, tmp_path,
                                                         walk):
    path = tmp_path / "walk.bvh"
    path.write_bytes(walk)
    code = """
        import sys
        sys.path.insert(0, sys.argv[1])
        from bvhmill.client import Client
        from test_processes import in_child
        client = Client(sys.argv[2], timeout=30)
        def reads():
            return client.read(sys.argv[3]).frames == 200
        def is_told():
            try:
                reads()
            except RuntimeError as error:
                return 'spawn' in str(error)
        print(in_child(reads))
        for _ in range(4):
            assert reads()
            print(in_child(is_told))
    """
    words = [sys.executable, "-c", textwrap.dedent(code), HERE, server.address,
             path]
    # A fork that meets a lock of gRPC's own threads hangs: then once more.
    for is_last in (False, False, True):
        try:
            done = subprocess.run(words, capture_output=True, text=True,
                                  timeout=50)
            break
        except subprocess.TimeoutExpired:
            if is_last:
                raise
    assert done.stdout.split() == ["0"] * 5, done.stderr


def test_takes_of_a_server_can_be_edited(client, walk):
    ours = bvhmill.read(walk).edit(frames=(3, 60), fps=50)
    theirs = client.read(walk).edit(frames=(3, 60), fps=50)
    np.testing.assert_array_equal(theirs.positions, ours.positions)
    assert theirs.to_bvh() == ours.to_bvh()
    with pytest.raises(ValueError, match="read-only"):
        theirs.values[0] = 1
    theirs.positions[0] = 1


# A server with another limit on the depth; it has jobs, too.
def test_takes_of_a_server_with_other_limits_can_be_edited(tmp_path):
    path = tmp_path / "deep.bvh"
    path.write_bytes(walk_text(3, 10_001))
    with Server("--max-depth=0", "--data-dir", tmp_path / "data") as server:
        client, jobs = Client(server.address), Jobs(server.address)
        submitted = jobs.submit([path])
        for take in (client.read(path),
                     *(outcome.take for outcome in client.read_many([path])),
                     *(outcome.take for outcome in jobs.results(submitted))):
            assert take.edit(frames=(0, 2)).frames == 2
            assert len(take.to_csv()) == len(take[:].to_csv())


def test_a_broken_packed_clip_has_the_error_of_the_module(client, tmp_path,
                                                          walk):
    path = tmp_path / "broken.bvh.gz"
    path.write_bytes(gzip.compress(walk)[:-200])
    with pytest.raises(bvhmill.BvhError) as ours:
        bvhmill.read(path)
    with pytest.raises(bvhmill.BvhError) as theirs:
        client.read(path)
    assert theirs.value.code == ours.value.code == "ENCODING_BROKEN"
    assert str(theirs.value).startswith(f"{path}: error: ENCODING_BROKEN: ")
    reports = [bvhmill.validate(path), client.validate(path)]
    assert [report.verdict for report in reports] == ["unreadable"] * 2
    assert [[issue.code for issue in report.issues]
            for report in reports] == [["ENCODING_BROKEN"]] * 2
    outcome = list(client.read_many([path]))[0]
    assert outcome.error.code == "ENCODING_BROKEN"
    assert outcome.error.__traceback__ is None


def test_a_path_that_is_no_utf8_is_sent(client, tmp_path, walk):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.bvh")
    with open(path, "wb") as file:
        file.write(walk)
    assert client.read(path).frames == 200
    assert [outcome.take.frames for outcome in client.read_many([path])] == [
        200]


def test_an_array_without_elements_is_sent_as_an_empty_text(client):
    with pytest.raises(bvhmill.BvhError) as caught:
        client.read(np.zeros((0, 4), np.uint8))
    assert caught.value.code == "TEXT_EMPTY"


def test_arrays_of_a_client_may_be_named_by_a_generator(client, walk):
    take = client.read(walk, arrays=(name for name in ["rotations"]))
    assert "rotations" in take._made


class Broken:
    """A stub whose streams fail, and what timeouts they were called with."""

    timeouts = []

    def __init__(self, _):
        pass

    def ConvertClips(self, requests, timeout, metadata):
        self.timeouts.append(timeout)
        raise Away()


class Away(grpc.RpcError):
    def code(self):
        return grpc.StatusCode.UNAVAILABLE

    def details(self):
        return "away"

    def trailing_metadata(self):
        return ()


def test_attempts_of_a_stream_share_one_deadline(monkeypatch, server,
                                                 walk_path):
    from bvhmill.client import _sync
    monkeypatch.setattr(_sync.clip_service_pb2_grpc, "ClipServiceStub", Broken)
    Broken.timeouts.clear()
    with pytest.raises(ServerError):
        list(Client(server.address, timeout=30).read_many([walk_path]))
    # One call, and three more.
    assert len(Broken.timeouts) == 4
    assert Broken.timeouts == sorted(Broken.timeouts, reverse=True)
    assert Broken.timeouts[0] > Broken.timeouts[3] + 0.3


def test_the_event_loop_is_free_while_a_file_is_read(server, tmp_path, walk):
    path = tmp_path / "pipe.bvh"
    os.mkfifo(path)

    async def read():
        async with AsyncClient(server.address, timeout=60) as client:
            task = asyncio.ensure_future(client.read(path))
            # The reader waits for this writer, which is in the same loop.
            while True:
                try:
                    pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
                    break
                except OSError:
                    await asyncio.sleep(0.001)
            os.set_blocking(pipe, True)
            with open(pipe, "wb") as file:
                await asyncio.to_thread(file.write, walk)
            return (await task).frames

    assert asyncio.run(read()) == 200


# Without the compiled module nothing else would check them.
@pytest.mark.parametrize("words", [
    {"frames": [3, 0]}, {"frames": [0, 5, 0]}, {"frames": [0, 5, 1, 7]},
    {"trim": [1, 0]}, {"fps": 0}, {"units": 0}, {"units": "ell"},
    {"up": "unspecified"}, {"up": "w"}, {"interpolation": "lurp"},
    {"severities": {"DATA_LOOP": "bad"}}])
def test_values_that_a_message_would_lose_are_refused(words):
    from bvhmill.client._option_fields import set_options
    from bvhmill.v1 import options_pb2

    with pytest.raises(ValueError, match="must be"):
        set_options(words, options_pb2.ConvertOptions())


# A value of each kind, and those of options that take certain names.
_OF_KIND = {
    "flag": True, "whole": 2, "real": 1.5, "text": "Hips", "unit": "cm",
    "names": ["Hips"], "arrays": ["positions"], "pairs": {"Hips": "pelvis"},
    "severities": {"DATA_LOOP": "hint"},
    "thresholds": {"DATA_SPIKE.degrees": 4.5}, "priorities": {"mHead": 5},
    "map": "cmu", "frames": (1, 2), "trim": (0.5, None),
    "numbers": (1, -2, 3.5), "loop": (0.25, 0.5)}
_OF_OPTION = {"ignore": ["DATA_LOOP"], "only": ["DATA_LOOP"],
              "names_to": "mixamo", "rig": "smpl22", "rest": "apose",
              "root_axes": "xzy", "root_signs": "-+-",
              "anim_emote": "express_wink"}


def test_every_keyword_is_checked_and_sent():
    from bvhmill._option_types import ROWS
    from bvhmill._options import checked, words_of
    from bvhmill.client._option_fields import set_options, set_output
    from bvhmill.v1 import options_pb2

    for key, row in ROWS.items():
        value = _OF_OPTION.get(key, row.words[-1] if row.words
                               else _OF_KIND[row.kind])
        words = words_of({key: value}, tuple(ROWS))
        needs = {"to_up": {"up": "y"}, "to_units": {"units": 1}}.get(key, {})
        for format in row.formats or (None,):
            emit = [{"format": format, **words}] if format else []
            checked({"emit": emit} if format else {**words, **needs})
            message = options_pb2.ConvertOptions()
            if format:
                set_output(words, format, message.outputs.add())
            else:
                set_options(words, message)
            assert row.field in str(message), key
