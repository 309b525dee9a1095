"""The timeout of a client is that of the whole call."""

import concurrent.futures
import contextlib
import threading
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


TIME_OF_CALL = 0.05


class Slow(clip_service_pb2_grpc.ClipServiceServicer,
           server_service_pb2_grpc.ServerServiceServicer):
    """ConvertClip gives no answer, since it would be too large; ConvertClips
    never ends; ValidateClip is busy for `pause` more seconds."""

    def __init__(self, pause=0.0):
        self._pause = pause
        self.end = threading.Event()
        # The names of calls, and the seconds that each had left.
        self.calls = []
        self.left = []

    def GetServerInfo(self, request, context):
        self._note("GetServerInfo", context)
        answer = server_service_pb2.GetServerInfoResponse()
        answer.limits.max_unary_response_bytes = 1 << 20
        answer.limits.max_request_message_bytes = 1 << 20
        return answer

    def ConvertClip(self, request, context):
        self._note("ConvertClip", context)
        context.abort(grpc.StatusCode.OUT_OF_RANGE, "too large")

    def ConvertClips(self, requests, context):
        self._note("ConvertClips", context)
        self.end.wait(60)
        yield clips.ConvertClipsResponse()

    def ValidateClip(self, request, context):
        self._note("ValidateClip", context)
        retry = status_pb2.RetryInfo()
        retry.retry_delay.FromNanoseconds(int(self._pause * 1e9))
        status = status_pb2.RpcStatus(code=8, message="busy")
        status.details.add(type_url="type.googleapis.com/google.rpc.RetryInfo",
                           value=retry.SerializeToString())
        context.set_trailing_metadata(
            (("grpc-status-details-bin", status.SerializeToString()),))
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "busy")

    def _note(self, name, context):
        self.calls.append(name)
        self.left.append(context.time_remaining())
        time.sleep(TIME_OF_CALL)


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
        services.end.set()
        server.stop(0).wait()


@KINDS
def test_the_calls_of_one_read_share_its_timeout(kind):
    slow = Slow()
    with running(slow) as address:
        with pytest.raises(ServerError) as caught:
            kind(address, timeout=1.5).read(b"HIERARCHY")
    assert caught.value.code == "DEADLINE_EXCEEDED"
    assert slow.calls == ["GetServerInfo", "ConvertClip", "ConvertClips"]
    # Each has what the calls before it have left, but for rounding.
    times = [1.5 + TIME_OF_CALL, *slow.left]
    assert all(later < earlier - TIME_OF_CALL / 2
               for earlier, later in zip(times, times[1:])), times


# A second try would have no time: its error would say nothing.
@KINDS
def test_a_server_that_stays_busy_is_named_as_the_reason(kind):
    busy = Slow(pause=60)
    with running(busy) as address:
        with pytest.raises(ServerError, match="busy") as caught:
            kind(address, timeout=30).validate(b"HIERARCHY")
    assert caught.value.code == "RESOURCE_EXHAUSTED"
    assert busy.calls == ["GetServerInfo", "ValidateClip"]
