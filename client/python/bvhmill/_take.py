"""A take: the motion of a skeleton, as arrays."""

from __future__ import annotations

import os
import pickle
from typing import TYPE_CHECKING, Any, Iterable, Literal, Mapping, NoReturn
from typing import SupportsIndex

import numpy as np

from bvhmill import _amass, _bvhmill, _motion, _plot, _rows, _save
from bvhmill._errors import error_of
from bvhmill._measures import measures_of
from bvhmill._motion import Contacts
from bvhmill._option_types import (AnimOptions, BvhOptions, EditOptions,
                                   NpzOptions)
from bvhmill._options import (ARRAYS, EDIT_KEYS, Array, SaveOptions, checked,
                              conventions_of, shows, text_of, words_of)
from bvhmill._player import Player, player_of
from bvhmill._report import Report, report_of
from bvhmill._rotations import in_order, without_flips
from bvhmill._rows import RotationKind
from bvhmill._source import Source, name_of
from bvhmill._take_facts import TakeFacts

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas
    import xarray
    from typing_extensions import Unpack

    FloatArray = npt.NDArray[np.float32]
else:
    from bvhmill._typing import FloatArray, Unpack, npt, pandas, xarray


class Take(TakeFacts):
    """One take. The shapes of its arrays do not depend on the file.

    F is the number of frames, J that of joints. Arrays that `read` did not make
    are made when they are first asked for, and then kept. Arrays are yours to
    change, except `values`, which the others depend on. A take itself never
    changes: editing gives another one. Threads may share a take.

    >>> import bvhmill
    >>> take = bvhmill.read(bvhmill.example())
    >>> take.positions.shape, take.names
    ((3, 3, 3), ('Hips', 'Spine', 'Head'))
    """

    __slots__ = ()
    __iter__ = None
    __reversed__ = None

    def __init__(self) -> None:
        raise TypeError("use bvhmill.read or Take.from_arrays")

    @classmethod
    def _of(cls, clip: _bvhmill._Clip, report: Any, end_sites: bool,
            conventions: dict[str, Any], source_name: str) -> Take:
        take = object.__new__(cls)
        take._clip = clip
        take._made = {}
        take._facts = {}
        take._native_report = None
        if isinstance(report, Report):
            take._facts["report"] = report
        else:
            take._native_report = report
        take._end_sites = end_sites
        take._conventions = conventions
        take.source_name = source_name
        return take

    # -- arrays --------------------------------------------------------------

    def _solved(self, key: str, kind: str, rotation: str) -> FloatArray:
        array = self._made.get(key)
        if array is None:
            if kind == "velocities" and self.fps == 0:
                raise error_of(
                    ("FAILED_PRECONDITION", "FRAME_RATE_UNKNOWN", "", "", 0,
                     [], "the take states no usable frame time"), None,
                    self.source_name)
            self._need_values()
            block = self._clip.solve(kind, rotation, self._end_sites)
            array = self._made.setdefault(key, np.asarray(block))
        return array

    def _need_values(self) -> None:
        if self._clip.rows is None:
            raise ValueError("the rows of this take were not kept: read it "
                             "without keep_values=False, or name the array in "
                             "arrays=")

    @property
    def positions(self) -> FloatArray:
        """float32 (F, J, 3): world positions, in the unit of the file."""
        return self._solved("positions", "positions", "")

    @property
    def rotations(self) -> FloatArray:
        """float32 (F, J, 4): local quaternions x y z w, w >= 0."""
        return self._solved("rotations", "rotations", "quaternion")

    @property
    def world_rotations(self) -> FloatArray:
        """float32 (F, J, 4): world quaternions x y z w, w >= 0."""
        return self._solved("world_rotations", "world_rotations", "quaternion")

    @property
    def velocities(self) -> FloatArray:
        """float32 (F, J, 3): world velocities, units per second.

        ConventionUnknown if the take has no frame time."""
        return self._solved("velocities", "velocities", "")

    @property
    def values(self) -> FloatArray:
        """float32 (F, C): the rows of the file, degrees; read-only."""
        values = self._made.get("values")
        if values is None:
            self._need_values()
            first = self._clip.first_frame
            rows = np.asarray(self._clip.rows)[first:first + self.frames]
            rows.flags.writeable = False
            values = self._made.setdefault("values", rows)
        return values

    @property
    def euler(self) -> FloatArray:
        """float32 (F, J, 3): degrees in the order of each joint; NaN for a
        joint that does not have three rotation channels."""
        rows = self._rotation_columns()
        euler = np.full((self.frames, len(rows), 3), np.nan, np.float32)
        turning = [i for i, (letters, _) in enumerate(rows)
                   if len(letters) == 3]
        if turning:
            euler[:, turning] = self.values[:, [rows[i][1] for i in turning]]
        return euler

    @property
    def euler_orders(self) -> tuple[str, ...]:
        """The order of `euler`, such as "ZXY", as SciPy writes intrinsic
        rotations; "" for a joint without three rotation channels."""
        return tuple(letters.upper() if len(letters) == 3 else ""
                     for letters, _ in self._rotation_columns())

    def quaternions(self, *, order: Literal["xyzw", "wxyz"] = "xyzw",
                    continuous: bool = False, world: bool = False
                    ) -> FloatArray:
        """A new float32 (F, J, 4) of rotations.

        `continuous` chooses of q and -q the one that is nearer to the frame
        before, which learning needs; else w >= 0.

        >>> import bvhmill
        >>> take = bvhmill.read(bvhmill.example())
        >>> take.quaternions(order="wxyz")[0, 0].tolist()
        [1.0, 0.0, 0.0, 0.0]
        """
        quaternions = self.world_rotations if world else self.rotations
        if continuous:
            quaternions = without_flips(quaternions)
        return in_order(quaternions, order)

    def matrices(self, *, world: bool = False) -> FloatArray:
        """float32 (F, J, 3, 3): rotation matrices, which turn columns.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).matrices().shape
        (3, 3, 3, 3)
        """
        return self._rotations_as("matrix", world)

    def six_d(self, *, world: bool = False) -> FloatArray:
        """float32 (F, J, 6): the first two columns of each matrix.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).six_d()[0, 0].tolist()
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        """
        return self._rotations_as("6d", world)

    def _rotations_as(self, rotation: str, world: bool) -> FloatArray:
        kind = "world_rotations" if world else "rotations"
        return self._solved(f"{kind} {rotation}", kind, rotation)

    # -- parts and edits -----------------------------------------------------

    def __len__(self) -> int:
        return self.frames

    def __getitem__(self, frames: slice) -> Take:
        if not isinstance(frames, slice):
            raise TypeError("a take has slices of frames, such as take[10:20];"
                            " for the row of a joint use take.joint(name)")
        begin, end, step = frames.indices(self.frames)
        if step != 1:
            raise ValueError("a slice must have step 1: every n-th frame is "
                             "take.edit(frames=(begin, end, n))")
        part = self._of(self._clip.slice(begin, max(begin, end)),
                        self._facts.get("report", self._native_report),
                        self._end_sites, self._conventions, self.source_name)
        part._made = {name: array[begin:max(begin, end)]
                      for name, array in self._made.copy().items()}
        return part

    @shows(EditOptions)
    def edit(self, **edits: Unpack[EditOptions]) -> Take:
        """Another take with these edits; see `EditOptions`.

        EditError if an edit does not fit, ConventionUnknown if it needs a fact
        that is not known. The report is that of the edit.

        >>> import bvhmill
        >>> take = bvhmill.read(bvhmill.example())
        >>> take.edit(keep=["Hips", "Spine"], frames=(1, 3)).positions.shape
        (2, 2, 3)
        """
        words = words_of(edits, EDIT_KEYS)
        conversion = self._convert(
            {**words, "emit": ["values"], "skeleton": True})
        clip = conversion.clip
        assert clip is not None
        return self._of(clip, conversion.report, self._end_sites,
                        conventions_of(edits, self._conventions),
                        self.source_name)

    def with_values(self, rows: npt.ArrayLike) -> Take:
        """Another take with these rows, as (F, C) of `values`; copied.

        >>> import bvhmill
        >>> take = bvhmill.read(bvhmill.example())
        >>> bool((take.with_values(take.values + 1).values == take.values + 1
        ...      ).all())
        True
        """
        # `self.values` says what is missing if rows were not kept.
        shape = self.values.shape
        copy = np.array(rows, np.float32, order="C")
        if copy.shape != shape:
            raise ValueError(f"rows have the shape {copy.shape}, not {shape}")
        copy.flags.writeable = False
        return self._of(self._clip.with_rows(copy), self.report,
                        self._end_sites, self._conventions, self.source_name)

    def with_rotations(self, rotations: npt.ArrayLike, *,
                       kind: RotationKind = "quaternion") -> Take:
        """Another take with these local rotations, the inverse of `rotations`.

        `kind` is "quaternion" (x y z w), "quaternion_wxyz", "matrix", "6d" as
        `six_d`, "rotation_vector" in radians, or degrees: "euler" in the order
        of each joint, as `euler`, or "euler_zxy" and such. The skeleton, the
        channels and all other values stay. Angles are from -180 to 180;
        `edit(unwrap=True)` makes them continuous. ValueError if the channels
        of a joint cannot state its rotation.

        >>> import bvhmill
        >>> take = bvhmill.read(bvhmill.example())
        >>> turned = take.with_rotations(take.rotations[::-1])
        >>> turned.euler[0, 1, 1].round(3)
        10.0
        """
        rows = _rows.rows_with_rotations(self, rotations, kind)
        if np.isnan(rows).any() and len(rows) != self.frames:
            raise ValueError(f"rotations have {len(rows)} frames, not "
                             f"{self.frames}: with_positions gives others")
        return self._with_rows(rows)

    def with_positions(self, positions: npt.ArrayLike,
                       rotations: npt.ArrayLike | None = None, *,
                       kind: RotationKind = "quaternion") -> Take:
        """Another take with these world positions, and local rotations of a
        `kind` of `with_rotations`: motion for this skeleton.

        Positions are those of the root, (F, 3), or of all joints, (F, J, 3).
        With rotations, F may be any number. ValueError if the skeleton cannot
        have these positions with these rotations: a joint without position
        channels is at its OFFSET.

        >>> import bvhmill
        >>> take = bvhmill.read(bvhmill.example())
        >>> root = take.positions[:2, 0] + [0, 1, 0]
        >>> take.with_positions(root, take.rotations[:2]).positions[:, 0, 1]
        array([1.9, 1.9], dtype=float32)
        """
        rows = (self.values if rotations is None else
                _rows.rows_with_rotations(self, rotations, kind))
        turned = self._with_rows(np.nan_to_num(rows))
        rows = _rows.rows_with_positions(turned, rows, positions)
        if len(rows) != self.frames and np.isnan(rows).any():
            raise ValueError("with another number of frames, rotations and "
                             "positions must give all channels")
        take = self._with_rows(rows)
        _rows.need_positions(take, positions)
        return take

    def _with_rows(self, rows: FloatArray) -> Take:
        """Another take with rows (F, C) of any number of frames."""
        return _rebuilt(type(self), self._clip.state(), rows, 0,
                        len(rows), self.frame_time, {}, self.report,
                        self._end_sites, self._conventions, self.source_name)

    @classmethod
    def from_arrays(cls, names: Any, parents: Any, offsets: Any, channels: Any,
                    rows: npt.ArrayLike, frame_time: float, *,
                    is_end_site: Any = None, source_name: str = "") -> Take:
        """A take of J joints and rows (F, C).

        Joints stand depth-first, as in a BVH file; `channels` are letters as
        in `Take.channels`. Names and channels may be bytes of UTF-8. ValueError
        if this is no skeleton. The report is that of the rules; with rows that
        are not finite it is that of the file that `to_bvh` gives.

        >>> import bvhmill
        >>> bvhmill.Take.from_arrays(["Hips"], [-1], [[0, 0, 0]], ["XYZzxy"],
        ...                          [[0, 1, 0, 0, 0, 0]], 0.01).positions
        array([[[0., 1., 0.]]], dtype=float32)
        """
        values = np.array(rows, np.float32, order="C")
        names, channels = ([text_of(text) for text in texts]
                           for texts in (names, channels))
        if values.ndim != 2 or values.shape[1] != sum(map(len, channels)):
            raise ValueError(
                f"rows have the shape {values.shape}, not (frames, "
                f"{sum(map(len, channels))})")
        if not (np.isfinite(frame_time) and frame_time >= 0):
            raise ValueError(f"frame_time={frame_time!r}: must not be negative")
        values.flags.writeable = False
        ends = [False] * len(names) if is_end_site is None else is_end_site
        clip = _bvhmill._Clip(
            [name.encode() for name in names],
            [int(parent) for parent in parents], [bool(end) for end in ends],
            [tuple(map(float, offset)) for offset in offsets], channels,
            values, len(values), float(frame_time), checked({}), False)
        take = cls._of(clip, _save.report_of_clip(clip, {}),
                       is_end_site is not None, {}, source_name)
        if not np.isfinite(values).all():
            # Only reading finds these.
            native = _bvhmill.read_buffer(take.to_bvh(), checked({}))
            take._facts["report"] = report_of(native.report)
        return take

    @property
    def measures(self) -> dict[str, Any]:
        """Facts about the motion, with the keys of `measures` of
        docs/cli-json.md; what is not known is None. Made when first asked for.

        Lengths are in the unit of the take, speeds in units per second:
        `extents`, `rest_size` (3,), `height`, `reach`, `root_path`,
        `root_speed`, `loop_distance`, and `fastest`: speed, row of the joint,
        frame. `loop_degrees` is in degrees, `duration_seconds` in seconds.
        `rest_pose`, `depth`, `channel_count` and `body_root`, a row, have none.

        `joints` has arrays: `degrees` (J,), the largest angle between the
        rotation of a joint and that of its first frame; `min` and `max` (C,),
        the ranges of the columns of `values`.

        >>> import bvhmill
        >>> measures = bvhmill.read(bvhmill.example()).measures
        >>> measures["joints"]["degrees"].round(3).tolist()
        [20.0, 10.0, 10.0]
        """
        measures: dict[str, Any] | None = self._facts.get("measures")
        if measures is None:
            measures = self._facts.setdefault("measures", measures_of(self))
        return measures

    @classmethod
    def from_npz(cls, source: Source) -> Take:
        """The take of an .npz that `save`, the command line or `to_amass` made.

        Its rows are made of the rotations and the positions, so they must be
        local rotations, as quaternions x y z w, matrices or 6d. BvhError, with
        the code NPZ_NO_TAKE, if an array is absent, or if the skeleton cannot
        have the positions. End sites come back if the .npz has rows for them.
        The report is that of the rules. `read` makes the same take, and takes
        edits.

        >>> import bvhmill
        >>> npz = bvhmill.read(bvhmill.example()).to_npz()
        >>> bvhmill.Take.from_npz(npz).values[2, :3].round(3)
        array([0.2, 0.9, 0.1], dtype=float32)
        """
        return _amass.take_of_npz(cls, source, name_of(source))

    def to_amass(self) -> dict[str, npt.NDArray[Any]]:
        """Arrays with the names of AMASS, for `numpy.savez(path, **arrays)`.

        `poses` (F, 3 J) are local rotation vectors in radians, `trans` (F, 3)
        the world positions of the root, in the unit of the take, and
        `mocap_framerate` frames per second; names, parents, offsets and
        channels let `from_npz` read them back. The joints and their order are
        those of the take, not those of SMPL. ValueError for several roots, and
        for joints that do not stay at their OFFSET.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).to_amass()["poses"].shape
        (3, 9)
        """
        return _amass.amass_of(self)

    def _convert(self, words: Mapping[str, Any]) -> _bvhmill._Conversion:
        self._need_values()
        conversion = _bvhmill.convert_clip(
            self._clip, checked({**self._conventions, **words}))
        if conversion.error is not None:
            raise error_of(conversion.error, report_of(conversion.report),
                           self.source_name)
        return conversion

    # -- features ------------------------------------------------------------

    def select(self, *patterns: str) -> npt.NDArray[np.intp]:
        """The rows of joints by names or patterns with * and ?, each row once.

        They have the order of the patterns; those of one pattern have the order
        of `names`. KeyError if a pattern fits no name.

        >>> import bvhmill
        >>> take = bvhmill.read(bvhmill.example())
        >>> take.positions[:, take.select("Head", "*ip*")].shape
        (3, 2, 3)
        """
        return _motion.select(self, patterns)

    def windows(self, length: int, stride: int = 1,
                array: Array = "positions") -> FloatArray:
        """Windows of `length` frames, one every `stride` frames, of an array:
        a read-only view (n, length, J, 3), or 4 for rotations.

        Frames that fill no window at the end are in none.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).windows(2).shape
        (2, 2, 3, 3)
        """
        if array not in ARRAYS:
            raise ValueError(f"array={array!r}: must be one of "
                             + ", ".join(ARRAYS))
        return _motion.windows(getattr(self, array), length, stride)

    def mirror(self) -> Take:
        """The mirror image: `edit(mirror=True)`.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).mirror()
        Traceback (most recent call last):
        bvhmill.EditError: <bytes>: error: EDIT_DOES_NOT_FIT: mirror: no ...
        """
        return self.edit(mirror=True)

    def relative_positions(self) -> FloatArray:
        """float32 (F, J, 3): world positions less those of the root of each
        joint. The axes are those of the world.

        >>> import bvhmill
        >>> take = bvhmill.read(bvhmill.example())
        >>> bool(take.relative_positions()[:, 0].any())
        False
        """
        return self.positions - self.positions[:, _motion.root_rows(self)]

    def heading(self, *, up: Literal["x", "y", "z"] | None = None
                ) -> FloatArray:
        """float32 (F,): the direction that hips and shoulders face, radians
        about the axis `up`; default that of `read` or `edit`, or else Y.

        At 0 the body faces +Z with Y up, +X with Z up, +Y with X up. Hips and
        shoulders are found by the naming scheme: EditError if that is not
        known, ValueError without them.

        >>> import bvhmill
        >>> take = bvhmill.read(bvhmill.example())
        >>> take.heading()
        Traceback (most recent call last):
        bvhmill.EditError: <bytes>: error: EDIT_DOES_NOT_FIT: names_to: ...
        """
        return _motion.heading(self, up)

    def facing_positions(self, *, up: Literal["x", "y", "z"] | None = None
                         ) -> FloatArray:
        """float32 (F, J, 3): positions from the ground below the first root,
        turned about `up` so that each frame has `heading` 0.

        >>> import bvhmill
        >>> take = bvhmill.read(bvhmill.example())
        >>> take.facing_positions(up="q")
        Traceback (most recent call last):
        ValueError: up='q': must be 'x', 'y' or 'z'
        """
        return _motion.facing(self, up)

    def contacts(self, *, speed: float | None = None,
                 height: float | None = None,
                 up: Literal["x", "y", "z"] | None = None) -> Contacts:
        """The frames in which ankles and toes touch the ground.

        A joint touches it if its speed is below `speed`, and if it is less
        than `height` above its own lowest position of the take. They are in the
        unit of the file; the defaults are 0.2 reaches a second and 0.04
        reaches. A reach is the longest way along OFFSETs from a root to a
        joint, about 1.3 m in an adult. Errors are those of `heading`;
        ConventionUnknown without a frame time.

        >>> import bvhmill
        >>> take = bvhmill.read(bvhmill.example())
        >>> take.edit(rename={"Head": "LeftFoot"}).contacts()
        Traceback (most recent call last):
        bvhmill.EditError: <bytes>: error: EDIT_DOES_NOT_FIT: names_to: ...
        """
        return _motion.contacts(self, speed, height, up)

    # -- files ---------------------------------------------------------------

    @shows(BvhOptions)
    def to_bvh(self, **options: Unpack[BvhOptions]) -> bytes:
        """The text of a .bvh file.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).to_bvh()[:9]
        b'HIERARCHY'
        """
        return self.to_bytes("bvh", **options)

    @shows(NpzOptions)
    def to_npz(self, **options: Unpack[NpzOptions]) -> bytes:
        """The bytes of a NumPy archive, as the command line writes it.

        >>> import bvhmill, io, numpy
        >>> npz = bvhmill.read(bvhmill.example()).to_npz(
        ...     npz_arrays=["positions"])
        >>> numpy.load(io.BytesIO(npz))["positions"].shape
        (3, 3, 3)
        """
        return self.to_bytes("npz", **options)

    def to_csv(self) -> bytes:
        """World positions as a table of text.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).to_csv()[:10]
        b'frame,time'
        """
        return self.to_bytes("csv")

    @shows(AnimOptions)
    def to_anim(self, **options: Unpack[AnimOptions]) -> bytes:
        """The bytes of an .anim of Second Life; see AnimFormat of the API.

        The unit is that of `read(..., units=...)` or `edit(units=...)`. Without
        one, it is an inch, as in the viewer.

        >>> import bvhmill
        >>> bones = {"Hips": "mPelvis", "Spine": "mTorso", "Head": "mHead"}
        >>> bvhmill.read(bvhmill.example()).to_anim(anim_map=bones)[:4]
        b'\\x01\\x00\\x00\\x00'
        """
        return self.to_bytes("anim", **options)

    @shows(SaveOptions)
    def to_bytes(self, format: Literal["bvh", "npz", "csv", "anim", "glb"],
                 **options: Unpack[SaveOptions]) -> bytes:
        """The bytes of a file: "bvh", "npz", "csv", "anim" or "glb".

        They are made of `values`, also if you have changed an array. At the
        ends of a slice, velocities do not use the frames next to it.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).to_bytes("bvh", bvh_decimals=2)[:9]
        b'HIERARCHY'
        """
        if format not in _save.FORMATS:
            raise ValueError(f"format={format!r}: must be one of "
                             + ", ".join(_save.FORMATS))
        words = _save.output_words(format, options, self._end_sites)
        conversion = self._convert({"emit": [words], "ignore": ["DATA_*"]})
        return conversion.blocks[format].to_bytes()

    @shows(SaveOptions)
    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False,
             **options: Unpack[SaveOptions]) -> None:
        """Writes a file; its extension is the format: .bvh, .npz, .csv, .anim
        or .glb.

        The file appears whole or not at all, if its folder allows hard links.
        FileExistsError if it exists, unless `overwrite` is set. Its contents
        are those of `to_bytes`.

        >>> import bvhmill, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "a.npz")
        ...     bvhmill.read(bvhmill.example()).save(path, rotation_kind="6d")
        ...     os.listdir(folder)
        ['a.npz']
        """
        data = self.to_bytes(_save.format_of(path), **options)
        _save.write_file(path, data, overwrite)

    def to_pandas(self) -> pandas.DataFrame:
        """Positions as a DataFrame: one row for each frame, with columns
        (joint, axis).

        >>> import bvhmill
        >>> table = bvhmill.read(bvhmill.example()).to_pandas()
        >>> table.shape, table.columns[0]
        ((3, 9), ('Hips', 'x'))
        """
        return _save.to_pandas(self)

    def to_xarray(self) -> xarray.Dataset:
        """Positions and rotations as a Dataset with named axes.

        >>> import bvhmill
        >>> data = bvhmill.read(bvhmill.example()).to_xarray()
        >>> data["positions"].sel(joint="Spine").shape
        (3, 3)
        """
        return _save.to_xarray(self)

    def plot(self, frames: int | Iterable[int] = 0, ax: Any = None, *,
             up: Literal["x", "y", "z"] | None = None) -> Any:
        """Draws the poses of a frame or of several ones by matplotlib.

        `ax` are axes with projection="3d"; without them a figure is made. The
        axis `up` (default that of `read` or `edit`, or else Y) is vertical.
        Returns the axes. ImportError if matplotlib is absent.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).plot(5)
        Traceback (most recent call last):
        IndexError: index 5 is out of bounds for axis 0 with size 3
        """
        return _plot.plot(self, frames, ax, up)

    def player(self, *, height: int = 480,
               page: str | os.PathLike[str] | None = None) -> Player:
        """A page that plays the take with its issues, for a notebook or a file.

        The last expression of a cell shows it, `height` pixels high.
        `player().save("take.html")` writes it. `page` is the viewer, if that is
        not installed; without one, FileNotFoundError is raised.

        >>> import bvhmill
        >>> bvhmill.read(bvhmill.example()).player(page="absent.html")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] No such file or directory: 'absent.html'
        """
        return player_of(self, height, page)

    # -- Python --------------------------------------------------------------

    def __repr__(self) -> str:
        name = f" {self.source_name!r}" if self.source_name else ""
        return (f"<bvhmill.Take{name}: {self.frames} frames, {self.joints} "
                f"joints, {self.fps:g} fps, {self.report.verdict}>")

    def _repr_html_(self) -> str:
        from bvhmill._html import html_of
        return html_of(self)

    def __eq__(self, other: object) -> Any:
        return self is other if isinstance(other, Take) else NotImplemented

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        clip = self._clip
        values = None
        before = 0
        if clip.rows is not None:
            # Velocities at the ends of a slice need the rows next to it.
            rows = np.asarray(clip.rows)
            begin = max(0, clip.first_frame - 1)
            before = clip.first_frame - begin
            values = rows[begin:clip.first_frame + self.frames + 1]
        # Another thread may add an array meanwhile.
        made = self._made.copy()
        made.pop("values", None)
        return _rebuilt, (type(self), clip.state(), values, before, self.frames,
                          self.frame_time, made, self.report, self._end_sites,
                          self._conventions, self.source_name)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.__reduce_ex__(pickle.DEFAULT_PROTOCOL)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("source_name",) or name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        raise AttributeError(f"a take does not change; {name!r} cannot be set")

    def __contains__(self, name: object) -> NoReturn:
        raise TypeError("a take is no container: use name in take.names")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        # NumPy takes what has a length and items for a list of numbers.
        if dtype is not None and np.dtype(dtype) != np.dtype(object):
            raise TypeError("a take is no array: use take.positions, "
                            "take.rotations or take.values")
        array = np.empty((), object)
        array[()] = self
        return array

    def __bool__(self) -> NoReturn:
        raise TypeError("a take is neither true nor false: use len(take) or "
                        "take.report.ok")


def _rebuilt(kind: type[Take], state: Any, values: Any, before: int,
             frames: int, frame_time: float, made: dict[str, Any],
             report: Report, end_sites: bool, conventions: dict[str, Any],
             source_name: str) -> Take:
    total = frames if values is None else len(values)
    if values is not None:
        values.flags.writeable = False
    names, parents, ends, offsets, channels = state
    clip = _bvhmill._Clip(names, parents, ends, offsets, channels, values,
                          total, frame_time, checked(conventions), True)
    take = kind._of(clip.slice(before, before + frames), report, end_sites,
                    conventions, source_name)
    take._made = made
    return take
