"""A server that hands calls on to another one, and may hold downloads."""

import concurrent.futures
import itertools
import threading

import grpc

from bvhmill.v1 import blob_service_pb2, status_pb2

READ = "/bvhmill.v1.BlobService/ReadBlob"
WRITE = "/bvhmill.v1.BlobService/WriteBlob"

# A word of `on_read`: the status of a server whose store is broken.
UNUSABLE = "DATA_UNUSABLE"


def _details():
    info = status_pb2.ErrorInfo(reason=UNUSABLE, domain="bvhmill")
    status = status_pb2.RpcStatus(code=14, message="no such disk")
    status.details.add(type_url="type.googleapis.com/google.rpc.ErrorInfo",
                       value=info.SerializeToString())
    return (("grpc-status-details-bin", status.SerializeToString()),)


_UNUSABLE_DETAILS = _details()


class Forwarder(grpc.GenericRpcHandler):
    """Hands all calls on to `target`; `address` is its own.

    Each download calls `on_read` with its number, and the name of the blob,
    before it is handed on. If that returns a word, the download fails with it;
    if it returns a number, it is cut off after that number of messages.
    """

    # The options of its server.
    OPTIONS = [("grpc.max_receive_message_length", -1)]

    def __init__(self, target, on_read=lambda number, blob: None):
        self._channel = grpc.insecure_channel(
            target, [("grpc.max_receive_message_length", -1)])
        self._on_read = on_read
        self._lock = threading.Lock()
        self.reads = 0
        self.running = 0
        # Downloads whose calls have not ended for the client.
        self.open = 0
        self.most = 0
        self._server = grpc.server(
            concurrent.futures.ThreadPoolExecutor(32), [self],
            options=self.OPTIONS)
        port = self._server.add_insecure_port("127.0.0.1:0")
        self.address = f"127.0.0.1:{port}"
        self._server.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.stop(0).wait()
        self._channel.close()

    def service(self, details):
        method = details.method
        if method == READ:
            return grpc.unary_stream_rpc_method_handler(self._read)
        if method == WRITE:
            call = self._channel.stream_unary(method)
            return grpc.stream_unary_rpc_method_handler(
                lambda pieces, context: self._try(call, pieces, context))
        call = self._channel.unary_unary(method)
        return grpc.unary_unary_rpc_method_handler(
            lambda request, context: self._try(call, request, context))

    def _try(self, call, request, context):
        try:
            return call(request)
        except grpc.RpcError as error:
            context.set_trailing_metadata(error.trailing_metadata())
            context.abort(error.code(), error.details())

    def _end(self):
        with self._lock:
            self.open -= 1

    def _read(self, request, context):
        with self._lock:
            self.reads += 1
            number = self.reads
            self.running += 1
            self.open += 1
            self.most = max(self.most, self.running)
        context.add_callback(self._end)
        try:
            blob = blob_service_pb2.ReadBlobRequest.FromString(request).blob
            fault = self._on_read(number, blob)
            if fault is UNUSABLE:
                context.set_trailing_metadata(_UNUSABLE_DETAILS)
                context.abort(grpc.StatusCode.UNAVAILABLE, "no such disk")
            if isinstance(fault, str):
                context.abort(grpc.StatusCode.DATA_LOSS, fault)
            answer = self._channel.unary_stream(READ)(request)
            yield from itertools.islice(answer, fault)
            if fault is not None:
                answer.cancel()
                context.abort(grpc.StatusCode.UNAVAILABLE, "cut off")
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())
        finally:
            with self._lock:
                self.running -= 1
