"""The batch jobs of docs/clusters: a scheduler that runs each job at once gives what one run gives."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import PROGRAM, ROOT, Uzushio, read_documents
from warc_builder import Record, build

CLUSTERS = ROOT / "docs" / "clusters"
PARTS = 3

# sbatch and qsub: the job's script once for each index of the array, in the folder of the submission; prints a number.
SCHEDULER = """#!/usr/bin/env bash
set -euo pipefail
array=
while (($#)); do
    case $1 in
        --array | -J) array=${2%%%*}; shift 2 ;;
        -v) IFS=, read -ra set <<<"$2"; export "${set[@]}"; shift 2 ;;
        --parsable | --requeue) shift ;;
        -*) shift 2 ;;
        *) break ;;
    esac
done
export SLURM_CPUS_PER_TASK=2 SLURM_MEM_PER_NODE=1024 PBS_O_WORKDIR=$PWD
if [ -z "$array" ]; then "$@" >&2; else
    for ((i = ${array%-*}; i <= ${array#*-}; i++)); do SLURM_ARRAY_TASK_ID=$i PBS_ARRAY_INDEX=$i "$@" >&2; done
fi
echo x >>submitted
wc -l <submitted
"""

CHAIN = """filters: [
  {"class": "LargeFreqParagraphs", "count": 1, "freq": 4}
  {"class": "DocLength", "low": 20}
]
"""


def page(file: int, number: int) -> Record:
    """One whose first paragraph is on every page, whose second is on half of them, and whose last is its own."""
    shared = "このサイトについてのお知らせはこちらのページにあります。"
    half = f"あたらしい記事を{number % 2}つの分野からえらんでお届けしています。"
    own = "".join(chr(ord("ぁ") + byte % 80) for byte in random.Random(100 * file + number).randbytes(200))
    return {"uri": f"http://site{file}.jp/{number}", "body": f"<p>{shared}</p><p>{half}</p><p>{own}</p>"}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder as the guide wants it."""
    for file in range(7):
        (tmp_path / f"{file}.warc.gz").write_bytes(build([page(file, number) for number in range(5)], "warc.gz"))
    (tmp_path / "corpus.list").write_text("".join(f"{file}.warc.gz\n" for file in range(7)), encoding="utf-8")
    (tmp_path / "chain.conf").write_text(CHAIN, encoding="utf-8")
    return tmp_path


def statistics(folder: Path) -> pa.Table:
    """The rows, in their order."""
    return pq.read_table(folder / "statistics.parquet")


@pytest.mark.parametrize("script", ["slurm.sh", "pbs.sh"])
def test_parts_give_what_one_run_gives(script: str, corpus: Path, uzushio: Uzushio) -> None:
    """All stages through the scheduler, twice, against the program's own runs over the whole corpus."""
    commands = corpus / "commands"
    commands.mkdir()
    for name in ("sbatch", "qsub"):
        (commands / name).write_text(SCHEDULER, encoding="utf-8")
        (commands / name).chmod(0o755)
    settings = {"PATH": f"{commands}:{os.environ['PATH']}", "UZUSHIO": str(PROGRAM), "TMPDIR": str(corpus)}
    for _ in range(2):  # what is done is done: the second time changes nothing
        subprocess.run([CLUSTERS / script, str(PARTS)], cwd=corpus, env=os.environ | settings, check=True, timeout=300)
    assert (corpus / "submitted").read_text() == "x\n" * 8

    files = [corpus / f"{file}.warc.gz" for file in range(7)]
    uzushio("extract", *files, "--output", corpus / "all", "--quiet")
    uzushio("stats", corpus / "all", "--output", corpus / "all-statistics", "--quiet")
    chain = ["--config", corpus / "chain.conf", "--stats", corpus / "all-statistics"]
    uzushio("filter", corpus / "all", *chain, "--output", corpus / "all-clean", "--quiet")

    assert statistics(corpus / "statistics" / "all").equals(statistics(corpus / "all-statistics"))
    clean: dict[str, str] = {}
    for part in range(PARTS):
        clean |= texts(corpus / "clean" / str(part))
    assert clean == texts(corpus / "all-clean")
    assert len(clean) == 35
    assert not any("このサイトについて" in text for text in clean.values())


def texts(folder: Path) -> dict[str, str]:
    """The texts of an output of `filter`, by their documents' ids."""
    rows = [row for path in sorted(folder.glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    return {row["docId"]: row["text"] for row in rows or read_documents(folder)}
