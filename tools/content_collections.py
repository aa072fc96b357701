"""Pages whose main content is known, from checkouts of other projects: says what there is, and writes JSON Lines.

    content_collections.py --checkouts FOLDER [--output FILE] [--only COLLECTION] [--clone]

    --checkouts FOLDER  folder of checkouts or bare repositories: OWNER/NAME, OWNER+NAME or NAME of each
    --output FILE       JSON Lines, an object a page: id, url, domain, kind, collection, html, gold, apart, language
    --only COLLECTION   one of them: japanese, or a name in content_collections.toml
    --clone             print the commands that fetch what is missing, and stop

Repositories, commits and licences of the collections are in content_collections.toml, those of the Japanese sites in
japanese_sites.toml. Nothing of the pages is kept here. A repository that is missing is an error; a rule that does not
fit a page of its site is told, and the page left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import japanese_sites
import news_collections
import reader_tests
import trafilatura_gold
from collected_page import CollectedPage
from git_snapshots import Snapshot, SnapshotError
from trafilatura_gold import SnippetPage

COLLECTIONS = Path(__file__).with_suffix(".toml")
JAPANESE = "japanese"
FUNDUS = "fundus"


@dataclass
class Collection:
    """A repository with pages and their gold."""

    name: str
    repository: str
    commit: str
    licence: str


def read_collections(path: Path = COLLECTIONS) -> list[Collection]:
    """The table."""
    return [Collection(**table) for table in tomllib.loads(path.read_text(encoding="utf-8"))["collection"]]


def snippets_collection() -> Collection:
    """That of which only snippets are judged."""
    return Collection(**tomllib.loads(COLLECTIONS.read_text(encoding="utf-8"))["snippets"])


def snippet_pages(folder: Path) -> Iterator[SnippetPage]:
    """Its pages, those that judge the model left out."""
    collection = snippets_collection()
    yield from trafilatura_gold.first_half(Snapshot(folder, collection.repository, collection.commit))


def say(text: str) -> None:
    """On standard error."""
    print(text, file=sys.stderr, flush=True)


def pages_of(collection: Collection, snapshot: Snapshot) -> Iterator[CollectedPage]:
    """A collection's pages."""
    match collection.name:
        case "fundus":
            yield from news_collections.fundus(snapshot)
        case "postlight":
            yield from news_collections.postlight(snapshot, collection.name)
        case "jbrayton" | "jocmp" | "recast" | "shinyfrog":
            yield from news_collections.copy_of_postlight(snapshot, collection.name)
        case "portals":
            yield from news_collections.portals(snapshot)
        case "newspaper4k":
            yield from reader_tests.newspaper(snapshot)
        case "readability" | "smartreader" | "omnivore":
            yield from reader_tests.readability(snapshot, collection.name)
        case other:
            raise ValueError(f"{COLLECTIONS}: nothing reads the collection {other}")


def collected(folder: Path, only: str | None = None) -> Iterator[CollectedPage]:
    """All pages, each text of a domain once. Pages of domains that judge the model are left out."""

    def everything() -> Iterator[CollectedPage]:
        for collection in read_collections():
            if only in (None, collection.name):
                yield from pages_of(collection, Snapshot(folder, collection.repository, collection.commit))
        if only in (None, JAPANESE):
            for site in japanese_sites.read_sites():
                yield from japanese_sites.site_pages(site, Snapshot(folder, site.repository, site.commit), say)

    publishers = next(collection for collection in read_collections() if collection.name == FUNDUS)
    hosts = news_collections.judging_hosts(Snapshot(folder, publishers.repository, publishers.commit))
    pages = (page for page in everything() if page.collection == FUNDUS or not news_collections.judges(page.url, hosts))
    return news_collections.without_repeats(pages)


def sources() -> list[tuple[str, str]]:
    """Repositories and commits, each once."""
    found = [(each.repository, each.commit) for each in [*read_collections(), snippets_collection()]]
    found += [(site.repository, site.commit) for site in japanese_sites.read_sites()]
    return list(dict.fromkeys(found))


def clone_commands(folder: Path) -> Iterator[str]:
    """What fetches the repositories that the folder does not have at their commits."""
    for repository, commit in sources():
        try:
            Snapshot(folder, repository, commit)
        except SnapshotError:
            place = folder / repository
            yield f"git init -q --bare '{place}'"
            yield f"git -C '{place}' fetch -q --depth 1 https://github.com/{repository} {commit}"


def summary(counts: dict[tuple[str, str], Counter[str]]) -> Iterator[str]:
    """A table: pages, sites and characters of gold by collection and kind."""
    yield f"{'collection':14} {'kind':14} {'pages':>6} {'sites':>6} {'characters':>12}"
    for (collection, kind), count in sorted(counts.items()):
        sites = sum(key.startswith("site ") for key in count)
        yield f"{collection:14} {kind:14} {count['pages']:6} {sites:6} {count['characters']:12,}"


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="Pages whose main content is known, from checkouts of other projects.")
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", choices=[*(each.name for each in read_collections()), JAPANESE])
    parser.add_argument("--clone", action="store_true")
    options = parser.parse_args()
    if options.clone:
        print(*clone_commands(options.checkouts), sep="\n")
        return 0
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    try:
        with options.output.open("w", encoding="utf-8") if options.output else nullcontext() as output:
            for page in collected(options.checkouts, options.only):
                count = counts[page.collection, page.kind]
                site = page.id.split("/")[1] if page.collection == JAPANESE else page.domain
                count.update({"pages": 1, "characters": len(page.gold), f"site {site}": 1})
                if output:
                    print(json.dumps(page.row(), ensure_ascii=False), file=output)
    except SnapshotError as error:
        say(f"{error}\n--clone prints the commands that fetch all that is missing")
        return 1
    print(*summary(counts), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
