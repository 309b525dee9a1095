"""Files and tables of a take."""

from __future__ import annotations

import contextlib
import errno
import os
import pathlib
import shutil
import stat
from typing import TYPE_CHECKING, Any, Literal, Mapping, cast

import numpy as np

from bvhmill import _bvhmill
from bvhmill._option_types import ROWS
from bvhmill._options import checked, words_of
from bvhmill._report import Report, report_of

if TYPE_CHECKING:
    import pandas
    import xarray

    from bvhmill._take import Take

# The errors of file systems without hard links, or without more of them.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS,
             errno.EMLINK)
# The bytes of a name that a temporary name has: file systems allow 255.
_NAME_IN_PART = 200
FORMATS = ("bvh", "npz", "csv", "anim", "glb")


def format_of(path: str | os.PathLike[str]) -> Literal[
        "bvh", "npz", "csv", "anim", "glb"]:
    """The format that the extension names. ValueError if it names none."""
    extension = pathlib.PurePath(path).suffix.lower().lstrip(".")
    if extension not in FORMATS:
        raise ValueError(f"{os.fspath(path)!r}: the extension must be one of "
                         + ", ".join("." + name for name in FORMATS))
    return cast(Any, extension)  # type: ignore[no-any-return]


def output_words(format: str, options: Mapping[str, Any],
                 end_sites: bool) -> dict[str, Any]:
    """An output of `format` with these options, for `checked`."""
    known = [name for name, row in ROWS.items() if format in row.formats]
    words: dict[str, Any] = {"format": format, "id": format}
    if "end_sites" in known:
        # Rows are those of the take.
        known.remove("end_sites")
        words["end_sites"] = bool(end_sites)
    return {**words, **words_of(options, known)}


def report_of_clip(clip: _bvhmill._Clip,
                   conventions: Mapping[str, Any]) -> Report:
    """The report of the rules on a clip in memory."""
    conversion = _bvhmill.convert_clip(clip, checked(conventions))
    return report_of(conversion.report)


def write_file(path: str | os.PathLike[str], data: bytes,
               overwrite: bool) -> None:
    """Writes a file that appears whole. FileExistsError if it exists.

    A file that is written again keeps its mode, and a link to it stays a link.
    Where there are no hard links, a new file is written in place.
    """
    target = pathlib.Path(os.path.realpath(path) if overwrite else path)
    if target.exists() and not target.is_file() and not target.is_dir():
        # A device or a pipe takes the bytes, and stays what it is.
        target.write_bytes(data)
        return
    if not overwrite and target.exists():
        raise FileExistsError(17, "the file exists; use overwrite=True",
                              str(target))
    part = target.with_name(part_name(target.name))
    try:
        part.write_bytes(data)
        if overwrite:
            with contextlib.suppress(FileNotFoundError):
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            os.replace(part, target)
        else:
            name_new(str(part), str(target))
    finally:
        part.unlink(missing_ok=True)


def part_name(name: str) -> str:
    """A name for a file that gets its own one, `name`, when it is whole."""
    encoded = os.fsencode(name)
    if len(encoded) > _NAME_IN_PART:
        # A sequence of UTF-8 that would be cut is left out.
        begin = encoded[:_NAME_IN_PART].decode(errors="ignore")
        name = os.fsdecode(begin.encode())
    return f".{name}.{os.urandom(4).hex()}.part"


def name_new(part: str, target: str, folder: int | None = None) -> None:
    """Gives a file another name; both are below `folder`, if it is open.

    Unlike os.replace, this fails if another process was first. Where there are
    no hard links, it copies the file.
    """
    try:
        os.link(part, target, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _copy_new(part, target, folder)


def _copy_new(part: str, target: str, folder: int | None) -> None:
    def opened(path: str, flags: int) -> int:
        return os.open(path, flags, 0o666, dir_fd=folder)

    with open(part, "rb", opener=opened) as source:
        with open(target, "xb", opener=opened) as copy:
            try:
                shutil.copyfileobj(source, copy, 1 << 20)
                copy.flush()
            except BaseException:
                os.unlink(target, dir_fd=folder)
                raise


def to_pandas(take: Take) -> pandas.DataFrame:
    """Positions: one row for each frame, columns (joint, axis)."""
    import pandas

    columns = pandas.MultiIndex.from_product(
        [list(take.names), list("xyz")], names=["joint", "axis"])
    index = pandas.Index(take.times, name="time")
    rows = take.positions.reshape(take.frames, 3 * take.joints)
    return pandas.DataFrame(rows, index=index, columns=columns)


def to_xarray(take: Take) -> xarray.Dataset:
    """Positions and rotations with named axes."""
    import xarray

    return xarray.Dataset(
        {"positions": (("time", "joint", "xyz"), take.positions),
         "rotations": (("time", "joint", "xyzw"), take.rotations)},
        coords={"time": take.times, "joint": np.array(take.names),
                "xyz": list("xyz"), "xyzw": list("xyzw")},
        attrs={"frame_time": take.frame_time, "source": take.source_name})
