"""Prints the products of a folder of zwave-js device files as JSON: rows of maker, type, product, manufacturer, label
and description."""

import json
import pathlib
import re
import sys

# A string, which stays, or a comment, which goes.
STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
TRAILING_COMMA = re.compile(r",(\s*[}\]])")


def read(path):
    """Reads a file of JSON with comments."""
    text = path.read_text(encoding="utf-8")
    text = STRING_OR_COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else "", text)
    return json.loads(TRAILING_COMMA.sub(r"\1", text))


def text_of(field):
    """Returns a text, of which a file may have several under conditions."""
    while isinstance(field, list):
        field = field[-1]
    return field["value"] if isinstance(field, dict) else field or ""


rows = []
for path in sorted(pathlib.Path(sys.argv[1]).glob("0x*/*.json")):
    device = read(path)
    for numbers in device.get("devices", []):
        texts = [text_of(device.get(name)) for name in ("manufacturer", "label", "description")]
        rows.append([device["manufacturerId"], numbers["productType"], numbers["productId"], *texts])
json.dump(rows, sys.stdout, ensure_ascii=False)
