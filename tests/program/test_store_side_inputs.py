"""What stages read on an object store beside their inputs: outputs of other stages, named by URIs."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from object_store import ON_EACH_SERVER, ObjectStore, serve_faulty, serve_store
from pipeline_pages import write_archive
from program import PROGRAM, read_json


@pytest.fixture(name="store")
def make_store(request: pytest.FixtureRequest) -> Iterator[ObjectStore]:
    """An empty one."""
    with serve_store(getattr(request, "param", "moto")) as store:
        yield store


CHAIN = """filters: [
  {class: LargeFreqParagraphs, count: 1, freq: 60}
  {class: DuplicateParagraphs, limit: 1}
  {class: DocLength, low: 50}
]"""

OUTPUTS: dict[str, list[str]] = {
    "statistics": ["stats", "{documents}"],
    "part": ["stats", "{documents}", "--intermediate"],
    "metrics": ["metrics", "{documents}", "--config", "{chain}", "--stats", "{here}/statistics"],
    "index": ["minhash", "{others}", "--index-only", "--skip-verify"],
    "texts": ["minhash", "{others}", "--index-only"],
    "unique": ["minhash", "{others}"],
    "hosts": ["hosts", "{others}", "--config", "{harsh}"],
}
"""Outputs that are made locally, and on the store."""

READ = ["{documents}", "--stats", "{at}/statistics"]
READERS: dict[str, list[str]] = {
    "filter": ["filter", *READ, "--config", "{chain}"],
    "filter-metrics": ["filter", *READ, "--config", "{chain}", "--metrics", "{at}/metrics"],
    "shares": ["filter", *READ, "--config", "{shares}", "--metrics", "{at}/metrics"],
    "measured": ["metrics", *READ, "--config", "{chain}"],
    "judged": ["hosts", *READ, "--config", "{chain}"],
    "against": ["minhash", "{documents}", "--skip-verify", "--against", "{at}/unique", "--against", "{at}/index"],
    "beside": ["minhash", "{documents}", "--skip-verify", "--beside", "{at}/index"],
    "verified": ["minhash", "{documents}", "--against", "{at}/texts", "--verify", "0.5"],
    "merged": ["merge", "{at}/part", "{at}/statistics"],
    "overlap": ["overlap", "{documents}", "{at}/unique", "{at}/part"],
    "decontaminated": ["decontaminate", "{documents}", "--against", "{at}/items.jsonl"],
    "bad-hosts": ["filter", "{documents}", "--config", "{at_hosts}"],
}
"""Commands that read them: `{at}` is where they are."""


@pytest.fixture(name="corpus")
def make_corpus(tmp_path: Path) -> Path:
    """Documents and chains."""
    for name, seeds in (("documents", (0, 1)), ("others", (1, 2))):
        for seed in seeds:
            write_archive(tmp_path / f"{name}-crawl" / f"{seed}.warc.gz", 30, seed)
    (tmp_path / "chain.conf").write_text(CHAIN, encoding="utf-8")
    shares = CHAIN.replace("{class: DocLength, low: 50}", "{class: Percentile, metric: DocLength, keep: 0.8}")
    (tmp_path / "shares.conf").write_text(CHAIN[:-1] + shares[shares.index("  {class: Percentile") :], encoding="utf-8")
    (tmp_path / "harsh.conf").write_text("filters: [{class: DocLength, low: 1000000}]", encoding="utf-8")
    (tmp_path / "tmp").mkdir()
    return tmp_path


def hosts_chain(path: Path, at: str) -> str:
    """A chain with a HostFilter by statistics."""
    filters = [{"class": "HostFilter", "statistics": f"{at}/hosts", "documents": 9, "removed": 0.5, "ng": 1}]
    path.write_text(json.dumps({"filters": filters}), encoding="utf-8")
    return str(path)


def put_outputs(store: ObjectStore, corpus: Path, at: str = "s3://store/corpus") -> dict[str, Callable[[str], str]]:
    """Makes OUTPUTS in both places; what READERS' words stand for, by place."""
    (corpus / "here").mkdir()
    words = {name: str(corpus / f"{name}.conf") for name in ("chain", "shares", "harsh")}
    words["here"] = str(corpus / "here")
    for name in ("documents", "others"):
        words[name] = str(corpus / name)
        store.run(PROGRAM, "extract", corpus / f"{name}-crawl", "--output", words[name])
    for name, command in OUTPUTS.items():
        for place in (corpus / "here" / name, f"s3://store/corpus/{name}"):
            store.run(PROGRAM, *[one.format(**words) for one in command], "--output", place)
    text = first_document(corpus / "documents")["text"]
    items = json.dumps({"question": text.split("\x1c")[-2].split("\n")[0]}, ensure_ascii=False).encode()
    (corpus / "here" / "items.jsonl").write_bytes(items)
    store.put("corpus/items.jsonl", items)
    return {
        "here": lambda word: word.format(
            **words, at=words["here"], at_hosts=hosts_chain(corpus / "here.conf", words["here"])
        ),
        "there": lambda word: word.format(**words, at=at, at_hosts=hosts_chain(corpus / "there.conf", at)),
    }


