"""Jobs whose calls wait."""

from __future__ import annotations

import collections
import itertools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Deque, Generator, List, Mapping
from typing import Sequence

import grpc

from bvhmill._batch import AnyOutcome
from bvhmill._closing import Closing
from bvhmill._options import Array, ReadOptions, shows
from bvhmill._source import Path
from bvhmill.client._connection import Connection, Settings
from bvhmill.client._turns import Steps, Turns
from bvhmill.jobs import _fetch, _steps
from bvhmill.jobs._calls import (AT_ONCE, Call, Give, Several,
                                 silence_timeout_of, tried)
from bvhmill.jobs._outputs import Emit
from bvhmill.jobs._sources import Sources
from bvhmill.jobs._steps import Progress, UploadProgress
from bvhmill.jobs._types import (Job, JobLike, JobState, SavedClip,
                                 Submission, Usage)
from bvhmill.jobs._watch import CallWatch, ThreadWatch

if TYPE_CHECKING:
    from typing_extensions import Unpack
else:
    from bvhmill._typing import Unpack


class Jobs(Connection):
    """The jobs of a server: submit clips, walk away, fetch the results.

    `target`, `token`, `tls` and `cert` are those of `bvhmill.client.Client`. A
    call is tried again while the server is away or busy, until `timeout`
    seconds have passed without progress; None is 60. It may be shared by
    threads, and pickled; for forks the rules of `Client` hold.

    Where a call wants a job, it takes a Job, a Submission, or the name.

    >>> jobs = Jobs("127.0.0.1:7450", token="secret", tls=True)
    """

    def __init__(self, target: str, *, token: str | None = None,
                 tls: bool | str = False,
                 cert: tuple[str, str] | None = None,
                 timeout: float | None = None) -> None:
        super().__init__(Settings(target, token, tls, timeout, cert))

    def __enter__(self) -> Jobs:
        return self

    @shows(ReadOptions)
    def submit(self, sources: Sources, *,
               arrays: Sequence[Array] | None = None, emit: Emit = (),
               end_sites: bool = False, keep_values: bool = True,
               name: str = "", request_id: str | None = None,
               again: bool = False,
               annotations: Mapping[str, str] | None = None,
               progress: UploadProgress | None = None,
               **options: Unpack[ReadOptions]) -> Submission:
        """Uploads clips that the server lacks, and makes a job of all.

        `sources` are paths of files and folders, which are searched; or a
        mapping of names to anything that `bvhmill.read` takes. The names are
        those of the outputs.

        `arrays`, `end_sites`, `keep_values` and `options` are those of
        `bvhmill.read`; `results` gives the takes. `emit` has formats of files,
        which `save` writes: a list of names as in `bvhmill convert --emit`, or
        a mapping of names to the options of `Take.save`. With `emit` there are
        no arrays unless `arrays` names some.

        The same clips with the same options are the same job: a call that was
        interrupted can be repeated, and uploads go on where they stopped.
        `again=True` makes another job. `request_id` is an id of your own in
        place of the one that is made of clips and options. `progress` gets the
        bytes that are uploaded and those of all uploads, in another thread.

        A source that cannot be read is in `errors` of what is returned. Raises
        ValueError if none can be read, or an option is wrong; JobsUnavailable
        and other ServerErrors.

        >>> submitted = jobs.submit({"one": bvhmill.example()}, fps=60)
        >>> submitted.job.total, submitted.errors
        (1, {})
        >>> jobs.submit({"one": bvhmill.example()}, fps=60).name == (
        ...     submitted.name)
        True
        """
        order = _steps.Order(sources, arrays, emit, end_sites, keep_values,
                             name, request_id, again, annotations, options)
        made: Submission = self._run(_steps.submit(order, progress))
        return made

    def wait(self, job: JobLike, *, timeout: float | None = None,
             progress: Progress | None = None) -> Job:
        """Waits until a job is over; the Job.

        The server may be started again meanwhile. `progress` gets the Job
        about twice a second. TimeoutError after `timeout` seconds; the job goes
        on.

        >>> submitted = jobs.submit({"one": bvhmill.example()})
        >>> print(jobs.wait(submitted).state)
        succeeded
        """
        now: Job = self._run(_steps.wait(job, timeout, progress))
        return now

    def results(self, job: JobLike, *, partial: bool = False,
                failed_only: bool = False) -> Closing[AnyOutcome]:
        """An Outcome for each clip, in the order of the job.

        Waits until the job is over. `partial=True` does not wait, and gives
        the outcomes that there are. A take has the arrays that the job has
        made. Clips without a result, of a job that was cancelled, are left
        out. The digest of each array is checked: a clip with other bytes has an
        error with the code JOB_DAMAGED. At most 32 clips or 32 MiB are fetched
        ahead. What is returned can be closed, and used in `with`.

        >>> submitted = jobs.submit({"one": bvhmill.example(), "bad": b"BVH"})
        >>> for outcome in jobs.results(submitted):
        ...     print(outcome.path, outcome.ok)
        one True
        bad False
        """
        return Closing(self._iterate(
            _fetch.results(job, partial, failed_only)))

    def save(self, job: JobLike, folder: Path, *, overwrite: bool = False,
             partial: bool = False) -> List[SavedClip]:
        """Writes the files of a job, as `bvhmill convert` with the same options
        writes them below `folder`.

        Waits until the job is over, unless `partial`. Files that are there with
        the same bytes are not fetched, so that a call that was interrupted can
        be repeated; a report may be that of another path. Other ones are errors
        of their clips, unless `overwrite`.
        A clip never replaces the files of another one of the job, such as "a/b"
        those of "a//b": that is an error of the second. A clip with an output
        whose digest is wrong has an error, and no files.
        ValueError if the job was submitted without `emit`.

        >>> submitted = jobs.submit({"one": bvhmill.example()}, emit=["csv"])
        >>> [clip.files for clip in jobs.save(submitted, folder)]
        [('.../one.csv',)]
        """
        return list(self._iterate(_fetch.save(job, os.fspath(folder),
                                              overwrite, partial)))

    def get(self, job: JobLike) -> Job:
        """A job as it is now. ServerError with reason JOB_UNKNOWN.

        >>> jobs.get("no-such-job")
        Traceback (most recent call last):
        bvhmill.client.ServerError: NOT_FOUND: ...
        """
        now: Job = self._run(_steps.get(job))
        return now

    def list(self, states: Sequence[JobState | str] = (), *,
             all_callers: bool = False) -> List[Job]:
        """Your jobs, the newest first; with `states` only those in one of them.

        `all_callers=True` lists the jobs of all callers; it needs a token with
        the scope admin.

        >>> submitted = jobs.submit({"one": bvhmill.example()})
        >>> submitted.name in [job.name for job in jobs.list()]
        True
        """
        found: List[Job] = self._run(_steps.list_jobs(states, all_callers))
        return found

    def usage(self, *, all_callers: bool = False) -> List[Usage]:
        """What you use of the server, and your limits.

        `all_callers=True` lists all callers; it needs a token with the scope
        admin.

        >>> submitted = jobs.submit({"one": bvhmill.example()})
        >>> jobs.usage()[0].jobs > 0
        True
        """
        found: List[Usage] = self._run(_steps.usage(all_callers))
        return found

    def cancel(self, job: JobLike) -> Job:
        """Ends a job early. Clips that are done keep their results.

        >>> submitted = jobs.submit({"one": bvhmill.example()}, again=True)
        >>> jobs.cancel(submitted).name == submitted.name
        True
        """
        now: Job = self._run(_steps.cancel(job))
        return now

    def delete(self, job: JobLike) -> None:
        """Forgets a job that is over, and its results.

        >>> submitted = jobs.submit({"one": bvhmill.example()}, again=True)
        >>> job = jobs.wait(submitted)
        >>> jobs.delete(job)
        """
        self._run(_steps.delete(job))

    def delete_blob(self, blob: str) -> None:
        """Removes a stored file or output, by its SHA-256, at once.

        A `ServerError` if a job needs it.

        >>> import hashlib
        >>> jobs.delete_blob(hashlib.sha256(b"no file").hexdigest())
        """
        self._run(_steps.delete_blob(blob))

    def _iterate(self, steps: Steps) -> Generator[Any, None, None]:
        turns = Turns(steps)
        try:
            while (step := turns.next()) is not None:
                if isinstance(step, Give):
                    yield step.value
                    continue
                with turns.answering():
                    turns.answer = self._do(step)
        finally:
            turns.close()

    def _do(self, step: Any) -> Any:
        if isinstance(step, Several):
            return self._several(step.calls)
        if isinstance(step, Call):
            return self._run(tried(step, self))
        return super()._do(step)

    def _several(self, calls: Sequence[Call]) -> List[Any]:
        answers: List[Any] = []
        running: Deque[Any] = collections.deque()
        waiting = iter(calls)
        try:
            with self._calling(), self._watch() as watch:
                while len(answers) < len(calls):
                    for call in itertools.islice(waiting,
                                                 AT_ONCE - len(running)):
                        running.append(self._start(call, watch))
                    answers.append(self._end(running[0], watch))
                    running.popleft()
        finally:
            for started in running:
                started.answer.cancel()
        return answers

    def _end(self, started: _Started, watch: ThreadWatch) -> Any:
        try:
            return _received(started, watch)
        except grpc.RpcError:
            # Again, with the rules of trying again.
            return self._do(started.call)

    def _try(self, call: Call) -> Any:
        if not call.is_long:
            return self._call(call, call.of(self._open()), call.request())
        with self._watch() as watch:
            started = self._start(call, watch)
            try:
                return _received(started, watch)
            finally:
                started.answer.cancel()

    def _watch(self) -> ThreadWatch:
        return ThreadWatch(silence_timeout_of(self._settings))

    # The server begins to send an answer that is a stream. What the window of
    # the stream takes waits here until it is read.
    def _start(self, call: Call, watch: ThreadWatch) -> _Started:
        method, call_watch = call.of(self._open()), watch.call()
        request = call.request()
        if call.receive is None:
            method, request = method.future, call_watch.requests(request)
        return _Started(call, self._call(call, method, request), call_watch)

    def _call(self, call: Call, method: Any, request: Any) -> Any:
        return method(request, timeout=call.deadline(self._settings),
                      metadata=self._settings.metadata())


@dataclass
class _Started:
    """A call that runs."""

    call: Call
    # The future of gRPC, or its messages.
    answer: Any
    watch: CallWatch


def _received(started: _Started, watch: ThreadWatch) -> Any:
    call, answer, call_watch = started.call, started.answer, started.watch
    watch.begin(call_watch, answer.cancel)
    try:
        if call.receive is None:
            return answer.result()
        for message in answer:
            call_watch.pause()
            if not call.receive(message):
                answer.cancel()
                return None
            # An empty message is no sign: it could come for ever.
            if message.ByteSize():
                call_watch.sign()
    except (grpc.RpcError, grpc.FutureCancelledError):
        if call_watch.is_silent:
            raise call_watch.error() from None
        raise
    finally:
        watch.end()
    return None
