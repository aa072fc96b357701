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
        builder = SparkSession.builder.master("local[2]")
        for name, value in settings(folder).items():
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
        """Of the stages of jobs from `since` on: name, and the longest and the median time of their tasks, in s."""
        store = self.spark.sparkContext._jsc.sc().statusStore()
        found = []
        stages = store.stageList(None)
        for index in range(stages.size()):
            stage = stages.apply(index)
            if stage.stageId() < since or stage.numCompleteTasks() < 4:
                continue
            tasks = store.taskList(stage.stageId(), stage.attemptId(), 1 << 20)
            times = [
                tasks.apply(i).duration().get() / 1000
                for i in range(tasks.size())
                if tasks.apply(i).duration().isDefined()
            ]
            found.append((str(stage.name()), max(times), statistics.median(times)))
        return found

    def last_stage(self) -> int:
        """The number of the next stage."""
        stages = self.spark.sparkContext._jsc.sc().statusStore().stageList(None)
        return max((stages.apply(i).stageId() for i in range(stages.size())), default=-1) + 1


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
    ratios = []
    for _ in range(2):
        begin = time.monotonic()
        subprocess.run([*command.split(), *map(str, theirs)], check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - begin
        ratios.append(seconds / whole(folder, name, *ours, "--output", folder / f"whole-{name}"))
        print(f"{name}: the original {seconds:.1f} s, ours {seconds / ratios[-1]:.1f} s", file=sys.stderr)
    return row(f"{name}: the original's time / ours, both on Spark", ratios, "times", target=target, threads=2)


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


def main() -> None:
    """All of it."""
    rows: list[Row | None] = []
    paragraphs = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000_000
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as temporary:
        folder = Path(temporary)
        session = Session(folder)
        pages, documents = folder / "pages", folder / "documents"
        pages.mkdir()
        for copy in range(COPIES):
            for path in sorted(PAGES.glob("*.warc.gz")):
                shutil.copy(path, pages / f"{copy}-{path.name}")
        local("extract", pages, "--output", documents)
        local("stats", documents, "--output", folder / "statistics")
        chain = configure(folder / "chain.conf", CHAIN)
        options = [documents, "--config", chain, "--stats", folder / "statistics"]
        synthetic = folder / "synthetic"
        synthetic.mkdir()
        make = [RELEASE / "bench_synthetic", paragraphs, synthetic]
        subprocess.run(list(map(str, make)), check=True, stdout=subprocess.DEVNULL)
        rows.append(compare(session, "extract", 0.6, folder, pages))
        rows.append(compare(session, "filter", 0.6, folder, *options))
        rows.append(compare(session, "metrics", 0.6, folder, *options))
        rows.append(compare(session, "stats", 0.3, folder, synthetic / "documents.parquet", "--intermediate"))
        rows.append(compare(session, "merge", 0.3, folder, folder / "local-stats"))

        skewed(folder / "skewed.parquet")
        since = session.last_stage()
        session.run("stats", folder / "skewed.parquet", "--output", folder / "skew", "--intermediate")
        tasks = [
            (longest / median, name, longest, median) for name, longest, median in session.skew(since) if longest > 1
        ]
        for ratio, name, longest, median in sorted(tasks, reverse=True)[:5]:
            print(f"skew {ratio:.2f}: {name}: longest {longest:.2f} s, median {median:.2f} s", file=sys.stderr)
        worst = [max([ratio for ratio, *_ in tasks], default=1.0)]
        rows.append(
            row("stats, a footer on a tenth of the pages: longest / median task", worst, "", target=3, better="lower")
        )
        session.spark.stop()

        rows.append(against_original(folder, "extract", 8, [pages], [pages, folder / "theirs-documents"]))
        theirs = folder / "theirs"
        rows.append(against_original(folder, "stats", 8, [documents], [documents, theirs, "--intermediate"]))
        if theirs.exists():
            local("merge", theirs, "--output", folder / "merged")
            ours = [documents, "--config", chain, "--stats", folder / "merged"]
            rows.append(against_original(folder, "filter", 10, ours, [documents, theirs, chain, folder / "passed"]))
    write("spark", [item for item in rows if item is not None])


if __name__ == "__main__":
    main()
