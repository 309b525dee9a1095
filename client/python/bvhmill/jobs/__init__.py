"""Durable jobs: a server converts many clips while no client waits.

    jobs = Jobs("127.0.0.1:7450")
    submitted = jobs.submit(["takes"], fps=30)
    jobs.wait(submitted)
    for outcome in jobs.results(submitted):
        print(outcome.path, outcome.ok)

docs/jobs.md says what a job is. Needs grpcio and protobuf.
"""

from bvhmill._typing import publish
from bvhmill.client._connection import ServerError
from bvhmill.jobs._async import AsyncJobs
from bvhmill.jobs._sync import Jobs
from bvhmill.jobs._types import (Job, JobState, JobsUnavailable, SavedClip,
                                 Submission, Usage)

__all__ = ["AsyncJobs", "Job", "JobState", "Jobs", "JobsUnavailable",
           "SavedClip", "ServerError", "Submission", "Usage"]

publish("bvhmill.jobs", globals(), (
    "AsyncJobs Job JobState Jobs JobsUnavailable SavedClip Submission "
    "Usage").split())
del publish
