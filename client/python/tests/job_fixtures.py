"""A server with jobs, and clients of it."""

import pathlib

import pytest

pytest.importorskip("grpc")

import servers
from bvhmill.jobs import AsyncJobs, Jobs
from servers import Server


class Awaited(servers.Awaited):
    kind = AsyncJobs
    iterators = ("results",)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server("--data-dir", tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.fixture(params=[Jobs, Awaited], ids=["sync", "async"])
def jobs(server, request):
    return request.param(server.address, timeout=30)


def outcomes_of(jobs, job, **options):
    return list(jobs.results(job, **options))


def tree(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in pathlib.Path(folder).rglob("*")
            if path.is_file() and path.name != ".bvhmill-manifest.jsonl"}
