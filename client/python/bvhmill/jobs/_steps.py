"""The calls of jobs, step by step, without a connection.

A step is a Call, Several of them, Work with files, or a value to Give. Both
clients run them.
"""

from __future__ import annotations

import hashlib
import threading
import time
import uuid
from typing import Any, Callable, Generator, Mapping, Sequence

from bvhmill.client._connection import ServerError
from bvhmill.client._turns import Steps, Work
from bvhmill.jobs._blobs import ASK_BYTES, Upload
from bvhmill.jobs._calls import Several, unary
from bvhmill.jobs._outputs import Emit, emitted, has_report, job_options
from bvhmill.jobs._sources import Clip, Sources, clips_of
from bvhmill.jobs._types import (Job, JobLike, JobState, Submission, Usage,
                                 job_of, name_of_job, number_of)
from bvhmill.v1 import blob_service_pb2, server_service_pb2
from bvhmill.v1 import job_service_pb2 as v1

Progress = Callable[[Job], object]
UploadProgress = Callable[[int, int], object]

_NAMES_AT_ONCE = 2000
# Small uploads in one step.
_UPLOADS = 256
# How long the server waits in one call, with and without a progress to show.
_WAIT_SECONDS = (0.5, 30.0)
# Annotations, the same as those of the command line: a .report.json is wanted;
# the bytes of all sources.
REPORT_NOTE = "bvhmill.report"
_BYTES_NOTE = "bvhmill.bytes"
# The outputs that are files. Without it, all are.
EMIT_NOTE = "bvhmill.emit"


class Order:
    """A submission whose sources and options were checked."""

    def __init__(self, sources: Sources, arrays: Sequence[str] | None,
                 emit: Emit, end_sites: bool, keep_values: bool, name: str,
                 request_id: str | None, again: bool,
                 annotations: Mapping[str, str] | None,
                 options: Mapping[str, Any]) -> None:
        if request_id is not None and again:
            raise ValueError("again=True makes a request_id of its own")
        self.options = job_options(arrays, emit, end_sites, keep_values,
                                   options)
        self._notes = {EMIT_NOTE: ",".join(emitted(emit))}
        if has_report(emit):
            self._notes[REPORT_NOTE] = "1"
        self._notes.update(annotations or {})
        self._name = name
        self._id = uuid.uuid4().hex if again else request_id
        self._sources = sources
        self._words = dict(options)

    def clips(self) -> list[Clip]:
        """The clips, with the names of their blobs or errors."""
        clips = clips_of(self._sources, self._words)
        for clip in clips:
            if clip.error is None:
                clip.name_bytes()
        if clips and all(clip.error for clip in clips):
            raise ValueError(f"none of {len(clips)} sources can be read; the "
                             f"first: {clips[0].error}")
        return clips

    def request(self, clips: Sequence[Clip], build: str) -> Any:
        """The same clips with the same options have the same request_id."""
        request = v1.CreateJobRequest(display_name=self._name,
                                      options=self.options)
        request.items.extend(clip.item() for clip in clips)
        notes = sorted(self._notes.items())
        content = request.SerializeToString(deterministic=True)
        digest = hashlib.sha256(f"python\n{build}\n{notes}\n".encode())
        digest.update(content)
        request.request_id = self._id or digest.hexdigest()
        request.annotations.update(self._notes)
        request.annotations[_BYTES_NOTE] = str(sum(clip.size for clip in clips))
        return request


def submit(order: Order, progress: UploadProgress | None) -> Steps:
    """Uploads what the server lacks and makes the job; a Submission."""
    clips: list[Clip] = yield Work(order.clips)
    good = [clip for clip in clips if clip.error is None]
    info = yield unary("ServerService/GetServerInfo",
                       server_service_pb2.GetServerInfoRequest())
    missing = yield from _missing(good)
    build = f"{info.server_version} {info.build.git_commit}"
    request = order.request(good, build)
    made = None
    if missing:
        # The server checks the bounds of a job before it looks for the
        # sources: a job without room is refused before anything is uploaded.
        try:
            made = yield unary("JobService/CreateJob", request)
        except ServerError as error:
            if error.reason != "BLOBS_MISSING":
                raise
            yield from _uploaded(missing, info.limits.recommended_chunk_bytes,
                                 progress)
    if made is None:
        made = yield unary("JobService/CreateJob", request)
    errors = {clip.path: clip.error for clip in clips
              if clip.error is not None}
    return Submission(job_of(made.job), errors, len(missing),
                      sum(clip.size for clip in missing))


