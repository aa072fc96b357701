"""Measures the stages on Spark: against the program on the same two threads, against the original, and under skew.

    spark.py [PARAGRAPHS]    of the synthetic corpus for stats and merge (default 3,000,000)

Pages are those that UZUSHIO_REAL_PAGES names (default: `../shared/data`). UZUSHIO_ORIGINAL_EXTRACT, UZUSHIO_ORIGINAL
and UZUSHIO_ORIGINAL_FILTER name commands that run the original on Spark: `COMMAND WARC_FOLDER OUTPUT`, `COMMAND
DOCUMENTS OUTPUT --intermediate` and `COMMAND DOCUMENTS STATISTICS CONFIG OUTPUT`. Where they are not set, it is left
out. Both sides of a comparison with it are whole processes on `local[2]`; the comparison with the program is of stages
in a session that has run before.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filter import CHAIN, configure
from report import ROOT, Row, row, write

PAGES = Path(os.environ.get("UZUSHIO_REAL_PAGES", ROOT.parent / "shared" / "data"))
RELEASE = ROOT / "build" / "release"
PACKAGE = RELEASE / "python"
sys.path.insert(0, str(PACKAGE))
ROUNDS = 3
COPIES = 4
"""Of the pages, so that a stage takes some seconds."""


def local(*arguments: object) -> float:
    """Seconds of the program on two threads."""
    begin = time.monotonic()
    command = [RELEASE / "uzushio", *arguments, "--threads", 2, "--quiet", "--overwrite"]
    subprocess.run(list(map(str, command)), check=True)
    return time.monotonic() - begin


class Session:
    """Spark on two threads."""

    def __init__(self, folder: Path) -> None:
        from pyspark.sql import SparkSession

        os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        os.environ["PYTHONPATH"] = str(PACKAGE)
        from uzushio.spark import _launch

        builder = SparkSession.builder.master("local[2]")
        for name, value in (_launch.settings("local[2]") | settings(folder)).items():
            builder = builder.config(name, value)
        self.spark: Any = builder.getOrCreate()
        self.spark.sparkContext.setLogLevel("ERROR")

    def run(self, *arguments: object) -> float:
        """Seconds of a stage."""
        from uzushio.spark.__main__ import main

        begin = time.monotonic()
        if main([*map(str, arguments), "--quiet", "--overwrite"]) != 0:
            raise SystemExit("a stage failed")
        return time.monotonic() - begin

    def skew(self, since: int) -> list[tuple[str, float, float]]:
        """Of stages from `since` on: name, and the longest and the median time of their tasks, in s.

        A stage of a union runs the tasks of each part one after another, as many as there are partitions: these are
        compared among themselves.
        """
        stages = [stage for stage in self.stages() if stage.stageId() >= since and stage.numCompleteTasks() >= 4]
        partitions = min(stage.numTasks() for stage in stages if stage.shuffleReadBytes() > 0)
        found = []
        for stage in stages:
            times = self.task_times(stage)
            for begin in range(len(times) % partitions, len(times), partitions):
                part = times[begin : begin + partitions]
                found.append((f"{stage.stageId()} {stage.name()}", max(part), statistics.median(part)))
        return found

    def task_times(self, stage: Any) -> list[float]:
        """In s, by the tasks' numbers."""
        tasks = self.spark.sparkContext._jsc.sc().statusStore().taskList(stage.stageId(), stage.attemptId(), 1 << 20)
        found = {}
        for number in range(tasks.size()):
            task = tasks.apply(number)
            if task.duration().isDefined():
                found[task.index()] = task.duration().get() / 1000
        return [found[index] for index in sorted(found)]

    def stages(self) -> list[Any]:
        """What Spark knows of its stages."""
        jvm: Any = self.spark.sparkContext._jvm
        quantiles = self.spark.sparkContext._gateway.new_array(jvm.double, 0)
        store = self.spark.sparkContext._jsc.sc().statusStore()
        found = store.stageList(None, False, False, quantiles, jvm.java.util.ArrayList())
        return [found.apply(number) for number in range(found.size())]

    def next_stage(self) -> int:
        """The number of the next stage."""
        return max((stage.stageId() for stage in self.stages()), default=-1) + 1


def settings(folder: Path) -> dict[str, str]:
    """Of Spark, for all that is measured."""
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "4g",
        "spark.local.dir": str(folder / "spark"),
    }


def compare(session: Session, stage: str, target: float, folder: Path, *arguments: object) -> Row:
    """The program's time / Spark's, taking turns."""
    session.run(stage, *arguments, "--output", folder / f"warm-{stage}")
    ratios = []
    for _ in range(ROUNDS):
        ours = local(stage, *arguments, "--output", folder / f"local-{stage}")
        ratios.append(ours / session.run(stage, *arguments, "--output", folder / f"spark-{stage}"))
        print(f"{stage}: {ours:.1f} s, on Spark {ours / ratios[-1]:.1f} s", file=sys.stderr)
    return row(f"{stage}: the program's time / Spark's", ratios, "", target=target, threads=2)


def whole(folder: Path, *arguments: object) -> float:
    """Seconds of a stage on Spark, as a process of its own."""
    begin = time.monotonic()
    conf = [word for name, value in settings(folder).items() for word in ("--conf", f"{name}={value}")]
    command = [
        sys.executable,
        "-m",
        "uzushio.spark",
        *arguments,
        "--master",
        "local[2]",
        *conf,
        "--quiet",
        "--overwrite",
    ]
    subprocess.run(list(map(str, command)), check=True)
    return time.monotonic() - begin


