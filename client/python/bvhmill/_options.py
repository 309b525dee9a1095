"""The keywords of calls, and the native options that they become."""

from __future__ import annotations

import functools
import math
import operator
import os
from typing import Any, Callable, Iterable, Literal, Mapping, Optional
from typing import Sequence, Tuple, TypedDict, Union

from bvhmill import _bvhmill
from bvhmill._errors import NativeError, error_of, in_keywords

Array = Literal["positions", "rotations", "world_rotations", "velocities"]
ARRAYS = ("positions", "rotations", "world_rotations", "velocities")
MAX_THREADS = 1024
UNITS: dict[str, float] = {
    "m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "inch": 0.0254,
    "ft": 0.3048}


class EditOptions(TypedDict, total=False):
    """Edits of a take. They are applied in the order of this list; the order
    of the keywords does not matter.

    Joints are given by NAME, NAME#2 (the second of that name) or PREFIX*. The
    names are those of `Take.names`.
    `joint_map` is the name of a built-in map, or old names and new names.
    `strip_prefix` removes the common prefix of the names, as "mixamorig:".
    `figure` keeps the tree of the N-th root alone.
    `drop_mode` "poses" keeps the poses of the joints that stay; "rigid" keeps
    the lengths of bones, and loses the motion of dropped joints.
    `tpose_frame` is a frame whose pose becomes the rest pose. `mirror` exchanges
    left and right.
    `names_to` is a naming scheme such as "mixamo": the scheme of the take is
    recognized, and joints get their names in this one.
    `fps` resamples the take to another rate; `state_fps` keeps the frames, and
    states this rate for them. They exclude each other.
    `floor` puts the lowest joint of the take at height 0.
    `body_root` is the joint that carries the body, on which `in_place`,
    `root_motion`, `root_axes`, `root_signs` and `root_correction` act; without
    it, it is found from the motion. `in_place` keeps the height along `up`;
    without `up`, the axis must be clear from the clip.
    `frames` is a slice, or (begin, end) or (begin, end, step); only a slice can
    leave out its end. `trim` is (begin, end) in seconds, where None is the begin
    or the end of the take; not together with `frames`. `units` and `up` say what the file has; `to_units` and
    `to_up` what is wanted. A unit is a word such as "cm", or metres per unit.
    """

    drop_repeated_frames: bool
    snap_frame_time: bool
    fill_gap_frames: int
    replace_spikes: bool
    unwrap_angles: bool
    drop: Sequence[str]
    keep: Sequence[str]
    rename: Mapping[str, str]
    strip_prefix: bool
    joint_map: Union[str, Mapping[str, str]]
    names_to: str
    figure: int
    drop_mode: Literal["poses", "rigid"]
    tpose_frame: int
    trim: Tuple[Optional[float], Optional[float]]
    frames: Union[slice, Tuple[int, int], Tuple[int, int, int]]
    fps: float
    state_fps: float
    interpolation: Literal["slerp", "lerp"]
    up: Literal["y", "z"]
    to_up: Literal["y", "z"]
    units: Union[str, float]
    to_units: Union[str, float]
    in_place: bool
    root_motion: Literal["keep", "in_place", "origin"]
    root_axes: str
    root_signs: str
    root_correction: Tuple[float, float, float]
    body_root: str
    mirror: bool
    floor: bool


class CheckOptions(TypedDict, total=False):
    """How a file is read and judged.

    `ignore` and `only` are codes of docs/issues.md, or groups such as
    "DATA_*"; without that group reading is two to five times as fast.
    `severities` has a severity by code, `thresholds` a number by "CODE.name".
    `limits` has limits by name, 0 for none; a take keeps them for its edits and
    files. `joint_positions` and `root_offset` are the readings of
    docs/conventions.md. `name_encoding` is that of the names in BVH text; by
    default it is found by the names.
    """

    strict: bool
    ignore: Sequence[str]
    only: Sequence[str]
    severities: Mapping[str, str]
    thresholds: Mapping[str, float]
    max_issues: int
    joint_positions: Literal["replace", "add", "ignore"]
    root_offset: Literal["ignore", "add"]
    name_encoding: Literal["utf-8", "shift-jis", "gbk", "big5", "cp949",
                           "latin-1"]
    format: Literal["bvh", "anim"]
    limits: Mapping[str, int]


class ReadOptions(CheckOptions, EditOptions, total=False):
    """How a file is read, judged and edited: the keywords of `read`.

    Reading and judging (`CheckOptions`): strict, ignore, only, severities,
    thresholds, max_issues, joint_positions, root_offset, name_encoding, format,
    limits.

    Editing (`EditOptions`), in the order in which it is done:
    drop_repeated_frames, snap_frame_time, fill_gap_frames, replace_spikes,
    unwrap_angles, figure, drop, keep, drop_mode, rename, strip_prefix, joint_map,
    names_to, tpose_frame, frames, trim, fps, state_fps, interpolation, up, to_up, units, to_units, in_place,
    root_motion, root_axes, root_signs, root_correction, body_root, mirror,
    floor.
    """