def first_document(folder: Path) -> Any:
    """Of an output of `extract`."""
    return pq.read_table(next(iter(sorted(folder.glob("language=ja/*.parquet"))))).slice(0, 1).to_pylist()[0]


def files_of(folder: Path) -> dict[str, bytes]:
    """What an output has, without its manifest."""
    manifest = ".uzushio/manifest.json"
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    naming = ("overlap.parquet", ".uzushio/contamination.pq")  # what was read
    return {name: path.read_bytes() for name, path in files.items() if name != manifest and name not in naming}


@ON_EACH_SERVER
def test_outputs_on_a_store_do_as_well(store: ObjectStore, corpus: Path) -> None:
    """Each command writes the same bytes, whether what it reads beside is here or there; no copy is left."""
    word = put_outputs(store, corpus)
    for name, command in READERS.items():
        for place in ("here", "there"):
            read = [PROGRAM, *map(word[place], command), "--output", corpus / place / "out" / name]
            read += [] if command[0] in ("merge", "decontaminate") else ["--tmp", corpus / "tmp"]
            store.run(*read)
            assert "complete already" in store.run(*read)
        assert not list((corpus / "tmp").iterdir())
        here, there = (corpus / place / "out" / name for place in ("here", "there"))
        assert files_of(here) == files_of(there), name
        assert files_of(here) or name == "overlap", name
        manifests = [read_json(out / ".uzushio" / "manifest.json") for out in (here, there)]
        for noted in ("run", "counts") if name != "overlap" else ("run",):
            one, other = (
                re.sub(r"(-|(?<=\.uzushio/))[0-9a-f]{8}/?", "", json.dumps(manifest[noted])) for manifest in manifests
            )
            assert one.replace(str(corpus / "here"), "s3://store/corpus") == other, name
    removed = read_json(corpus / "there" / "out" / "bad-hosts" / ".uzushio" / "manifest.json")["counts"]["removed"]
    assert sum(one["documents"] for one in removed) > 0
    document = first_document(corpus / "documents")["docId"]
    filtered = [PROGRAM, *map(word["there"], READERS["filter"]), "--output", "s3://store/corpus/filtered"]
    store.run(*filtered)
    said = [store.run(PROGRAM, "explain", document, "--in", place)
            for place in (corpus / "here" / "out" / "filter", "s3://store/corpus/filtered")]  # fmt: skip
    assert said[0] == said[1]
    assert "DocLength" in said[0]


def test_what_is_not_there_is_told(store: ObjectStore, corpus: Path) -> None:
    """With the option, the place, and what to do."""
    store.run(PROGRAM, "extract", corpus / "documents-crawl", "--output", corpus / "documents")
    store.run(PROGRAM, "stats", corpus / "documents", "--output", "s3://store/statistics")
    store.put("begun/_INCOMPLETE", b"{}")
    store.put("begun/part-0.parquet", b"")
    store.put("others/a.parquet", b"")

    def said(command: str, *options: str) -> str:
        config = [] if command == "minhash" else ["--config", corpus / "chain.conf"]
        out = ["--output", corpus / "out"]
        return store.run(PROGRAM, command, corpus / "documents", *config, *options, *out, code=2)

    for option, command in (("--stats", "filter"), ("--stats", "hosts"), ("--metrics", "filter"),
                            ("--against", "minhash"), ("--beside", "minhash")):  # fmt: skip
        wanted = "an output of uzushio is wanted"
        assert f"{option} s3://store/nothing: there is nothing; {wanted}" in said(
            command, option, "s3://store/nothing/"
        )
        assert f"{option} s3://store/others: has no manifest; {wanted}" in said(command, option, "s3://store/others")
        name = "s3://store/others/a.parquet"
        assert f"{option} {name}: is a file; {wanted}" in said(command, option, name)
        text = said(command, option, "s3://store/begun")
        assert f"{option} s3://store/begun: is not complete: its run was stopped, or goes on" in text
    text = said("minhash", "--against", "s3://store/statistics")
    assert "--against s3://store/statistics: there is no index in it, .uzushio/minhash/index.json" in text
    assert "no output of uzushio metrics" in said("filter", "--metrics", "s3://store/statistics")
    store.run(PROGRAM, "minhash", corpus / "documents", "--output", "s3://store/unique")
    text = said("filter", "--stats", "s3://store/unique")
    assert "there is no .uzushio/frequency.index in it; make one by uzushio merge s3://store/unique" in text
    text = store.run(PROGRAM, "explain", "a", "--in", "s3://store/unique", code=2)
    assert "--in s3://store/unique: no output of uzushio filter" in text


