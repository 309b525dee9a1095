"""The keywords of calls, and the native options that they become.

`_option_types` has the keywords: CMake makes it from the table of options.
Values are passed on as JSON, and checked by the native module.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import numbers
import operator
import os
import typing
from typing import Any, Callable, Iterable, Literal, Mapping, Sequence, TypeVar

from bvhmill import _bvhmill
from bvhmill._errors import NativeError, error_of
from bvhmill._option_types import (ROWS, AnimOptions, BvhOptions, CheckOptions,
                                   EditOptions, NpzOptions)

Array = Literal["positions", "rotations", "world_rotations", "velocities"]
ARRAYS = ("positions", "rotations", "world_rotations", "velocities")
# Names that are not for `arrays`, and what gives them.
_OF_TAKES = {"six_d": "six_d()", "6d": "six_d()", "matrices": "matrices()",
             "quaternions": "quaternions()", "euler": "euler",
             "values": "values"}
MAX_THREADS = 1024


class ReadOptions(CheckOptions, EditOptions, total=False):
    """How a file is read, judged and edited: the keywords of `read`."""


ReadOptions.__doc__ = "\n\n    ".join(
    str(options.__doc__) for options in (ReadOptions, CheckOptions, EditOptions))


class SaveOptions(BvhOptions, NpzOptions, AnimOptions, total=False):
    """Options of any file. TypeError for one that the format does not have."""


CHECK_KEYS = tuple(CheckOptions.__annotations__)
EDIT_KEYS = tuple(EditOptions.__annotations__)
# Keywords that are no rows of the table.
_NATIVE_KEYS = ("format", "limits", "skeleton", "threads")
# The options of reading that a take keeps.
_CONVENTION_KEYS = ("joint_positions", "root_offset", "limits")
# The words that say what a file has, and those that say what is wanted.
_SPACE_KEYS = (("units", "to_units"), ("up", "to_up"))
_Call = TypeVar("_Call", bound=Callable[..., Any])


def shows(options: type) -> Callable[[_Call], _Call]:
    """Lets help and completion show the keywords of `options` in place of
    `**options`."""
    def decorate(call: _Call) -> _Call:
        signature = inspect.signature(call)
        parts = [part for part in signature.parameters.values()
                 if part.kind is not inspect.Parameter.VAR_KEYWORD]
        parts += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY,
                                    default=None, annotation=kind)
                  for name, kind in typing.get_type_hints(options).items()]
        setattr(call, "__signature__", signature.replace(parameters=parts))
        return call
    return decorate


def text_of(name: Any) -> str:
    """A name as text. Bytes, as of h5py, are UTF-8; else UnicodeDecodeError, a
    ValueError."""
    return name.decode() if isinstance(name, bytes) else str(name)


def _plain(key: str, value: Any) -> Any:
    """The value of a keyword as JSON has it. TypeError or ValueError."""
    kind = ROWS[key].kind
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        value = value.item()
    if kind in ("pairs", "severities", "thresholds", "priorities") or (
            kind == "map" and not isinstance(value, str)):
        if not hasattr(value, "items"):
            raise TypeError(f"{key}={value!r}: must be a mapping")
        return {_name(key, name): float(part) if kind == "thresholds"
                else _item(key, part) for name, part in value.items()}
    if kind in ("names", "arrays"):
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{key} must be a list of names, not a single one")
        names = [_name(key, name) for name in value]
        if kind == "arrays":
            names = list(dict.fromkeys(names))
        # No name would keep all joints.
        if key == "keep" and not names:
            raise ValueError(f"{key} must name a joint; None keeps all")
        return names
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return [None if part is None else operator.index(part)
                for part in parts]
    if kind == "flag":
        return bool(value)
    if kind in ("whole", "real"):
        try:
            return _item(key, operator.index(value) if kind == "whole"
                         else float(value))
        except TypeError:
            wanted = "a whole number" if kind == "whole" else "a number"
            raise TypeError(f"{key}={value!r}: must be {wanted}") from None
    if kind in ("frames", "trim", "numbers") or (
            kind == "loop" and not isinstance(value, bool)):
        return [_item(key, part) for part in value]
    return _item(key, value)


def _name(key: str, name: Any) -> str:
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"{key}={name!r}: a name must be text")
    try:
        text = text_of(name)
        text.encode()
    except UnicodeError:
        raise ValueError(f"{key}={name!r}: is no UTF-8") from None
    return text


def _item(key: str, value: Any) -> Any:
    """A number of NumPy as one of Python, and bytes as text."""
    if isinstance(value, (str, bytes)):
        return _name(key, value)
    item = value.item() if hasattr(value, "item") else value
    if isinstance(item, numbers.Number) and not isinstance(item, (int, float)):
        # As of fractions and decimals.
        item = float(item)  # type: ignore[arg-type]
    # JSON has no words for others.
    if isinstance(item, float) and not math.isfinite(item):
        raise ValueError(f"{key}={value!r}: must be a finite number")
    return item


def words_of(options: Mapping[str, Any],
             known: Sequence[str]) -> dict[str, Any]:
    """The values of keywords as JSON has them. TypeError for an unknown
    keyword, and for a value of a wrong type."""
    words: dict[str, Any] = {}
    for key, value in options.items():
        if key not in known:
            raise TypeError(unknown(key, known))
        if value is None:
            continue
        if key == "format":
            if value not in ("bvh", "anim"):
                raise ValueError(f"{key}={value!r}: must be 'bvh' or 'anim'")
            words[key] = value
        elif key == "limits":
            if not hasattr(value, "items"):
                raise TypeError(f"{key}={value!r}: must be a mapping")
            words[key] = {text_of(name): operator.index(limit)
                          for name, limit in value.items()}
            if any(abs(limit) >> 63 for limit in words[key].values()):
                raise ValueError(f"{key}={value!r}: out of range")
        else:
            words[key] = _plain(key, value)
    return words


def conventions_of(options: Mapping[str, Any],
                   before: Mapping[str, Any]) -> dict[str, Any]:
    """The words for later calls about a take: `before`, and how the keywords
    read it, with the limits. Its unit and up axis are those after the edits."""
    if not options:
        return dict(before)
    known = (*_CONVENTION_KEYS, *(key for pair in _SPACE_KEYS for key in pair))
    words = words_of({key: options[key] for key in known if key in options},
                     known)
    conventions = dict(before)
    for key in _CONVENTION_KEYS:
        if key in words:
            conventions[key] = words[key]
    for given, wanted in _SPACE_KEYS:
        for key in (given, wanted):
            if key in words:
                conventions[given] = words[key]
    return conventions


def unknown(key: str, known: Iterable[str]) -> str:
    """The text of a TypeError for a keyword that does not exist."""
    names = list(known)
    # Options of a format begin with its name.
    ends = [name for name in names if name.endswith("_" + key)]
    return f"there is no option {key!r}{did_you_mean(key, names, ends)}"


def did_you_mean(name: str, known: Iterable[str],
                 others: Sequence[str] = ()) -> str:
    """The end of a message about an unknown name: the known one that is most
    like it, or the first of `others`; empty if there is none."""
    import difflib

    close = difflib.get_close_matches(str(name), list(known), 1) or others
    return f"; did you mean {close[0]!r}?" if close else ""


def array_names(arrays: Iterable[str]) -> tuple[str, ...]:
    """The names, each once. TypeError for a single name, ValueError for an
    unknown one."""
    if isinstance(arrays, str):
        raise TypeError("arrays must be a list of names, such as "
                        f"[{arrays!r}]")
    names = tuple(dict.fromkeys(arrays))
    for name in names:
        if name not in ARRAYS:
            raise ValueError(_no_array(name))
    return names


def _no_array(name: Any) -> str:
    if name in _OF_TAKES:
        return f"arrays: {name!r} is none; take.{_OF_TAKES[name]} gives it"
    return (f"arrays: there is no {name!r}; there are " + ", ".join(ARRAYS)
            + did_you_mean(name, ARRAYS))


def outputs_of(arrays: Iterable[str], end_sites: bool,
               keep_values: bool) -> list[dict[str, Any]]:
    """The outputs that give `arrays`; errors are those of `array_names`."""
    outputs: list[dict[str, Any]] = []
    if keep_values:
        outputs.append({"format": "values", "id": "values"})
    for name in array_names(arrays):
        output = {"format": name, "id": name, "end_sites": bool(end_sites)}
        if name == "world_rotations":
            output.update(format="rotations", rotation_space="world")
        outputs.append(output)
    return outputs


def checked(words: Mapping[str, Any]) -> _bvhmill._Options:
    """Native options. ValueError if a value is not possible."""
    rows = {key: value for key, value in words.items()
            if key not in _NATIVE_KEYS}
    options = _bvhmill._Options(
        json.dumps(rows, ensure_ascii=False), words.get("format", ""), words.get("limits", {}),
        words.get("skeleton", False), words.get("threads", 1))
    error = options.error
    if error is not None:
        refused = NativeError(*error)
        if refused.status == "FAILED_PRECONDITION":
            raise error_of(refused, None)
        raise ValueError(f"{refused.field}: {refused.message}")
    return options


@functools.lru_cache(maxsize=256)
def _plain_options(arrays: tuple[str, ...], end_sites: bool, keep_values: bool,
                   skeleton: bool, threads: int,
                   items: tuple[tuple[str, Any], ...]) -> _bvhmill._Options:
    words = words_of(dict(items), CHECK_KEYS + EDIT_KEYS)
    words["emit"] = outputs_of(arrays, end_sites, keep_values)
    words["skeleton"] = skeleton
    words["threads"] = threads
    return checked(words)


def read_options(arrays: Iterable[str], end_sites: bool, keep_values: bool,
                 skeleton: bool, threads: int,
                 options: Mapping[str, Any]) -> _bvhmill._Options:
    """Options of reading; those of equal calls are made once."""
    fixed = (array_names(arrays), end_sites, keep_values, skeleton, threads)
    items = tuple(options.items())
    try:
        return _plain_options(*fixed, items)
    except TypeError:
        # Lists and dictionaries have no hash.
        return _plain_options.__wrapped__(*fixed, items)


def thread_count(threads: int) -> int:
    """`threads`, or for 0 BVHMILL_THREADS, or the CPUs of this process."""
    if not 0 <= operator.index(threads) <= MAX_THREADS:
        raise ValueError(f"threads={threads}: must be 0 to {MAX_THREADS}")
    if threads > 0:
        return threads
    stated = os.environ.get("BVHMILL_THREADS", "")
    if stated:
        if not stated.isdigit() or not 1 <= int(stated) <= MAX_THREADS:
            raise ValueError(f"BVHMILL_THREADS={stated!r}: must be a number "
                             f"from 1 to {MAX_THREADS}")
        return int(stated)
    return max(1, len(os.sched_getaffinity(0)))
