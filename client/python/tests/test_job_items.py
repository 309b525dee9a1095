"""Results of items that have options of their own, which replace the job's."""

import hashlib
import subprocess

import numpy as np
import pytest

grpc = pytest.importorskip("grpc")

import bvhmill
from bvhmill.jobs import Jobs
from bvhmill.v1 import job_service_pb2 as v1
from bvhmill.v1 import options_pb2
from bvhmill.v1.job_service_pb2_grpc import JobServiceStub
from conftest import walk_text
# Fixtures, too.
from job_fixtures import jobs, outcomes_of, server, tree

TEXT = walk_text(20)


def options_of(*outputs):
    """ConvertOptions with outputs: a format, or (id, format)."""
    options = options_pb2.ConvertOptions()
    for output in outputs:
        name, format = output if isinstance(output, tuple) else ("", output)
        request = options.outputs.add(id=name)
        getattr(request, format).SetInParent()
    return options


def made(server, options, items, **notes):
    """The name of a job whose items have these options, or None."""
    plain = Jobs(server.address)
    plain.submit({"a": TEXT})
    name = "blobs/" + hashlib.sha256(TEXT).hexdigest()
    request = v1.CreateJobRequest(options=options, annotations=notes)
    for key, own in items.items():
        item = request.items.add(key=key)
        item.source.blob, item.source.display_name = name, key
        if own is not None:
            item.options.CopyFrom(own)
    with grpc.insecure_channel(server.address) as channel:
        job = JobServiceStub(channel).CreateJob(request).job.name
    plain.wait(job)
    return job


def test_arrays_have_the_names_of_their_items(jobs, server):
    job = made(server, options_of("positions"), {
        "plain": None, "other": options_of("velocities"),
        "more": options_of("values", "velocities", "positions"),
        "table": options_of("csv", ("positions", "csv"))})
    ours = bvhmill.read(TEXT, arrays=["positions", "velocities"])
    plain, other, more, table = outcomes_of(jobs, job)
    assert list(plain.take._made) == ["positions"]
    np.testing.assert_array_equal(plain.take.positions, ours.positions)
    assert list(other.take._made) == ["velocities"]
    np.testing.assert_array_equal(other.take.velocities, ours.velocities)
    assert sorted(more.take._made) == ["positions", "velocities"]
    for name in ("positions", "velocities", "values"):
        np.testing.assert_array_equal(getattr(more.take, name),
                                      getattr(ours, name))
    # The id of an array, but the bytes of a table.
    assert not table.take._made


def test_outputs_may_come_in_another_order(jobs, server):
    job = made(server, options_of("positions", "velocities"),
               {"a": options_of("velocities", "positions")})
    ours = bvhmill.read(TEXT, arrays=["positions", "velocities"])
    (outcome,) = outcomes_of(jobs, job)
    for name in ("positions", "velocities"):
        np.testing.assert_array_equal(getattr(outcome.take, name),
                                      getattr(ours, name))


# A result does not say whether rotations are local.
def test_rotations_of_an_item_are_not_taken_for_local_ones(jobs, server):
    own = options_of("values", "rotations")
    own.outputs[1].rotations.rotation_space = options_pb2.ROTATION_SPACE_WORLD
    (outcome,) = outcomes_of(jobs, made(server, options_of("positions"),
                                        {"a": own}))
    ours = bvhmill.read(TEXT)
    assert not outcome.take._made
    np.testing.assert_array_equal(outcome.take.rotations, ours.rotations)


def test_rows_of_end_sites_are_known_by_the_array(jobs, server):
    own = options_of("positions", "velocities")
    own.outputs[0].positions.end_sites = True
    (outcome,) = outcomes_of(jobs, made(server, options_of("positions"),
                                        {"a": own}))
    ours = bvhmill.read(TEXT, end_sites=True)
    assert list(outcome.take._made) == ["positions"]
    assert outcome.take.names == ours.names
    np.testing.assert_array_equal(outcome.take.positions, ours.positions)


@pytest.mark.parametrize("asked", [("positions",), (), ("csv", "bvh"),
                                   (("world", "positions"),)])
def test_files_of_items_are_those_of_the_command_line(jobs, server, cli, asked,
                                                      tmp_path):
    own = options_of("velocities", "csv", "positions")
    job = made(server, options_of(*asked), {
        "plain": None, "own": own, "table": options_of(("mine", "csv")),
        "world": options_of(("world", "csv")),
        "twice": options_of(("a", "csv"), ("b", "csv")),
        "odd": options_of("bvh", ("mine", "velocities"))},
        **{"bvhmill.report": "1"})
    done = subprocess.run([cli, "job", "results", job, "-o",
                           tmp_path / "there", "--server", server.address],
                          capture_output=True, text=True)
    saved = {clip.path: clip for clip in jobs.save(job, tmp_path / "here")}
    assert done.returncode == 1, done.stderr
    assert tree(tmp_path / "here") == tree(tmp_path / "there")
    names = set(tree(tmp_path / "here"))
    assert {"own.csv", "own.positions.npy", "own.velocities.npy",
            "table.csv", "world.csv", "own.report.json"} <= names
    assert not [name for name in names if name.startswith(("odd", "twice"))]
    assert "its output 'mine' is of a format" in str(saved["odd"].error)
    assert "its output 'b' would have the file" in str(saved["twice"].error)
    assert [path for path, clip in saved.items() if not clip.ok] == [
        "twice", "odd"]
    # A report is made here, so it is not fetched.
    again = jobs.save(job, tmp_path / "here")
    assert [clip.was_there for clip in again] == [
        len(clip.files) > 1 for clip in again]


# Python's note names the files among the outputs of the job.
def test_outputs_of_items_are_files_too(jobs, server, tmp_path):
    job = made(server, options_of("positions", "csv"),
               {"a": options_of("csv", "bvh"), "b": None},
               **{"bvhmill.emit": "csv"})
    jobs.save(job, tmp_path)
    assert sorted(tree(tmp_path)) == ["a.bvh", "a.csv", "b.csv"]


def test_a_result_without_its_joints_gives_no_take():
    from bvhmill.client._messages import outcome_of
    from bvhmill.v1 import result_pb2

    result = result_pb2.ClipResult(key="a", left_out=["info.joints"])
    outcome = outcome_of("a.bvh", result, [], True, {})
    assert outcome.take is None
    assert outcome.error.code == "RESPONSE_TOO_LARGE"
    assert str(outcome.error).startswith("a.bvh: error: RESPONSE_TOO_LARGE")
