"""A small take for examples."""

_TEXT = b"""HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Head
    {
      OFFSET 0 0.4 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 0.2 0
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 0.9 0 0 0 0 0 0 0 0 0 0
0.1 0.9 0 0 0 10 0 5 0 0 0 -5
0.2 0.9 0.1 0 0 20 0 10 0 0 0 -10
"""


def example() -> bytes:
    """The text of a take of three joints and three frames, in metres.

    >>> import bvhmill
    >>> bvhmill.example()[:9]
    b'HIERARCHY'
    """
    return _TEXT
