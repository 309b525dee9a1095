"""Reading many files in threads of C++."""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, AsyncGenerator, Callable, Iterable
from typing import Iterator, Literal, Sequence, Union

import numpy as np

from bvhmill import _bvhmill
from bvhmill._arrays import NamedArrays
from bvhmill._closing import AsyncClosing
from bvhmill._errors import BvhError, error_of, os_error
from bvhmill._info import Info, info_of
from bvhmill._options import (Array, ReadOptions, array_names, conventions_of,
                              read_options, shows, thread_count)
from bvhmill._read import error_of_conversion, take_of
from bvhmill._report import Report, report_of
from bvhmill._source import Path, is_path, name_of, path_bytes
from bvhmill._take import Take

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

else:
    from bvhmill._typing import Unpack, npt

_QUEUE_BYTES = 256 << 20


@dataclass(frozen=True)
class Outcome:
    """The outcome of one file: a take, or an error.

    It is a `Loaded` or a `Failed`, which type checkers tell apart by `ok`.
    `report` is None if the file could not be opened.

    >>> import bvhmill
    >>> [outcome.ok for outcome in bvhmill.read_many(["absent.bvh"])]
    [False]
    """

    path: str
    take: Take | None
    error: BvhError | OSError | None
    report: Report | None
    seconds: float = 0.0

    def __new__(cls, path: str = "", take: Take | None = None,
                *values: Any, **named: Any) -> Outcome:
        kind = cls
        if cls is Outcome:
            kind = Failed if take is None else Loaded
        return object.__new__(kind)

    @property
    def ok(self) -> bool:
        """True if there is a take."""
        return self.take is not None

    def unwrap(self) -> Take:
        """The take. Raises the error if there is none."""
        if self.take is None:
            assert self.error is not None
            raise self.error
        return self.take


@dataclass(frozen=True)
class Loaded(Outcome):
    """The outcome of a file that gives a take.

    >>> import bvhmill
    >>> take = bvhmill.read(bvhmill.example())
    >>> bvhmill.Outcome("a.bvh", take, None, take.report).ok
    True
    """

    take: Take
    error: None
    report: Report

    @property
    def ok(self) -> Literal[True]:
        """True: there is a take."""
        return True


@dataclass(frozen=True)
class Failed(Outcome):
    """The outcome of a file that gives no take.

    >>> import bvhmill
    >>> bvhmill.Outcome("a.bvh", None, OSError(), None).ok
    False
    """

    take: None
    error: BvhError | OSError

    @property
    def ok(self) -> Literal[False]:
        """False: there is no take."""
        return False


AnyOutcome = Union[Loaded, Failed]


class TakeIterator(Iterator[AnyOutcome]):
    """The outcomes of `read_many`. Closing it ends the work in progress."""

    def __init__(self, paths: list[str], native: _bvhmill._Options,
                 threads: int, ordered: bool, max_bytes: int,
                 end_sites: bool, conventions: dict[str, Any]) -> None:
        self._paths = paths
        self._end_sites = end_sites
        self._conventions = conventions
        self._native = _bvhmill._Batch([path_bytes(p) for p in paths],
                                       native, threads, ordered, max_bytes)

    def __next__(self) -> AnyOutcome:
        result = self._native.next()
        if result is None:
            raise StopIteration
        index, conversion = result
        return self._outcome(self._paths[index], conversion)

    def _outcome(self, path: str,
                 conversion: _bvhmill._Conversion) -> AnyOutcome:
        seconds = conversion.seconds
        if conversion.os_error:
            return Failed(path, None, os_error(conversion.os_error, path),
                          None, seconds)
        # It is not raised: a traceback would keep this iterator alive.
        error = error_of_conversion(conversion, path)
        if error is not None:
            return Failed(path, None, error, error.report, seconds)
        take = take_of(conversion, self._end_sites, self._conventions, path)
        return Loaded(path, take, None, take.report, seconds)

    def close(self) -> None:
        """Cancels what is running, and waits for the threads."""
        self._native.close()

    def __enter__(self) -> TakeIterator:
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


def _paths_of(paths: Iterable[Path]) -> list[str]:
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError("paths must be a list of paths, not a single one")
    names = []
    for path in paths:
        if not is_path(path):
            raise TypeError("paths must be str or path objects, not "
                            f"{type(path).__name__}")
        names.append(name_of(path))
    return names


@shows(ReadOptions)
def read_many(paths: Iterable[Path], *,
              arrays: Sequence[Array] = ("positions",),
              end_sites: bool = False, keep_values: bool = True,
              threads: int = 0, ordered: bool = True,
              max_bytes: int = _QUEUE_BYTES,
              **options: Unpack[ReadOptions]) -> TakeIterator:
    """Reads many files; gives an `Outcome` a file, good or bad.

    Threads read ahead until `max_bytes` of arrays wait. `ordered=False` gives
    outcomes as they are ready. `threads=0`: BVHMILL_THREADS, or all CPUs of
    this process.

    >>> import bvhmill
    >>> list(bvhmill.read_many([]))
    []
    """
    count = thread_count(threads)
    native = read_options(arrays, end_sites, keep_values, True, 1, options)
    return TakeIterator(_paths_of(paths), native, count, ordered, max_bytes,
                        end_sites, conventions_of(options, {}))


