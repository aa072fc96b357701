"""Others' MinHash on the same documents, for bench/minhash.py.

text-dedup, datatrove: `PEER DOCUMENTS.parquet OUT.json BUCKETS VALUES` finds duplicates, and writes the numbers
(docId) of those that it removes. datasketch: `PEER TEXTS.json OUT.json` makes signatures, and writes the seconds of the
processor.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


def text_dedup(documents: Path, folder: Path, buckets: int, values: int) -> list[int]:
    """Its script with 5-grams and the same buckets; what it keeps, it writes as a dataset."""
    import datasets

    options = {"num_perm": buckets * values, "b": buckets, "r": values, "ngram": 5, "min_length": 0}
    options |= {"batch_size": 1000, "num_proc": 1}
    command = [sys.executable, "-m", "text_dedup.minhash", "--path", "parquet", "--data_files", str(documents)]
    command += ["--split", "train", "--column", "text", "--output", str(folder / "out"), "--cache_dir", str(folder)]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kept = {int(one) for one in datasets.load_from_disk(str(folder / "out"))["docId"]}
    return sorted(set(range(pq.read_metadata(documents).num_rows)) - kept)


def datatrove(documents: Path, folder: Path, buckets: int, values: int) -> list[int]:
    """Its four steps, one task each, with the same buckets, Japanese words."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
        MinhashDedupSignature,
    )
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import ParquetReader
    from datatrove.pipeline.writers import JsonlWriter
    from datatrove.utils.typeshelper import Languages

    config = MinhashConfig(n_grams=5, num_buckets=buckets, hashes_per_bucket=values)
    reader = ParquetReader(str(documents.parent), id_key="docId", glob_pattern=documents.name)
    steps: list[list[Any]] = [
        [reader, MinhashDedupSignature(str(folder / "s"), config=config, language=Languages.japanese)],
        [MinhashDedupBuckets(str(folder / "s"), str(folder / "b"), config=config)],
        [MinhashDedupCluster(str(folder / "b"), str(folder / "r"), config=config)],
        [
            reader,
            MinhashDedupFilter(str(folder / "r"), exclusion_writer=JsonlWriter(str(folder / "gone"), compression=None)),
        ],
    ]
    for number, step in enumerate(steps):
        tasks = config.num_buckets if number == 1 else 1
        LocalPipelineExecutor(step, tasks=tasks, workers=1, logging_dir=str(folder / f"log{number}")).run()
    lines = [line for path in (folder / "gone").glob("*.jsonl") for line in path.read_text().splitlines()]
    return sorted(int(json.loads(line)["id"]) for line in lines)


def datasketch(texts: Path) -> float:
    """112 values of the sets of 5-grams of characters."""
    from datasketch import MinHash

    start = time.process_time()
    for text in json.loads(texts.read_text()):
        grams = {text[at : at + 5].encode() for at in range(len(text) - 4)}
        MinHash(num_perm=112).update_batch(list(grams))
    return time.process_time() - start


def main() -> None:
    """Runs one."""
    peer, source, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if peer == "datasketch":
        out.write_text(json.dumps(datasketch(source)))
        return
    buckets, values = int(sys.argv[4]), int(sys.argv[5])
    folder = Path(tempfile.mkdtemp(dir=out.parent))
    try:
        out.write_text(
            json.dumps({"text-dedup": text_dedup, "datatrove": datatrove}[peer](source, folder, buckets, values))
        )
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
