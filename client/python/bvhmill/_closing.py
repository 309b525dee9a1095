"""Iterators that can be closed, also by `with`."""

from __future__ import annotations

from types import TracebackType
from typing import AsyncGenerator, AsyncIterator, Awaitable, Generator
from typing import Iterator, TypeVar

T = TypeVar("T")


class Closing(Iterator[T]):
    """The items of a generator. Closing it ends the work in progress."""

    def __init__(self, items: Generator[T, None, None]) -> None:
        self._items = items

    def __next__(self) -> T:
        return next(self._items)

    def close(self) -> None:
        """Ends the work; there are no more items."""
        self._items.close()

    def __enter__(self) -> Closing[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


class AsyncClosing(AsyncIterator[T]):
    """The same for `async for` and `async with`."""

    def __init__(self, items: AsyncGenerator[T, None]) -> None:
        self._items = items

    def __anext__(self) -> Awaitable[T]:
        return self._items.__anext__()

    async def aclose(self) -> None:
        """Ends the work; there are no more items."""
        await self._items.aclose()

    async def __aenter__(self) -> AsyncClosing[T]:
        return self

    async def __aexit__(self, kind: type[BaseException] | None,
                        error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.aclose()
