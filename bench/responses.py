"""Whether what servers declare is read as others read it: types, chunked bodies, charsets in pages.

Content-Type beside Python's `email`, chunked bodies beside Python's `http.client`, and the charset that a page declares
beside html5lib, whose reader is the algorithm of the standard (HTML, section 13.2.3.2). Values, bodies and pages are
real ones, and others made of them: parts are moved, doubled, taken away or put in. Where the input is sound, both say
the same. Where it is not, the program reads more than they do, on purpose; what differs there is counted, and the
shortest are shown.
"""

from __future__ import annotations

import email.message
import http.client
import io
import json
import random
import re
from collections.abc import Callable, Sequence

import webencodings  # type: ignore[import-untyped]
from framed import ROOT, ask, comparison_arguments
from html5lib._inputstream import EncodingParser  # type: ignore[import-untyped]

PROGRAM = ROOT / "build/release/bench_responses"

TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
SOUND_TYPE = re.compile(rf'{TOKEN}/{TOKEN}([ \t]*;[ \t]*({TOKEN}=({TOKEN}|"[^"\\ \t]*"))?)*[ \t]*')
"""RFC 9110, section 8.3.1; without pairs of a backslash and blanks in quotes, which `email` leaves."""
SOUND_SIZE = re.compile(rb"[0-9A-Fa-f]+[ \t]*(;[^\r\n]*)?\r?")
"""Of a chunk: `http.client` takes signs and underscores, too."""


def made_of(parts: Sequence[str], others: Sequence[str], chance: random.Random) -> str:
    """The text of the parts after a few changes."""
    changed = list(parts)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(changed))
        choice = chance.randrange(4)
        if choice == 0 and at < len(changed):
            del changed[at]
        elif choice == 1 and at < len(changed):
            changed.insert(at, changed[at])
        elif choice == 2 and at < len(changed):
            changed[at] = chance.choice(changed)
        else:
            changed.insert(at, chance.choice(others))
    return "".join(changed)


class Compared:
    """Two readers of the same inputs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sound = self.others = 0
        self.wrong: list[tuple[bytes, object, object]] = []
        self.different: list[tuple[bytes, object, object]] = []

    def add(self, given: bytes, is_sound: bool, ours: object, theirs: object) -> None:
        """One more."""
        if is_sound:
            self.sound += 1
            if ours != theirs:
                self.wrong.append((given, ours, theirs))
        else:
            self.others += 1
            if ours != theirs:
                self.different.append((given, ours, theirs))

    def show(self, most: int) -> dict[str, int]:
        """Says what differs, and gives the numbers."""
        for what, found in (("SOUND", self.wrong), ("other", self.different)):
            for given, ours, theirs in sorted(found, key=lambda one: len(one[0]))[:most]:
                print(f"{self.name} {what} {given[:200]!r}: {str(ours)[:100]!r}, others {str(theirs)[:100]!r}")
        counts = {"sound": self.sound, "sound_differ": len(self.wrong)}
        counts |= {"others": self.others, "others_differ": len(self.different)}
        print(f"{self.name}: {counts}", flush=True)
        return counts


def type_by_email(value: str) -> tuple[str, str]:
    """Type and charset, in small letters."""
    message = email.message.Message()
    message["Content-Type"] = value
    return message.get_content_type(), (message.get_content_charset() or "")


def compare_types(values: Sequence[str], mutants: int, chance: random.Random) -> Compared:
    """Of values of Content-Type."""
    others = [";", " ", "\t", "=", '"', "charset", "charset=", "text/html", "utf-8", "boundary=x", 'title="a;b"', ","]
    asked = list(dict.fromkeys(values))
    for value in list(asked):
        parts = re.findall(r"[;=\" \t]|[^;=\" \t]+", value)
        asked += [made_of(parts, others, chance) for _ in range(mutants)]
    answers = ask([PROGRAM, "types"], [value.encode("latin-1", "replace") for value in asked])
    compared = Compared("types")
    for value, answer in zip(asked, answers, strict=True):
        essence, charset = answer.decode("latin-1").lower().split("\n", 1)
        is_sound = SOUND_TYPE.fullmatch(value.strip(" \t")) is not None
        compared.add(value.encode("latin-1", "replace"), is_sound, (essence, charset), type_by_email(value))
    return compared


class Sent:
    """What a server has sent, as a socket."""

    def __init__(self, message: bytes) -> None:
        self.message = message

    def makefile(self, *_: object) -> io.BytesIO:
        """All of it."""
        return io.BytesIO(self.message)


def body_by_client(message: bytes) -> tuple[str, bytes]:
    """What `http.client` reads."""
    response = http.client.HTTPResponse(Sent(message))  # type: ignore[arg-type]
    try:
        response.begin()
        return "ok", response.read()
    except http.client.IncompleteRead as error:
        return "truncated", error.partial
    except (http.client.HTTPException, ValueError, OverflowError):
        return "refused", b""


def chunks(body: bytes, chance: random.Random) -> list[str]:
    """The body in chunks, as a list of parts."""
    parts = []
    while body:
        size = chance.randint(1, min(len(body), 300))
        head = f"{size:{chance.choice('xX')}}" + chance.choice(["", "", ";a=b", " "])
        parts += [head, "\r\n", body[:size].decode("latin-1"), "\r\n"]
        body = body[size:]
    return [*parts, "0", "\r\n", chance.choice(["", "X: y\r\n"]), "\r\n"]


def are_sizes_sound(body: bytes) -> bool:
    """Whether every chunk is whole, in the form of the standard, and there is a last one."""
    while True:
        line, end, body = body.partition(b"\n")
        if not end or not SOUND_SIZE.fullmatch(line):
            return False
        size = int(line.split(b";")[0].strip(), 16)
        if size == 0:
            return True
        if not body[size:].startswith(b"\r\n"):
            return False
        body = body[size + 2 :]


def compare_bodies(bodies: Sequence[bytes], mutants: int, chance: random.Random) -> Compared:
    """Of bodies in chunks."""
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    others = ["0", "\r\n", "\n", "5\r\n", "ffffffffffffffff", "10000000000000000", ";", "0\r\n\r\n", "x"]
    asked = []
    for body in bodies:
        parts = chunks(body[:2000], chance)
        asked += [head + "".join(parts).encode("latin-1")]
        asked += [head + made_of(parts, others, chance).encode("latin-1") for _ in range(mutants)]
    compared = Compared("bodies")
    for message, answer in zip(asked, ask([PROGRAM, "bodies"], asked), strict=True):
        outcome, _, body = answer.partition(b"\n")
        compared.add(
            message[len(head) :],
            are_sizes_sound(message[len(head) :]),
            (outcome.decode(), body),
            body_by_client(message),
        )
    return compared


def name_of(label: bytes) -> str:
    """The charset of a label, as the program reads labels; what is declared as UTF-16 in ASCII is UTF-8."""
    encoding = webencodings.lookup(label.decode("latin-1").strip(" \t\r\n\f\"'"))
    name = encoding.name if encoding else ""
    return "utf-8" if name.startswith("utf-16") else name


QUOTED = re.compile(rb"\"[^\"]*\"|'[^']*'")
OLDER = re.compile(rb"<<|</?[A-Za-z][^>]*<|<meta[^>]*content[^>]*charset[^>]*charset", re.IGNORECASE)
"""What html5lib reads by an earlier version of the standard: `<` in a tag, unquoted, and two charsets in one."""


def declared_by_html5lib(page: bytes) -> str:
    """What the standard's algorithm finds."""
    found = EncodingParser(page).getEncoding()
    return name_of(found.name.encode()) if found else ""


