"""The client whose calls wait."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Generator, Iterable
from typing import Sequence, TypeVar

import grpc

from bvhmill._batch import Outcome, _paths_of
from bvhmill._closing import Closing
from bvhmill._errors import BvhError
from bvhmill._option_types import CheckOptions
from bvhmill._options import Array, ReadOptions, array_names, shows
from bvhmill._report import Report
from bvhmill._source import Path, Source
from bvhmill._take import Take
from bvhmill.client._calls import (ANSWER_TOO_LARGE, Assembler, Clips,
                                   clip_requests, data_of, deadline,
                                   delay_before_retry, ended_of, fits_message,
                                   fits_one_call, seconds_to, source_of)
from bvhmill.client._connection import (Connection, ServerError, Settings,
                                        server_error_of, was_closed)
from bvhmill.client._messages import (options_of, report_of_error,
                                      report_of_result, take_of)
from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import clip_service_pb2_grpc, server_service_pb2
from bvhmill.v1 import server_service_pb2_grpc

if TYPE_CHECKING:
    from typing_extensions import Unpack
else:
    from bvhmill._typing import Unpack

T = TypeVar("T")


class Client(Connection):
    """A server of bvhmill, with the calls and the types of this package.

    `target` is HOST:PORT. `tls` is True, or the path of a file of trusted
    certificates; True is those of the system, or of SSL_CERT_FILE. `cert` is
    (certificate, key), two paths, for a server that wants to see one. `timeout`
    is in seconds, for a whole call with its retries. A call that finds no
    server, or a busy one, is tried again, three times at most. A client may be
    shared by threads, and pickled. A process that was forked after a call
    cannot call: it gets a RuntimeError.

    >>> from bvhmill.client import Client
    >>> client = Client("127.0.0.1:7450", timeout=5)
    """

    def __init__(self, target: str, *, token: str | None = None,
                 tls: bool | str = False,
                 cert: tuple[str, str] | None = None,
                 timeout: float | None = None) -> None:
        super().__init__(Settings(target, token, tls, timeout, cert))
        self._info: Any = None

    def __enter__(self) -> Client:
        return self

    def _retried(self, call: Callable[[float | None], T],
                 end: float | None, source_name: str = "") -> T:
        """`call(seconds left)`, tried again as often as it may be until the
        deadline `end`."""
        attempt = 0
        while True:
            try:
                with self._calling():
                    return call(seconds_to(end))
            except ValueError as error:
                if not was_closed(error):
                    raise
                continue
            except grpc.RpcError as error:
                attempt += 1
                delay = delay_before_retry(error, attempt)
                left = seconds_to(end)
                if delay is None or (left is not None and delay >= left):
                    raise server_error_of(error, self._settings, source_name,
                                          left) from None
            self._reopen()
            time.sleep(delay)

    def _unary(self, stub: Any, method: str, request: Any,
               end: float | None, source_name: str = "") -> Any:
        def call(left: float | None) -> Any:
            return getattr(stub(self._open()), method)(
                request, timeout=left, metadata=self._settings.metadata())

        return self._retried(call, end, source_name)

    def server_info(self) -> Any:
        """The GetServerInfoResponse of the server; asked for once."""
        return self._info_before(deadline(self._settings.timeout))

    def _info_before(self, end: float | None) -> Any:
        if self._info is None:
            self._info = self._unary(
                server_service_pb2_grpc.ServerServiceStub, "GetServerInfo",
                server_service_pb2.GetServerInfoRequest(), end)
        return self._info

    @shows(ReadOptions)
    def read(self, source: Source, *,
             arrays: Sequence[Array] = ("positions",),
             end_sites: bool = False, keep_values: bool = True,
             source_name: str | None = None,
             **options: Unpack[ReadOptions]) -> Take:
        """As `bvhmill.read`, by the server."""
        end = deadline(self._settings.timeout)
        words: dict[str, Any] = dict(options)
        names = array_names(arrays)
        message = options_of(names, end_sites, keep_values, words)
        text = source_of(source, source_name, words)
        limits = self._info_before(end).limits
        result = None
        if fits_one_call(text, len(names), limits):
            result = self._in_one_call("ConvertClip", clips.ConvertClipRequest(
                source=text, options=message), end)
        if result is None:
            result, data = self._over_stream(text, message, limits, end)
        else:
            data = data_of(result)
        return take_of(result, data, end_sites, words, text.display_name)

    def _in_one_call(self, method: str, request: Any,
                     end: float | None) -> Any:
        """The ClipResult; None if it is too large for one answer."""
        try:
            return self._unary(clip_service_pb2_grpc.ClipServiceStub, method,
                               request, end,
                               request.source.display_name).result
        except ServerError as error:
            if error.code == ANSWER_TOO_LARGE:
                return None
            raise

    def _over_stream(self, text: Any, message: Any, limits: Any,
                     end: float | None) -> Any:
        """(ClipResult, outputs as bytes) of a clip of any size."""
        def call(left: float | None) -> Any:
            return self._streamed(text, message, limits, left)

        return self._retried(call, end, text.display_name)

    def _streamed(self, text: Any, message: Any, limits: Any,
                  left: float | None) -> Any:
        assembler = Assembler()
        requests = clip_requests(text, message, limits)
        call = clip_service_pb2_grpc.ClipServiceStub(
            self._open()).ConvertClips(
                requests, timeout=left,
                metadata=self._settings.metadata())
        ended = None
        for response in call:
            ended = assembler.feed(response) or ended
        return ended_of(ended)

    @shows(CheckOptions)
    def validate(self, source: Source,
                 **options: Unpack[CheckOptions]) -> Report:
        """As `bvhmill.validate`, by the server."""
        end = deadline(self._settings.timeout)
        words: dict[str, Any] = dict(options)
        message = options_of((), False, False, words)
        text = source_of(source, None, words)
        try:
            limits = self._info_before(end).limits
            result = None
            if fits_message(text, limits):
                result = self._in_one_call(
                    "ValidateClip", clips.ValidateClipRequest(
                        source=text, options=message), end)
            if result is None:
                result, _ = self._over_stream(text, message, limits, end)
        except BvhError as error:
            return report_of_error(error)
        return report_of_result(result)

    @shows(ReadOptions)
    def read_many(self, paths: Iterable[Path], *,
                  arrays: Sequence[Array] = ("positions",),
                  end_sites: bool = False, keep_values: bool = True,
                  **options: Unpack[ReadOptions]) -> Closing[Outcome]:
        """As `bvhmill.read_many`, over one stream, in the order of `paths`.

        If the stream breaks, the clips without a result are sent again. The
        timeout is that of the whole loop, with what its body does. What is
        returned can be closed, and used in `with`.
        """
        work = Clips(_paths_of(paths), arrays, end_sites, keep_values, 0,
                     dict(options))
        return Closing(self._outcomes(work))

    def _outcomes(self, work: Clips) -> Generator[Outcome, None, None]:
        attempt = 0
        end = deadline(self._settings.timeout)
        while not work.is_done:
            call = None
            try:
                with self._calling():
                    call = clip_service_pb2_grpc.ClipServiceStub(
                        self._open()).ConvertClips(
                            work.requests(), timeout=seconds_to(end),
                            metadata=self._settings.metadata())
                    for response in call:
                        for outcome in work.feed(response):
                            attempt = 0
                            yield outcome
                yield from work.outcomes()
                work.need_done()
            except grpc.RpcError as error:
                attempt += 1
                delay = delay_before_retry(error, attempt)
                left = seconds_to(end)
                if delay is None or (left is not None and delay >= left):
                    raise server_error_of(error, self._settings,
                                          seconds=left) from None
                self._reopen()
                time.sleep(delay)
            finally:
                if call is not None:
                    call.cancel()

