"""Jobs, and what comes of submitting and saving, as values."""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass, field
from typing import Any, Mapping, Union

from bvhmill._errors import BvhError, printable
from bvhmill._report import Report
from bvhmill.client._connection import ServerError
from bvhmill.v1 import job_service_pb2 as v1


class JobsUnavailable(ServerError):
    """A server that keeps no jobs. Its text says why.

    >>> issubclass(JobsUnavailable, ServerError)
    True
    """


class JobState(str, enum.Enum):
    """The state of a job; docs/jobs.md explains each.

    >>> JobState.RUNNING == "running"
    True
    """

    PENDING = "pending"
    RUNNING = "running"
    CANCELLING = "cancelling"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    # A state of a newer server.
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return self.value


_OVER = (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)


@dataclass(frozen=True)
class Job:
    """A job as it was when the server was asked.

    `total` clips are in it; `good` have a result, `failed` have an error,
    `running` are being converted. `set_aside` are those of `failed` that the
    server has given up for reasons of its own. Times are None if they have not
    come yet. `error` says why the job as a whole ended early. `blocked` says why
    clips wait, as `bvhmill job show` does. `caller` is the name of the token
    that made it, for a token with the scope admin.

    >>> job = Job("jobs/4k1w", JobState.RUNNING, total=5, good=2, failed=1)
    >>> job.done, job.is_over
    (3, False)
    >>> print(job)
    jobs/4k1w: running, 2 of 5 clips good, 1 failed
    """

    name: str
    state: JobState
    total: int = 0
    good: int = 0
    failed: int = 0
    running: int = 0
    set_aside: int = 0
    display_name: str = ""
    created: datetime.datetime | None = None
    started: datetime.datetime | None = None
    ended: datetime.datetime | None = None
    expires: datetime.datetime | None = None
    error: str = ""
    annotations: Mapping[str, str] = field(default_factory=dict, hash=False)
    blocked: str = ""
    caller: str = ""

    @property
    def done(self) -> int:
        """The clips that have a result, good or bad."""
        return self.good + self.failed

    @property
    def is_over(self) -> bool:
        """True if no clip gets a result any more."""
        return self.state in _OVER

    def __str__(self) -> str:
        clips = "clip" if self.total == 1 else "clips"
        name = printable(self.name)
        text = (f"{name}: {self.state}, {self.good} of {self.total} "
                f"{clips} good")
        if self.failed:
            text += f", {self.failed} failed"
        if self.set_aside:
            text += f" ({self.set_aside} of them set aside)"
        if self.blocked:
            text += f"\n{name}: blocked: {printable(self.blocked)}"
        return text


@dataclass(frozen=True)
class Usage:
    """What a caller uses of a server, and its limits; a limit of 0 is none.

    `unfinished` clips have no result yet; `running` ones are being converted.
    `stored_bytes` counts each file and output as 4 KiB at least.

    >>> Usage("studio", jobs=2, unfinished=7).running
    0
    """

    caller: str
    jobs: int = 0
    max_jobs: int = 0
    unfinished: int = 0
    running: int = 0
    max_unfinished: int = 0
    stored_bytes: int = 0
    max_stored_bytes: int = 0


@dataclass(frozen=True)
class Submission:
    """A job that was submitted.

    `errors` has the sources that could not be read, by path: the job is made of
    the others. `uploaded_files` were sent; the server had all other ones.

    >>> Submission(Job("jobs/4k1w", JobState.PENDING, total=2)).name
    'jobs/4k1w'
    """

    job: Job
    errors: Mapping[str, OSError | ValueError] = field(
        default_factory=dict, hash=False)
    uploaded_files: int = 0
    uploaded_bytes: int = 0

    @property
    def name(self) -> str:
        """The name of the job."""
        return self.job.name

    def __str__(self) -> str:
        text = str(self.job)
        for path, error in self.errors.items():
            text += f"\n{path}: not in the job: {error}"
        return text


@dataclass(frozen=True)
class SavedClip:
    """The outcome of `save` for one clip.

    `files` are its outputs. They were not fetched if `was_there`. `report` is
    None if the server could not work on the clip.

    >>> SavedClip("walk.bvh", ("out/walk.npz",), None, None).ok
    True
    """

    path: str
    files: tuple[str, ...]
    error: BvhError | OSError | None
    report: Report | None
    was_there: bool = False

    @property
    def ok(self) -> bool:
        """True if the outputs are in the folder."""
        return self.error is None


JobLike = Union[Job, Submission, str]


def name_of_job(job: JobLike) -> str:
    """"jobs/ID" of a job, its name, or its ID."""
    if isinstance(job, (Job, Submission)):
        return job.name
    if not isinstance(job, str):
        raise TypeError("job must be a Job, a Submission or a name, not "
                        + type(job).__name__)
    return job if job.startswith("jobs/") else "jobs/" + job


def job_of(message: Any) -> Job:
    """The Job of its message."""

    def time_of(name: str) -> datetime.datetime | None:
        if not message.HasField(name):
            return None
        time = getattr(message, name)
        return datetime.datetime.fromtimestamp(
            time.seconds + time.nanos * 1e-9, datetime.timezone.utc)

    items = message.items
    return Job(message.name, state_of(message.state), items.total, items.ok,
               items.failed, items.running, items.set_aside,
               message.display_name, time_of("create_time"),
               time_of("start_time"), time_of("end_time"),
               time_of("expire_time"), message.error.message,
               dict(message.annotations), message.blocked.message,
               message.caller)


_STATE = "JOB_STATE_"


def state_of(number: int) -> JobState:
    """The state of its number."""
    names = v1.JobState.DESCRIPTOR.values_by_number
    word = names[number].name[len(_STATE):].lower() if number in names else ""
    known = {state.value for state in JobState}
    return JobState(word) if word in known else JobState.UNKNOWN


def number_of(state: JobState | str) -> Any:
    """The number of a state. ValueError for a word that is none."""
    word = JobState(state)
    if word is JobState.UNKNOWN:
        raise ValueError("states: 'unknown' cannot be asked for")
    return v1.JobState.Value(_STATE + word.name)
