"""Memory of freed arrays that is kept for the next read."""

import concurrent.futures

import numpy as np
import pytest

import bvhmill
from bvhmill import _bvhmill
from conftest import walk_text

MB = 1 << 20
MOST = 128 * MB
JOINTS = 27


@pytest.fixture(scope="module", name="long_text")
def _long_text():
    """A text whose positions and values are large arrays, of 9 MB each."""
    return walk_text(30_000, JOINTS)


def addresses(take):
    return {take.positions.ctypes.data, take.values.ctypes.data}


def test_the_next_read_has_the_memory_of_freed_arrays(long_text):
    take = bvhmill.read(long_text)
    assert take.positions.nbytes > 8 * MB
    before = addresses(take)
    expected = take.positions.copy()
    del take
    assert 16 * MB < _bvhmill.kept_bytes() <= MOST
    take = bvhmill.read(long_text)
    assert addresses(take) & before
    np.testing.assert_array_equal(take.positions, expected)


def test_arrays_in_use_share_no_memory(long_text):
    bvhmill.read(long_text)
    takes = [bvhmill.read(long_text) for _ in range(4)]
    assert len(set().union(*map(addresses, takes))) == 8
    first = takes[0].positions.copy()
    del takes[1:]
    other = bvhmill.read(long_text.replace(b"OFFSET 0", b"OFFSET 7"))
    assert not np.array_equal(other.positions, first)
    np.testing.assert_array_equal(takes[0].positions, first)


def test_an_array_outlives_its_take_and_the_next_read(long_text):
    positions = bvhmill.read(long_text).positions
    expected = positions.copy()
    for _ in range(3):
        bvhmill.read(long_text)
    np.testing.assert_array_equal(positions, expected)


def test_memory_of_freed_arrays_has_a_bound(long_text):
    takes = [bvhmill.read(walk_text(frames, JOINTS))
             for frames in (30_000, 40_000, 50_000, 60_000)]
    takes += [bvhmill.read(long_text) for _ in range(8)]
    del takes
    assert 0 < _bvhmill.kept_bytes() <= MOST


def test_arrays_of_more_than_64_mb_are_not_kept():
    take = bvhmill.read(walk_text(220_000, JOINTS), arrays=[])
    assert take.values.nbytes > 64 * MB
    before = _bvhmill.kept_bytes()
    del take
    assert _bvhmill.kept_bytes() == before


def test_threads_that_free_and_read_have_arrays_of_their_own():
    texts = [walk_text(30_000 + 10 * i, JOINTS) for i in range(4)]
    expected = [bvhmill.read(text).positions.copy() for text in texts]

    def work(i):
        for _ in range(6):
            take = bvhmill.read(texts[i])
            if not np.array_equal(take.positions, expected[i]):
                return False
        return True

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
