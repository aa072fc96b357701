"""Makes the site in build/site: lays the pages out, runs Zensical on them, and looks at what came out.

Usage: make_site.py. Fails where a link leads to no page or anchor, or where a page would load something from elsewhere.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
SOURCE = BUILD / "site-source"
SITE = BUILD / "site"
CONFIGURATION = "zensical.toml"  # used from build/, where the cache then goes, too
JAPANESE_NAVIGATION = "ja/navigation.toml"
NAVIGATION = re.compile(r"^nav = \[\n.*?^\]\n", re.MULTILINE | re.DOTALL)
# Pages that do not lie in docs/, and where the site has them.
ELSEWHERE = {
    "README.md": "index.md",
    "README.ja.md": "ja/index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting.md",
    "LICENSE": "license.txt",
}
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")
ALTERNATE = re.compile(r'href="[^"]*" hreflang="(en|ja)"')
EMPTY_HEADER = re.compile(r"<th((?: [^>]*)?)></th>")
CODE = re.compile(r"^```[\s\S]*?^```$|^ {4}.*$|`[^`\n]*`", re.MULTILINE)


class BadLinkError(Exception):
    """A link that leads nowhere: page, line, link."""


def place(path: str) -> str | None:
    """Where the site has a file of the repository; None for what it has not."""
    return ELSEWHERE.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)


def with_links_of_site(name: str, text: str) -> str:
    """The text of the page at `name` in the repository, its links to files as the site has them."""
    home = PurePosixPath(place(name) or name).parent
    code = [match.span() for match in CODE.finditer(text)]

    def changed(match: re.Match[str]) -> str:
        link = match.group(1)
        parts = urlsplit(link)
        if parts.scheme or not parts.path or any(begin <= match.start() < end for begin, end in code):
            return match.group()
        target = os.path.normpath(PurePosixPath(name).parent / unquote(parts.path))
        found = place(target)
        if found is None or not (ROOT / target).exists():
            line = text.count("\n", 0, match.start()) + 1
            raise BadLinkError(f"{name}:{line}: {link} leads to nothing that the site has")
        return f"]({os.path.relpath(found, home)}{'#' + parts.fragment if parts.fragment else ''})"

    return LINK.sub(changed, text)


def lay_out() -> None:
    """Copies all pages and the files beside them to SOURCE."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    found = (path for path in sorted((ROOT / "docs").rglob("*")) if path.is_file() and path.suffix != ".toml")
    files = [path.relative_to(ROOT).as_posix() for path in found]
    shutil.copyfile(ROOT / "docs" / CONFIGURATION, BUILD / CONFIGURATION)
    for name in [*files, *(name for name in ELSEWHERE if (ROOT / name).exists())]:
        target = SOURCE / str(place(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix == ".md":
            text = (ROOT / name).read_text(encoding="utf-8")
            target.write_text(with_links_of_site(name, text), encoding="utf-8")
        else:
            shutil.copyfile(ROOT / name, target)


def pages_of(nav: object) -> Iterator[str]:
    """The pages that a navigation leads to."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict | list):
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from pages_of(part)


def pages_without_place(source: Path, configuration: Path) -> list[str]:
    """The pages that nobody finds: they are not in the navigation."""
    nav = tomllib.loads(configuration.read_text(encoding="utf-8"))["project"]["nav"]
    pages = {path.relative_to(source).as_posix() for path in source.rglob("*.md")}
    return sorted(pages - set(pages_of(nav)))


def in_japanese(configuration: str, navigation: str, folder: str) -> str:
    """The configuration of the same site with Japanese menus, in another folder: Zensical knows one language."""
    changed, count = NAVIGATION.subn(lambda _: navigation, configuration)
    lines = {
        "[project.theme]\n": '[project.theme]\nlanguage = "ja"\n',
        'site_dir = "site"\n': f'site_dir = "{folder}"\n',
        'toggle.name = "Dark"\n': 'toggle.name = "暗い配色にする"\n',
        'toggle.name = "Light"\n': 'toggle.name = "明るい配色にする"\n',
        "permalink = true\n": 'permalink = true\npermalink_title = "この見出しへのリンク"\n',
    }
    if count != 1 or any(changed.count(line) != 1 for line in lines):
        wanted = ", ".join(f"one {line.strip()}" for line in lines)
        raise ValueError(f"docs/{CONFIGURATION} has not one nav, {wanted}")
    for line, japanese in lines.items():
        changed = changed.replace(line, japanese)
    return changed


def tell_languages(site: Path) -> None:
    """Has the menu of languages lead to the same page, where it is in both, and the search part Japanese words."""
    for path in site.rglob("*.html"):
        name = path.relative_to(site).as_posix()
        pages = {"en": name.removeprefix("ja/"), "ja": f"ja/{name.removeprefix('ja/')}"}
        pages = {language: page for language, page in pages.items() if (site / page).exists()}

        def same(found: re.Match[str], path: Path = path, pages: dict[str, str] = pages) -> str:
            page = pages.get(found[1])
            return f'href="{os.path.relpath(site / page, path.parent)}" hreflang="{found[1]}"' if page else found[0]

        html = path.read_text(encoding="utf-8")
        path.write_text(ALTERNATE.sub(same, html), encoding="utf-8")
    index = site / "search.json"
    words = json.loads(index.read_text(encoding="utf-8"))
    words["config"]["lang"] = ["en", "ja"]
    index.write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")


def name_no_empty_cells(site: Path) -> None:
    """The corner of a table is a cell like others: a header without a text names nothing."""
    for path in site.rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        path.write_text(EMPTY_HEADER.sub(r"<td\1></td>", html), encoding="utf-8")


class Page(HTMLParser):
    """What a page of the site links to, what it loads, and its anchors."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.language: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collects the element's addresses and its id."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "html":
            self.language = given.get("lang")
        elif tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") not in ("canonical", "alternate"):
            self.loads += [given["href"]] if "href" in given else []
        self.loads += [given["src"]] if "src" in given else []


def faults(site: Path) -> list[str]:
    """What is wrong with the pages of a site."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    wrong = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        if name.startswith("ja/") and page.language != "ja":
            wrong.append(f"{name}: is Japanese, and says {page.language}")
        wrong += [f"{name}: loads {address}" for address in page.loads if urlsplit(address).netloc]
        for address in [*page.links, *page.loads]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc or parts.path.startswith("/"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            known = pages.get(target)
            if not target.exists() or (parts.fragment and known and unquote(parts.fragment) not in known.anchors):
                wrong.append(f"{name}: {address} leads nowhere")
    return wrong


def main() -> int:
    """Makes the site and checks it."""
    try:
        lay_out()
    except BadLinkError as bad:
        print(bad, file=sys.stderr)
        return 1
    japanese = BUILD / "site-ja"
    navigation = (ROOT / "docs" / JAPANESE_NAVIGATION).read_text(encoding="utf-8")
    text = in_japanese((BUILD / CONFIGURATION).read_text(encoding="utf-8"), navigation, japanese.name)
    (BUILD / "zensical.ja.toml").write_text(text, encoding="utf-8")
    program = Path(sys.executable).parent / "zensical"
    for configuration, folder in ((CONFIGURATION, SITE), ("zensical.ja.toml", japanese)):
        shutil.rmtree(folder, ignore_errors=True)
        command = [str(program), "build", "--clean", "--strict", "-f", configuration]
        done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stdout + done.stderr, file=sys.stderr)
            return 1
    shutil.copytree(japanese / "ja", SITE / "ja", dirs_exist_ok=True)
    shutil.rmtree(japanese)
    tell_languages(SITE)
    name_no_empty_cells(SITE)
    wrong = [
        f"{page}: has no place in docs/{CONFIGURATION}"
        for page in pages_without_place(SOURCE, BUILD / CONFIGURATION)
        if not page.startswith("ja/")
    ]
    wrong += [
        f"{page}: has no place in docs/{JAPANESE_NAVIGATION}"
        for page in pages_without_place(SOURCE, BUILD / "zensical.ja.toml")
        if page.startswith("ja/") or not (SOURCE / "ja" / page).exists()
    ]
    wrong += faults(SITE)
    print("".join(f"{line}\n" for line in wrong), end="", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
