"""Outputs of a job as files, in the layout of `bvhmill convert`."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from typing import Any, Sequence

from bvhmill._save import name_new, part_name

REPORT_EXTENSION = ".report.json"
# More than a report has.
_MOST_BYTES = 64 << 20
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Folder:
    """A folder for outputs. No file is made outside of it: links to folders
    below it are not followed."""

    def __init__(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)
        self.path = path
        self._fd = os.open(path, _OPEN)
        # The files of clips that were saved, as paths below the folder.
        self._claimed: set[str] = set()

    def close(self) -> None:
        """Call it once, at the end."""
        os.close(self._fd)

    def parent_of(self, key: str) -> int:
        """The folder of the outputs of a clip, open. OSError."""
        parts = _parts_of(key)[:-1]
        if key.startswith("/") or ".." in key.split("/"):
            raise OSError(errno.EPERM, "outputs would leave the folder", key)
        fd = os.dup(self._fd)
        for part in parts:
            try:
                if not _is_there(part, fd):
                    os.mkdir(part, dir_fd=fd)
                child = os.open(part, _OPEN | os.O_NOFOLLOW, dir_fd=fd)
            finally:
                os.close(fd)
            fd = child
        return fd

    def claim(self, key: str, extensions: Sequence[str]) -> None:
        """Notes the files of a clip: those of other clips do not replace
        them."""
        name = "/".join(_parts_of(key))
        self._claimed.update(name + extension for extension in extensions)

    def has_claim(self, key: str, extension: str) -> bool:
        """True if this is a file of a clip that was saved."""
        return "/".join(_parts_of(key)) + extension in self._claimed

    def path_of(self, key: str, extension: str) -> str:
        """The path of an output, for people."""
        return os.path.join(self.path, key + extension)


def _parts_of(key: str) -> list[str]:
    """The folders of a clip and the base of its files."""
    *folders, stem = key.split("/")
    return [part for part in folders if part not in ("", ".")] + [stem]


def _is_there(name: str, fd: int) -> bool:
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


class NewFiles:
    """New files of one clip. All get their names when all are complete."""

    def __init__(self, folder: Folder, key: str, overwrite: bool) -> None:
        self._folder = folder
        self._key = key
        self._stem = key.split("/")[-1]
        self._overwrite = overwrite
        self._fd = folder.parent_of(key)
        self._parts: list[tuple[str, str]] = []
        self._file: Any = None

    def close(self) -> None:
        """Removes what has no name."""
        if self._file is not None:
            self._file.close()
        for part, _ in self._parts:
            self._unlink(part)
        os.close(self._fd)

    def _unlink(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._fd)

    def exists(self, extension: str) -> bool:
        """True if there is a file with this name."""
        return _is_there(self._stem + extension, self._fd)

    def holds(self, extension: str, data: bytes) -> bool:
        """True if the file exists with these bytes."""
        return self.contents(extension, len(data) + 1) == data

    def contents(self, extension: str, most: int = _MOST_BYTES) -> bytes | None:
        """The bytes of the file, `most` of them; None if it cannot be read."""
        try:
            with self._open(self._stem + extension) as file:
                return bytes(file.read(most))
        except OSError:
            return None

    def claim(self, extensions: Sequence[str]) -> None:
        """Keeps files of this clip from being replaced by another one."""
        self._folder.claim(self._key, extensions)

    def paths(self, extensions: Sequence[str]) -> tuple[str, ...]:
        """The paths of files, for people."""
        return tuple(self._folder.path_of(self._key, extension)
                     for extension in extensions)

    def has(self, extension: str, head: bytes, blob: str) -> bool:
        """True if the file exists with the bytes of `head` and the blob."""
        digest = hashlib.sha256()
        try:
            with self._open(self._stem + extension) as file:
                if file.read(len(head)) != head:
                    return False
                while piece := file.read(1 << 20):
                    digest.update(piece)
        except OSError:
            return False
        return "blobs/" + digest.hexdigest() == blob

    def check_free(self, extension: str) -> None:
        """FileExistsError if a file has the name that one is to get."""
        if not self._overwrite and self.exists(extension):
            raise self._refusal(extension)

    def _refusal(self, extension: str) -> FileExistsError:
        is_claimed = self._folder.has_claim(self._key, extension)
        return FileExistsError(
            errno.EEXIST, "the file is one of another clip" if is_claimed
            else "the file exists; use overwrite=True",
            self._folder.path_of(self._key, extension))

    def begin(self, extension: str, head: bytes = b"") -> None:
        """Begins another file."""
        if self._file is not None:
            self._file.close()
        part = part_name(self._stem + extension)
        self._file = self._open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        self._parts.append((part, extension))
        self.add(head)

    def add(self, data: bytes) -> None:
        """Writes to the file that was begun last."""
        self._file.write(data)

    def commit(self) -> list[str]:
        """Names all files, or none if one cannot be named. FileExistsError.

        Returns the extensions of the new ones: a file that is there with the
        same bytes counts as named. Files of another clip are not replaced.
        """
        if self._file is not None:
            self._file.close()
            self._file = None
        named: list[str] = []
        replaces = self._overwrite and not any(
            self._folder.has_claim(self._key, extension)
            for _, extension in self._parts)
        try:
            for part, extension in self._parts:
                if self._name(part, extension, replaces):
                    named.append(extension)
        except BaseException:
            for extension in [] if replaces else named:
                self._unlink(self._stem + extension)
            raise
        return named

    def _name(self, part: str, extension: str, replaces: bool) -> bool:
        """False if the file is there already."""
        name = self._stem + extension
        if replaces:
            os.replace(part, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
            return True
        try:
            name_new(part, name, self._fd)
        except FileExistsError:
            # Another clip of the group, or another process, was faster.
            if not self._are_same(part, name):
                raise self._refusal(extension) from None
            return False
        return True

    def _are_same(self, part: str, name: str) -> bool:
        try:
            with self._open(part) as one, self._open(name) as other:
                while piece := one.read(1 << 20):
                    if other.read(len(piece)) != piece:
                        return False
                return not other.read(1)
        except OSError:
            return False

    # A pipe that has the name of a file does not wait for its writer.
    def _open(self, name: str,
              flags: int = os.O_RDONLY | os.O_NONBLOCK) -> Any:
        fd = os.open(name, flags | os.O_CLOEXEC, 0o666, dir_fd=self._fd)
        return os.fdopen(fd, "wb" if flags & os.O_WRONLY else "rb")

