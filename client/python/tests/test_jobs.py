"""Durable jobs, by both clients, on real servers."""

import hashlib
import os
import pickle
import subprocess
import time

import numpy as np
import pytest

pytest.importorskip("grpc")

import bvhmill
from bvhmill.jobs import Job, Jobs, JobState, JobsUnavailable, ServerError
from bvhmill.jobs._types import job_of
from bvhmill.v1 import job_service_pb2
from conftest import walk_text
# Fixtures, too.
from job_fixtures import Awaited, jobs, outcomes_of, server, tree
from servers import TOKEN, Server, token_file
from test_client import assert_same, assert_same_error
from test_package import run_examples


@pytest.fixture
def takes(tmp_path, golden):
    """A folder with takes in folders, good, bad, packed, and other files."""
    folder = tmp_path / "takes"
    (folder / "night/two").mkdir(parents=True)
    (folder / "walk.bvh").write_bytes(walk_text(300))
    (folder / "night/run.bvh").write_bytes(walk_text(120, 4))
    (folder / "night/two/bad.bvh").write_bytes(b"HIERARCHY\nROOT a\n{\n")
    (folder / "night/odd.BVH").write_bytes(
        (golden / "number_with_comma.bvh").read_bytes())
    (folder / "notes.txt").write_text("no clip")
    (folder / ".hidden.bvh").write_bytes(walk_text(3))
    return folder


@pytest.mark.parametrize("options", [
    {}, {"arrays": ["positions", "world_rotations", "rotations"],
         "end_sites": True},
    {"fps": 20, "frames": (3, 100), "drop": ["j3"]},
    {"arrays": ["velocities"], "root_offset": "add", "strict": True},
])
def test_outcomes_are_those_of_the_module(jobs, takes, options):
    submitted = jobs.submit([takes], **options)
    outcomes = outcomes_of(jobs, submitted)
    paths = sorted(path for path in takes.rglob("*")
                   if path.suffix.lower() == ".bvh" and path.name[0] != ".")
    assert [outcome.path for outcome in outcomes] == list(map(str, paths))
    assert submitted.job.total == len(paths) == 4
    for their, our in zip(outcomes, bvhmill.read_many(paths, **options)):
        assert their.ok == our.ok, our.path
        if our.ok:
            assert_same(their.take, our.take,
                        [*options.get("arrays", ["positions"]), "values"])
        else:
            assert_same_error(their.error, our.error)


def test_text_files_and_paths_have_names_of_their_own(jobs, takes, walk):
    with open(takes / "walk.bvh", "rb") as file:
        submitted = jobs.submit({"text": walk, "b/file": file,
                                 "path": takes / "night/run.bvh"})
    outcomes = outcomes_of(jobs, submitted)
    assert [outcome.path for outcome in outcomes] == [
        "text", "b/file", str(takes / "night/run.bvh")]
    assert [outcome.unwrap().frames for outcome in outcomes] == [200, 300, 120]


def test_a_second_submission_is_the_same_job(jobs):
    clips = {"a": walk_text(77), "b": walk_text(78)}
    first = jobs.submit(clips, fps=77)
    assert first.uploaded_files in (0, 2)
    second = jobs.submit(clips, fps=77)
    assert (second.name, second.uploaded_files) == (first.name, 0)
    assert jobs.submit(clips, fps=78).name != first.name
    assert jobs.submit(clips, fps=77, name="x").name != first.name
    other = jobs.submit(clips, fps=77, again=True)
    assert other.name != first.name
    mine = str(time.monotonic_ns())
    one = jobs.submit(clips, request_id=mine)
    assert jobs.submit(clips, request_id=mine).name == one.name
    with pytest.raises(ServerError) as caught:
        jobs.submit({"c": b"other"}, request_id=mine)
    assert caught.value.reason == "REQUEST_ID_USED"
    with pytest.raises(ValueError, match="request_id"):
        jobs.submit(clips, request_id=mine, again=True)


