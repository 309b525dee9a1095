"""The timeout of a client is that of the whole call."""

import concurrent.futures
import contextlib
import time

import pytest

grpc = pytest.importorskip("grpc")

import servers
from bvhmill.client import AsyncClient, Client, ServerError
from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import (clip_service_pb2_grpc, server_service_pb2,
                        server_service_pb2_grpc, status_pb2)


class Awaited(servers.Awaited):
    kind = AsyncClient


KINDS = pytest.mark.parametrize("kind", [Client, Awaited],
                                ids=["sync", "async"])


class Slow(clip_service_pb2_grpc.ClipServiceServicer,
           server_service_pb2_grpc.ServerServiceServicer):
    """Each call takes some seconds. ConvertClip gives no answer, since it would
    be too large; ValidateClip is busy for `pause` more seconds."""

    def __init__(self, seconds, pause=0.0):
        self._seconds = seconds
        self._pause = pause
        self.calls = []

    def GetServerInfo(self, request, context):
        self._note("GetServerInfo")
        answer = server_service_pb2.GetServerInfoResponse()
        answer.limits.max_unary_response_bytes = 1 << 20
        answer.limits.max_request_message_bytes = 1 << 20
        return answer

    def ConvertClip(self, request, context):
        self._note("ConvertClip")
        context.abort(grpc.StatusCode.OUT_OF_RANGE, "too large")

    def ConvertClips(self, requests, context):
        self._note("ConvertClips")
        yield clips.ConvertClipsResponse()

    def ValidateClip(self, request, context):
        self._note("ValidateClip")
        retry = status_pb2.RetryInfo()
        retry.retry_delay.FromNanoseconds(int(self._pause * 1e9))
        status = status_pb2.RpcStatus(code=8, message="busy")
        status.details.add(type_url="type.googleapis.com/google.rpc.RetryInfo",
                           value=retry.SerializeToString())
        context.set_trailing_metadata(
            (("grpc-status-details-bin", status.SerializeToString()),))
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "busy")

    def _note(self, name):
        self.calls.append(name)
        time.sleep(self._seconds)


@contextlib.contextmanager
def running(services):
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(8))
    clip_service_pb2_grpc.add_ClipServiceServicer_to_server(services, server)
    server_service_pb2_grpc.add_ServerServiceServicer_to_server(services,
                                                                server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(0).wait()


# Three calls of 0.6 seconds each.
@KINDS
def test_the_calls_of_one_read_share_its_timeout(kind):
    slow = Slow(0.6)
    with running(slow) as address:
        begin = time.monotonic()
        with pytest.raises(ServerError) as caught:
            kind(address, timeout=1.4).read(b"HIERARCHY")
        taken = time.monotonic() - begin
    assert caught.value.code == "DEADLINE_EXCEEDED"
    assert slow.calls == ["GetServerInfo", "ConvertClip", "ConvertClips"]
    assert 1.3 < taken < 1.75


# A second try would have no time: its error would say nothing.
@KINDS
def test_a_server_that_stays_busy_is_named_as_the_reason(kind):
    busy = Slow(0.4, pause=0.4)
    with running(busy) as address:
        with pytest.raises(ServerError, match="busy") as caught:
            kind(address, timeout=1).validate(b"HIERARCHY")
    assert caught.value.code == "RESOURCE_EXHAUSTED"
    assert busy.calls == ["GetServerInfo", "ValidateClip"]