@shows(ReadOptions)
def read_many_async(paths: Iterable[Path], *,
                    arrays: Sequence[Array] = ("positions",),
                    end_sites: bool = False, keep_values: bool = True,
                    threads: int = 0, ordered: bool = True,
                    max_bytes: int = _QUEUE_BYTES,
                    **options: Unpack[ReadOptions]) -> AsyncClosing[AnyOutcome]:
    """`read_many` for `async for`: one helper thread waits for results. The
    work begins when the first outcome is asked for.

    >>> import asyncio, bvhmill
    >>> async def count():
    ...     return [o.ok async for o in bvhmill.read_many_async(["absent"])]
    >>> asyncio.run(count())
    [False]
    """
    return AsyncClosing(_awaited(lambda: read_many(
        paths, arrays=arrays, end_sites=end_sites, keep_values=keep_values,
        threads=threads, ordered=ordered, max_bytes=max_bytes, **options)))


async def _awaited(begin: Callable[[], TakeIterator]
                   ) -> AsyncGenerator[AnyOutcome, None]:
    # It takes longer to import than all of this package.
    import asyncio

    outcomes = begin()
    loop = asyncio.get_running_loop()
    try:
        while True:
            outcome: AnyOutcome | None = await loop.run_in_executor(
                None, lambda: next(outcomes, None))
            if outcome is None:
                return
            yield outcome
    finally:
        outcomes.close()


@dataclass(frozen=True, eq=False)
class Batch(NamedArrays):
    """Takes with one list of joints, as single arrays; no object a take.

    Take i has the frames `frame_offsets[i]` to `frame_offsets[i + 1]` of each
    array, its path is `paths[i]`, and `rigs[rig[i]]` describes its skeleton:
    rigs have the same names and parents, and differ in OFFSETs, channels or
    End Sites. Takes with other joints are in `other`; the option `rig` gives
    all takes the same joints. Files without a take are in `errors`, by path,
    in the first batch only.

    >>> import bvhmill
    >>> batch = bvhmill.read_batch([])
    >>> len(batch), batch.errors
    (0, {})
    """

    arrays: dict[str, npt.NDArray[np.float32]]
    frame_offsets: npt.NDArray[np.int64]
    rig: npt.NDArray[np.int32]
    frame_times: npt.NDArray[np.float64]
    paths: list[str]
    rigs: list[Info]
    errors: dict[str, BvhError | OSError]
    other: list[Batch]
    # True if end sites have rows, too.
    has_end_sites: bool = False

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def frames(self) -> int:
        """The frames of all takes of this batch."""
        return int(self.frame_offsets[-1])

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each row of the arrays, as in `Take.names`."""
        if not self.rigs:
            return ()
        return self.rigs[0].row_names(self.has_end_sites)

    def slice(self, take: int) -> slice:
        """The frames of a take, as a slice of the arrays."""
        if not 0 <= take < len(self):
            raise IndexError(f"there is no take {take}")
        begin, end = self.frame_offsets[take:take + 2]
        return slice(int(begin), int(end))

    def __repr__(self) -> str:
        return (f"<bvhmill.Batch: {len(self)} takes, {self.frames} frames, "
                f"{len(self.rigs)} rigs, {len(self.errors)} errors, "
                f"{sum(map(len, self.other))} takes with other joints>")


@shows(ReadOptions)
def read_batch(paths: Iterable[Path], *,
               arrays: Sequence[Array] = ("positions",),
               end_sites: bool = False, threads: int = 0,
               **options: Unpack[ReadOptions]) -> Batch:
    """Reads many files into single arrays: what many small files need.

    The batch has the takes of the most frequent list of joints. A bad file
    raises nothing; it is in `errors`. If no file is good, the arrays have no
    frames and no joints.

    >>> import bvhmill
    >>> list(bvhmill.read_batch(["absent.bvh"]).errors)
    ['absent.bvh']
    """
    kinds = array_names(arrays)
    if not kinds:
        raise ValueError("arrays must have a name, at least one")
    native = read_options(kinds, end_sites, False, False, 1, options)
    names = _paths_of(paths)
    groups, failures, _ = _bvhmill.read_flat(
        [path_bytes(p) for p in names], native, thread_count(threads))
    errors = {names[path]: _failure(names[path], number, error, report)
              for path, number, error, report in failures}
    batches = [_batch_of(group, kinds, names, end_sites)
               for group in groups]
    if not batches:
        empty = {name: np.zeros((0, 0, 4 if "rotations" in name else 3),
                                np.float32) for name in kinds}
        return Batch(empty, np.zeros(1, np.int64), np.zeros(0, np.int32),
                     np.zeros(0), [], [], errors, [], end_sites)
    first = batches[0]
    first.errors.update(errors)
    first.other.extend(batches[1:])
    return first


def _failure(path: str, number: int, error: Any,
             report: _bvhmill._Report) -> BvhError | OSError:
    if number:
        return os_error(number, path)
    return error_of(error, report_of(report), path)


def _batch_of(group: Any, arrays: Sequence[str], names: list[str],
              end_sites: bool) -> Batch:
    paths, offsets, rig, frame_times, rigs, blocks = group
    return Batch({name: np.asarray(block)
                  for name, block in zip(arrays, blocks)},
                 np.asarray(offsets), np.asarray(rig), np.array(frame_times),
                 [names[i] for i in np.asarray(paths)],
                 [info_of(rig) for rig in rigs], {}, [], end_sites)