class NpzOptions(TypedDict, total=False):
    """Options of an .npz: `arrays` are names of `Array`, but not
    "world_rotations"; `world` makes `rotations` those of the world."""

    arrays: Sequence[Array]
    kind: Literal["quaternion", "matrix", "6d"]
    world: bool


class AnimOptions(TypedDict, total=False):
    """Options of an .anim of Second Life; see AnimFormat of the API."""

    profile: Literal["best", "viewer"]
    reference: Literal["auto", "rest", "first"]
    joint_map: Union[str, Mapping[str, str]]
    accept_odd: bool
    for_upload: bool
    match_limbs: bool
    scale_to_avatar: bool
    max_degrees: float
    max_millimetres: float
    max_bytes: int
    loop: bool
    loop_in: float
    loop_out: float
    ease_in: float
    ease_out: float
    priority: int
    hand_pose: int
    emote: str


class SaveOptions(NpzOptions, AnimOptions, total=False):
    """Options of any file. TypeError for one that the format does not have."""

    decimals: int


CHECK_KEYS = tuple(CheckOptions.__annotations__)
EDIT_KEYS = tuple(EditOptions.__annotations__)
# The options of reading that a take keeps.
_CONVENTION_KEYS = ("joint_positions", "root_offset", "limits")
# The words that say what a file has, and those that say what is wanted.
_SPACE_KEYS = (("units", "to_units"), ("up", "to_up"))
_WORDS: dict[str, tuple[str, ...]] = {
    "joint_positions": ("replace", "add", "ignore"),
    "root_offset": ("ignore", "add"),
    "name_encoding": ("utf-8", "shift-jis", "gbk", "big5", "cp949", "latin-1"),
    "format": ("bvh", "anim"),
    "interpolation": ("slerp", "lerp"),
    "up": ("y", "z"),
    "to_up": ("y", "z"),
    "root_motion": ("keep", "in_place", "origin"),
    "drop_mode": ("poses", "rigid"),
}


def _word(key: str, value: Any) -> str:
    if value not in _WORDS[key]:
        raise ValueError(f"{key}={value!r}: must be one of "
                         + ", ".join(map(repr, _WORDS[key])))
    return str(value)


def _unit(key: str, value: Any) -> float:
    if isinstance(value, str):
        if value not in UNITS:
            raise ValueError(f"{key}={value!r}: must be one of "
                             + ", ".join(map(repr, UNITS))
                             + ", or a number of metres")
        return UNITS[value]
    return _positive(key, value)


def _positive(key: str, value: Any) -> float:
    number = float(value)
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"{key}={value!r}: must be a positive number")
    return number


def _frames(key: str, value: Any) -> tuple[int, int, int]:
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        begin, end, step = (None if part is None else operator.index(part)
                            for part in parts)
    else:
        begin, end, step = map(operator.index, (*value, 1) if len(value) == 2
                               else value)
    # The module reads an end of 0 as the end of the file.
    if end is not None and end <= 0:
        raise ValueError(f"{key}={value!r}: the end must be 1 at least; "
                         "a slice without an end goes to the last frame")
    # The module reads a step of 0 as 1.
    if step is not None and step <= 0:
        raise ValueError(f"{key}={value!r}: the step must be 1 at least")
    return begin or 0, end or 0, 1 if step is None else step


def _seconds(key: str, value: Any) -> tuple[float, float]:
    begin, end = value
    begin = 0.0 if begin is None else float(begin)
    # The module reads an end of 0 as the end of the take.
    if end is not None and not float(end) > begin:
        raise ValueError(f"{key}={value!r}: the end must be after the begin; "
                         "None is the end of the take")
    return begin, 0.0 if end is None else float(end)


def _frame(key: str, value: Any) -> int:
    frame = operator.index(value)
    if frame < 0:
        raise ValueError(f"{key}={value!r}: must be a frame, from 0 on")
    return frame


def _names(key: str, value: Any) -> list[str]:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{key} must be a list of names, not a single one")
    return [text_of(name) for name in value]


def _kept(key: str, value: Any) -> list[str]:
    names = _names(key, value)
    # The module reads no name as all joints.
    if not names:
        raise ValueError(f"{key} must name a joint; None keeps all")
    return names


def text_of(name: Any) -> str:
    """A name as text. Bytes, as of h5py, are UTF-8; else UnicodeDecodeError, a
    ValueError."""
    return name.decode() if isinstance(name, bytes) else str(name)


def _three(key: str, value: Any) -> list[float]:
    numbers = [float(number) for number in value]
    if len(numbers) != 3:
        raise ValueError(f"{key}={value!r}: must be three numbers")
    return numbers


