"""The collections of tools/content_collections.py, in small repositories of pages that are made up here."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import content_collections
import japanese_sites
import news_collections
import pytest
import reader_tests
import trafilatura_gold
from collected_page import CollectedPage, decode
from content_rules import Rule, RuleError, main_content, texts_of
from git_snapshots import Snapshot, SnapshotError

FIRST = "The harbour was closed for the whole of Monday because of the storm."
SECOND = "Ships have to wait outside until the wind has calmed down again."


def repository(folder: Path, files: Mapping[str, bytes | str], bare: bool = False) -> str:
    """Commits files, and returns the commit."""
    work = folder.with_name(folder.name + ".work") if bare else folder
    for name, data in files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    git = ["git", "-C", str(work), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "pages"]):
        subprocess.run([*git, *command], check=True)
    if bare:
        subprocess.run(["git", "clone", "-q", "--bare", str(work), str(folder)], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def page(body: str) -> str:
    """A page."""
    return f"<html><head><title>A page</title></head><body>{body}</body></html>"


@pytest.mark.parametrize("place", ["owner/name", "owner+name", "name", "owner+name/repo"])
@pytest.mark.parametrize("bare", [False, True])
def test_a_checkout_is_found(tmp_path: Path, place: str, bare: bool) -> None:
    """In each of the places, with and without a work tree."""
    commit = repository(tmp_path / place, {"b/ページ.html": "two", "a.txt": "one"}, bare)
    snapshot = Snapshot(tmp_path, "owner/name", commit)
    assert snapshot.paths() == ["a.txt", "b/ページ.html"]
    assert list(snapshot.read_all(snapshot.paths())) == [("a.txt", b"one"), ("b/ページ.html", b"two")]
    with pytest.raises(SnapshotError, match="has no file c"):
        snapshot.read("c")


def test_what_is_missing_is_told_with_its_command(tmp_path: Path) -> None:
    """A repository, and a commit."""
    with pytest.raises(SnapshotError, match=r"git clone https://github\.com/owner/name"):
        Snapshot(tmp_path, "owner/name", "0" * 40)
    repository(tmp_path / "name", {"a": "one"})
    with pytest.raises(SnapshotError, match=f"fetch origin {'0' * 40}"):
        Snapshot(tmp_path, "owner/name", "0" * 40)


def test_a_rule_takes_elements_and_cuts_others() -> None:
    """In the order of the page, each part once."""
    html = page(
        '<nav>Menu</nav><h1 class="t">Title</h1><div id="c"><p>One<br>two</p><div class="share">Tweet</div>'
        "<script>code</script><table><tr><td>a<td>b</table></div>"
    )
    assert main_content(html, Rule(content=["#c"], without=[".share"])) == "One\ntwo\na b"
    assert main_content(html, Rule(content=["#c"], without=[".share"]), [".t", ".none"]) == "Title\nOne\ntwo\na b"
    assert main_content(html, Rule(content=["p", "#c"])) == "One\ntwo\nTweet\na b"  # no part twice
    assert texts_of(html, [".share", "h1"]) == ["Title", "Tweet"]
    with pytest.raises(RuleError, match="nothing is in #d"):
        main_content(html, Rule(content=["#c", "#d"]))


def test_encodings() -> None:
    """As declared, as Japanese, as Western."""
    text = "<meta charset=Shift_JIS>日本語の文章"
    assert decode(text.encode("cp932")) == text
    assert decode("日本語の文章です。".encode("euc_jp")) == "日本語の文章です。"
    assert decode("naïve café".encode("cp1252") + b"\x81") == "naïve café\ufffd"


def test_publishers_that_judge_are_not_opened() -> None:
    """By their name, and by their country."""
    folder = news_collections.FUNDUS_PAGES
    assert news_collections.may_train(f"{folder}de/BR_2024_04_22.html.gz")
    assert news_collections.may_train(f"{folder}us/LATimes.json")
    for name in ("us/Mirror.json", "de/Zeit.json", "jp/AsahiShimbun.json", "kr/A.json", "cn/A.json", "tw/A.json"):
        assert not news_collections.may_train(folder + name)
    assert not news_collections.may_train("tests/other/de/BR.json")


@pytest.mark.parametrize(
    ("url", "judges"),
    [
        ("https://www.asahi.com/articles/1.html", True),
        ("https://digital.asahi.com/", True),
        ("https://japan.cnet.com/article/1/", True),
        ("https://news.yahoo.co.jp/", False),
        ("https://notasahi.com/", False),
        ("", False),
    ],
)
def test_sites_that_judge(url: str, judges: bool) -> None:
    """Their hosts and those below them."""
    assert news_collections.judges(url) is judges


def test_publishers_that_judge(tmp_path: Path) -> None:
    """The hosts of Fundus' pages tell them."""
    folder = f"{news_collections.FUNDUS_PAGES}us"
    names = {
        "Paper_2024_01_01.html.gz": "https://www.paper.example/1",
        "Daily_2024_01_01.html.gz": "https://daily.example/",
    }
    info = json.dumps({name: {"url": url} for name, url in names.items()})
    hosts = news_collections.judging_hosts(
        Snapshot(tmp_path, "owner/name", repository(tmp_path / "name", {f"{folder}/meta.info": info}))
    )
    assert hosts - news_collections.JUDGING_HOSTS == {"paper.example"}
    assert news_collections.judges("https://www.paper.example/2", hosts)
    assert not news_collections.judges("https://daily.example/", hosts)


