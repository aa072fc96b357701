"""The commands of the pages that are no tutorials: each runs, on data of the names that the page has."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pipeline_pages import write_archive
from program import ROOT, run_uzushio
from walk_through import run
from warc_builder import build

CHAIN = 'filters: [{"class": "HiraganaRatio", "low": 0.15}, {"class": "DocLength", "low": 200}]\n'


def extract(archive: Path, folder: str) -> None:
    """The documents of an archive."""
    run_uzushio("extract", archive, "--output", folder, "--quiet")


def text_corpora() -> None:
    """Text, and paragraphs in a table."""
    Path("corpus").mkdir()
    lines = [f"これは{number}番目の文で、ほかのどの文とも違うことを書いています。" for number in range(20)]
    Path("corpus/a.txt").write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    pq.write_table(pa.table({"text": ["\n\n".join(lines)]}), "documents.parquet")


def lists() -> None:
    """A list of hosts as UT1 has them, one of our own, and NG expressions."""
    Path("blacklists/adult").mkdir(parents=True)
    Path("blacklists/adult/domains").write_text("adult.example\n", encoding="utf-8")
    Path("ours.txt").write_text("bad.example\n", encoding="utf-8")
    Path("ng.txt").write_text("ひどい言葉\n", encoding="utf-8")


def hosts() -> None:
    """Documents, lists and a chain."""
    extract(Path("crawl/2023.warc.gz"), "documents")
    lists()
    Path("chain.conf").write_text(CHAIN, encoding="utf-8")


def languages() -> None:
    """Pages in two languages, and more of them."""
    shutil.copytree("crawl", "pages")
    shutil.copytree("crawl", "more")


def near_documents() -> None:
    """Snapshots, and parts of a corpus."""
    for number, year in enumerate(("2023", "2024"), 1):
        extract(Path(f"crawl/{year}.warc.gz"), f"part{number}")
    extract(write_archive(Path("third.warc.gz"), 10), "part3")
    shutil.copytree("part1", "documents")
    shutil.copytree("part2", "snapshot2")
    run_uzushio("minhash", "part1", "--output", "unique1", "--quiet")


def datasets() -> None:
    """Two years, and JSON Lines of another source."""
    for year in ("2023", "2024"):
        extract(Path(f"crawl/{year}.warc.gz"), year)
    Path("2024").rename("2022")
    Path("other.jsonl").write_text(
        '{"text": "別の出どころの文章です。", "url": "http://example.jp/"}\n', encoding="utf-8"
    )


def stages() -> None:
    """Documents, statistics and two chains, and the folder of a `uzushio run`."""
    extract(Path("crawl/2023.warc.gz"), "documents")
    run_uzushio("stats", "documents", "--output", "statistics", "--quiet")
    Path("chain.conf").write_text(CHAIN, encoding="utf-8")
    Path("strict.conf").write_text(CHAIN.replace("200", "600"), encoding="utf-8")
    run_uzushio("run", "--preset", "uzushio", "--input", "crawl/2023.warc.gz", "--output", "corpus", "--quiet")


def personal_data() -> None:
    """Pages, the text that the page shows, and its chains."""
    page = (ROOT / "docs" / "personal-data.md").read_text(encoding="utf-8")
    text = next(line for line in page.splitlines() if "taro@" in line).strip()
    Path("texts.jsonl").write_text(json.dumps({"docId": "1", "text": text}), encoding="utf-8")
    Path("mask.conf").write_text('filters: [{"class": "MaskPersonalData"}]', encoding="utf-8")
    shutil.copy("crawl/2023.warc.gz", "pages.warc.gz")
    chain = 'include required("corpus/_chains/clean.conf")\nfilters += {"class": "MaskPersonalData"}\n'
    Path("masked.conf").write_text(chain, encoding="utf-8")


def labelled_texts() -> None:
    """Texts of two labels."""
    lines = [f'{{"docId": "{n}", "text": "これは{n % 2}番目の文です。", "quality": {n % 2}}}' for n in range(60)]
    Path("labelled.jsonl").write_text("\n".join(lines), encoding="utf-8")


def benchmarks() -> None:
    """Pages, and items in two forms."""
    extract(Path("crawl/2023.warc.gz"), "documents")
    Path("benchmarks").mkdir()
    Path("benchmarks/jcommonsenseqa.jsonl").write_text(
        '{"question": "この中で、水に浮かぶものはどれでしょうか。", "choices": ["木", "石"], "answer": 0}\n',
        encoding="utf-8",
    )
    rows = {"question": ["太郎は林檎を十二個持っています。残りは何個ですか。"], "answer": ["7"]}
    pq.write_table(pa.table(rows), "benchmarks/mgsm.parquet")


def rights() -> None:
    """The chains that the page shows, and files of robots.txt."""
    Path("rights.conf").write_text('filters: [{"class": "OptOut"}, {"class": "License"}]\n', encoding="utf-8")
    chain = "filters: [{class: OptOut, robots_txt: robots, agents: [CCBot, GPTBot, Google-Extended, ClaudeBot]}]\n"
    Path("robots.conf").write_text(chain, encoding="utf-8")
    Path("robotstxt").mkdir()
    rules = {"uri": "http://example.jp/robots.txt", "body": "User-agent: GPTBot\nDisallow: /1"}
    Path("robotstxt/0.warc.gz").write_bytes(build([rules], "warc.gz"))


def archives() -> None:
    """What is there anyway."""


PAGES: dict[str, Callable[[], None]] = {
    "architecture.md": stages,
    "classifier.md": labelled_texts,
    "clean.md": text_corpora,
    "commands.md": archives,
    "contamination.md": benchmarks,
    "cost.md": archives,
    "crawl.md": archives,
    "filters.md": stages,
    "hosts.md": hosts,
    "language.md": languages,
    "minhash.md": near_documents,
    "overlap.md": datasets,
    "personal-data.md": personal_data,
    "reliability.md": archives,
    "report.md": stages,
    "rights.md": rights,
    "security.md": archives,
    "swallow.md": lists,
}


# Pages whose commands other tests run: test_tutorial.py, test_run.py, test_shell.py; on stores:
# test_object_stores.py.
ELSEWHERE = {"formats.md", "migration.md", "pipeline.md", "troubleshooting.md"}


def commands_of(page: Path) -> list[str]:
    """The commands in a page's blocks, but for those that serve until they are stopped (test_report_serve.py)."""
    lines = page.read_text(encoding="utf-8").splitlines()
    commands = [line.strip() for line in lines if line.startswith(("    uzushio ", "    for "))]
    return [command for command in commands if " --serve" not in command]


