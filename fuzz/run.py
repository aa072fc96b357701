"""Runs every fuzz target for some seconds, from seeds made of the end-to-end cases and of hostile pages.

Usage: run.py BUILD_DIR SECONDS [TARGET...]. Exits with 1 when a target finds something; the input then lies in
BUILD_DIR/findings. run.py BUILD_DIR coverage [TARGET...] says how much of each module of src/ the corpora reach: edges
that are covered, of all in functions that the targets are linked from.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from fasttext_model import Shape, model_bytes  # noqa: E402
from language_model import model_file  # noqa: E402
from lightgbm_model import random_forest  # noqa: E402
from program import read_json  # noqa: E402
from static_classifier import safetensors  # noqa: E402
from warc_builder import CONTAINERS, OTHER_CONTAINERS, block_of, build  # noqa: E402

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


ARPA = """\\data\\
ngram 1=6
ngram 2=5
ngram 3=2

\\1-grams:
-1.5\t<unk>
0\t<s>\t-0.3
-1.1\t</s>
-0.9\ta\t-0.2
-1.0\tb\t-0.4
-1.2\tあ\t-0.1

\\2-grams:
-0.4\t<s> a\t-0.1
-0.5\ta b\t-0.3
-0.6\tb あ\t-0.2
-0.7\tあ </s>
-0.3\tb a\t-0.1

\\3-grams:
-0.2\t<s> a b
-0.1\ta b あ