def test_fundus(tmp_path: Path) -> None:
    """The article is of the page that has its text; what has no page is left out."""
    folder = news_collections.FUNDUS_PAGES
    article = {"summary": ["Storm"], "sections": [{"headline": ["Ships"], "paragraphs": [FIRST, "  " + SECOND]}]}
    versions = {
        "V1": {"title": "Harbour closed", "authors": ["A. Writer"], "body": article},
        "V2": {"title": "Of another page", "body": {"summary": [], "sections": [{"paragraphs": ["Nothing of this"]}]}},
        "V3": {"title": "No text", "body": None},
    }
    right = page(f"<h1>Harbour closed</h1><p>Storm</p><h2>Ships</h2><p>{FIRST}</p><p>{SECOND}</p>")
    wrong = page("<p>Another article, of which the gold is not.</p>")
    names = ("Gazette_2024_01_02.html.gz", "Gazette_2025_01_02.html.gz")
    meta = {name: {"url": f"https://www.gazette.example/{i}"} for i, name in enumerate(names)}
    commit = repository(
        tmp_path / "name",
        {
            f"{folder}uk/Gazette.json": json.dumps(versions),
            f"{folder}uk/meta.info": json.dumps(meta),
            f"{folder}uk/{names[0]}": gzip.compress(wrong.encode()),
            f"{folder}uk/{names[1]}": gzip.compress(right.encode()),
            f"{folder}jp/Gazette.json": "not read",
            f"{folder}uk/Zeitung.json": "not read",
        },
    )
    pages = list(news_collections.fundus(Snapshot(tmp_path, "owner/name", commit)))
    assert [(one.url, one.domain, one.kind) for one in pages] == [
        ("https://www.gazette.example/1", "gazette.example", "newspaper")
    ]
    assert pages[0].gold == f"Storm\nShips\n{FIRST}\n{SECOND}"
    assert pages[0].apart == ["Harbour closed", "A. Writer"]
    assert pages[0].html == right


EXTRACTOR = """
export const Extractor = {
  domain: 'news.example',
  title: { selectors: ['h1'] },
  content: {
    // selectors: ['.comment'],
    transforms: { p: $node => { if ($node.is(':empty')) { $node.remove(); } }, selectors: null },
    selectors: [
      '.missing', // of an older template
      ['.lead', "div[data-kind='text']"],
      '.last',
    ],
    clean: ['.ad', '[title="it\\'s"]'],
  },
  next: { selectors: ['.no'] },
};
"""


def test_an_extractor_is_read() -> None:
    """Its selectors, alternatives of several, and what it cleans away; nothing of other parts and comments."""
    selectors, clean = news_collections.content_of_extractor(EXTRACTOR)
    assert selectors == [".missing", [".lead", "div[data-kind='text']"], ".last"]
    assert clean == [".ad", '[title="it\'s"]']
    assert news_collections.content_of_extractor("export const A = { domain: 'a' };") == ([], [])


