#!/usr/bin/env python3
"""Lists a ZIP archive by Python's zipfile: name, size, CRC and offset of each
entry, the first bytes that are read from it, and whether its local header and
its row of the directory have a ZIP64 record."""

import struct
import sys
import zipfile


def local_extra(file, offset):
    file.seek(offset)
    header = file.read(30)
    name_size, extra_size = struct.unpack("<2H", header[26:30])
    file.seek(name_size, 1)
    return file.read(extra_size)


def main(path):
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        for entry in archive.infolist():
            with archive.open(entry) as content:
                first = content.read(4).hex()
            print(entry.filename, entry.file_size, entry.CRC,
                  entry.header_offset, first,
                  "local" if local_extra(file, entry.header_offset) else "-",
                  "directory" if entry.extra else "-")


main(sys.argv[1])
