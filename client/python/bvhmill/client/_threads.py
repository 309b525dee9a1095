"""Work with files for clients of asyncio."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Iterator


async def each(items: Iterator[Any]) -> AsyncIterator[Any]:
    """Gives the items, which are not None. Each is made in a thread, since it
    may be read from a file."""
    def one() -> Any:
        return next(items, None)

    while (item := await asyncio.to_thread(one)) is not None:
        yield item
