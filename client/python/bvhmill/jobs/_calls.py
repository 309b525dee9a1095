"""One call of a job service, and the rules of trying it again."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from functools import partial as bound
from typing import TYPE_CHECKING, Any, Callable, Sequence

import grpc

from bvhmill.client._connection import (TLS, ServerError, Settings, detail_of,
                                        server_error_of, was_closed)
from bvhmill.client._turns import Pause, Steps, Work
from bvhmill.jobs._types import JobsUnavailable
from bvhmill.v1.blob_service_pb2_grpc import BlobServiceStub
from bvhmill.v1.job_service_pb2_grpc import JobServiceStub
from bvhmill.v1.server_service_pb2_grpc import ServerServiceStub

if TYPE_CHECKING:
    from bvhmill.jobs._async import AsyncJobs
    from bvhmill.jobs._sync import Jobs

# Seconds without progress after which a call is given up.
SILENCE_TIMEOUT = 60.0
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_STUBS: dict[str, Any] = {
    "BlobService": BlobServiceStub, "JobService": JobServiceStub,
    "ServerService": ServerServiceStub}


@dataclass
class Call:
    """A call that is made until it succeeds, or fails for good.

    `request` makes the request of each try: a message or, for an upload, an
    iterator of messages. `receive` takes each message of an answer that is a
    stream; the call ends if it returns False. `recover` may mend the request
    after a failure. `progress` is a number that grows if a try got further than
    the ones before.
    """

    method: str
    request: Callable[[], Any]
    receive: Callable[[Any], bool] | None = None
    recover: Callable[[Any], bool] | None = None
    progress: Callable[[], int] | None = None
    # True if `receive` writes to a file.
    writes: bool = False
    # True for an upload, whose request is an iterator, or a download: each may
    # take any time while it makes progress.
    is_long: bool = False
    # The time that the server itself may take.
    seconds: float = 0.0
    # True after a try whose outcome is not known.
    was_tried: bool = False

    def of(self, channel: Any) -> Any:
        """The method of a stub."""
        service, method = self.method.split("/")
        return getattr(_STUBS[service](channel), method)

    def deadline(self, settings: Settings) -> float | None:
        """Seconds for one try."""
        if self.is_long:
            return None
        return self.seconds + silence_timeout_of(settings)


def silence_timeout_of(settings: Settings) -> float:
    """Seconds without progress after which a call is given up."""
    return SILENCE_TIMEOUT if settings.timeout is None else settings.timeout


@dataclass
class Several:
    """Calls that may run at the same time; the answer is a list of theirs.

    If one fails, those before it have ended well, and the others are ended.
    """

    calls: Sequence[Call]


# Calls of Several that run at once.
AT_ONCE = 8


@dataclass
class Give:
    """A value for the caller of an iterator."""

    value: Any


def unary(method: str, request: Any, seconds: float = 0.0) -> Call:
    """A call with one request and one answer."""
    return Call(method, lambda: request, seconds=seconds)


class Tries:
    """The tries of one call: how long to wait before each, or why not."""

    def __init__(self, call: Call, settings: Settings) -> None:
        self._call = call
        self._settings = settings
        self._timeout = silence_timeout_of(settings)
        self._last = time.monotonic()
        self._progress = 0
        self._pause = _FIRST_PAUSE

    def pause_after(self, error: Any, has_worked: bool) -> float:
        """Seconds to wait. Raises what the caller gets if it is hopeless.

        It may take some time: an event loop calls this in a thread.
        `has_worked` is true if the server has answered a call before.
        """
        if self._call.recover is not None and self._call.recover(error):
            self._note_progress()
            return 0.0
        self._note_progress()
        left = max(0.0, self._timeout + self._last - time.monotonic())
        if not _may_retry(error):
            raise error_of_call(error, self._settings, left)
        is_over = self._pause > left
        is_first = self._pause == _FIRST_PAUSE and not has_worked
        if is_over or is_first:
            fault = error_of_call(error, self._settings, left)
            # A wrong certificate does not become right.
            if is_over or getattr(fault, "reason", "") == TLS:
                raise fault
        self._call.was_tried = True
        pause = self._pause * (0.5 + random.random())
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        return pause

    def _note_progress(self) -> None:
        progress = self._call.progress() if self._call.progress else 0
        if progress > self._progress:
            self._progress = progress
            self._last = time.monotonic()
            self._pause = _FIRST_PAUSE


def tried(call: Call, client: Jobs | AsyncJobs) -> Steps:
    """The answer of a call, which is tried again while there is hope."""
    tries = Tries(call, client._settings)
    while True:
        try:
            answer = yield bound(client._try, call)
            client._has_worked = True
            return answer
        except ValueError as error:
            if not was_closed(error):
                raise
            continue
        except grpc.RpcError as error:
            pause = yield Work(bound(tries.pause_after, error,
                                     client._has_worked))
        if pause > 0:
            yield Pause(pause)


def _reason_of(error: Any) -> str:
    info = detail_of(error, "ErrorInfo")
    return str(info.reason) if info else ""


def _may_retry(error: Any) -> bool:
    code = error.code().name
    if code == "UNAVAILABLE":
        return _reason_of(error) != "DATA_UNUSABLE"
    return (code in ("RESOURCE_EXHAUSTED", "ABORTED")
            and detail_of(error, "RetryInfo") is not None)


def error_of_call(error: Any, settings: Settings, seconds: float) -> Exception:
    """As server_error_of; JobsUnavailable if the server keeps no jobs."""
    fault = server_error_of(error, settings, seconds=seconds)
    if isinstance(fault, ServerError) and fault.code == "UNIMPLEMENTED":
        return JobsUnavailable(str(fault), fault.code, fault.reason)
    return fault


def committed_bytes_of(error: Any) -> int | None:
    """The bytes that the server has of an upload, if the error says so."""
    info = detail_of(error, "ErrorInfo")
    if info is None or info.reason != "OFFSET_WRONG":
        return None
    return int(info.metadata["committed_bytes"])


def has_other_digest(error: Any) -> bool:
    """True if the bytes of an upload were not those of its name."""
    return _reason_of(error) == "DIGEST_MISMATCH"
