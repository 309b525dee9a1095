"""The client for asyncio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncGenerator, Iterable, Sequence

import grpc

from bvhmill._batch import AnyOutcome, Batch, _paths_of
from bvhmill._closing import AsyncClosing
from bvhmill._info import Info
from bvhmill._option_types import CheckOptions
from bvhmill._options import Array, ReadOptions, shows
from bvhmill._report import Report
from bvhmill._source import Path, Source
from bvhmill._stream import Block
from bvhmill._take import Take
from bvhmill.client import _steps
from bvhmill.client._batch import batch_of, blocks_of, kinds_of
from bvhmill.client._calls import (Assembler, Clips, clip_requests, deadline,
                                   ended_of, seconds_to)
from bvhmill.client._connection import AsyncConnection, Settings
from bvhmill.client._threads import each
from bvhmill.v1 import clip_service_pb2_grpc

if TYPE_CHECKING:
    from typing_extensions import Unpack
else:
    from bvhmill._typing import Unpack


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

    async def server_info(self) -> Any:
        """The GetServerInfoResponse of the server; asked for once."""
        return await self._run(_steps.server_info(
            self, deadline(self._settings.timeout)))

    @shows(ReadOptions)
    async def read(self, source: Source, *,
                   arrays: Sequence[Array] = ("positions",),
                   end_sites: bool = False, keep_values: bool = True,
                   source_name: str | None = None,
                   **options: Unpack[ReadOptions]) -> Take:
        """As `bvhmill.read`, by the server."""
        take: Take = await self._run(_steps.read(
            self, source, arrays, end_sites, keep_values, source_name,
            dict(options)))
        return take

    async def _streamed(self, text: Any, message: Any, limits: Any,
                        left: float | None) -> Any:
        """(ClipResult, outputs as bytes) of a clip of any size."""
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
        report: Report = await self._run(
            _steps.validate(self, source, dict(options)))
        return report

    @shows(CheckOptions)
    async def info(self, source: Source,
                   **options: Unpack[CheckOptions]) -> Info:
        """As `bvhmill.info`, by the server."""
        facts: Info = await self._run(
            _steps.info(self, source, dict(options)))
        return facts

    @shows(ReadOptions)
    def read_many(self, paths: Iterable[Path], *,
                  arrays: Sequence[Array] = ("positions",),
                  end_sites: bool = False, keep_values: bool = True,
                  **options: Unpack[ReadOptions]) -> AsyncClosing[AnyOutcome]:
        """As `Client.read_many`, for `async for`."""
        work = Clips(_paths_of(paths), arrays, end_sites, keep_values, 0,
                     dict(options))
        return AsyncClosing(self._outcomes(work))

    @shows(ReadOptions)
    def stream(self, source: Source, *,
               arrays: Sequence[Array] = ("positions",),
               block_frames: int = 4096, end_sites: bool = False,
               **options: Unpack[ReadOptions]) -> AsyncClosing[Block]:
        """As `bvhmill.stream`, by `read`: the arrays of all frames are kept
        until the last block."""
        if block_frames < 1:
            raise ValueError(f"block_frames={block_frames}: must be at least 1")
        return AsyncClosing(self._blocks(source, kinds_of(arrays), block_frames,
                                         end_sites, dict(options)))

    async def _blocks(self, source: Source, kinds: Sequence[Array], frames: int,
                      end_sites: bool, options: Any
                      ) -> AsyncGenerator[Block, None]:
        take = await self.read(source, arrays=kinds, end_sites=end_sites,
                               keep_values=False, **options)
        for block in blocks_of(take, kinds, frames):
            yield block

    @shows(ReadOptions)
    async def read_batch(self, paths: Iterable[Path], *,
                         arrays: Sequence[Array] = ("positions",),
                         end_sites: bool = False,
                         **options: Unpack[ReadOptions]) -> Batch:
        """As `bvhmill.read_batch`, by `read_many`."""
        kinds = kinds_of(arrays)
        outcomes = self.read_many(paths, arrays=kinds, end_sites=end_sites,
                                  keep_values=False, **options)
        return batch_of([outcome async for outcome in outcomes], kinds,
                        end_sites)

    async def _outcomes(self, work: Clips) -> AsyncGenerator[AnyOutcome, None]:
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
                await self._run(_steps.pause_after(self, error, attempt, end))
            finally:
                call.cancel()