def compare_pages(pages: Sequence[bytes], mutants: int, chance: random.Random) -> Compared:
    """Of the beginnings of pages. Those in which a charset is declared that exists are sound."""
    others = ["<meta charset=euc-jp>", "<!--", "-->", "<meta", "charset", "=", '"', "'", ">", "<", "/", " ", "x-sjis"]
    others += ['<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">', "content=", "http-equiv="]
    asked = []
    for page in pages:
        beginning = page[:1024].decode("latin-1")
        parts = re.findall(r"[<>=\"';/\s]|[^<>=\"';/\s]+", beginning)
        asked += [page[:1024]]
        asked += [made_of(parts, others, chance).encode("latin-1") for _ in range(mutants)]
    compared = Compared("declared")
    for page, answer in zip(asked, ask([PROGRAM, "declared"], asked), strict=True):
        theirs = declared_by_html5lib(page)
        is_xml = page.lstrip().startswith(b"<?xml")  # whose declaration html5lib does not read
        is_sound = theirs != "" and not is_xml and not OLDER.search(QUOTED.sub(b'""', page))
        compared.add(page, is_sound, name_of(answer), theirs)
    return compared


def main() -> int:
    """Compares, and says what differs; 1 where sound inputs do."""
    arguments = comparison_arguments(__doc__.partition("\n")[0], 300)
    chance = random.Random(arguments.seed)
    values: list[str] = []
    bodies: list[bytes] = []
    for archive in arguments.archives:
        found = ask([PROGRAM, "values", archive], [])
        values += [value.decode("latin-1") for value in found[::2]]
        pages = found[1::2]
        bodies += pages[:: max(1, len(pages) // arguments.pages)][: arguments.pages]
    comparisons: list[Callable[[], Compared]] = [
        lambda: compare_types(values, 50 * arguments.mutants, chance),
        lambda: compare_bodies(bodies, arguments.mutants, chance),
        lambda: compare_pages(bodies, arguments.mutants, chance),
    ]
    done = [compare() for compare in comparisons]
    counts = {one.name: one.show(arguments.show) for one in done}
    (ROOT / "build/bench").mkdir(parents=True, exist_ok=True)
    (ROOT / "build/bench/responses.json").write_text(json.dumps(counts, indent=1) + "\n")
    return int(any(one.wrong for one in done))


if __name__ == "__main__":
    raise SystemExit(main())
