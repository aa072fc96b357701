"""Builds a small web archive from real pages: the HTML of documentation packages of Debian and Ubuntu.

The pages are as their authors wrote them, in Japanese (UTF-8, Shift_JIS, EUC-JP, ISO-2022-JP) and other languages.
Only the crawl around them is made up: hosts, dates, headers, an error page, a redirect, an image. The packages are
downloaded with apt-get and unpacked, not installed. The output is a function of the packages alone.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

# Package, and the files of it that are pages: a pattern of their paths below the package's documentation folder.
PACKAGES = {
    "debian-faq-ja": r"\.html$",
    "aptitude-doc-ja": r"\.html$",
    "maint-guide-ja": r"\.html$",
    "libjlha-java-doc-ja": r"\.html$",
    "namazu2-common": r"\.html$",
    "qdbm-doc": r"\.html$",
    "debian-reference-ja": r"\.ja\.html$",
    "apache2-doc": r"manual/(?:ja|ko|de|fr|es|tr|en)/(?:howto|mod)/[a-c][^/]*\.html$",
}
MIN_PACKAGES = 2
# Pages that are served in another charset than their package has them in: every N-th page of these packages.
RECODED = {
    "aptitude-doc-ja": ("euc-jp", "iso-2022-jp", "shift_jis"),
    "debian-faq-ja": ("shift_jis", "iso-2022-jp"),
    "maint-guide-ja": ("euc-jp",),
}
RECODE_EVERY = 3
META_CHARSET = re.compile(r"(<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*)([\w-]+)", re.IGNORECASE)
PIXEL = bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001000002024401003b")


@dataclass
class Page:
    """A response: what the server sent."""

    url: str
    body: bytes
    status: str = "200 OK"
    headers: list[tuple[str, str]] = field(default_factory=lambda: [("Content-Type", "text/html")])
    charset: str = "-"


def number(*parts: str) -> int:
    """A number that depends on the parts alone."""
    return int.from_bytes(hashlib.sha1("\0".join(parts).encode()).digest()[:8], "big")


def download(package: str, cache: Path) -> Path | None:
    """The package's file, from the cache or from the distribution; None when it has no such package."""
    cached = sorted(cache.glob(f"{package}_*.deb"))
    if not cached:
        command = ["apt-get", "download", "-qq", package]
        done = subprocess.run(command, cwd=cache, capture_output=True, text=True, check=False)
        cached = sorted(cache.glob(f"{package}_*.deb"))
        if not cached:
            reason = done.stderr.strip().splitlines()
            print(f"demo corpus: no package {package}: {reason[-1] if reason else 'unknown'}", file=sys.stderr)
            return None
    return cached[-1]


