"""BVH motion capture as NumPy arrays, by the engine of bvhmill.

    take = bvhmill.read("walk.bvh")
    take.positions            # float32 (frames, joints, 3)

`read` gives a `Take`. `read_many`, `read_batch` and `stream` read folders and
long files. docs/python.md is the manual.
"""

try:
    from bvhmill import _bvhmill
except ImportError as _error:
    # A module that is there and cannot be loaded has a reason of its own.
    if _error.name != "bvhmill":
        raise
    import sys
    from bvhmill import _absent
    sys.modules["bvhmill._bvhmill"] = _absent
    del sys
    from bvhmill import _bvhmill
from bvhmill._batch import (Batch, Failed, Loaded, Outcome, TakeIterator,
                            read_batch, read_many, read_many_async)
from bvhmill._errors import (AmbiguousName, BvhError, ConventionUnknown,
                             EditError, LimitError)
from bvhmill._example import example
from bvhmill._info import Info, Node
from bvhmill._motion import Contacts
from bvhmill._option_types import (AnimOptions, BvhOptions, CheckOptions,
                                   EditOptions, NpzOptions)
from bvhmill._options import ReadOptions, SaveOptions
from bvhmill._player import Player
from bvhmill._read import Anim, AnimJoint, info, read, read_anim, validate
from bvhmill._report import (Counts, Issue, Report, Severity, Verdict,
                             issues_table)
from bvhmill._scan import scan
from bvhmill._stream import Block, stream
from bvhmill._take import Take
from bvhmill._typing import publish

publish("bvhmill", globals(), (
    "AmbiguousName Anim AnimJoint Batch Block BvhError Contacts "
    "ConventionUnknown Counts EditError Failed Info Issue LimitError Loaded "
    "Node Outcome Player Report Severity Take TakeIterator Verdict").split())
del publish

__version__: str = _bvhmill.version

__all__ = [
    "AmbiguousName", "Anim", "AnimJoint", "AnimOptions", "Batch", "Block",
    "BvhError", "BvhOptions", "CheckOptions", "Contacts", "ConventionUnknown",
    "Counts", "EditError", "EditOptions", "Failed", "Info", "Issue",
    "LimitError", "Loaded", "Node", "NpzOptions", "Outcome", "Player",
    "ReadOptions", "Report", "SaveOptions", "Severity", "Take", "TakeIterator",
    "Verdict", "example", "info", "issues_table", "read", "read_anim",
    "read_batch", "read_many", "read_many_async", "scan", "stream", "validate",
]
