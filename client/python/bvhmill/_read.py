"""Reading one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from bvhmill import _bvhmill
from bvhmill._amass import is_npz, take_of_npz
from bvhmill._errors import BvhError, NativeError, error_of, os_error
from bvhmill._info import Info, info_of
from bvhmill._option_types import CheckOptions
from bvhmill._options import (CHECK_KEYS, EDIT_KEYS, Array, ReadOptions,
                              checked, conventions_of, read_options, shows,
                              thread_count, unknown, words_of)
from bvhmill._report import Report, report_of, unreadable
from bvhmill._source import (Source, bytes_of, convert, is_path, name_of,
                             path_bytes)
from bvhmill._take import Take

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack
else:
    from bvhmill._typing import Unpack, npt


def error_of_conversion(conversion: _bvhmill._Conversion,
                        source_name: str) -> BvhError | None:
    """The exception of a conversion that gives no take, else None."""
    if conversion.error is None:
        return None
    return error_of(conversion.error, report_of(conversion.report),
                    source_name)


def take_of(conversion: _bvhmill._Conversion, end_sites: bool,
            conventions: dict[str, Any], source_name: str) -> Take:
    """The take of a conversion without an error."""
    clip = conversion.clip
    assert clip is not None
    take = Take._of(clip, conversion.report, end_sites, conventions,
                    source_name)
    for name, block in conversion.blocks.items():
        if name != "values":
            take._made[name] = np.asarray(block)
    return take


@shows(ReadOptions)
def read(source: Source, *, arrays: Sequence[Array] = ("positions",),
         end_sites: bool = False, keep_values: bool = True, threads: int = 1,
         source_name: str | None = None,
         **options: Unpack[ReadOptions]) -> Take:
    """Reads a take.

    A str or os.PathLike is a path; bytes and other buffers are the contents of
    a file; anything with `read` is a file that was opened with 'rb'. Paths may
    end in .gz or .zst. An .npz is read as by `Take.from_npz`; its end sites
    have rows with `end_sites=True`. Nothing touches the file after the call.

    `arrays` are made while the file is read, which is faster than asking for
    them later. `keep_values=False` needs less memory, and then there are no
    other arrays. `threads`: 0 is all CPUs of this process; 1 starts no thread.
    `options` are those of `ReadOptions`.

    Raises BvhError if the file gives no take, OSError if it cannot be read,
    ValueError and TypeError for a wrong option.

    >>> import bvhmill
    >>> bvhmill.read(bvhmill.example(), arrays=["rotations"]).rotations.shape
    (3, 3, 4)
    """
    native = read_options(arrays, end_sites, keep_values, True,
                          thread_count(threads), options)
    name = name_of(source) if source_name is None else source_name
    if not is_path(source):
        source = bytes_of(source)
    if "format" not in options and is_npz(source):
        archive = take_of_npz(Take, source, name)
        conversion = _bvhmill.convert_clip(archive._clip, native)
    else:
        conversion = convert(source, native)
    error = error_of_conversion(conversion, name)
    if error is not None:
        raise error
    return take_of(conversion, end_sites, conventions_of(options, {}), name)


@shows(CheckOptions)
def validate(source: Source, *, threads: int = 1,
             **options: Unpack[CheckOptions]) -> Report:
    """The report of a file. A bad file raises nothing but OSError; one that
    cannot be decompressed has a report with one issue.

    >>> import bvhmill
    >>> bvhmill.validate(bvhmill.example()).ok
    True
    """
    need_known(options)
    native = read_options((), False, False, False, thread_count(threads),
                          options)
    conversion = convert(source, native)
    report = report_of(conversion.report)
    if conversion.error is None or report.issues:
        return report
    error = NativeError(*conversion.error)
    # Without a reason, the faults of the file are among the ignored codes.
    return unreadable(error.reason, error.message) if error.reason else report


@shows(CheckOptions)
def info(source: Source, **options: Unpack[CheckOptions]) -> Info:
    """Joints and frames of a file, without any arrays.

    The whole file is read, since only that gives the number of frames.

    >>> import bvhmill
    >>> bvhmill.info(bvhmill.example()).names
    ('Hips', 'Spine', 'Head')
    """
    need_known(options)
    facts: dict[str, Any] = {"ignore": ["DATA_*"]}
    facts.update(options.items())
    conversion = convert(source, read_options((), False, False, False, 1,
                                              facts))
    error = error_of_conversion(conversion, name_of(source))
    if error is not None:
        raise error
    return info_of(conversion.info)


def need_known(options: Any) -> None:
    """TypeError for a keyword that is not one of `CheckOptions`."""
    for key in options:
        if key not in CHECK_KEYS:
            raise TypeError(unknown(key, CHECK_KEYS))


@dataclass(frozen=True, eq=False)
class AnimJoint:
    """A joint of an .anim. Times are seconds; rotations x y z w.

    >>> import numpy as np
    >>> AnimJoint("mPelvis", 3, *[np.zeros(0)] * 4).name
    'mPelvis'
    """

    name: str
    priority: int
    rotation_times: npt.NDArray[np.float32]
    rotations: npt.NDArray[np.float32]
    position_times: npt.NDArray[np.float32]
    positions: npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Anim:
    """The keys of an .anim of Second Life, as the file has them.

    `plays` and `uploads` say if the viewer plays it, and takes it for upload.

    >>> import bvhmill
    >>> bones = {"Hips": "mPelvis", "Spine": "mTorso", "Head": "mHead"}
    >>> anim = bvhmill.read_anim(bvhmill.read(
    ...     bvhmill.example()).to_anim(anim_map=bones, anim_accept_odd=True))
    >>> anim.plays
    True
    """

    priority: int
    duration: float
    emote: str
    loop: bool
    loop_in: float
    loop_out: float
    ease_in: float
    ease_out: float
    hand_pose: int
    constraints: int
    joints: tuple[AnimJoint, ...]
    plays: bool
    uploads: bool
    report: Report


@shows(CheckOptions)
def read_anim(source: Source, **options: Unpack[CheckOptions]) -> Anim:
    """The keys of an .anim. To have its poses, use `read`.

    >>> import bvhmill
    >>> bvhmill.read_anim(b"no anim")
    Traceback (most recent call last):
    bvhmill.BvhError: <bytes>:byte 0: error: ANIM_VERSION: version ...
    """
    need_known(options)
    native = checked({**words_of(options, CHECK_KEYS), "format": "anim"})
    contents = _contents(source, native)
    motion, plays, uploads, found = _bvhmill.read_anim(contents, native)
    report = report_of(found)
    if motion is None:
        # The conversion of such a file knows its error.
        error = error_of_conversion(_bvhmill.read_buffer(contents, native),
                                    name_of(source))
        assert error is not None
        raise error
    joints = tuple(_anim_joint(*joint) for joint in motion.pop("joints"))
    emote = motion.pop("emote").decode("utf-8", "replace")
    return Anim(emote=emote, joints=joints, plays=plays, uploads=uploads,
                report=report, **motion)


def _contents(source: Any, native: _bvhmill._Options) -> Any:
    if not is_path(source):
        return bytes_of(source)
    block, number, error = _bvhmill.read_file(path_bytes(source), native)
    if number:
        raise os_error(number, name_of(source))
    if error is not None:
        raise error_of(error, None, name_of(source))
    return block


def _anim_joint(name: bytes, priority: int, rotations: Any,
                positions: Any) -> AnimJoint:
    return AnimJoint(name.decode("utf-8", "replace"), priority,
                     np.asarray(rotations[0]), np.asarray(rotations[1]),
                     np.asarray(positions[0]), np.asarray(positions[1]))


# The keywords of `read`, for those who pass them on.
READ_KEYS = CHECK_KEYS + EDIT_KEYS
