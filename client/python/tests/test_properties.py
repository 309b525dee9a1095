"""Any slice, any cut of a file, any source: by hypothesis."""

import io

import numpy as np
import pytest

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings, strategies as st  # noqa: E402

import bvhmill  # noqa: E402
from conftest import walk_text  # noqa: E402

TEXT = walk_text(60)
TAKE = bvhmill.read(TEXT, arrays=[])
ENDS = st.one_of(st.none(), st.integers(-70, 70))
NAMES = ("positions", "rotations", "velocities", "values")
FEW = settings(max_examples=150, deadline=None, database=None)


@FEW
@given(ENDS, ENDS, ENDS, ENDS)
def test_slices_of_slices_are_those_of_the_arrays(a, b, c, d):
    part = TAKE[a:b][c:d]
    for name in NAMES:
        np.testing.assert_array_equal(getattr(part, name),
                                      getattr(TAKE, name)[a:b][c:d])
    fresh = bvhmill.read(TEXT, arrays=[])[a:b][c:d]
    for name in NAMES:
        np.testing.assert_array_equal(getattr(fresh, name),
                                      getattr(part, name))


class Pieces(io.RawIOBase):
    """Gives a text in pieces of these sizes, again and again."""

    def __init__(self, text, sizes):
        self._file = io.BytesIO(text)
        self._sizes = sizes
        self._next = 0

    def read(self, size=-1):
        self._next += 1
        return self._file.read(min(
            size, self._sizes[self._next % len(self._sizes)]))


@FEW
@given(st.lists(st.integers(1, 700), min_size=1, max_size=6),
       st.integers(1, 80))
def test_pieces_of_any_size_give_the_same_take(sizes, block_frames):
    whole = bvhmill.read(Pieces(TEXT, sizes))
    np.testing.assert_array_equal(whole.values, TAKE.values)
    blocks = list(bvhmill.stream(Pieces(TEXT, sizes),
                                 block_frames=block_frames))
    np.testing.assert_array_equal(
        np.concatenate([block.positions for block in blocks]), TAKE.positions)


@FEW
@given(st.integers(0, len(TEXT)))
def test_a_file_that_was_cut_gives_a_take_or_an_error(size):
    text = TEXT[:size]
    report = bvhmill.validate(text)
    try:
        take = bvhmill.read(text)
    except bvhmill.BvhError as error:
        assert error.report == report
        assert not report.ok
        return
    assert report.ok
    assert take.positions.shape == (take.frames, 5, 3)
    # The last row may be cut in a number.
    whole = max(0, take.frames - 1)
    np.testing.assert_array_equal(take.values[:whole], TAKE.values[:whole])


@FEW
@given(st.binary(max_size=200))
def test_any_bytes_give_a_report(data):
    assert not bvhmill.validate(data).ok
    with pytest.raises(bvhmill.BvhError):
        bvhmill.read(data)
