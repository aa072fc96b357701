"""The peer of `extract`: FastWARC and Resiliparse on the same file, one thread. Prints bytes and seconds as JSON.

Every HTML page with status 200 is decoded, parsed and turned into plain text, as their documentation shows it.
Nothing is written. Content codings are not undone (auto_decode ends at the first body that its header belies): the
input has none.
"""

from __future__ import annotations

import json
import sys
import time

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree


def main() -> None:
    """Reads the file named on the command line."""
    start = time.perf_counter()
    size = 0
    characters = 0
    records = ArchiveIterator(
        sys.argv[1],
        record_types=WarcRecordType.response,
        parse_http=True,
        quirks_mode=True,
        max_header_len=1 << 20,
    )
    for record in records:
        headers = record.http_headers
        if headers is None or headers.status_code != 200 or "html" not in (record.http_content_type or ""):
            continue
        body = record.reader.read()
        size += len(body)
        tree = HTMLTree.parse_from_bytes(body, record.http_charset or detect_encoding(body))
        characters += len(extract_plain_text(tree, main_content=False))
    print(json.dumps({"seconds": time.perf_counter() - start, "bytes": size, "characters": characters}))


if __name__ == "__main__":
    main()
