"""Objects with arrays under the names that a caller chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float32]
else:
    from bvhmill._typing import FloatArray


class NamedArrays:
    """The arrays as attributes. AttributeError for one that was not named."""

    arrays: dict[str, FloatArray]

    def _named(self, name: str) -> FloatArray:
        if name in self.arrays:
            return self.arrays[name]
        raise AttributeError(f"there is no {name!r} here; arrays= named "
                             + ", ".join(self.arrays))

    @property
    def positions(self) -> FloatArray:
        """float32 (F, J, 3): world positions, in the unit of the file."""
        return self._named("positions")

    @property
    def rotations(self) -> FloatArray:
        """float32 (F, J, 4): local quaternions x y z w, w >= 0."""
        return self._named("rotations")

    @property
    def world_rotations(self) -> FloatArray:
        """float32 (F, J, 4): world quaternions x y z w, w >= 0."""
        return self._named("world_rotations")

    @property
    def velocities(self) -> FloatArray:
        """float32 (F, J, 3): world velocities, units per second."""
        return self._named("velocities")
