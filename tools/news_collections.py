"""Pages of newspapers and portals with gold, of other projects' test data.

* Fundus: what its parsers have to find on an article of each publisher: summary, headings and paragraphs.
* Postlight's parser, and parsers that began as copies of it and have sites of their own: the element that an extractor
  of each site names, without what it cleans away.
* CleanPortalEval: pages of four portals, cleaned by hand.

What judges the model is never opened: Fundus' publishers from M on, and those of Japan, Korea, China and Taiwan, and
their pages that others keep; Postlight's Japanese sites.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from collected_page import LEAST_RECALL, WORD, CollectedPage, decode, digest, host, is_japanese, page_text, recall
from content_rules import HIDDEN, lines_of, remove
from git_snapshots import Snapshot
from resiliparse.parse.html import HTMLTree

FUNDUS_PAGES = "tests/resources/parser/test_data/"
FUNDUS_JUDGES = ("jp", "kr", "cn", "tw")
POSTLIGHT_JUDGES = frozenset(
    [
        *("www.asahi.com", "www.infoq.com", "www.jnsa.org", "www.moongift.jp", "www.publickey1.jp", "www.rbbtoday.com"),
        *("phpspot.org", "japan.cnet.com", "japan.zdnet.com"),
    ]
)
"""Sites in Japanese, besides those under `.jp`."""


def may_train(path: str) -> bool:
    """Whether a file of Fundus' is of a publisher that does not judge."""
    folder, _, name = path.removeprefix(FUNDUS_PAGES).partition("/")
    return path.startswith(FUNDUS_PAGES) and folder not in FUNDUS_JUDGES and "A" <= name[:1].upper() <= "L"


def body_lines(body: dict[str, Any]) -> list[str]:
    """Summary, headings and paragraphs of an article, in its order."""
    lines = list(body.get("summary", []))
    for section in body.get("sections", []):
        lines += [*section.get("headline", []), *section.get("paragraphs", [])]
    return [" ".join(line.split()) for line in lines if line and line.strip()]


def fundus_urls(snapshot: Snapshot) -> dict[str, str]:
    """The URL of each of Fundus' pages, by its path."""
    infos = [path for path in snapshot.paths() if path.startswith(FUNDUS_PAGES) and path.endswith("/meta.info")]
    return {
        str(PurePosixPath(path).parent / name): entry["url"]
        for path, data in snapshot.read_all(infos)
        for name, entry in json.loads(data).items()
    }


def fundus(snapshot: Snapshot) -> Iterator[CollectedPage]:
    """An article with each version of its publisher's parser: of the publisher's pages that which has its text."""
    paths = [path for path in snapshot.paths() if may_train(path)]
    urls = fundus_urls(snapshot)
    pages = defaultdict(list)
    for path in paths:
        if path.endswith(".html.gz"):
            pages[re.sub(r"_\d{4}_\d\d_\d\d\.html\.gz$", "", path)].append(path)
    for path in paths:
        if not path.endswith(".json"):
            continue
        publisher = path.removesuffix(".json")
        htmls = [(name, decode(gzip.decompress(data))) for name, data in snapshot.read_all(pages[publisher])]
        texts = [page_text(html) for _, html in htmls]
        versions = json.loads(snapshot.read(path))
        for version, article in sorted(versions.items()):
            if not isinstance(article, dict) or not isinstance(article.get("body"), dict):
                continue
            gold = "\n".join(body_lines(article["body"]))
            shares = [recall(gold, text) for text in texts]
            best = max(range(len(shares)), key=shares.__getitem__, default=None)
            if not gold or best is None or shares[best] < LEAST_RECALL:
                continue
            name, html = htmls[best]
            url = urls[name]
            apart = [text for text in (article.get("title"), *(article.get("authors") or [])) if text]
            identity = f"fundus/{name.removeprefix(FUNDUS_PAGES)}#{version}"
            yield CollectedPage(identity, url, host(url), "newspaper", "fundus", html, gold, apart)


TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<text>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|(?P<mark>[\[\]{}:,()])"""
    r"""|(?P<name>[\w$]+)|(?P<other>.)""",
    re.DOTALL,
)


EXTRACTOR = re.compile(r"src/extractors/custom/([^/]+)/index\.js")


def script_tokens(script: str) -> list[tuple[str, str]]:
    """Kinds and texts of an extractor's tokens, without white space and comments."""
    return [(match.lastgroup or "", match[0]) for match in TOKEN.finditer(script) if match.lastgroup != "space"]


def unquote(text: str) -> str:
    """What a string literal stands for."""
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)


def literal_list(tokens: list[tuple[str, str]], begin: int) -> tuple[list[Any], int]:
    """Strings and lists of them from an opening bracket on, and where that ends; all else in it is passed over."""
    values: list[Any] = []
    at = begin + 1
    while tokens[at][1] != "]" or tokens[at][0] != "mark":
        kind, text = tokens[at]
        if kind == "text":
            values.append(unquote(text))
        elif kind == "mark" and text == "[":
            inner, at = literal_list(tokens, at)
            values.append(inner)
        at += 1
    return values, at


def content_of_extractor(script: str) -> tuple[list[Any], list[str]]:
    """`content.selectors` and `content.clean` of an extractor's source."""
    tokens = script_tokens(script)
    texts = [text for _, text in tokens]
    begin = next((i for i in range(len(texts) - 2) if texts[i : i + 3] == ["content", ":", "{"]), None)
    found: dict[str, list[Any]] = {"selectors": [], "clean": []}
    if begin is None:
        return [], []
    depth = 0
    at = begin + 2
    while at < len(tokens):
        text = tokens[at][1] if tokens[at][0] in ("mark", "name") else ""
        if text in ("{", "("):
            depth += 1
        elif text in ("}", ")"):
            depth -= 1
            if not depth:
                break
        elif depth == 1 and text in found and tokens[at + 1][1] == ":" and tokens[at + 2][1] == "[":
            found[text], at = literal_list(tokens, at + 2)
        at += 1
    return found["selectors"], [text for text in found["clean"] if isinstance(text, str)]


def selected_content(html: str, selectors: list[Any], clean: list[str]) -> str:
    """The text of the first alternative that the page has: a selector's first element, or those of a list of them."""
    for alternative in selectors:
        body = HTMLTree.parse(html).body
        parts = alternative if isinstance(alternative, list) else [alternative]
        try:
            elements = [body.parent.query_selector(part) for part in parts]
            if any(element is None for element in elements):
                continue
            remove(body, [HIDDEN])
            for cut in clean:
                for element in elements:
                    for inside in list(element.query_selector_all(cut)):
                        inside.parent.remove_child(inside)
        except ValueError:  # a selector of jQuery's
            continue
        text = lines_of(elements)
        if text:
            return text
    return ""


LEAST_OF_COPIES = 400
"""Characters of content that a page of a copy of Postlight's parser has at least: others are posts of networks."""


def site_of_fixture(path: str) -> str:
    """The site whose page a file of Postlight's parser or a copy is; empty: it is none, or one in a wrong encoding."""
    found = re.fullmatch(r"fixtures/([^/]+?)(?:--[^/]*)?(?:\.html|/[^/]+\.html)", path)
    return found[1] if found and not path.endswith("-utf8.html") else ""


def postlight(snapshot: Snapshot, name: str) -> Iterator[CollectedPage]:
    """The pages of sites that are not in Japanese."""
    paths = snapshot.paths()
    scripts = {found[1]: path for path in paths if (found := EXTRACTOR.fullmatch(path))}
    for path in paths:
        site = site_of_fixture(path)
        if site in POSTLIGHT_JUDGES or site.endswith(".jp") or site not in scripts:
            continue
        html = decode(snapshot.read(path))
        selectors, clean = content_of_extractor(snapshot.read(scripts[site]).decode())
        gold = selected_content(html, selectors, clean)
        if gold and not is_japanese(gold) and recall(gold, page_text(html)) >= LEAST_RECALL:
            url = f"https://{site}/"
            yield CollectedPage(f"{name}/{path}", url, host(url), "article", name, html, gold, [])


