"""A take has the bits of the .npz that the command line writes."""

import pathlib
import subprocess

import numpy as np
import pytest

import bvhmill
from conftest import DATA, ROOT, clips_in, project_clips

def assert_same(take, npz, path):
    assert set(npz.files) >= {"positions", "rotations", "names", "parents",
                              "offsets", "channels", "frame_time"}
    for name in ("positions", "rotations", "parents", "offsets"):
        ours, theirs = getattr(take, name), npz[name]
        assert ours.dtype == theirs.dtype, (path, name)
        assert ours.shape == theirs.shape, (path, name)
        assert ours.tobytes() == theirs.tobytes(), (path, name)
    assert list(take.names) == list(npz["names"]), path
    assert list(take.channels) == list(npz["channels"]), path
    np.testing.assert_equal(take.frame_time, npz["frame_time"][()], path)


def compare(cli, root, clips, folder, end_sites):
    """The number of takes that were compared."""
    paths = folder / "paths"
    paths.write_text("".join(f"{path.relative_to(root)}\n" for path in clips))
    flags = ["--end-sites"] if end_sites else []
    subprocess.run([cli, "convert", "--filelist", paths, "-o", folder / "out",
                    "--emit", "npz", "--local", *flags], cwd=root,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    written = set((folder / "out").rglob("*.npz"))
    compared = 0
    for outcome in bvhmill.read_many(clips, end_sites=end_sites):
        path = pathlib.Path(outcome.path).relative_to(root)
        npz = (folder / "out" / path).with_suffix(".npz")
        assert outcome.ok == (npz in written), outcome
        if not outcome.ok:
            continue
        written.remove(npz)
        with np.load(npz) as arrays:
            assert_same(outcome.unwrap(), arrays, outcome.path)
        assert outcome.take.to_npz() == npz.read_bytes(), outcome.path
        compared += 1
    assert not written
    return compared


@pytest.mark.parametrize("end_sites", [False, True])
def test_of_all_clips_of_the_project(cli, tmp_path, end_sites):
    clips = project_clips()
    assert len(clips) > 600
    assert compare(cli, ROOT, clips, tmp_path, end_sites) > 200


@pytest.mark.skipif(not DATA, reason="BVHMILL_DATA is not set")
def test_of_the_corpus(cli, tmp_path):
    root = pathlib.Path(DATA)
    assert compare(cli, root, clips_in(root), tmp_path, False) > 50


def test_of_compressed_matrices(cli, tmp_path, walk_path):
    out = tmp_path / "take.npz"
    subprocess.run([cli, "convert", walk_path, "-o", out, "--emit", "npz",
                    "--rotation-kind", "matrix", "--rotation-space", "world",
                    "--npz-arrays", "rotations,velocities", "--local"],
                   check=True, stdout=subprocess.DEVNULL)
    take = bvhmill.read(walk_path)
    assert take.to_npz(rotation_kind="matrix",
                       rotation_space="world",
                       npz_arrays=["rotations", "velocities"]) == out.read_bytes()
    with np.load(out) as npz:
        np.testing.assert_array_equal(npz["rotations"],
                                      take.matrices(world=True))
        np.testing.assert_array_equal(npz["velocities"], take.velocities)


@pytest.mark.parametrize("format", ["bvh", "csv"])
def test_saved_files_are_those_of_the_command_line(cli, tmp_path, walk_path,
                                                   format):
    out = tmp_path / f"take.{format}"
    subprocess.run([cli, "convert", walk_path, "-o", out, "--emit", format,
                    "--local", "--fps", "30"], check=True,
                   stdout=subprocess.DEVNULL)
    ours = tmp_path / f"ours.{format}"
    bvhmill.read(walk_path, fps=30).save(ours)
    assert ours.read_bytes() == out.read_bytes()
