"""The language that Common Crawl's index would give pages, and what selecting by it finds.

Common Crawl's Nutch (commoncrawl/nutch, src/java/org/commoncrawl/util/LanguageDetector.java, commit 8ec6739b) gives
CLD2 the bytes of HTML and XHTML pages in UTF-8, as HTML, with the charset, the top-level domain and the header
Content-Language as hints, and without kCLDFlagBestEffort. It keeps the languages of at least 2 % of the text where
there are at least 10 bytes of text, up to three, and leaves out the unknown one. Here the same function is called as
there (commoncrawl/language-detection-cld2, Cld2.java, commit 36bf95ec): by its symbol in Debian's libcld2, with the
tables of libcld2_full before its own, which make the 160 languages that Common Crawl's announcement of August 2018
names.

Not the same: where a page does not say its charset, Nutch has Tika and ICU detect it; here it is taken from the
manifest. What is HTML, Tika decides; here it is what the response says, or what begins with a tag.
"""

from __future__ import annotations

import codecs
import ctypes
import gzip
import io
import re
import zlib
from collections import Counter
from functools import cache
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from language_table import Page

FIRST, AMONG = "index: jpn first", "index: jpn among three"
INDEX_WAYS = (
    FIRST,
    AMONG,
    "index: .jp",
    "index: jpn first, or .jp",
    "index: jpn among three, or .jp",
    "index: jpn first, or host",
    "index: jpn among three, or host",
    "index: jpn among three, or .jp, or host",
)
LEAST_TEXT_BYTES = 10
LEAST_PERCENT = 2
# Of the other pages of a host, the share that are Japanese first, from which the host is.
HOST_SHARE = 0.5
DETECT = (
    "_ZN4CLD224ExtDetectLanguageSummaryEPKcibPKNS_8CLDHintsEiPNS_8LanguageEPiPd"
    "PSt6vectorINS_11ResultChunkESaISA_EES7_Pb"
)
LANGUAGE_CODE = "_ZN4CLD212LanguageCodeENS_8LanguageE"
# lang_script.h and encodings.h of CLD2.
UNKNOWN_LANGUAGE, UNKNOWN_ENCODING = 26, 23
ENCODINGS = {
    "utf-8": 22,
    "euc_jp": 10,
    "shift_jis": 11,
    "iso2022_jp": 12,
    "cp932": 21,
    "euc_kr": 16,
    "big5": 13,
    "gb2312": 14,
    "gbk": 45,
    "iso8859-1": 0,
    "cp1252": 27,
}


class Hints(ctypes.Structure):
    """CLDHints."""

    _fields_ = [
        ("content_language", ctypes.c_char_p),
        ("top_level_domain", ctypes.c_char_p),
        ("encoding", ctypes.c_int),
        ("language", ctypes.c_int),
    ]


@cache
def library() -> Any:
    """CLD2 with the tables of all its languages, which have to be there first."""
    ctypes.CDLL("libcld2_full.so.0", mode=ctypes.RTLD_GLOBAL)
    cld2 = ctypes.CDLL("libcld2.so.0")
    getattr(cld2, LANGUAGE_CODE).restype = ctypes.c_char_p
    return cld2


def body_of(data: bytes) -> tuple[bytes, HTTPResponse] | None:
    """The content of a response, without codings, as Common Crawl stores it."""

    class Socket:
        """What HTTPResponse reads from."""

        def makefile(self, *_: object) -> io.BytesIO:
            """The bytes behind the record's header."""
            return io.BytesIO(gzip.decompress(data).partition(b"\r\n\r\n")[2])

    response = HTTPResponse(Socket())  # type: ignore[arg-type]
    try:
        response.begin()
        body = response.read()
        coding = (response.getheader("Content-Encoding") or "").strip().lower()
        if coding in ("gzip", "x-gzip", "deflate"):
            body = zlib.decompressobj(47 if coding != "deflate" else zlib.MAX_WBITS).decompress(body)
    except (HTTPException, ValueError, zlib.error):
        return None
    return body, response


def charset_of(body: bytes, true_charset: str) -> str:
    """Python's name of what the page says within its first 8 KiB, or of what it is in."""
    said = re.search(rb"(?is)<meta\s[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", body[:8192])
    for name in (said[1].decode("ascii", "replace") if said else "", true_charset):
        try:
            return codecs.lookup(name).name
        except LookupError:
            continue
    return "utf-8"


def languages(url: str, data: bytes, true_charset: str) -> list[tuple[str, int]]:
    """CLD2's codes of a page's languages with percents, most of the text first; none for what has none."""
    read = body_of(data)
    if read is None:
        return []
    body, response = read
    essence = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
    is_markup = re.match(rb"(?is)\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|title|body|\?xml)", body)
    if not body or (essence not in ("text/html", "application/xhtml+xml") and not is_markup):
        return []
    charset = charset_of(body, true_charset)
    text = body.decode(charset, "replace").encode("utf-8", "replace")
    last = url.split("/")[2].partition(":")[0].rpartition(".")[2].lower()
    content_language = response.getheader("Content-Language")
    hints = Hints(
        content_language.encode("latin-1", "replace") if content_language else None,
        last.encode() if last[:1].isalpha() else None,
        ENCODINGS.get(charset, UNKNOWN_ENCODING),
        UNKNOWN_LANGUAGE,
    )
    found, percents = (ctypes.c_int * 3)(), (ctypes.c_int * 3)()
    scores = (ctypes.c_double * 3)()
    size, reliable = ctypes.c_int(), ctypes.c_bool()
    getattr(library(), DETECT)(  # as there, with the zero at the end as a part of the text
        text,
        len(text) + 1,
        ctypes.c_bool(False),
        ctypes.byref(hints),
        0,
        found,
        percents,
        scores,
        None,
        ctypes.byref(size),
        ctypes.byref(reliable),
    )
    if size.value < LEAST_TEXT_BYTES:
        return []
    return [
        (getattr(library(), LANGUAGE_CODE)(code).decode(), percent)
        for code, percent in zip(found, percents, strict=True)
        if code != UNKNOWN_LANGUAGE and percent >= LEAST_PERCENT
    ]


def decide_by_index(pages: list[Page]) -> None:
    """Notes of each page its languages, and what each selection of the index says of it.

    Of a host, the other pages are asked: it is Japanese where at least half of them are Japanese first. A host of one
    page is not.
    """
    first, pages_of_host = Counter[str](), Counter[str]()
    for page in pages:
        page.languages = languages(page.line["url"], page.data, page.line["charset"])
        host = page.line["url"].split("/")[2]
        pages_of_host[host] += 1
        first[host] += page.languages[:1] != [] and page.languages[0][0] == "ja"
    for page in pages:
        host = page.line["url"].split("/")[2]
        codes = [code for code, _ in page.languages]
        by_first, by_any = codes[:1] == ["ja"], "ja" in codes
        others = pages_of_host[host] - 1
        by_host = others > 0 and first[host] - by_first >= HOST_SHARE * others
        by_tld = host.endswith(".jp")
        said = (
            by_first,
            by_any,
            by_tld,
            by_first or by_tld,
            by_any or by_tld,
            by_first or by_host,
            by_any or by_host,
            by_any or by_tld or by_host,
        )
        page.decisions.update(zip(INDEX_WAYS, said, strict=True))
