"""Servers that give more than they state, and texts that command a terminal."""

import grpc
import pytest

import bvhmill
from bvhmill._errors import printable
from bvhmill.client import ServerError
from bvhmill.jobs import Job, Jobs, JobState
from bvhmill.v1 import blob_service_pb2, job_service_pb2
from forwarder import Forwarder
from job_fixtures import Awaited, outcomes_of, server, tree
from conftest import walk_text

TEXT = "x\x1b[31m\n\u2028\u200b\u202e"
SHOWN = "x\\x1B[31m\\x0A\\xE2\\x80\\xA8\\xE2\\x80\\x8B\\xE2\\x80\\xAE"


class Endless(Forwarder):
    """Its lists and its downloads never end."""

    pages = 0

    def service(self, details):
        handler = super().service(details)
        if details.method.endswith("/ListJobs"):
            return grpc.unary_unary_rpc_method_handler(self._jobs)
        if details.method.endswith("/ListJobResults"):
            return grpc.unary_unary_rpc_method_handler(
                lambda request, context: self._again(
                    handler.unary_unary(request, context)))
        return handler

    def _jobs(self, request, context):
        self.pages += 1
        page = job_service_pb2.ListJobsResponse(next_page_token="again")
        return page.SerializeToString()

    def _again(self, answer):
        page = job_service_pb2.ListJobResultsResponse.FromString(answer)
        page.next_page_token = ""
        return page.SerializeToString()

    def _read(self, request, context):
        yield from super()._read(request, context)
        more = blob_service_pb2.ReadBlobResponse(data=b"more" * 10_000)
        while context.is_active():
            yield more.SerializeToString()


@pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])
def test_the_pages_of_a_list_end(server, kind):
    with Endless(server.address) as endless:
        with pytest.raises(ServerError, match="earlier page"):
            kind(endless.address, timeout=30).list()
        assert endless.pages == 2


class Repeated(Forwarder):
    """Each page of results is followed by the same one."""

    def service(self, details):
        handler = super().service(details)
        if not details.method.endswith("/ListJobResults"):
            return handler

        def again(request, context):
            asked = job_service_pb2.ListJobResultsRequest.FromString(request)
            asked.page_token = ""
            page = job_service_pb2.ListJobResultsResponse.FromString(
                handler.unary_unary(asked.SerializeToString(), context))
            page.next_page_token = "again"
            return page.SerializeToString()

        return grpc.unary_unary_rpc_method_handler(again)


@pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])
def test_a_job_has_no_more_results_than_clips(server, kind):
    with Repeated(server.address) as repeated:
        jobs = kind(repeated.address, timeout=30)
        submitted = jobs.submit({"a": walk_text(20)}, arrays=["positions"])
        with pytest.raises(ServerError, match="more results"):
            outcomes_of(jobs, submitted)


@pytest.mark.parametrize("kind", [Jobs, Awaited], ids=["sync", "async"])
@pytest.mark.parametrize("limit", [0, 32 << 20], ids=["file", "memory"])
def test_a_download_ends_at_its_stated_size(server, tmp_path, monkeypatch,
                                            kind, limit):
    monkeypatch.setattr("bvhmill.jobs._fetch.GROUP_BYTES", limit)
    with Endless(server.address) as endless:
        jobs = kind(endless.address, timeout=30)
        submitted = jobs.submit({"a": walk_text(21)}, emit=["csv"],
                                arrays=["positions"])
        (outcome,) = outcomes_of(jobs, submitted)
        (saved,) = jobs.save(submitted, tmp_path / "out")
    assert outcome.error.code == saved.error.code == "JOB_DAMAGED"
    assert tree(tmp_path / "out") == {}


def test_texts_of_a_server_are_escaped():
    assert printable(TEXT) == SHOWN
    job = Job("jobs/" + TEXT, JobState.RUNNING, blocked=TEXT)
    assert str(job) == (f"jobs/{SHOWN}: running, 0 of 0 clips good\n"
                        f"jobs/{SHOWN}: blocked: {SHOWN}")

    def fail(request, context):
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, TEXT)

    class Rude(Forwarder):
        def service(self, details):
            return grpc.unary_unary_rpc_method_handler(fail)

    with Rude("127.0.0.1:1") as rude:
        with pytest.raises(ServerError) as caught:
            Jobs(rude.address, timeout=30).list()
    assert str(caught.value) == f"FAILED_PRECONDITION: {SHOWN}"


def test_the_html_of_a_take_hides_nothing():
    take = bvhmill.read(bvhmill.example(), source_name="a\u202eb")
    assert "\u202e" not in take._repr_html_()
