"""Calls as steps, which Connection and AsyncConnection run.

A step is Work with files, a Pause, or a function that tries a call once, which
AsyncConnection awaits. Jobs have more of them.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Callable, Generator, Generic, Iterator, TypeVar

T = TypeVar("T")
Steps = Generator[Any, Any, Any]


@dataclass
class Work(Generic[T]):
    """Work with files, which must not stop an event loop."""

    run: Callable[[], T]
    # True if the steps free what it uses: a call that is cancelled waits for
    # its end.
    must_end: bool = False


@dataclass
class Pause:
    """Waits before a call is tried again."""

    seconds: float


class Turns:
    """Runs steps: gives them answers, or the errors of what they asked for."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._fault: Exception | None = None
        self.answer: Any = None
        # The value that the steps have returned.
        self.value: Any = None

    def next(self) -> Any:
        """The next step; None at the end."""
        fault, self._fault = self._fault, None
        answer, self.answer = self.answer, None
        try:
            if fault is not None:
                return self._steps.throw(fault)
            return self._steps.send(answer)
        except StopIteration as end:
            self.value = end.value
            return None
        finally:
            # The traceback of an error has this frame, which would keep it.
            del fault, answer

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Keeps an error for the steps."""
        try:
            yield
        except Exception as error:
            self._fault = error

    def close(self) -> None:
        """Ends the steps."""
        self._steps.close()