\\end\\
"""
MODELS = {
    "probing": ["probing"],
    "trie": ["trie"],
    "array": ["-a", "2", "trie"],
    "quantized": ["-q", "4", "-b", "4", "trie"],
}
# Models of fastText.
CLASSIFIERS = {
    "dense": Shape(grams=2, least=1, most=3, buckets=20, columns=3),
    "tree": Shape(loss="hs", labels={"__label__0": 9, "__label__1": 4, "__label__2": 3}, columns=2),
    "each": Shape(loss="ova", columns=2),
    "quantized": Shape(quantized=True, norms=True, output=True, least=2, most=3, buckets=20, columns=3),
    "pruned": Shape(quantized=True, least=1, most=2, buckets=20, pruned=(1, 5, 7), columns=2),
}
LINES = b"""{"text": "\xe6\x96\x87\\n\\ud83d\\ude00", "url": "//a.jp", "n": 18446744073709551615, "a": [1, {"a": null}]}
{"text": null, "n": -1.5e300, "a": true}
{"text": "a", "text": "b", "language": "ja"}
[1]
{"text": "\xff"}
"""
TOKENIZER: dict[str, object] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]},
    "pre_tokenizer": {"type": "Split", "pattern": {"Regex": r"\s+|\w+"}, "behavior": "Isolated", "invert": False},
    "post_processor": None,
    "decoder": None,
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"], "unk_token": "a"},
}
# By what they are (fuzz/declared_fuzz.cc).
DECLARED = [
    "User-agent: GPTBot\nuser-agent: b\nDisallow: /a*b$\nAllow: /%E3%81%82\n\nUser-agent: *\nDisallow:\nSitemap: /s\n",
    "googlebot: noindex, nofollow; max-snippet:50 unavailable_after: 25 Jun 2010 15:00:00 PST",
    "https://creativecommons.org/licenses/by-nc-sa/4.0/deed.ja",
    "http://User:p@EXAMPLE.jp:80/a/../b%7e?utm_source=x&q=%E3%81%82#f",
    'jp,example)/ 20240102030405 {"url": "http://example.jp/", "status": "200", "offset": "12", "length": "3", '
    '"filename": "a.warc.gz", "languages": "jpn,eng", "mime": "text/html"}',
]
FORESTS = {"binary sigmoid:1": 1, "regression": 1, "multiclass num_class:3": 3, "poisson": 1}
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
HOSTILE = {
    "formatting": b"<p><b " + b" ".join(b"a%d=b" % i for i in range(60)) + b">" + b"<p>\xe3\x81\x82" * 50,
    "clones": b"<a href='" + b"x" * 2000 + b"'>" + b"<p>" * 100,
    "html": b"".join(b"<html a%d>" % i for i in range(200)),
    "equal": b"".join(b"<b c=%d " % i + b" ".join(b"a%d" % j for j in range(40)) + b">" for i in range(20)),
    "records": b"<pre>WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\nHTTP/\r\n\r\n</pre>",
    "tables": b"<table><tr><td rowspan=65534 colspan=1000>a" * 30,
    "deep": b"<div>" * 2000 + b"\xe6\x96\x87",
}


def write_files(folder: Path) -> None:
    """Files of datasets, language models, and what the Rust libraries read; first bytes say of what kind they are."""
    datasets, native = folder / "datasets_fuzz", folder / "native_fuzz"
    (datasets / "lines").write_bytes(b"\0" + LINES)
    (datasets / "packed").write_bytes(b"\3" + gzip.compress(LINES, mtime=0))
    (datasets / "text").write_bytes(b"\2" + "文\n文\r\n\r\n\n文".encode())
    for compression in ("none", "zstd", "snappy"):
        sink = io.BytesIO()
        pq.write_table(pa.table({"text": ["文", None, "a" * 300], "n": [1, 2, 3]}), sink, compression=compression)
        (datasets / f"parquet.{compression}").write_bytes(b"\1" + sink.getvalue())
    (native / "tokenizer").write_bytes(b"\0\0" + json.dumps(TOKENIZER).encode())
    (native / "chain").write_bytes(b"\1\0" + CHAIN.encode())
    for number, encoding in enumerate(("utf-8", "shift_jis", "euc-jp", "iso-2022-jp", "utf-16le", "gb18030", "big5")):
        (native / encoding).write_bytes(b"\2" + bytes([number]) + "日本語 abc".encode(encoding, "ignore"))
    for name, page in HOSTILE.items():
        (folder / "extract_fuzz" / name).write_bytes(RESPONSE + page)
        (folder / "http_fuzz" / name).write_bytes(b"\1\2\3\4" + RESPONSE + page)
    for name, shape in CLASSIFIERS.items():
        (folder / "fasttext_fuzz" / name).write_bytes(b"\1" + model_bytes(shape))
    for kind, text in enumerate(DECLARED):
        (folder / "declared_fuzz" / str(kind)).write_bytes(bytes([kind, 9]) + text.encode())
    models = folder / "models_fuzz"
    for seed, (objective, classes) in enumerate(FORESTS.items()):
        forest = random_forest(objective, 3, classes, seed=seed, trees=classes)
        (models / f"trees.{seed}").write_bytes(b"\0" + forest.text().encode())
    layer = safetensors({"head.weight": np.ones((2, 3), np.float32), "head.bias": np.zeros(2, np.float32)})
    (models / "layer").write_bytes(b"\0" + layer)
    (models / "arrays").write_bytes(b"\1" + safetensors({"a": np.ones((2, 2), np.float16), "b": np.ones(3, np.int64)}))
    arpa = folder / "model.arpa"
    arpa.write_text(ARPA, encoding="utf-8")
    for name, options in MODELS.items():
        model = folder / "language_model_fuzz" / name
        tool = ROOT / "build" / "kenlm" / "bin" / "build_binary"
        subprocess.run([tool, *options, arpa, model], check=True, capture_output=True)


def write_seeds(folder: Path) -> None:
    """WARC files for the reader, HTTP responses for extraction, a document, a chain and a list of hosts for filters."""
    for source in (ROOT / "fuzz").glob("*_fuzz.cc"):
        (folder / source.stem).mkdir(parents=True, exist_ok=True)
    write_files(folder)
    (folder / "filter_fuzz" / "document").write_text(DOCUMENT, encoding="utf-8")
    (folder / "host_lists_fuzz" / "hosts").write_text(HOSTS, encoding="utf-8")
    (folder / "chain_config_fuzz" / "chain").write_text(CHAIN, encoding="utf-8")
    (folder / "classifier_fuzz" / "model").write_bytes(model_file({"あ": 1.0, "ああ": 0.5, "あああ": -0.25, "a": -1.0}))
    for case in sorted((ROOT / "tests" / "program" / "cases").iterdir()):
        description = read_json(case / "case.json")
        for container in (*description.get("containers", CONTAINERS), *OTHER_CONTAINERS):
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
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    executed = [line for line in done.stderr.splitlines() if "number_of_executed_units" in line]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    minutes = (used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime) / 60
    runs = executed[0].split()[-1] if executed else "no"
    print(f"{target.name}: {runs} runs in {minutes:.1f} minutes of a processor, exit {done.returncode}", flush=True)
    if done.returncode != 0:
        print(done.stderr[-4000:])
    return done.returncode == 0


def show_coverage(targets: list[Path], seeds: Path) -> None:
    """Edges that seeds and corpora reach, by module: a function counts with the target that reaches most of it."""
    total: dict[str, int] = {}
    covered: Counter[str] = Counter()
    pattern = re.compile(r"(?:UN)?COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) (.*) \S*/src/(\S+?)\.(?:h|cc):\d+")
    for target in targets:
        corpus = [folder for folder in (target.parent / "corpus" / target.name, seeds / target.name) if folder.exists()]
        command = [target, "-runs=0", "-print_coverage=1", *corpus]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        for reached, edges, name, file in pattern.findall(done.stderr):
            function = f"{file.rpartition('/')[0]}: {name}"
            total[function] = int(edges)
            covered[function] = max(covered[function], int(reached))
    modules: dict[str, list[int]] = {}
    for function, edges in total.items():
        sums = modules.setdefault(function.partition(":")[0], [0, 0])
        sums[0] += min(covered[function], edges)
        sums[1] += edges
    for module, (reached_edges, edges) in sorted(modules.items()):
        print(f"{module:<24} {reached_edges:>7} of {edges:>7} edges  {100 * reached_edges / max(edges, 1):5.1f} %")


def main() -> int:
    """Runs all targets of the build directory."""
    build_dir, wanted, names = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    seeds = build_dir / "seeds"
    write_seeds(seeds)
    targets = sorted(path for path in build_dir.glob("*_fuzz") if path.is_file() and (not names or path.name in names))
    if wanted == "coverage":
        show_coverage(targets, seeds)
        return 0
    seconds = int(wanted)
    passed = sum(run(target, seeds / target.name, build_dir / "findings", seconds) for target in targets)
    print(f"{passed} passed, {len(targets) - passed} failed")
    return 0 if targets and passed == len(targets) else 1


if __name__ == "__main__":
    sys.exit(main())