def test_postlight(tmp_path: Path) -> None:
    """The first alternative that the page has; no Japanese site."""
    body = f'<p class="lead">{FIRST}</p><div data-kind="text"><p>{SECOND}</p><p class="ad">Buy</p></div><p>Other</p>'
    files = {
        "fixtures/news.example--old.html": page(body),
        "fixtures/news.example/2.html": page('<p class="last">The last alternative</p>'),
        "fixtures/none.example.html": page(body),
        "fixtures/zeitung.jp.html": page(body),
        "fixtures/news.example/3.html-utf8.html": page(f"<p class='last'>{FIRST}{SECOND}</p>"),
        "src/extractors/custom/news.example/index.js": EXTRACTOR,
        "src/extractors/custom/zeitung.jp/index.js": EXTRACTOR,
    }
    snapshot = Snapshot(tmp_path, "owner/name", repository(tmp_path / "name", files))
    pages = list(news_collections.postlight(snapshot, "copy"))
    assert [one.gold for one in pages] == [f"{FIRST}\n{SECOND}", "The last alternative"]
    assert {one.domain for one in pages} == {"news.example"}
    assert {one.collection for one in pages} == {"copy"}


def test_copies_of_postlight(tmp_path: Path) -> None:
    """Pages with some text, of sites that do not judge."""
    script = "export const A = { content: { selectors: ['.text'] } };"
    sites = ("news.example", "posts.example")
    files = {f"src/extractors/custom/{site}/index.js": script for site in sites}
    for site in sites:
        count = 1 if site == "posts.example" else 10
        files[f"fixtures/{site}.html"] = page(f'<div class="text">{f"<p>{FIRST} {SECOND}</p>" * count}</div>')
    snapshot = Snapshot(tmp_path, "owner/name", repository(tmp_path / "name", files))
    assert [one.id for one in news_collections.copy_of_postlight(snapshot, "copy")] == [
        "copy/fixtures/news.example.html"
    ]