def test_equal_files_are_uploaded_once(jobs):
    text = walk_text(50) + f"\n# {time.monotonic_ns()}".encode()
    submitted = jobs.submit({"a": text, "b": text, "c": text})
    assert (submitted.uploaded_files, submitted.job.total) == (1, 3)
    assert submitted.uploaded_bytes == len(text)


def test_sources_that_cannot_be_read_are_errors_of_the_submission(
        jobs, takes, tmp_path):
    os.mkfifo(tmp_path / "pipe.bvh")
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/walk.bvh").write_bytes(walk_text(3))
    absent = tmp_path / "absent.bvh"
    sources = [absent, takes / "walk.bvh", tmp_path / "pipe.bvh",
               tmp_path / "empty", tmp_path / "other/walk.bvh"]
    submitted = jobs.submit(sources)
    errors = submitted.errors
    assert list(errors) == [str(path) for path in sources if path.name
                            != "walk.bvh"] + [str(sources[-1])]
    assert isinstance(errors[str(absent)], FileNotFoundError)
    assert "not a regular file" in str(errors[str(sources[2])])
    assert "no *.bvh below it" in str(errors[str(sources[3])])
    assert "same outputs" in str(errors[str(sources[4])])
    assert submitted.job.total == 1
    assert "absent.bvh: not in the job" in str(submitted)
    with pytest.raises(ValueError, match="none of 1 sources can be read"):
        jobs.submit([absent])
    with pytest.raises(TypeError, match="not a single one"):
        jobs.submit(str(takes))
    with pytest.raises(ValueError, match="items"):
        jobs.submit([])


# On the command line it is stdin.
def test_a_folder_may_be_named_by_a_dash(jobs, tmp_path, monkeypatch, walk):
    (tmp_path / "-").mkdir()
    (tmp_path / "-/a.bvh").write_bytes(walk)
    monkeypatch.chdir(tmp_path)
    (outcome,) = outcomes_of(jobs, jobs.submit(["-"]))
    assert outcome.unwrap().frames == 200


def test_a_file_that_changes_while_it_is_submitted_is_named(
        jobs, tmp_path, monkeypatch):
    from bvhmill.jobs import _sources

    path = tmp_path / "a.bvh"
    for text in (walk_text(44), walk_text(46)):
        path.write_bytes(walk_text(45))
        name_bytes = _sources.Clip.name_bytes

        def and_change(clip, text=text, name_bytes=name_bytes):
            name_bytes(clip)
            path.write_bytes(text)

        with monkeypatch.context() as patch:
            patch.setattr(_sources.Clip, "name_bytes", and_change)
            with pytest.raises(ValueError, match="a.bvh: changed while"):
                jobs.submit([path], again=True)


def test_wrong_options_are_errors_of_the_call(jobs, walk):
    clips = {"a": walk}
    for wrong, kind, said in (
            ({"fsp": 3}, TypeError, "did you mean 'fps'"),
            ({"limits": {"max_frames": 1}}, TypeError, "server"),
            ({"emit": ["obj"]}, ValueError, "there is no format 'obj'"),
            ({"emit": "npz"}, TypeError, r"such as \['npz'\]"),
            ({"emit": {"npz": {"rotation_kidn": "6d"}}}, TypeError,
             "mean 'rotation_kind'"),
            ({"emit": {"positions": {"world": True}}}, TypeError, "world"),
            ({"emit": {"rotations": {"rotation_kind": "x"}}}, ValueError, "6d"),
            ({"emit": {"rotations": {"rotation_space": "world"}},
              "arrays": ["rotations"]}, ValueError, "other options"),
            ({"ignore": ["NO_SUCH"]}, ValueError, "NO_SUCH")):
        with pytest.raises(kind, match=said):
            jobs.submit(clips, **wrong)
    with pytest.raises(ValueError, match="makes no files"):
        jobs.save(jobs.submit(clips), "out")
    with pytest.raises(TypeError, match="job must be"):
        jobs.get(7)


EMITS = ["positions", "rotations", "velocities", "values", "npz", "csv", "bvh",
         "report"]


