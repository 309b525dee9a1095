"""What Python and NumPy do with the objects of the package."""

import copy
import inspect
import pickle
import pydoc
import typing

import numpy as np
import pytest

import bvhmill
from bvhmill import Take
from conftest import run


@pytest.fixture
def take(walk):
    return bvhmill.read(walk, source_name="walk.bvh")


def test_takes_can_be_kept_in_an_array(take):
    takes = [take, take[:50], take]
    for array in (np.array(takes), np.array(takes, object), np.asarray(takes)):
        assert (array.dtype, array.shape) == (np.dtype(object), (3,))
        assert all(a is b for a, b in zip(array, takes))
    assert np.asarray(take).shape == () and np.asarray(take).item() is take
    assert set(np.random.permutation(takes)) == set(takes)


@pytest.mark.parametrize("work", [
    lambda take: np.asarray(take, np.float32), lambda take: np.array(take, "i"),
    lambda take: np.array([take], float), lambda take: np.mean(take),
    lambda take: take + 1, lambda take: np.add(take, 1),
    lambda take: take in take, lambda take: "j0" in take, iter, bool, sorted,
    reversed, vars, lambda take: take[3], lambda take: take["j0"],
    lambda take: take[1:2, 0], lambda take: take < take, float, int,
    lambda take: hash(take.info.nodes[0]) and list(take.report)])
def test_what_a_take_is_not_is_a_type_error(take, work):
    with pytest.raises(TypeError) as caught:
        work(take)
    assert "Could not convert" not in str(caught.value)


def test_messages_name_what_to_use(take):
    for work, words in ((lambda: np.asarray(take, float), "take.positions"),
                        (lambda: "j0" in take, "name in take.names"),
                        (lambda: bool(take), "take.report.ok"),
                        (lambda: take["j0"], r"take.joint\(name\)")):
        with pytest.raises(TypeError, match=words):
            work()


def test_takes_are_compared_by_identity(take):
    other = copy.copy(take)
    assert take == take and take != other and take != 3
    assert len({take, other, take}) == 2 and take in [other, take]


def test_a_copy_shares_arrays_and_a_deep_copy_does_not(take):
    shallow, deep = copy.copy(take), copy.deepcopy(take)
    for name in ("positions", "values"):
        ours = getattr(take, name)
        assert np.shares_memory(getattr(shallow, name), ours)
        assert not np.shares_memory(getattr(deep, name), ours)
        np.testing.assert_array_equal(getattr(deep, name), ours)
    assert deep.positions.flags.writeable and not deep.values.flags.writeable


def error_of(work):
    with pytest.raises(Exception) as caught:
        work()
    return caught.value


@pytest.mark.parametrize("protocol", range(6))
def test_values_come_back_from_pickles_and_copies(take, walk, protocol):
    twice = bvhmill.read(walk.replace(b"j3", b"j2"))
    errors = [error_of(lambda: bvhmill.read(b"x", source_name="x.bvh")),
              error_of(lambda: bvhmill.read(walk, limits={"max_frames": 3})),
              error_of(lambda: take.edit(drop=["absent"])),
              error_of(lambda: take.edit(to_units="m")),
              error_of(lambda: twice.joint("j2"))]
    assert [type(error).__name__ for error in errors] == [
        "BvhError", "LimitError", "EditError", "ConventionUnknown",
        "AmbiguousName"]
    for error in errors:
        for back in (pickle.loads(pickle.dumps(error, protocol)),
                     copy.copy(error), copy.deepcopy(error)):
            assert type(back) is type(error)
            assert (str(back), vars(back)) == (str(error), vars(error))
    assert errors[1].limit == 3
    for value in (take.report, take.info, *take.report.issues):
        back = pickle.loads(pickle.dumps(value, protocol))
        assert back == value and hash(back) == hash(value)


def test_texts_of_errors_have_no_quotes_of_their_own(walk):
    twice = bvhmill.read(walk.replace(b"j3", b"j2"))
    error = error_of(lambda: twice.joint("j2"))
    assert str(error) == "2 joints are named 'j2'"
    assert isinstance(error, KeyError)


def public(module):
    for name in module.__all__:
        value = getattr(module, name)
        yield value
        if inspect.isclass(value):
            for member in vars(value).values():
                member = getattr(member, "__func__", member)
                member = getattr(member, "fget", member)
                # Dataclasses make functions without annotations.
                if inspect.isfunction(member) and member.__annotations__:
                    yield member


def test_annotations_can_be_evaluated():
    pytest.importorskip("grpc")
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    import bvhmill.client
    import bvhmill.jobs

    count = 0
    for module in (bvhmill, bvhmill.client, bvhmill.jobs):
        for value in public(module):
            hints = typing.get_type_hints(value)
            if inspect.isfunction(value):
                assert "return" in hints, value
                inspect.signature(value, eval_str=True)
            count += 1
    assert count > 150
    hints = typing.get_type_hints(bvhmill.read)
    assert hints["return"] is Take and hints["threads"] is int
    assert typing.get_type_hints(Take.positions.fget)["return"] == (
        np.ndarray[typing.Any, np.dtype[np.float32]])


def test_annotations_do_not_need_pandas_and_cost_nothing_at_first():
    assert run("""
        import sys
        import bvhmill, typing
        print(*[name for name in ("numpy.typing", "pandas", "xarray", "asyncio")
                if name in sys.modules])
        sys.modules["pandas"] = None
        print(typing.get_type_hints(bvhmill.Take.to_pandas)["return"])
    """).splitlines() == ["", "typing.Any"]


def test_help_names_keywords():
    text = pydoc.render_doc(bvhmill.read, renderer=pydoc.plaintext)
    for word in ("source", "arrays", "keep_values", "ReadOptions", "BvhError"):
        assert word in text
    parameters = inspect.signature(bvhmill.read).parameters
    assert list(parameters)[:6] == ["source", "arrays", "end_sites",
                                    "keep_values", "threads", "source_name"]
    assert set(parameters) >= set(bvhmill.ReadOptions.__annotations__)
    assert "fps" in pydoc.render_doc(bvhmill.ReadOptions,
                                     renderer=pydoc.plaintext)


def test_tokens_are_not_shown():
    pytest.importorskip("grpc")
    from bvhmill.client import AsyncClient, Client
    from bvhmill.jobs import AsyncJobs, Jobs

    for kind in (Client, AsyncClient, Jobs, AsyncJobs):
        client = kind("host:7450", token="secret")
        assert repr(client) == (
            f"<{kind.__module__}.{kind.__name__} 'host:7450'>")
        assert "secret" not in repr(client._settings)
        back = pickle.loads(pickle.dumps(client))
        assert back._settings == client._settings
