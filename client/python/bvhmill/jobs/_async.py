"""Jobs for asyncio."""

from __future__ import annotations

import asyncio
import os
from functools import partial as bound
from typing import TYPE_CHECKING, Any, AsyncGenerator, List, Mapping
from typing import Sequence

import grpc

from bvhmill._batch import AnyOutcome
from bvhmill._closing import AsyncClosing
from bvhmill._options import Array, ReadOptions, shows
from bvhmill._source import Path
from bvhmill.client._connection import AsyncConnection, Settings
from bvhmill.client._threads import each, in_thread
from bvhmill.client._turns import Steps, Turns, Work
from bvhmill.jobs import _fetch, _steps
from bvhmill.jobs._calls import (AT_ONCE, Call, Give, Several,
                                 silence_timeout_of, tried)
from bvhmill.jobs._outputs import Emit
from bvhmill.jobs._sources import Sources
from bvhmill.jobs._steps import Progress, UploadProgress
from bvhmill.jobs._types import (Job, JobLike, JobState, SavedClip,
                                 Submission, Usage)
from bvhmill.jobs._watch import CallWatch, LoopWatch

if TYPE_CHECKING:
    from typing_extensions import Unpack
else:
    from bvhmill._typing import Unpack


class AsyncJobs(AsyncConnection):
    """`Jobs` for asyncio: the same calls, to be awaited.

    It belongs to the event loop of its first call. Files are read and written
    in threads of the loop's executor.

    >>> jobs = AsyncJobs("127.0.0.1:7450", timeout=5)
    """

    def __init__(self, target: str, *, token: str | None = None,
                 tls: bool | str = False,
                 cert: tuple[str, str] | None = None,
                 timeout: float | None = None) -> None:
        super().__init__(Settings(target, token, tls, timeout, cert))

    async def __aenter__(self) -> AsyncJobs:
        return self

    @shows(ReadOptions)
    async def submit(self, sources: Sources, *,
                     arrays: Sequence[Array] | None = None, emit: Emit = (),
                     end_sites: bool = False, keep_values: bool = True,
                     name: str = "", request_id: str | None = None,
                     again: bool = False,
                     annotations: Mapping[str, str] | None = None,
                     progress: UploadProgress | None = None,
                     **options: Unpack[ReadOptions]) -> Submission:
        """As `Jobs.submit`."""
        order = _steps.Order(sources, arrays, emit, end_sites, keep_values,
                             name, request_id, again, annotations, options)
        made: Submission = await self._run(_steps.submit(order, progress))
        return made

    async def wait(self, job: JobLike, *, timeout: float | None = None,
                   progress: Progress | None = None) -> Job:
        """As `Jobs.wait`."""
        now: Job = await self._run(_steps.wait(job, timeout, progress))
        return now

    def results(self, job: JobLike, *, partial: bool = False,
                failed_only: bool = False) -> AsyncClosing[AnyOutcome]:
        """As `Jobs.results`, for `async for`."""
        return AsyncClosing(self._iterate(
            _fetch.results(job, partial, failed_only)))

    async def save(self, job: JobLike, folder: Path, *, overwrite: bool = False,
                   partial: bool = False) -> List[SavedClip]:
        """As `Jobs.save`."""
        steps = _fetch.save(job, os.fspath(folder), overwrite, partial)
        return [clip async for clip in self._iterate(steps)]

    async def get(self, job: JobLike) -> Job:
        """As `Jobs.get`."""
        now: Job = await self._run(_steps.get(job))
        return now

    async def list(self, states: Sequence[JobState | str] = (), *,
                   all_callers: bool = False) -> List[Job]:
        """As `Jobs.list`."""
        found: List[Job] = await self._run(
            _steps.list_jobs(states, all_callers))
        return found

    async def usage(self, *, all_callers: bool = False) -> List[Usage]:
        """As `Jobs.usage`."""
        found: List[Usage] = await self._run(_steps.usage(all_callers))
        return found

    async def cancel(self, job: JobLike) -> Job:
        """As `Jobs.cancel`."""
        now: Job = await self._run(_steps.cancel(job))
        return now

    async def delete(self, job: JobLike) -> None:
        """As `Jobs.delete`."""
        await self._run(_steps.delete(job))

    async def delete_blob(self, blob: str) -> None:
        """As `Jobs.delete_blob`."""
        await self._run(_steps.delete_blob(blob))

    async def _iterate(self, steps: Steps) -> AsyncGenerator[Any, None]:
        turns = Turns(steps)
        try:
            while (step := turns.next()) is not None:
                if isinstance(step, Give):
                    yield step.value
                    continue
                with turns.answering():
                    turns.answer = await self._do(step)
        finally:
            turns.close()

    async def _do(self, step: Any) -> Any:
        if isinstance(step, Several):
            return await self._several(step.calls)
        if isinstance(step, Call):
            return await self._run(tried(step, self))
        return await super()._do(step)

    async def _several(self, calls: Sequence[Call]) -> List[Any]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(call: Call) -> Any:
            async with gate:
                return await self._do(call)

        tasks = [asyncio.ensure_future(one(call)) for call in calls]
        try:
            return [await task for task in tasks]
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _try(self, call: Call) -> Any:
        if not call.is_long:
            return await self._call(call, call.request())
        with LoopWatch(silence_timeout_of(self._settings)) as watch:
            request, call_watch = call.request(), watch.call()
            if call.receive is None:
                request = each(call_watch.requests(request))
            answer = self._call(call, request)
            watch.begin(call_watch, answer.cancel)
            try:
                return await _received(call, answer, call_watch)
            except (grpc.RpcError, asyncio.CancelledError):
                if call_watch.is_silent:
                    raise call_watch.error() from None
                raise
            finally:
                answer.cancel()

    def _call(self, call: Call, request: Any) -> Any:
        return call.of(self._open())(
            request, timeout=call.deadline(self._settings),
            metadata=self._settings.metadata())


async def _received(call: Call, answer: Any, call_watch: CallWatch) -> Any:
    if call.receive is None:
        return await answer
    async for message in answer:
        call_watch.pause()
        if call.writes:
            goes_on = await in_thread(Work(bound(call.receive, message),
                                           must_end=True))
        else:
            goes_on = call.receive(message)
        if not goes_on:
            return None
        # An empty message is no sign: it could come for ever.
        if message.ByteSize():
            call_watch.sign()
    return None
