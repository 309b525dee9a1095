"""Work with files for clients of asyncio."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, AsyncIterator, Iterator

from bvhmill.client._turns import Work


async def each(items: Iterator[Any]) -> AsyncIterator[Any]:
    """Gives the items, which are not None. Each is made in a thread, since it
    may be read from a file."""
    def one() -> Any:
        return next(items, None)

    while (item := await asyncio.to_thread(one)) is not None:
        yield item


async def in_thread(work: Work[Any]) -> Any:
    """What the work returns."""
    if not work.must_end:
        return await asyncio.to_thread(work.run)
    run = asyncio.get_running_loop().run_in_executor(None, work.run)
    try:
        return await asyncio.shield(run)
    finally:
        while not run.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([run])