def convert(cli, takes, out, *words):
    done = subprocess.run([cli, "convert", "-r", takes, "-o", out, "--local",
                           "-q", *words], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr


@pytest.mark.parametrize("emit, options, words", [
    (EMITS, {"end_sites": True}, ["--emit", ",".join(EMITS), "--end-sites"]),
    ({"npz": {"rotation_kind": "6d", "rotation_space": "world",
              "npz_arrays": ["rotations"]},
      "rotations": {"rotation_kind": "6d", "rotation_space": "world"},
      "bvh": {}}, {"fps": 25},
     ["--emit", "npz,rotations,bvh", "--rotation-kind", "6d",
      "--rotation-space", "world", "--npz-arrays", "rotations", "--fps", "25"]),
    ({"anim": {"anim_map": {"j0": "mPelvis", "j1": "mTorso", "j2": "mChest"},
               "anim_accept_odd": True, "anim_loop": (0.5, 1.0),
               "anim_ease_out": 0.25, "anim_priority": 4,
               "anim_max_degrees": 0.5, "anim_reference": "rest",
               "anim_emote": "express_smile", "anim_hand_pose": 3},
      "report": {}}, {"units": "m", "up": "y"},
     ["--emit", "anim,report", "--units", "m", "--up", "y", "--anim-map",
      "MAP", "--anim-accept-odd", "--anim-loop=0.5:1", "--anim-ease-out",
      "0.25", "--anim-priority",
      "4", "--anim-max-degrees", "0.5", "--anim-reference", "rest",
      "--anim-emote", "express_smile", "--anim-hand-pose", "3"]),
], ids=["all", "options", "anim"])
def test_files_are_those_of_convert(jobs, cli, takes, tmp_path, emit, options,
                                    words):
    rows = tmp_path / "map.csv"
    rows.write_text("source,target\nj0,mPelvis\nj1,mTorso\nj2,mChest\n")
    words = [str(rows) if word == "MAP" else word for word in words]
    convert(cli, takes, tmp_path / "there", *words)
    submitted = jobs.submit([takes], emit=emit, **options)
    saved = jobs.save(submitted, tmp_path / "here")
    ours, theirs = tree(tmp_path / "here"), tree(tmp_path / "there")
    assert len(theirs) > 3
    assert sorted(ours) == sorted(theirs)
    for name, data in theirs.items():
        assert ours[name] == data, name
    assert sorted(file for clip in saved for file in clip.files) == sorted(
        str(tmp_path / "here" / name) for name in ours)
    assert sum(clip.ok for clip in saved) == jobs.get(submitted).good


def test_files_that_are_there_are_not_fetched_again(jobs, takes, tmp_path):
    out = tmp_path / "out"
    submitted = jobs.submit([takes], emit=["positions", "csv", "report"])
    first = jobs.save(submitted, out)
    before = tree(out)
    again = jobs.save(submitted, out)
    assert [clip.was_there for clip in again] == [clip.ok for clip in first]
    assert [clip.files for clip in again if clip.ok] == [
        clip.files for clip in first if clip.ok]
    changed = out / "walk.csv"
    changed.write_bytes(b"mine")
    (out / "night/run.positions.npy").unlink()
    (out / "night/two/bad.report.json").unlink()
    third = {clip.path: clip for clip in jobs.save(submitted, out)}
    walk = third[str(takes / "walk.bvh")]
    assert isinstance(walk.error, FileExistsError) and not walk.ok
    assert changed.read_bytes() == b"mine"
    run = third[str(takes / "night/run.bvh")]
    assert run.ok and not run.was_there
    assert run.files in [clip.files for clip in first]
    assert all(clip.ok == one.ok for clip, one in zip(
        jobs.save(submitted, out, overwrite=True), first))
    assert tree(out) == before
    assert not [name for name in before if name.endswith(".part")]


# Its process was killed between the names of two files.
@pytest.mark.parametrize("absent", ["positions.npy", "csv", "report.json"])
def test_a_save_that_was_killed_is_finished_by_the_next_one(jobs, walk, absent,
                                                            tmp_path):
    submitted = jobs.submit({"a": walk}, emit=["positions", "csv", "report"])
    jobs.save(submitted, tmp_path)
    before = tree(tmp_path)
    (tmp_path / f"a.{absent}").unlink()
    (clip,) = jobs.save(submitted, tmp_path)
    assert clip.ok and not clip.was_there and len(clip.files) == 3
    assert tree(tmp_path) == before
    (tmp_path / "a.csv").unlink()
    (tmp_path / "a.report.json").write_text("mine")
    (clip,) = jobs.save(submitted, tmp_path)
    assert isinstance(clip.error, FileExistsError)
    assert "a.csv" not in tree(tmp_path)


# The same outputs, by other rules or under another path.
@pytest.mark.parametrize("of_rules", [True, False])
def test_a_report_that_is_there_is_that_of_the_job(jobs, walk, tmp_path,
                                                   of_rules):
    outputs, options = ["csv", "report"], {}
    if of_rules:
        options = {"severities": {"DATA_REST_POSE": "hint"},
                   "thresholds": {"DATA_SPIKE.degrees": 2}}
    first, second = tmp_path / "1.bvh", tmp_path / "2.bvh"
    for path in (first, second):
        path.write_bytes(walk)
    jobs.save(jobs.submit({"a": first}, emit=outputs), tmp_path / "out")
    other = jobs.submit({"a": first if of_rules else second}, emit=outputs,
                        **options)
    jobs.save(other, tmp_path / "other")
    before, wanted = tree(tmp_path / "out"), tree(tmp_path / "other")
    assert before["a.csv"] == wanted["a.csv"]
    assert before["a.report.json"] != wanted["a.report.json"]
    (clip,) = jobs.save(other, tmp_path / "out")
    if of_rules:
        assert isinstance(clip.error, FileExistsError) and not clip.files
    else:
        assert clip.ok and clip.was_there
    assert tree(tmp_path / "out") == before
    (clip,) = jobs.save(other, tmp_path / "out", overwrite=True)
    assert clip.ok and not clip.was_there and len(clip.files) == 2
    assert tree(tmp_path / "out") == wanted
    (tmp_path / "out/a.report.json").write_text("[")
    (clip,) = jobs.save(other, tmp_path / "out")
    assert isinstance(clip.error, FileExistsError)


def test_outputs_do_not_leave_the_folder(jobs, walk, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out/link").symlink_to(tmp_path / "elsewhere")
    submitted = jobs.submit({"../up": walk, "/abs": walk, "link/a": walk,
                             "a/../../b": walk, "good/./x": walk},
                            emit=["csv"])
    saved = jobs.save(submitted, tmp_path / "out")
    assert [clip.ok for clip in saved] == [False] * 4 + [True]
    assert all(isinstance(clip.error, OSError) for clip in saved[:4])
    assert list(tree(tmp_path / "out")) == ["good/x.csv"]
    assert not list((tmp_path / "elsewhere").iterdir())


def test_jobs_of_the_command_line_give_takes_and_files(jobs, server, cli,
                                                       takes, tmp_path):
    words = ["-r", takes, "--emit", "positions,npz,report", "--fps", "30"]
    done = subprocess.run([cli, "job", "submit", *words, "--server",
                           server.address], capture_output=True, text=True,
                          check=True)
    name = done.stdout.strip()
    outcomes = outcomes_of(jobs, name.removeprefix("jobs/"))
    paths = [outcome.path for outcome in outcomes]
    for their, our in zip(outcomes, bvhmill.read_many(paths, fps=30)):
        assert their.ok == our.ok
        if their.ok:
            np.testing.assert_array_equal(their.take.positions,
                                          our.take.positions)
    convert(cli, takes, tmp_path / "there", *words[2:])
    jobs.save(name, tmp_path / "here")
    assert tree(tmp_path / "here") == tree(tmp_path / "there")


def test_the_command_line_fetches_jobs_of_python(jobs, server, cli, takes,
                                                 tmp_path):
    submitted = jobs.submit([takes], emit=["npz", "report"])
    subprocess.run([cli, "job", "wait", submitted.name, "--server",
                    server.address], capture_output=True)
    subprocess.run([cli, "job", "results", submitted.name, "-o",
                    tmp_path / "there", "--server", server.address],
                   capture_output=True)
    jobs.save(submitted, tmp_path / "here")
    assert tree(tmp_path / "here") == tree(tmp_path / "there") != {}


def test_names_that_are_not_utf8_are_kept(jobs, server, cli, walk, tmp_path):
    folder = tmp_path / "takes"
    folder.mkdir()
    name = os.fsdecode(b"caf\xe9")
    (folder / f"{name}.bvh").write_bytes(walk)
    submitted = jobs.submit([folder], emit=["csv"])
    jobs.save(submitted, tmp_path / "here")
    assert list(tree(tmp_path / "here")) == [f"{name}.csv"]
    done = subprocess.run([cli, "job", "submit", "-r", folder, "--emit", "csv",
                           "--server", server.address], capture_output=True,
                          check=True)
    jobs.save(done.stdout.decode().strip(), tmp_path / "there")
    assert tree(tmp_path / "here") == tree(tmp_path / "there")


def test_a_path_of_a_mapping_may_be_no_utf8(jobs, walk, tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.bvh")
    with open(path, "wb") as file:
        file.write(walk)
    submitted = jobs.submit({"one": path})
    (outcome,) = outcomes_of(jobs, submitted)
    assert outcome.unwrap().frames == 200
    assert outcome.path == f"{tmp_path}/caf?.bvh"


# No source is read before that.
def test_a_name_of_a_clip_that_is_not_utf8_is_refused_at_once(jobs, walk):
    for key, kind in (("caf\udce9", ValueError), (b"one", TypeError)):
        with pytest.raises(kind) as caught:
            jobs.submit({"a": "absent.bvh", key: walk})
        assert repr(key) in str(caught.value)


def test_waiting_shows_progress_and_may_end_early(server):
    jobs = Jobs(server.address)
    clips = {str(i): walk_text(8000 + i, 20) for i in range(12)}
    submitted = jobs.submit(clips, arrays=["rotations", "velocities"],
                            again=True)
    with pytest.raises(TimeoutError, match=submitted.name):
        jobs.wait(submitted, timeout=0.01)
    seen = []
    job = jobs.wait(submitted, progress=seen.append, timeout=100)
    assert job.state is JobState.SUCCEEDED and job.is_over
    assert (job.good, job.done, job.total) == (12, 12, 12)
    assert len(seen) > 1 and seen[-1] == job
    assert all(isinstance(one, Job) for one in seen)
    assert [one.done for one in seen] == sorted(one.done for one in seen)
    assert job.created <= job.started <= job.ended < job.expires


def test_results_can_be_had_before_the_job_is_over(server):
    jobs = Jobs(server.address)
    clips = {str(i): walk_text(8000 + i, 20) for i in range(12)}
    submitted = jobs.submit(clips, arrays=["rotations", "velocities"],
                            again=True)
    jobs.cancel(submitted)
    some = outcomes_of(jobs, submitted, partial=True)
    assert len(some) <= 12
    assert all(outcome.ok for outcome in some)


def test_a_cancelled_job_keeps_its_results(jobs):
    clips = {str(i): walk_text(9000 + i, 20) for i in range(30)}
    submitted = jobs.submit(clips, arrays=["rotations", "velocities"],
                            again=True)
    jobs.cancel(submitted)
    job = jobs.wait(submitted, timeout=100)
    assert job.state is JobState.CANCELLED and job.done < 30
    good = [outcome for outcome in outcomes_of(jobs, submitted) if outcome.ok]
    assert len(good) == job.good
    assert jobs.cancel(submitted).state is JobState.CANCELLED


def test_only_failed_clips_can_be_asked_for(jobs, takes):
    submitted = jobs.submit([takes])
    failed = outcomes_of(jobs, submitted, failed_only=True)
    assert len(failed) == jobs.get(submitted).failed > 0
    assert not any(outcome.ok for outcome in failed)


def test_jobs_are_listed_and_deleted(jobs, walk):
    one = jobs.submit({"a": walk}, name="one", again=True,
                      annotations={"show": "night"})
    two = jobs.submit({"a": walk}, name="two", again=True)
    for job in (one, two):
        jobs.wait(job)
    listed = jobs.list()
    assert [job.name for job in listed[:2]] == [two.name, one.name]
    assert listed[1].display_name == "one"
    assert listed[1].annotations["show"] == "night"
    assert jobs.list(["running", JobState.PENDING]) == []
    assert jobs.list(["succeeded"])[0].name == two.name
    with pytest.raises(ValueError, match="no-state"):
        jobs.list(["no-state"])
    jobs.delete(one)
    assert one.name not in [job.name for job in jobs.list()]
    for call in (jobs.get, jobs.wait, jobs.delete, jobs.cancel):
        with pytest.raises(ServerError) as caught:
            call(one)
        assert (caught.value.code, caught.value.reason) == (
            "NOT_FOUND", "JOB_UNKNOWN")


def test_blobs_are_deleted_by_their_digest(jobs):
    digest = hashlib.sha256(b"deleted").hexdigest()
    jobs.delete_blob(digest)
    jobs.delete_blob("blobs/" + digest)
    with pytest.raises(ValueError, match="blob: is not blobs/"):
        jobs.delete_blob("walk.bvh")


def test_more_results_than_a_page_come_in_order(server):
    jobs = Jobs(server.address)
    clips = {f"{i:03}": walk_text(3 + i % 7) for i in range(450)}
    outcomes = outcomes_of(jobs, jobs.submit(clips))
    assert [outcome.path for outcome in outcomes] == list(clips)
    assert [outcome.unwrap().frames for outcome in outcomes] == [
        3 + i % 7 for i in range(450)]


def test_a_job_that_is_blocked_says_so():
    message = job_service_pb2.Job(name="jobs/a", state="JOB_STATE_RUNNING")
    message.blocked.message = "delete jobs"
    job = job_of(message)
    assert job.blocked == "delete jobs"
    assert str(job).splitlines()[1] == "jobs/a: blocked: delete jobs"


@pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])
def test_a_server_without_jobs_says_so(kind, walk):
    with Server("--data-dir", "none") as server:
        for call in (lambda jobs: jobs.submit({"a": walk}),
                     lambda jobs: jobs.list(),
                     lambda jobs: list(jobs.results("x"))):
            with pytest.raises(JobsUnavailable,
                               match="keeps no jobs") as caught:
                call(kind(server.address))
            assert (caught.value.code, caught.value.reason) == (
                "UNIMPLEMENTED", "JOBS_OFF")
        back = pickle.loads(pickle.dumps(caught.value))
        assert isinstance(back, JobsUnavailable) and back.reason == "JOBS_OFF"


def test_jobs_belong_to_a_token(tmp_path, walk):
    with Server("--data-dir", tmp_path / "data", "--token-file",
                token_file(tmp_path)) as server:
        for token in (None, "wrong-token-of-nobody-0123456789012345"):
            with pytest.raises(ServerError) as caught:
                Jobs(server.address, token=token).submit({"a": walk})
            assert caught.value.code == "UNAUTHENTICATED"
        jobs = pickle.loads(pickle.dumps(Jobs(server.address, token=TOKEN)))
        assert jobs.wait(jobs.submit({"a": walk})).good == 1


def test_no_server_is_a_server_error_after_the_timeout(walk):
    with pytest.raises(ServerError, match="cannot reach 127.0.0.1:9") as caught:
        Jobs("127.0.0.1:9", timeout=1).submit({"a": walk})
    assert caught.value.code == "UNAVAILABLE"



def test_examples_of_jobs(server, tmp_path):
    tried = 0
    for name in ("_sync", "_async", "_types"):
        failed, some = run_examples("bvhmill.jobs." + name, bvhmill=bvhmill,
                                    jobs=Jobs(server.address), folder=tmp_path)
        assert failed == 0
        tried += some
    assert tried > 25
