"""A take in the viewer: one HTML page that needs no other file."""

from __future__ import annotations

import base64
import gzip
import html
import json
import os
import pathlib
import sys
from typing import TYPE_CHECKING

from bvhmill import _save
from bvhmill._errors import printable

if TYPE_CHECKING:
    from bvhmill._take import Take

_NAME = "bvhmill.html"


class Player:
    """A page that plays a take: shown by a notebook, or saved as a file.

    `html` is the whole page. It loads nothing from the network, and a notebook
    shows it in a frame that cannot reach the notebook.

    >>> Player("<p>", 480)
    <bvhmill.Player: 3 characters of HTML>
    """

    def __init__(self, page: str, height: int) -> None:
        self.html = page
        self.height = height

    def save(self, path: str | os.PathLike[str], *,
             overwrite: bool = False) -> None:
        """Writes the page. FileExistsError if the file exists, unless
        `overwrite` is set."""
        _save.write_file(path, self.html.encode(), overwrite)

    def _repr_html_(self) -> str:
        return (f'<iframe sandbox="allow-scripts" width="100%" '
                f'height="{self.height}" style="border:0" '
                f'srcdoc="{html.escape(self.html)}"></iframe>')

    def __repr__(self) -> str:
        return f"<bvhmill.Player: {len(self.html)} characters of HTML>"


def player_of(take: Take, height: int,
              page: str | os.PathLike[str] | None) -> Player:
    viewer = pathlib.Path(page or _find()).read_text(encoding="utf-8")
    head, body, tail = viewer.rpartition("</body>")
    if not body:
        raise ValueError(f"{page}: is not the viewer of bvhmill")
    name = printable(take.source_name) or "take"
    if not name.endswith(".bvh"):
        name += ".bvh"
    data = base64.b64encode(gzip.compress(take.to_bytes("bvh"), mtime=0))
    takes = json.dumps([{"name": name, "gzip": data.decode()}])
    # No text of a take ends the script.
    takes = takes.replace("<", "\\u003c")
    return Player(f'{head}<script type="application/json" id="bvhmill-takes">'
                  f"\n{takes}\n</script>\n{body}{tail}", height)


def _find() -> pathlib.Path:
    """The viewer of an installed package, or that of a build."""
    package = pathlib.Path(__file__).resolve().parent
    places = [package / _NAME,
              pathlib.Path(sys.prefix) / "share/bvhmill" / _NAME,
              pathlib.Path("/usr/share/bvhmill") / _NAME]
    if len(package.parents) > 2:
        places.append(package.parents[2] / "page" / _NAME)
    for place in places:
        if place.is_file():
            return place
    raise FileNotFoundError(
        f"{_NAME}, the viewer, is not installed; './dev page' builds it, and "
        "page= names it")