class _Sent:
    """The bytes that several uploads have sent, for a progress."""

    def __init__(self, progress: UploadProgress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        # Uploads may run in threads of gRPC.
        self._lock = threading.Lock()

    def of_one(self) -> Callable[[int], None]:
        """A function that an upload calls with the bytes that it has sent."""
        last = 0

        def sent(at: int) -> None:
            nonlocal last
            with self._lock:
                self._done += at - last
                last = at
                self._progress(self._done, self._total)

        return sent


def _uploaded(clips: Sequence[Clip], chunk_bytes: int,
              progress: UploadProgress | None) -> Steps:
    """Uploads clips: large ones one by one, small ones several at once."""
    sent = _Sent(progress or (lambda done, total: None),
                 sum(clip.size for clip in clips))
    small = [Upload(clip, chunk_bytes, sent.of_one()) for clip in clips
             if clip.size < ASK_BYTES]
    for first in range(0, len(small), _UPLOADS):
        some = small[first:first + _UPLOADS]
        answers = yield Several([upload.call() for upload in some])
        for upload, answer in zip(some, answers):
            upload.check(answer)
    for clip in clips:
        if clip.size >= ASK_BYTES:
            upload = Upload(clip, chunk_bytes, sent.of_one())
            upload.go_on((yield upload.ask()))
            upload.check((yield upload.call()))


def _missing(clips: Sequence[Clip]) -> Generator[Any, Any, list[Clip]]:
    by_name = {clip.blob: clip for clip in reversed(clips)}
    names = list(by_name)[::-1]
    missing = []
    for first in range(0, len(names), _NAMES_AT_ONCE):
        answer = yield unary(
            "BlobService/FindMissingBlobs",
            blob_service_pb2.FindMissingBlobsRequest(
                blobs=names[first:first + _NAMES_AT_ONCE]))
        missing += [by_name[name] for name in answer.missing
                    if name in by_name]
    return missing


def get(job: JobLike) -> Steps:
    """The Job as it is now."""
    answer = yield unary("JobService/GetJob",
                         v1.GetJobRequest(name=name_of_job(job)))
    return job_of(answer.job)


def wait(job: JobLike, timeout: float | None,
         progress: Progress | None) -> Steps:
    """The Job when it is over. TimeoutError."""
    name = name_of_job(job)
    end = None if timeout is None else time.monotonic() + timeout
    now: Job = yield from get(job)
    while not now.is_over:
        if progress is not None:
            progress(now)
        seconds = _WAIT_SECONDS[progress is None]
        if end is not None:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"after {timeout} s: {now}")
            seconds = min(seconds, left)
        request = v1.WaitJobRequest(name=name)
        request.timeout.FromNanoseconds(int(seconds * 1e9))
        answer = yield unary("JobService/WaitJob", request, seconds)
        now = job_of(answer.job)
    if progress is not None:
        progress(now)
    return now


def broken_answer(what: str) -> ServerError:
    """The error of a server that breaks the protocol."""
    return ServerError(f"INTERNAL: the server's answer is broken: {what}",
                       "INTERNAL")


class PageBounds:
    """Bounds a list that comes in pages, which a server could continue for
    ever."""

    _MAX_PAGES = 10_000
    _MAX_BYTES = 256 << 20

    def __init__(self) -> None:
        self._tokens: set[str] = set()
        self._bytes = 0

    def take(self, next_token: str, size: int) -> None:
        """Takes the token after a page, "" after the last, and the bytes that
        are kept of the page. ServerError."""
        self._bytes += size
        if next_token in self._tokens:
            raise broken_answer("a list that comes back to an earlier page")
        if next_token:
            self._tokens.add(next_token)
        if (len(self._tokens) > self._MAX_PAGES
                or self._bytes > self._MAX_BYTES):
            raise broken_answer(f"a list of more than {self._MAX_PAGES} pages "
                                f"or {self._MAX_BYTES} bytes")


def list_jobs(states: Sequence[JobState | str], all_callers: bool) -> Steps:
    """All jobs of the caller, or of all callers, the newest first."""
    request = v1.ListJobsRequest(page_size=1000, all_callers=all_callers,
                                 states=[number_of(word) for word in states])
    jobs: list[Job] = []
    bounds = PageBounds()
    while True:
        answer = yield unary("JobService/ListJobs", request)
        bounds.take(answer.next_page_token, answer.ByteSize())
        jobs += map(job_of, answer.jobs)
        if not answer.next_page_token:
            return jobs
        request.page_token = answer.next_page_token


def usage(all_callers: bool) -> Steps:
    """What the caller, or each caller, uses."""
    answer = yield unary("JobService/ListUsage",
                         v1.ListUsageRequest(all_callers=all_callers))
    return [Usage(caller=one.caller, jobs=one.jobs, max_jobs=one.max_jobs,
                  unfinished=one.queued_items, running=one.running_items,
                  max_unfinished=one.max_queued_items,
                  stored_bytes=one.data_bytes,
                  max_stored_bytes=one.max_data_bytes)
            for one in answer.usages]


def cancel(job: JobLike) -> Steps:
    """Ends a job early; the Job."""
    answer = yield unary("JobService/CancelJob",
                         v1.CancelJobRequest(name=name_of_job(job)))
    return job_of(answer.job)


def delete_blob(blob: str) -> Steps:
    """Removes a stored file or output that no job needs."""
    name = blob if blob.startswith("blobs/") else "blobs/" + blob
    yield unary("BlobService/DeleteBlob",
                blob_service_pb2.DeleteBlobRequest(blob=name))


def delete(job: JobLike) -> Steps:
    """Forgets a job that is over."""
    call = unary("JobService/DeleteJob",
                 v1.DeleteJobRequest(name=name_of_job(job)))
    try:
        yield call
    except ServerError as error:
        # The try before has done it, and its answer was lost.
        if not call.was_tried or error.reason != "JOB_UNKNOWN":
            raise
