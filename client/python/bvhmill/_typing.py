"""What annotations name, so that `typing.get_type_hints` works.

Modules import it where a type checker reads the real one: numpy.typing, pandas
and xarray take long to import, and need not be there.
"""

from __future__ import annotations

import importlib
import typing
from typing import Any, Iterable

import numpy as np

# Python 3.11 has it. In older ones the keywords are told without it.
Unpack: Any = getattr(typing, "Unpack", typing.Optional)


class Later:
    """A module that is imported when a name of it is asked for. Any is in place
    of the names of one that is absent."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(importlib.import_module(self._name), name)
        except ImportError:
            return Any


class _NumpyTyping(Later):
    class NDArray:
        """As numpy.typing.NDArray."""

        def __class_getitem__(cls, item: Any) -> Any:
            return np.ndarray[Any, np.dtype[item]]


npt: Any = _NumpyTyping("numpy.typing")
pandas: Any = Later("pandas")
xarray: Any = Later("xarray")
FloatArray = npt.NDArray[np.float32]


def publish(place: str, namespace: dict[str, Any],
            names: Iterable[str]) -> None:
    """Lets messages, pickles and help name the public place of classes.

    Annotations are evaluated first: they name what their own module has.
    """
    for name in names:
        kind = namespace[name]
        own = vars(kind).get("__annotations__", {})
        try:
            hints = typing.get_type_hints(kind)
        except TypeError:
            # Before Python 3.10, "X | Y" is no type.
            hints = own
        if own:
            kind.__annotations__ = {key: hints[key] for key in own}
        kind.__module__ = place
