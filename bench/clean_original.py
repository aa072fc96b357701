"""The original's CorpusCleaner, compiled from its source tree and run by PySpark's Spark on two threads.

What it needs beside Spark is brought into build/clean-peer: its Java libraries by the Ivy that comes with Spark, and,
as its Sudachi reads none of the newer ones, a dictionary of 2024 (requirements/clean.txt).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from process import Cost, measured
from report import ROOT

PEER = ROOT / "build" / "clean-peer"
PACKAGE = "com/worksap/nlp/uzushio"
SOURCES = ["CorpusCleaner.scala", "DocumentIO.scala", "Sudachi.scala", "cleaning/*.scala"]
LIBRARIES = """<ivy-module version="2.0">
  <info organisation="uzushio" module="clean-peer"/>
  <dependencies>
    <dependency org="com.typesafe" name="config" rev="1.4.3" conf="default->default"/>
    <dependency org="org.rogach" name="scallop_2.12" rev="4.1.0" conf="default->default"/>
    <dependency org="com.worksap.nlp" name="sudachi" rev="0.7.3" conf="default->default"/>
    <exclude org="org.scala-lang"/>
  </dependencies>
</ivy-module>
"""
MEMORY = "6g"


def run(*command: object) -> None:
    """A command in the peer's folder."""
    subprocess.run([str(part) for part in command], cwd=PEER, check=True, stdout=sys.stderr)


def spark_home() -> Path:
    """PySpark's Spark."""
    import pyspark

    return Path(pyspark.__file__).parent


def fetch() -> None:
    """The libraries and the dictionary, where they are not there yet."""
    wanted = hashlib.sha256((LIBRARIES + (ROOT / "requirements" / "clean.txt").read_text()).encode()).hexdigest()
    stamp = PEER / ".stamp"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    PEER.mkdir(parents=True, exist_ok=True)
    (PEER / "ivy.xml").write_text(LIBRARIES)
    (ivy,) = (spark_home() / "jars").glob("ivy-*.jar")
    pattern = "jars/[artifact]-[revision].[ext]"
    run("java", f"-Divy.default.ivy.user.dir={PEER}/ivy", "-jar", ivy, "-ivy", "ivy.xml", "-retrieve", pattern)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--upgrade"]
    lock = ROOT / "requirements" / "clean.txt"
    run(*pip, "--require-hashes", "-r", lock, "--target", PEER / "dictionary")
    stamp.write_text(wanted)


class Original:
    """CorpusCleaner of a source tree."""

    def __init__(self, tree: Path) -> None:
        fetch()
        main = tree.resolve() / "core" / "src" / "main"
        self.resources = main / "resources"
        sources = [path for name in SOURCES for path in sorted((main / "scala" / PACKAGE).glob(name))]
        if len(sources) < len(SOURCES):
            sys.exit(f"{tree}: no source tree of the original: {main / 'scala' / PACKAGE} has no CorpusCleaner")
        jars = [*sorted((PEER / "jars").glob("*.jar")), *sorted((spark_home() / "jars").glob("*.jar"))]
        classes = PEER / "classes"
        classes.mkdir(exist_ok=True)
        compiler = ["java", "-Xss8m", "-cp", os.pathsep.join(map(str, jars)), "scala.tools.nsc.Main", "-nowarn"]
        run(*compiler, "-encoding", "utf-8", "-classpath", os.pathsep.join(map(str, jars)), "-d", classes, *sources)
        self.path = os.pathsep.join(map(str, [classes, self.resources, *sorted((PEER / "jars").glob("*.jar"))]))
        (self.dictionary,) = (PEER / "dictionary").glob("sudachidict_small/resources/system.dic")

    def clean(self, folder: Path, given: Path, output: Path, config: str, *options: object) -> Cost:
        """Runs it in a folder, where its lists may lie."""
        link = folder / "system_core.dic"
        link.unlink(missing_ok=True)
        link.symlink_to(self.dictionary)
        command: list[object] = [spark_home() / "bin" / "spark-submit", "--master", "local[2]"]
        command += ["--driver-memory", MEMORY, "--driver-java-options", "-Dfile.encoding=UTF-8"]
        command += ["--conf", "spark.ui.enabled=false", "--driver-class-path", self.path]
        command += ["--class", "com.worksap.nlp.uzushio.CorpusCleaner", "spark-internal"]
        command += ["--input", given, "--output", output, "--config", config, *options]
        return measured(command, folder, folder / "original.log")
