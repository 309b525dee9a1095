"""The measures of takes: those of the command line, as arrays."""

import json
import pickle
import subprocess

import numpy as np
import pytest

import bvhmill


@pytest.mark.parametrize("end_sites", [False, True])
def test_measures_are_those_of_the_command_line(cli, samples, end_sites):
    paths = sorted(samples.glob("*.bvh"))
    lines = subprocess.run([cli, "info", "--json", "--local", *paths],
                           capture_output=True, text=True, check=True).stdout
    rows = {row["file"]: row["measures"]
            for row in map(json.loads, lines.splitlines())}
    assert len(rows) == len(paths)
    for path in paths:
        theirs = rows[str(path)]
        take = bvhmill.read(path, end_sites=end_sites)
        ours = take.measures
        assert list(ours) == list(theirs)
        nodes = [i for i, node in enumerate(take.info.nodes)
                 if end_sites or not node.is_end_site]
        assert len(nodes) == take.joints
        for key in ("fastest", "body_root"):
            if key == "fastest" and theirs[key] is not None:
                theirs[key]["joint"] = nodes.index(theirs[key]["joint"])
            elif key == "body_root":
                theirs[key] = nodes.index(theirs[key])
        joints = theirs.pop("joints")
        for key, value in theirs.items():
            if key == "extents":
                for side in ("min", "max"):
                    assert ours[key][side].dtype == np.float32
                    np.testing.assert_array_equal(
                        ours[key][side], np.float32(value[side]))
            else:
                np.testing.assert_equal(ours[key], value)
        assert ours["joints"]["degrees"].tolist() == [
            joints[i]["degrees"] for i in nodes]


def test_ranges_are_those_of_values(walk):
    take = bvhmill.read(walk)
    joints = take.measures["joints"]
    np.testing.assert_array_equal(joints["min"], take.values.min(axis=0))
    np.testing.assert_array_equal(joints["max"], take.values.max(axis=0))
    assert joints["degrees"].shape == (take.joints,)
    rows = take.values.copy()
    rows[:, 2] = np.nan
    ranges = take.with_values(rows).measures["joints"]
    assert np.isnan(ranges["min"]).tolist() == [i == 2 for i in range(18)]


def test_measures_are_those_of_the_take_and_not_of_the_file(walk):
    take = bvhmill.read(walk)
    assert take.measures is take.measures
    half = take[:100]
    assert half.measures["duration_seconds"] == pytest.approx(1)
    large = take.edit(units="cm", to_units="mm")
    assert large.measures["reach"] == pytest.approx(10 * take.measures["reach"])
    low, high = (take.measures["extents"][side] for side in ("min", "max"))
    ends = bvhmill.read(walk, end_sites=True).positions
    np.testing.assert_allclose(low, ends.min(axis=(0, 1)), atol=1e-5)
    np.testing.assert_allclose(high, ends.max(axis=(0, 1)), atol=1e-5)
    copy = pickle.loads(pickle.dumps(take))
    np.testing.assert_equal(copy.measures, take.measures)


def test_what_is_not_known_is_none(walk):
    empty = bvhmill.read(walk)[:0].measures
    assert (empty["extents"], empty["fastest"], empty["root_speed"]) == (
        None, None, None)
    assert empty["duration_seconds"] == 0
    with pytest.raises(ValueError, match="keep_values"):
        bvhmill.read(walk, keep_values=False).measures