def _threshold(name: str, number: float) -> tuple[str, str, float]:
    code, dot, threshold = name.partition(".")
    if not dot:
        raise ValueError(f"thresholds: {name!r} must be 'CODE.name'")
    return code, threshold, float(number)


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "strict": bool, "max_issues": operator.index,
    "severities": lambda value: {k: str(v) for k, v in value.items()},
    "thresholds": lambda value: [_threshold(k, v) for k, v in value.items()],
    "limits": lambda value: {k: operator.index(v) for k, v in value.items()},
    "joint_map": lambda value: (value if isinstance(value, str)
                                else list(value.items())),
    "rename": lambda value: list(value.items()),
    "drop_repeated_frames": bool, "snap_frame_time": bool,
    "fill_gap_frames": operator.index, "replace_spikes": bool, "unwrap_angles": bool,
    "root_axes": str, "root_signs": str, "names_to": str, "strip_prefix": bool,
    "body_root": str, "floor": bool, "mirror": bool, "figure": operator.index,
}
_MAPPINGS = ("severities", "thresholds", "limits", "rename", "joint_map")
_CHECKED: dict[str, Callable[[str, Any], Any]] = {
    "ignore": _names, "only": _names, "drop": _names, "keep": _kept,
    "frames": _frames, "trim": _seconds, "tpose_frame": _frame, "fps": _positive, "state_fps": _positive, "units": _unit,
    "to_units": _unit,
    "root_correction": _three,
    **{key: _word for key in _WORDS},
}


def words_of(options: Mapping[str, Any],
             known: Sequence[str]) -> dict[str, Any]:
    """The native words of keywords. TypeError for an unknown keyword;
    ValueError for an impossible value, or for two that exclude each other."""
    words: dict[str, Any] = {}
    for key, value in options.items():
        if key not in known:
            raise TypeError(unknown(key, known))
        if value is None:
            continue
        if key == "in_place":
            if value:
                words.setdefault("root_motion", "in_place")
            continue
        rows = key == "joint_map" and not isinstance(value, str)
        words["joint_map_rows" if rows else key] = _native(key, value)
    if options.get("in_place") and words["root_motion"] != "in_place":
        raise ValueError(f"in_place=True and root_motion="
                         f"{words['root_motion']!r} exclude each other")
    return words


def conventions_of(options: Mapping[str, Any],
                   before: Mapping[str, Any]) -> dict[str, Any]:
    """The native words for later calls about a take: `before`, and how the
    keywords read it, with the limits. Its unit and up axis are those after the
    edits."""
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


def _native(key: str, value: Any) -> Any:
    """The native word of one keyword. TypeError or ValueError."""
    if key in _MAPPINGS and not (hasattr(value, "items") or key == "joint_map"
                                 and isinstance(value, str)):
        raise TypeError(f"{key}={value!r}: must be a mapping")
    if key in _CHECKED:
        return _CHECKED[key](key, value)
    return _PLAIN[key](value)


def unknown(key: str, known: Iterable[str]) -> str:
    """The text of a TypeError for a keyword that does not exist."""
    import difflib

    close = difflib.get_close_matches(key, list(known), 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"there is no option {key!r}{hint}"


def array_names(arrays: Iterable[str]) -> tuple[str, ...]:
    """The names, each once. TypeError for a single name."""
    if isinstance(arrays, str):
        raise TypeError("arrays must be a list of names, such as "
                        f"[{arrays!r}]")
    return tuple(dict.fromkeys(arrays))


def outputs_of(arrays: Iterable[str], end_sites: bool,
               keep_values: bool) -> list[tuple[str, str, dict[str, Any]]]:
    """The outputs that give `arrays`. ValueError for an unknown one."""
    outputs: list[tuple[str, str, dict[str, Any]]] = []
    if keep_values:
        outputs.append(("values", "values", {}))
    for name in array_names(arrays):
        if name not in ARRAYS:
            raise ValueError(f"arrays: there is no {name!r}; there are "
                             + ", ".join(ARRAYS))
        world = name == "world_rotations"
        outputs.append((name, "rotations" if world else name,
                        {"end_sites": end_sites, "world": world}))
    return outputs


def checked(words: Mapping[str, Any]) -> _bvhmill._Options:
    """Native options. ValueError if a value is not possible."""
    options = _bvhmill._Options(dict(words))
    error = options.error
    if error is not None:
        refused = NativeError(*error)
        if refused.status == "FAILED_PRECONDITION":
            raise error_of(refused, None)
        raise ValueError(in_keywords(refused.field, refused.message))
    return options


@functools.lru_cache(maxsize=256)
def _plain_options(arrays: tuple[str, ...], end_sites: bool, keep_values: bool,
                   skeleton: bool, threads: int,
                   items: tuple[tuple[str, Any], ...]) -> _bvhmill._Options:
    words = words_of(dict(items), CHECK_KEYS + EDIT_KEYS)
    words["outputs"] = outputs_of(arrays, end_sites, keep_values)
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
