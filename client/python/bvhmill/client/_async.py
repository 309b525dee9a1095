"""The client for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, AsyncGenerator, Awaitable, Callable
from typing import Iterable, Sequence, TypeVar

import grpc

from bvhmill._batch import Outcome, _paths_of
from bvhmill._closing import AsyncClosing
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
from bvhmill.client._connection import (AsyncConnection, ServerError, Settings,
                                        server_error_of)
from bvhmill.client._messages import (options_of, report_of_error,
                                      report_of_result, take_of)
from bvhmill.client._threads import each
from bvhmill.v1 import clip_service_pb2 as clips
from bvhmill.v1 import clip_service_pb2_grpc, server_service_pb2
from bvhmill.v1 import server_service_pb2_grpc

if TYPE_CHECKING:
    from typing_extensions import Unpack
else:
    from bvhmill._typing import Unpack

T = TypeVar("T")


class AsyncClient(AsyncConnection):
    """`Client` for asyncio: the same calls, to be awaited.

    It belongs to the event loop of its first call.

    >>> from bvhmill.client import AsyncClient
    >>> client = AsyncClient("127.0.0.1:7450", timeout=5)
    """

    def __init__(self, target: str, *, token: str | None = None,
                 tls: bool | str = False,
                 cert: tuple[str, str] | None = None,
                 timeout: float | None = None) -> None:
        super().__init__(Settings(target, token, tls, timeout, cert))
        self._info: Any = None

    async def __aenter__(self) -> AsyncClient:
        return self

    async def _retried(self, call: Callable[[float | None],
                                            Awaitable[T]],
                       end: float | None, source_name: str = "") -> T:
        attempt = 0
        while True:
            try:
                return await call(seconds_to(end))
            except grpc.RpcError as error:
                attempt += 1
                delay = delay_before_retry(error, attempt)
                left = seconds_to(end)
                if delay is None or (left is not None and delay >= left):
                    raise await asyncio.to_thread(
                        server_error_of, error, self._settings, source_name,
                        left) from None
            await asyncio.sleep(delay)

    async def _unary(self, stub: Any, method: str, request: Any,
                     end: float | None, source_name: str = "") -> Any:
        async def call(left: float | None) -> Any:
            return await getattr(stub(self._open()), method)(
                request, timeout=left, metadata=self._settings.metadata())

        answer: Any = await self._retried(call, end, source_name)
        return answer

    async def server_info(self) -> Any:
        """The GetServerInfoResponse of the server; asked for once."""
        return await self._info_before(deadline(self._settings.timeout))

    async def _info_before(self, end: float | None) -> Any:
        if self._info is None:
            self._info = await self._unary(
                server_service_pb2_grpc.ServerServiceStub, "GetServerInfo",
                server_service_pb2.GetServerInfoRequest(), end)
        return self._info

    @shows(ReadOptions)
    async def read(self, source: Source, *,
                   arrays: Sequence[Array] = ("positions",),
                   end_sites: bool = False, keep_values: bool = True,
                   source_name: str | None = None,
                   **options: Unpack[ReadOptions]) -> Take:
        """As `bvhmill.read`, by the server."""
        end = deadline(self._settings.timeout)
        words: dict[str, Any] = dict(options)
        names = array_names(arrays)
        message = options_of(names, end_sites, keep_values, words)
        # Files may be large.
        text = await asyncio.to_thread(source_of, source, source_name, words)
        limits = (await self._info_before(end)).limits
        result = None
        if fits_one_call(text, len(names), limits):
            result = await self._in_one_call(
                "ConvertClip", clips.ConvertClipRequest(
                    source=text, options=message), end)
        if result is None:
            result, data = await self._over_stream(text, message, limits, end)
        else:
            data = data_of(result)
        return take_of(result, data, end_sites, words, text.display_name)

    async def _in_one_call(self, method: str, request: Any,
                           end: float | None) -> Any:
        """The ClipResult; None if it is too large for one answer."""
        try:
            return (await self._unary(
                clip_service_pb2_grpc.ClipServiceStub, method, request, end,
                request.source.display_name)).result
        except ServerError as error:
            if error.code == ANSWER_TOO_LARGE:
                return None
            raise

    async def _over_stream(self, text: Any, message: Any, limits: Any,
                           end: float | None) -> Any:
        """(ClipResult, outputs as bytes) of a clip of any size."""
        return await self._retried(
            lambda left: self._streamed(text, message, limits, left), end,
            text.display_name)

    async def _streamed(self, text: Any, message: Any, limits: Any,
                        left: float | None) -> Any:
        assembler = Assembler()
        requests = clip_requests(text, message, limits)
        call = clip_service_pb2_grpc.ClipServiceStub(
            self._open()).ConvertClips(
                each(requests), timeout=left,
                metadata=self._settings.metadata())
        ended = None
        async for response in call:
            ended = assembler.feed(response) or ended
        return ended_of(ended)

    @shows(CheckOptions)
    async def validate(self, source: Source,
                       **options: Unpack[CheckOptions]) -> Report:
        """As `bvhmill.validate`, by the server."""
        end = deadline(self._settings.timeout)
        words: dict[str, Any] = dict(options)
        message = options_of((), False, False, words)
        text = await asyncio.to_thread(source_of, source, None, words)
        try:
            limits = (await self._info_before(end)).limits
            result = None
            if fits_message(text, limits):
                result = await self._in_one_call(
                    "ValidateClip", clips.ValidateClipRequest(
                        source=text, options=message), end)
            if result is None:
                result, _ = await self._over_stream(text, message, limits, end)
        except BvhError as error:
            return report_of_error(error)
        return report_of_result(result)

    @shows(ReadOptions)
    def read_many(self, paths: Iterable[Path], *,
                  arrays: Sequence[Array] = ("positions",),
                  end_sites: bool = False, keep_values: bool = True,
                  **options: Unpack[ReadOptions]) -> AsyncClosing[Outcome]:
        """As `Client.read_many`, for `async for`."""
        work = Clips(_paths_of(paths), arrays, end_sites, keep_values, 0,
                     dict(options))
        return AsyncClosing(self._outcomes(work))

    async def _outcomes(self, work: Clips) -> AsyncGenerator[Outcome, None]:
        attempt = 0
        end = deadline(self._settings.timeout)
        while not work.is_done:
            call = clip_service_pb2_grpc.ClipServiceStub(
                self._open()).ConvertClips(
                    each(work.requests()), timeout=seconds_to(end),
                    metadata=self._settings.metadata())
            try:
                async for response in call:
                    for outcome in work.feed(response):
                        attempt = 0
                        yield outcome
                for outcome in work.outcomes():
                    yield outcome
                work.need_done()
            except grpc.RpcError as error:
                attempt += 1
                delay = delay_before_retry(error, attempt)
                left = seconds_to(end)
                if delay is None or (left is not None and delay >= left):
                    raise await asyncio.to_thread(
                        server_error_of, error, self._settings, "",
                        left) from None
                await asyncio.sleep(delay)
            finally:
                call.cancel()
