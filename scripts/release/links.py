"""Makes the links in a folder's pages absolute if they lead to files that the folder does not contain.

links.py FOLDER ADDRESS

FOLDER has pages with the same paths as in the repository. ADDRESS is that of the repository's files at the version of
the release.
"""

import posixpath
import re
import sys
from pathlib import Path

folder, address = Path(sys.argv[1]), sys.argv[2]


def absolute(page, link):
    is_inside = re.match(r"[a-z]+:|#", link) or (page.parent / link.split("#")[0]).exists()
    if is_inside:
        return link
    place = page.parent.relative_to(folder).as_posix()
    return f"{address}/{posixpath.normpath(posixpath.join(place, link))}"


for page in folder.rglob("*.md"):
    text = page.read_text(encoding="utf-8")
    linked = re.sub(r"\]\(([^)\s]+)\)", lambda found: f"]({absolute(page, found[1])})", text)
    page.write_bytes(linked.encode())
