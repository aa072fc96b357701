"""Pieces of personal data as HojiChar, datatrove or dolma finds them: personal_data_peers.py NAME < texts > pieces.

Texts are a JSON list; pieces a list for each: begin, end, kind.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Callable
from typing import Any

Pieces = list[tuple[int, int, str]]


def by_patterns(patterns: dict[str, tuple[re.Pattern[str], Callable[[str], bool] | None]]) -> Callable[[str], Pieces]:
    """What regular expressions find, where a check does not refuse it."""

    def find(text: str) -> Pieces:
        return [
            (found.start(), found.end(), kind)
            for kind, (pattern, check) in patterns.items()
            for found in pattern.finditer(text)
            if check is None or check(found.group())
        ]

    return find


def hojichar() -> Callable[[str], Pieces]:
    """MaskPersonalInformation."""
    mask: Any = importlib.import_module("hojichar.filters.document_filters").MaskPersonalInformation()
    return by_patterns({"telephone": (mask.phone_pat, None), "email": (mask.email_pat, None)})


def datatrove() -> Callable[[str], Pieces]:
    """PIIFormatter."""
    formatter: Any = importlib.import_module("datatrove.pipeline.formatters.pii").PIIFormatter()
    emails, addresses = formatter.emails_replacer, formatter.ip_replacer
    return by_patterns(
        {"email": (emails.regex, emails.validator), "ip_address": (addresses.regex, addresses.validator)}
    )


def dolma() -> Callable[[str], Pieces]:
    """PiiRegexV2."""
    tagger: Any = importlib.import_module("dolma.taggers.pii").PiiRegexV2()
    document = importlib.import_module("dolma.core.data_types").Document
    kinds = {"EMAIL_ADDRESS": "email", "PHONE_NUMBER": "telephone", "IP_ADDRESS": "ip_address"}

    def find(text: str) -> Pieces:
        spans = tagger.predict(document(source="", id="", text=text + "\n")).spans if text.strip() else []
        return [(span.start, span.end, kinds[span.type]) for span in spans if span.type in kinds]

    return find


def main() -> None:
    """Of the peer that the command line names."""
    find = {"hojichar": hojichar, "datatrove": datatrove, "dolma": dolma}[sys.argv[1]]()
    json.dump([find(text) for text in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