def against_original(
    folder: Path, name: str, target: float, ours: Sequence[object], theirs: Sequence[object]
) -> Row | None:
    """The original's time / ours. `theirs` are its arguments."""
    variable = "UZUSHIO_ORIGINAL" + {"stats": ""}.get(name, f"_{name.upper()}")
    command = os.environ.get(variable)
    if command is None:
        print(f"{variable} is not set: the original's {name} is not measured", file=sys.stderr)
        return None
    begin = time.monotonic()
    subprocess.run([*command.split(), *map(str, theirs)], check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    ratio = seconds / whole(folder, name, *ours, "--output", folder / f"whole-{name}")
    print(f"{name}: the original {seconds:.1f} s, ours {seconds / ratio:.1f} s", file=sys.stderr)
    return row(f"{name}: the original's time / ours, both on Spark", [ratio], "times", target=target, threads=2)


def skewed(path: Path) -> None:
    """Documents of which each tenth has the same footer, or a variant of it."""
    choose = random.Random(1)
    footer = "著作権は株式会社うずしおに帰属し、無断転載を禁じます。ご利用の前に必ず規約をお読みください。"
    texts = []
    for number in range(300_000):
        paragraphs = ["".join(chr(choose.randrange(0x3042, 0x9000)) for _ in range(40)) for _ in range(4)]
        if number % 10 == 0:
            paragraphs.append(footer if number % 20 else f"{footer}{number}")
        texts.append("\n\n".join(paragraphs))
    ids = [f"{number:08}" for number in range(len(texts))]
    pq.write_table(pa.table({"docId": ids, "text": texts}), path, row_group_size=10_000)


def copies_of_pages(folder: Path, copies: int) -> Path:
    """A folder with so many copies of the pages."""
    folder.mkdir()
    for path in sorted(PAGES.glob("*.warc.gz")):
        shutil.copy(path, folder / f"0-{path.name}")
        for copy in range(1, copies):
            os.link(folder / f"0-{path.name}", folder / f"{copy}-{path.name}")
    return folder


def synthetic(folder: Path, paragraphs: int) -> Path:
    """A corpus of variants of paragraphs."""
    folder.mkdir()
    make = [RELEASE / "bench_synthetic", paragraphs, folder]
    subprocess.run(list(map(str, make)), check=True, stdout=subprocess.DEVNULL)
    (folder / "truth.parquet").unlink()
    return folder / "documents.parquet"


def against_program(session: Session, folder: Path, paragraphs: int) -> list[Row]:
    """Stages in a session that has run before, against the program."""
    pages, documents = copies_of_pages(folder / "pages", COPIES), folder / "documents"
    local("extract", pages, "--text=original", "--output", documents)
    local("stats", documents, "--output", folder / "statistics")
    options = [documents, "--config", configure(folder / "chain.conf", CHAIN), "--stats", folder / "statistics"]
    corpus = synthetic(folder / "synthetic", paragraphs)
    return [
        compare(session, "extract", 0.6, folder, pages),
        compare(session, "filter", 0.6, folder, *options),
        compare(session, "metrics", 0.6, folder, *options),
        compare(session, "stats", 0.3, folder, corpus, "--intermediate"),
        compare(session, "merge", 0.3, folder, folder / "local-stats"),
    ]


def under_skew(session: Session, folder: Path) -> Row:
    """How much longer than others the longest task is."""
    skewed(folder / "skewed.parquet")
    since = session.next_stage()
    session.run("stats", folder / "skewed.parquet", "--output", folder / "skew", "--intermediate")
    tasks = [
        (longest / median, name, longest, median) for name, longest, median in session.skew(since) if longest > 0.2
    ]
    for ratio, name, longest, median in sorted(tasks, reverse=True)[:5]:
        print(f"skew {ratio:.2f}: {name}: longest {longest:.2f} s, median {median:.2f} s", file=sys.stderr)
    worst = [max([ratio for ratio, *_ in tasks], default=1.0)]
    return row("stats, a footer on a tenth of the pages: longest / median task", worst, "", target=3, better="lower")


def against_originals(folder: Path, paragraphs: int) -> list[Row]:
    """Whole processes, on data that they have minutes for: starting takes either some ten seconds."""
    pages, documents = copies_of_pages(folder / "many-pages", COPIES * 4), folder / "many-documents"
    local("extract", pages, "--text=original", "--output", documents)
    corpus = synthetic(folder / "synthetic-documents", paragraphs).parent
    theirs = folder / "theirs"
    chain = configure(folder / "their-chain.conf", CHAIN)
    rows = [
        against_original(folder, "extract", 8, [pages], [pages, folder / "theirs-documents"]),
        against_original(folder, "stats", 8, [corpus], [corpus, theirs, "--intermediate"]),
    ]
    if theirs.exists():
        local("merge", theirs, "--output", folder / "merged")
        ours = [documents, "--config", chain, "--stats", folder / "merged"]
        rows.append(against_original(folder, "filter", 10, ours, [documents, theirs, chain, folder / "passed"]))
    return [found for found in rows if found is not None]


def main() -> None:
    """All of it."""
    paragraphs = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000_000
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as temporary:
        folder = Path(temporary)
        session = Session(folder)
        rows = against_program(session, folder, paragraphs)
        rows.append(under_skew(session, folder))
        session.spark.stop()
        rows += against_originals(folder, paragraphs // 3)
    write("spark", rows)


if __name__ == "__main__":
    main()
