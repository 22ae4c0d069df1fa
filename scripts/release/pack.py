"""Packs a folder so that the same files always make the same archive: sorted, without owners, and with one time.

    pack.py FOLDER ARCHIVE TIME

The suffix of ARCHIVE decides the format: .tgz, .zip, or .mcpb (an MCP bundle: a zip without the folder itself).
TIME is the time of every file, in seconds since 1970.
"""

import gzip
import os
import sys
import tarfile
import time
import zipfile


def files_in(folder, start):
    """Returns the files of a folder, sorted by their names in the archive, which are relative to `start`."""
    paths = (os.path.join(root, name) for root, _, names in os.walk(folder) for name in names)
    return sorted((os.path.relpath(path, start).replace(os.sep, "/"), path) for path in paths)


def mode_of(path):
    """Returns the mode of a file: programs can be executed by everyone, nothing can be written by others."""
    return 0o755 if os.access(path, os.X_OK) else 0o644


def pack_tar(files, archive, seconds):
    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, seconds) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name, path in files:
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = os.path.getsize(path), seconds, mode_of(path)
                with open(path, "rb") as content:
                    tar.addfile(entry, content)


def pack_zip(files, archive, seconds):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, path in files:
            entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = mode_of(path) << 16
            with open(path, "rb") as content:
                packed.writestr(entry, content.read())


folder, archive, seconds = sys.argv[1:]
suffix = os.path.splitext(archive)[1]
start = folder if suffix == ".mcpb" else os.path.dirname(os.path.abspath(folder))
pack = pack_tar if suffix == ".tgz" else pack_zip
pack(files_in(folder, start), archive, int(seconds))