@ON_EACH_SERVER
def test_a_damaged_copy_is_refused(store: ObjectStore, corpus: Path) -> None:
    """What was copied is held against the manifest; nothing is left of it."""
    store.run(PROGRAM, "extract", corpus / "documents-crawl", "--output", corpus / "documents")
    store.run(PROGRAM, "stats", corpus / "documents", "--output", "s3://store/statistics")
    (name,) = [one for one in store.names("statistics") if one.endswith("frequency.index")]
    whole = store.get(f"statistics/{name}")
    filtered = [PROGRAM, "filter", corpus / "documents", "--config", corpus / "chain.conf", "--output", corpus / "out"]
    filtered += ["--stats", "s3://store/statistics", "--tmp", corpus / "tmp"]
    for content, message in (
        (bytes([whole[100] ^ 1]).join([whole[:100], whole[101:]]), "is not what its manifest says"),
        (whole[:-1], "has another size"),
    ):
        store.put(f"statistics/{name}", content)
        assert f"--stats s3://store/statistics/{name}: {message}" in store.run(*filtered, code=1)
        assert not list((corpus / "tmp").iterdir())
    store.delete(f"statistics/{name}")
    assert f"--stats s3://store/statistics/{name}: is missing" in store.run(*filtered, code=1)
    assert not (corpus / "out").exists()


def test_an_interrupted_copy_goes(store: ObjectStore, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next command in the same folder for temporary data removes what Ctrl-C has left of it."""
    store.run(PROGRAM, "extract", corpus / "documents-crawl", "--output", corpus / "documents")
    store.run(PROGRAM, "stats", corpus / "documents", "--output", "s3://store/statistics")
    filtered = [PROGRAM, "filter", corpus / "documents", "--config", corpus / "chain.conf", "--output", corpus / "out"]
    filtered += ["--stats", "s3://store/statistics", "--tmp", corpus / "tmp"]
    reached, opened = threading.Event(), threading.Event()

    def wait(method: str, path: str) -> bool:
        if method == "GET" and "frequency.index" in path:
            reached.set()
            opened.wait(120)
        return False

    with serve_faulty(store, "", "") as (proxy, to_proxy):
        monkeypatch.setattr(proxy, "fails", wait)
        command = list(map(str, filtered))
        stopped = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=store.environment | to_proxy)
        assert reached.wait(120)
        stopped.send_signal(signal.SIGINT)
        stopped.wait()
        opened.set()
    assert stopped.returncode == -signal.SIGINT
    assert [path.name[:13] for path in (corpus / "tmp").iterdir()] == ["uzushio-copy-"]
    store.run(*filtered)
    assert not list((corpus / "tmp").iterdir())


def test_credentials_are_told_nobody(store: ObjectStore, corpus: Path) -> None:
    """Those in URIs of what is read beside open it, and stand in no message, manifest or summary."""
    key, secret = store.environment["AWS_ACCESS_KEY_ID"], store.environment["AWS_SECRET_ACCESS_KEY"]
    at = f"s3://{key}:{secret}@store/corpus"
    word = put_outputs(store, corpus, at)["there"]
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        store.environment.pop(variable)
    said = []
    for name, command in READERS.items():
        out = ["--output", corpus / "out" / name, "--summary", corpus / f"{name}.json"]
        said.append(store.run(PROGRAM, *map(word, command), *out))
    for option in ("--stats", "--metrics"):
        read = [PROGRAM, "filter", corpus / "documents", "--config", corpus / "chain.conf", "--output", corpus / "x"]
        said.append(store.run(*read, option, f"{at}/nothing", code=2))
    said.append(store.run(PROGRAM, "minhash", corpus / "documents", "--against", f"{at}/hosts", "--output",
                          corpus / "x", code=2))  # fmt: skip
    manifests = list((corpus / "out").rglob("manifest.json"))
    assert len(manifests) == len(READERS)
    said += [path.read_text() for path in [*manifests, *corpus.glob("*.json")]]
    assert not [text for text in said if secret in text]


@pytest.mark.module
def test_statistics_in_python(store: ObjectStore, corpus: Path) -> None:
    """By the same names."""
    store.run(PROGRAM, "extract", corpus / "documents-crawl", "--output", corpus / "documents")
    for place in (corpus / "statistics", "s3://store/statistics"):
        store.run(PROGRAM, "stats", corpus / "documents", "--output", place)
    script = "import sys, uzushio\nfor place in sys.argv[1:]:\n    print(len(uzushio.Statistics(place)))"
    path = str(PROGRAM.parent / "python")
    places: tuple[Any, ...] = (corpus / "statistics", "s3://store/statistics")
    said = store.run(sys.executable, "-c", script, *places, PYTHONPATH=path).split()
    assert said[0] == said[1]
    assert int(said[0]) > 0
    script = """
import sys, uzushio
statistics = uzushio.Statistics(sys.argv[1])
print(statistics)
try:
    uzushio.Statistics(sys.argv[1] + "-none")
except FileNotFoundError as error:
    print(error)
"""
    secret = store.environment["AWS_SECRET_ACCESS_KEY"]
    uri = f"s3://{store.environment['AWS_ACCESS_KEY_ID']}:{secret}@store/statistics"
    said = store.run(sys.executable, "-c", script, uri, PYTHONPATH=path).splitlines()
    assert said[0] == "Statistics('s3://store/statistics')"
    assert said[1].startswith("statistics s3://store/statistics-none: there is nothing")