def files(package: Path, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Paths and contents of the package's regular files, in order of the paths."""
    if not folder.exists():
        unpacked = folder.with_name(folder.name + ".partial")
        shutil.rmtree(unpacked, ignore_errors=True)
        subprocess.run(["dpkg-deb", "-x", package, unpacked], check=True)
        unpacked.rename(folder)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            name = path.relative_to(folder).as_posix()
            yield (name[:-3], gzip.decompress(data)) if name.endswith(".html.gz") else (name, data)


def charset_of(body: bytes) -> str:
    """The charset of a page: what it says if it decodes so, else the first that it decodes in."""
    if b"\x1b$B" in body:
        return "iso-2022-jp"
    claim = META_CHARSET.search(body[:4096].decode("latin-1"))
    for charset in ([claim.group(2)] if claim else []) + ["utf-8", "euc-jp", "shift_jis", "latin-1"]:
        try:
            body.decode(charset)
        except (UnicodeDecodeError, LookupError):
            continue
        return charset.lower()
    return "latin-1"


def recoded(body: bytes, charset: str) -> bytes | None:
    """A UTF-8 page in another charset, its own word about it included; what that lacks becomes references."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return META_CHARSET.sub(rf"\g<1>{charset}", text).encode(charset, "xmlcharrefreplace")


def pages_of(name: str, package: Path, folder: Path) -> list[Page]:
    """The pages of a package."""
    pages: list[Page] = []
    for path, body in files(package, folder):
        if not re.search(PACKAGES[name], path) or len(body) < 200:
            continue
        charset = charset_of(body)
        targets = RECODED.get(name, ())
        if targets and charset == "utf-8" and len(pages) % RECODE_EVERY == 0:
            target = targets[len(pages) // RECODE_EVERY % len(targets)]
            other = recoded(body, target)
            if other is not None:
                body, charset = other, target
        url = f"http://{name}.example/{path.removeprefix('usr/share/doc/')}"
        pages.append(Page(url, body, charset=charset))
    return pages


def dress(page: Page, index: int) -> None:
    """Gives some pages the forms that servers send: a charset in the header, chunks, gzip."""
    if index % 4 == 0:
        page.headers = [("Content-Type", f"text/html; charset={page.charset}")]
    page.headers.append(("Date", "Tue, 04 Apr 2023 10:00:00 GMT"))
    if index % 9 == 0:
        page.body = gzip.compress(page.body, mtime=0)
        page.headers.append(("Content-Encoding", "gzip"))
    if index % 11 == 0:
        half = len(page.body) // 2
        chunks = [page.body[:half], page.body[half:], b""]
        page.body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
        page.headers.append(("Transfer-Encoding", "chunked"))


def oddities() -> list[Page]:
    """What a crawl has beside pages."""
    host = "http://odd.example"
    error = "<html><title>404</title><p>お探しのページは見つかりませんでした。</p></html>".encode()
    return [
        Page(f"{host}/gone.html", error, status="404 Not Found"),
        Page(f"{host}/moved.html", b"", status="301 Moved Permanently", headers=[("Location", f"{host}/")]),
        Page(f"{host}/pixel.gif", PIXEL, headers=[("Content-Type", "image/gif")]),
        Page(f"{host}/empty.html", b""),
    ]


def write_warc(path: Path, pages: list[Page]) -> None:
    """Writes the pages as response records, with a request record for every tenth."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        writer = WARCWriter(file, gzip=True, warc_version="WARC/1.0")
        info = {"software": "uzushio demo", "format": "WARC File Format 1.0"}
        warcinfo = writer.create_warcinfo_record(path.name, info)
        set_identity(warcinfo.rec_headers, path.name, 0)
        writer.write_record(warcinfo)
        for index, page in enumerate(pages):
            if index % 10 == 0:
                write_record(writer, page, "request", index)
            write_record(writer, page, "response", index)
    partial.rename(path)


def set_identity(headers: StatusAndHeaders, key: str, index: int) -> None:
    """An id and a date that depend on the page alone."""
    digits = hashlib.sha1(f"{key}\0{index}".encode()).hexdigest()
    uuid = f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}"
    headers.replace_header("WARC-Record-ID", f"<urn:uuid:{uuid}>")
    day = 1 + number(key, "day") % 28
    headers.replace_header("WARC-Date", f"2023-04-{day:02d}T{number(key) % 24:02d}:00:00Z")


def write_record(writer: WARCWriter, page: Page, kind: str, index: int) -> None:
    """Writes one record."""
    path = page.url.split("/", 3)[3]
    if kind == "request":
        http = StatusAndHeaders(f"GET /{path} HTTP/1.1", [("Host", page.url.split("/")[2])], is_http_request=True)
        body = b""
    else:
        http = StatusAndHeaders(page.status, page.headers, protocol="HTTP/1.1")
        body = page.body
    record = writer.create_warc_record(page.url, kind, payload=io.BytesIO(body), http_headers=http)
    set_identity(record.rec_headers, page.url + kind, index)
    writer.write_record(record)


def main() -> int:
    """Builds the archive unless it is there for the same packages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="folder for the packages")
    parser.add_argument("--output", type=Path, required=True, help="the .warc.gz to write")
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    packages = {name: download(name, arguments.cache) for name in PACKAGES}
    found = {name: package for name, package in packages.items() if package is not None}
    if len(found) < MIN_PACKAGES:
        print("demo corpus: too few packages can be had; is `apt-get update` due?", file=sys.stderr)
        return 1
    identity = " ".join(package.name for package in found.values()) + " " + digest(Path(__file__))
    stamp = arguments.output.with_suffix(".stamp")
    if arguments.output.exists() and stamp.exists() and stamp.read_text() == identity:
        return 0
    pages: list[Page] = []
    for name, package in found.items():
        pages += pages_of(name, package, arguments.cache / name)
    for index, page in enumerate(pages):
        dress(page, index)
    write_warc(arguments.output, pages + oddities())
    stamp.write_text(identity)
    charsets = Counter(page.charset for page in pages)
    print(
        f"demo corpus: {len(pages)} pages of {len(found)} packages, {dict(charsets.most_common())}",
        file=sys.stderr,
    )
    return 0


def digest(path: Path) -> str:
    """A checksum of a file."""
    return hashlib.sha1(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