def test_no_page_is_left_out() -> None:
    """Each with commands is here or elsewhere."""
    with_commands = {page.name for page in (ROOT / "docs").glob("*.md") if commands_of(page)}
    assert with_commands == PAGES.keys() | ELSEWHERE


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_a_page(page: str, tmp_path: Path, dictionary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those in blocks, in their order; an output that another of them has made is replaced."""
    monkeypatch.chdir(tmp_path)
    subprocess.run([sys.executable, ROOT / "tools" / "tutorial_crawl.py", "crawl"], check=True)
    PAGES[page]()
    Path("system.dic").symlink_to(dictionary)
    # As if the reader had HojiChar, and a dictionary in the active environment.
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    Path("words.txt").write_text("ひどい言葉\n", encoding="utf-8")
    monkeypatch.setenv("ng_words", "words.txt")
    for command in commands_of(ROOT / "docs" / page):
        overwriting = command.partition(" #")[0].rstrip().removesuffix("; done")
        # `run` goes on where it was instead.
        overwriting += " --overwrite" if "--output " in command and not command.startswith("uzushio run ") else ""
        done = run(overwriting + ("; done" if command.endswith("; done") else ""), tmp_path)
        assert done.returncode == 0, f"{page}: {command}\n{done.stdout}"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_a_page_begins_with_its_purpose_a_command_and_its_output(page: Path) -> None:
    """In this order, on its first screens: text, a block with a command, and a block or lines behind it."""
    lines = page.read_text(encoding="utf-8").splitlines()[:48]
    assert lines[0].startswith("# ")
    assert lines[2]
    assert not lines[2].startswith(("#", "|", "    ", "```"))
    code = [place for place, line in enumerate(lines) if line.startswith(("    ", "$ ", ">>> "))]
    starts = ("uzushio ", "$ ", ">>> ", "./dev ", "pip ", "CPUS=")
    commands = [place for place in code if lines[place].lstrip().startswith(starts)]
    assert commands
    output = [
        place
        for place in range(commands[0] + 1, len(lines))
        if lines[place].strip() and not lines[place].startswith(("#", "```", "|")) and place not in commands
    ]
    in_blocks = [place for place in output if lines[place].startswith("    ") or _is_in_fence(lines, place)]
    assert in_blocks


def _is_in_fence(lines: list[str], place: int) -> bool:
    return sum(line.startswith("```") for line in lines[:place]) % 2 == 1