def test_pages_and_texts_of_a_domain_are_taken_once() -> None:
    """Of several collections: the first one's."""

    def one(name: str, domain: str, html: str, gold: str) -> CollectedPage:
        return CollectedPage(f"{name}/1", "", domain, "article", name, html, gold, [])

    pages = [
        one("a", "a.example", "<p>1", "1"),
        one("b", "a.example", "<p>1", "another gold"),
        one("c", "a.example", "<p>2", "1 "),
        one("d", "a.example", "<p>3", "3"),
        one("e", "b.example", "<p>1", "1"),
        one("f", "a.example", "<p>4", FIRST),
        one("g", "a.example", "<p>5", f"A headline. {FIRST}"),
        one("h", "b.example", "<p>6", FIRST),
        one("i", "a.example", "<p>7", FIRST[: len(FIRST) // 2] + SECOND),
    ]
    assert [found.collection for found in news_collections.without_repeats(pages)] == ["a", "d", "e", "f", "h", "i"]


def test_portals(tmp_path: Path) -> None:
    """Entities, paragraphs over two lines, marks."""
    gold = "\nURL: http://portal.example/1\n<h>A &amp; B\n\n<p>The first\nparagraph\n\n<l>An item 1 < 2\n"
    html = '<text id="http://portal.example/1">' + page(
        "<h1>A &amp; B</h1><p>The first paragraph</p><li>An item 1 &lt; 2"
    )
    files = {"GoldStandard/portal.example_1.txt": gold, "input/portal.example_1.html": html}
    snapshot = Snapshot(tmp_path, "owner/name", repository(tmp_path / "name", files))
    (one,) = news_collections.portals(snapshot)
    assert one.gold == "A & B\nThe first paragraph\nAn item 1 < 2"
    assert (one.url, one.domain) == ("http://portal.example/1", "portal.example")
    assert one.html.startswith("<html>")


def test_readers(tmp_path: Path) -> None:
    """Pages of the web whose expected text is theirs."""
    text = f"<p>{FIRST}</p><p>{SECOND}</p>" * 4
    link = '<link rel="canonical" href="https://a.example/x">'
    folder = "test/test-pages"
    files = {
        f"{folder}/daily/source.html": f"<head>{link}</head><body><p>Sign up today</p>{text}<p>Another article</body>",
        f"{folder}/daily/expected.html": f"<div><p>Sign up today</p>{text}<p><a href=b>Another article</a></p></div>",
        f"{folder}/remove-scripts/source.html": page(text),
        f"{folder}/remove-scripts/expected.html": text,
        f"{folder}/other/source.html": page("<p>Something else</p>"),
        f"{folder}/other/expected.html": text,
        f"{folder}/with.url/source.html": page(text),
        f"{folder}/with.url/expected.html": text,
        f"{folder}/with.url/url.txt": "https://www.b.example/y\n",
        "tests/data/html/c.html": page(text),
        "tests/data/txt/c.txt": f"{FIRST}\n\n{SECOND}\n" * 4,
        "tests/data/html/d.html": page(text),
    }
    snapshot = Snapshot(tmp_path, "owner/name", repository(tmp_path / "name", files))
    pages = list(reader_tests.readability(snapshot, "readability"))
    assert [(one.id, one.url) for one in pages] == [
        ("readability/daily", "https://a.example/x"),
        ("readability/with.url", "https://www.b.example/y"),
    ]
    assert pages[0].gold == f"{FIRST}\n{SECOND}\n" * 3 + f"{FIRST}\n{SECOND}"
    assert [one.id for one in reader_tests.newspaper(snapshot)] == ["newspaper4k/c"]


SENTENCE = "これは作られたページの本文であり、あちらこちらにひらがながあります。"


def test_japanese_sites(tmp_path: Path) -> None:
    """So many pages, their content, what is apart; a rule that does not fit is told."""

    def entry(number: int, body: str) -> str:
        return page(f'<h1>題名{number}</h1><p class="date">1月{number}日</p><div class="entry">{body}</div>')

    body = f"<p>{SENTENCE * 5}</p>" + '<p class="date">投稿 1月</p><ul class="share"><li>共有</ul>'
    files = {f"blog/記事{i}/index.html": entry(i, f"<p>{i}番</p>{body}") for i in range(20)}
    files |= {
        "blog/short/index.html": entry(1, "<p>短い</p>"),
        "blog/wrong/index.html": page("なし"),
        "about.html": "x",
    }
    commit = repository(tmp_path / "name", files)
    site = japanese_sites.JapaneseSite(
        name="a blog",
        repository="owner/name",
        commit=commit,
        licence="MIT",
        pages=r"blog/.*\.html",
        url="https://blog.example/",
        kind="blog",
        generator="by hand",
        content=[".entry"],
        optional=["h1"],
        without=[".share"],
        apart=[".date"],
    )
    told: list[str] = []
    pages = list(japanese_sites.site_pages(site, Snapshot(tmp_path, "owner/name", commit), told.append))
    assert len(pages) == japanese_sites.MOST_PAGES
    assert all("共有" not in one.gold and "投稿" not in one.gold and SENTENCE in one.gold for one in pages)
    number = pages[0].id.removesuffix("/index.html").rpartition("記事")[2]
    assert pages[0].gold.startswith(f"題名{number}\n{number}番\n")
    assert pages[0].apart == [f"1月{number}日", "投稿 1月"]
    assert pages[0].url == f"https://blog.example/blog/%E8%A8%98%E4%BA%8B{number}/"
    assert (pages[0].domain, pages[0].language, pages[0].kind) == ("by hand", "ja", "blog")
    site.content = [".nothing"]
    assert not list(japanese_sites.site_pages(site, Snapshot(tmp_path, "owner/name", commit), told.append))
    assert "a blog: blog/wrong/index.html: nothing is in .nothing" in told
    assert told[-1] == "a blog: no page has content of 150 characters"


def test_the_tables_are_whole() -> None:
    """Those that are in the tree."""
    sites = japanese_sites.read_sites()
    assert len(sites) >= 40
    for repository_name, commit in content_collections.sources():
        assert len(commit) == 40
        assert repository_name.count("/") == 1
    assert not any(news_collections.judges(site.url) for site in sites)


def test_the_command_says_what_to_fetch(tmp_path: Path) -> None:
    """Two commands a commit."""
    commands = list(content_collections.clone_commands(tmp_path))
    assert len(commands) == 2 * len(content_collections.sources())
    assert any("flairNLP/fundus" in command and command.startswith("git -C") for command in commands)


def test_snippets_are_of_the_first_half(tmp_path: Path) -> None:
    """By the names of files, from either folder; the others judge."""
    names = ("b.example.html", "a.example-page.html", "d.example.html", "c.example.html")
    gold = {f"https://{name}": {"file": name, "with": [f"kept {name}"], "without": ["menu"]} for name in names}
    commit = repository(
        tmp_path / "owner/name",
        {
            "tests/evaldata.json": json.dumps(gold),
            "tests/cache/a.example-page.html": "<p>caf\xe9".encode("cp1252"),
            "tests/eval/b.example.html": "<p>日本",
        },
    )
    pages = list(trafilatura_gold.first_half(Snapshot(tmp_path, "owner/name", commit)))
    assert [page.file for page in pages] == ["a.example-page.html", "b.example.html"]
    assert [page.html for page in pages] == ["<p>café", "<p>日本"]
    assert pages[1].kept == ["kept b.example.html"]
    assert pages[1].left_out == ["menu"]
