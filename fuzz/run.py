"""Runs every fuzz target for some seconds, from seeds made of the end-to-end cases.

Usage: run.py BUILD_DIR SECONDS [TARGET]. Exits with 1 when a target finds something; the input then lies in
BUILD_DIR/findings.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from language_model import model_file  # noqa: E402
from program import read_json  # noqa: E402
from warc_builder import CONTAINERS, block_of, build  # noqa: E402

SMALL = 1 << 15


CHAIN = """# 注釈
filters: [
  {"class": "DocLength", "low": 50}, {class: com.worksap.nlp.uzushio.lib.filters.HiraganaRatio, low = 0.1, high: ${?x}}
  {"class": "WordTypes", "list": "words.txt", "threshold": "9", kind: "log10"}
]
"""
HOSTS = "\ufeff# 注釈\r\nexample.com\n.5ch.net\nhttp://日本語.jp:80/a/?b=1\n[::1]\n10.0.0.1\n*.a.b\n"
DOCUMENT = "\n\n".join(
    [
        "body>div.main>p\x1c\x02リンク\x03の文です。",
        "body>ul>li\x1c項目",
        "body>ul>li\x1c項目",
        "body>h1#t>h2\x1c題",
        "body>p\x1d07\x1c本文ではない",
        "文",
    ]
)


def write_seeds(folder: Path) -> None:
    """WARC files for the reader, HTTP responses for extraction, a document, a chain and a list of hosts for filters."""
    targets = ("warc_reader", "extract", "filter", "chain_config", "comparer", "classifier", "host_lists")
    for target in (f"{name}_fuzz" for name in targets):
        (folder / target).mkdir(parents=True, exist_ok=True)
    (folder / "filter_fuzz" / "document").write_text(DOCUMENT, encoding="utf-8")
    (folder / "host_lists_fuzz" / "hosts").write_text(HOSTS, encoding="utf-8")
    (folder / "chain_config_fuzz" / "chain").write_text(CHAIN, encoding="utf-8")
    (folder / "classifier_fuzz" / "model").write_bytes(model_file({"あ": 1.0, "ああ": 0.5, "あああ": -0.25, "a": -1.0}))
    for case in sorted((ROOT / "tests" / "program" / "cases").iterdir()):
        description = read_json(case / "case.json")
        for container in description.get("containers", CONTAINERS):
            data = build(description["records"], container, description.get("cut", 0))
            if len(data) < SMALL:
                (folder / "warc_reader_fuzz" / f"{case.name}.{container}").write_bytes(data)
        for index, record in enumerate(description["records"]):
            block = block_of(record)
            if len(block) < SMALL:
                (folder / "extract_fuzz" / f"{case.name}.{index}").write_bytes(block)


def run(target: Path, seeds: Path, findings: Path, seconds: int) -> bool:
    """Whether the target finds nothing."""
    corpus = target.parent / "corpus" / target.name
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048", "-max_len=65536"]
    command = [target, corpus, seeds, f"-artifact_prefix={findings}/", "-print_final_stats=1", *limits]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    executed = [line for line in done.stderr.splitlines() if "number_of_executed_units" in line]
    print(f"{target.name}: {executed[0].split()[-1] if executed else 'no'} runs, exit {done.returncode}")
    if done.returncode != 0:
        print(done.stderr[-4000:])
    return done.returncode == 0


def main() -> int:
    """Runs all targets of the build directory."""
    build_dir, seconds = Path(sys.argv[1]), int(sys.argv[2])
    seeds = build_dir / "seeds"
    write_seeds(seeds)
    wanted = sys.argv[3] if len(sys.argv) > 3 else "*_fuzz"
    targets = sorted(path for path in build_dir.glob(wanted) if path.is_file())
    passed = sum(run(target, seeds / target.name, build_dir / "findings", seconds) for target in targets)
    print(f"{passed} passed, {len(targets) - passed} failed")
    return 0 if targets and passed == len(targets) else 1


if __name__ == "__main__":
    sys.exit(main())