def copy_of_postlight(snapshot: Snapshot, name: str) -> Iterator[CollectedPage]:
    """The pages of a copy of Postlight's parser."""
    pages = postlight(snapshot, name)
    yield from (page for page in pages if len(page.gold) >= LEAST_OF_COPIES)


def portal_gold(text: str) -> tuple[str, str]:
    """URL and content of a file of CleanEval's form: `URL: …`, then paragraphs with marks `<h>`, `<p>`, `<l>`."""
    first, _, rest = text.lstrip().partition("\n")
    rest = re.sub(r"<(?:h|p|l)>", "\n", rest, flags=re.IGNORECASE)
    tree = HTMLTree.parse(f"<pre>{rest.replace('<', '&lt;')}</pre>")
    lines = (" ".join(part.split()) for part in re.split(r"\n\s*\n", str(tree.body.text)))
    return first.removeprefix("URL:").strip(), "\n".join(line for line in lines if line)


def portals(snapshot: Snapshot) -> Iterator[CollectedPage]:
    """CleanPortalEval."""
    names = [PurePosixPath(path).stem for path in snapshot.paths() if path.startswith("GoldStandard/")]
    for name in names:
        url, gold = portal_gold(decode(snapshot.read(f"GoldStandard/{name}.txt")))
        domain = name.split("_")[0]
        html = re.sub(r"^\s*<text [^>]*>|</text>\s*$", "", decode(snapshot.read(f"input/{name}.html")))
        if gold and recall(gold, page_text(html)) >= LEAST_RECALL:
            yield CollectedPage(f"portals/{name}", url, domain, "portal", "portals", html, gold, [])


REPEATED_WORDS = 8
"""In a row, by which texts are compared."""
MOST_REPEATED = 0.8
"""Share of them that a text has at most of an earlier one of its domain: more is the same article, fetched again."""


def rows_of_words(text: str) -> set[int]:
    """The text's runs of eight words."""
    words = WORD.findall(text.lower())
    return {hash(tuple(words[i : i + REPEATED_WORDS])) for i in range(max(len(words) - REPEATED_WORDS, 0) + 1)}


def without_repeats(pages: Iterable[CollectedPage]) -> Iterator[CollectedPage]:
    """Each page and each gold text of a domain once."""
    seen: set[tuple[str, str]] = set()
    articles: dict[str, list[set[int]]] = defaultdict(list)
    for page in pages:
        keys = {(page.domain, digest("".join(text.split()))) for text in (page.html, page.gold)}
        rows = rows_of_words(page.gold)
        repeated = (len(rows & other) > MOST_REPEATED * min(len(rows), len(other)) for other in articles[page.domain])
        if seen.isdisjoint(keys) and not any(repeated):
            seen |= keys
            articles[page.domain].append(rows)
            yield page


JUDGING_HOSTS = frozenset(
    [
        *("asahi.com", "mainichi.jp", "sankei.com", "yomiuri.co.jp", "nikkei.com", "chunichi.co.jp", "tokyo-np.co.jp"),
        *("gendai.media", "nikkan-gendai.com", "japannews.yomiuri.co.jp", "gihyo.jp", *POSTLIGHT_JUDGES),
    ]
)
"""Of the newspapers and sites that judge, besides Fundus': no page of theirs is taken, wherever it was kept."""


def judging_hosts(fundus_snapshot: Snapshot) -> frozenset[str]:
    """Those, and the hosts of Fundus' publishers that judge."""
    urls = fundus_urls(fundus_snapshot)
    return JUDGING_HOSTS | {host(url) for path, url in urls.items() if not may_train(path)}


def judges(url: str, hosts: Iterable[str] = JUDGING_HOSTS) -> bool:
    """Whether a URL is of a site that judges."""
    name = host(url)
    return any(name == other.removeprefix("www.") or name.endswith(f".{other}") for other in hosts)
