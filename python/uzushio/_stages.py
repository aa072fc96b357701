"""The stages as functions; their types are in _stages.pyi, which is made of the options that the program declares."""

from __future__ import annotations

from uzushio import _core
from uzushio._commands import Path, arguments_of, in_pythons_words, stage

run = stage(
    "run",
    r"""`uzushio run`: a pipeline of stages, from one file or by the name of one that is installed.

    `pipeline` is the file, or None with a `preset`; `inputs` are what `${input}` in it stands for, or the records that
    the tables `index` name, as for `extract`; `properties` are values for other names. `output` is the folder that gets
    a folder for each stage. What is done already is not done again, unless what it depends on has changed. Progress is
    that of each stage; options that are None have the command line's default. Errors are as those of `extract`, and say
    the stage.

    Returns a `RunSummary`: `steps` with what each stage said, `left_out` with the filters that a preset had to do
    without.

    >>> import pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("一つ目の文です\n二つ目\n\n一つ目の文です\n三つ目")
    ...     _ = pathlib.Path(folder, "a.conf").write_text(
    ...         "stages: [{name: sentences, command: clean, input: ${input}, config: sudachiDictCorpus}]"
    ...     )
    ...     again = [
    ...         uzushio.run(f"{folder}/a.conf", f"{folder}/out", inputs=f"{folder}/a.txt").steps[0].was_done
    ...         for _ in range(2)
    ...     ]
    >>> again
    [False, True]
    """,
)

extract = stage(
    "extract",
    r"""`uzushio extract`: web archives to a dataset of documents.

    `inputs` are files, folders, globs or URIs, one or several; `output` is a folder, or the URI of one on an object
    store (s3://, …), written whole or not at all. A run that was ended goes on when it is called again; one that is
    done is not done again, unless `overwrite`. `languages` are a code, several (`"ja,en"` or a sequence), or "all".
    Sizes are bytes or texts as "8MiB"; what is None has the command line's default.

    With `index`, one or several tables of `index` or of Common Crawl, the records that they name are read, and nothing
    else of the archives; there are no `inputs` then. `plan=True` says what that takes, and writes nothing.

    Returns an `ExtractSummary`, what --summary writes: `records`, `documents`, `rejected` and `quarantined` by reason,
    `seconds`, `peak_memory_bytes` and more. With `progress=True` a bar is shown (tqdm); a function is called with the
    share that is done, from 0 to 1, and a note, now and then, in the calling thread, and at the end with 1.0 and
    "done". An exception of it, and Ctrl-C, end the run. Nothing is printed; what the command line warns of is a
    RuntimeWarning, at the end. The interpreter's lock is released.

    Errors: UsageError, InputError and RunError with the command line's text; TooManyBadRecords when the run is done but
    has more bad records than `max_bad`.

    >>> import pathlib, tempfile, uzushio
    >>> page = "<p>ここには、やさしい日本語の文章があります。".encode()
    >>> http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
    >>> head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.jp/\r\n"
    >>> record = f"{head}Content-Length: {len(http)}\r\n\r\n".encode() + http + b"\r\n\r\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.warc").write_bytes(record)
    ...     summary = uzushio.extract(f"{folder}/a.warc", f"{folder}/documents")
    >>> summary.records, summary.documents, summary["rejected"]
    (1, 1, {})
    """,
)

index = stage(
    "index",
    r"""`uzushio index`: where each page of web archives lies, as a table that `extract` takes.

    The folder `output` has Parquet with columns of Common Crawl's columnar index. `from_cdxj` converts lines of CDXJ
    instead. Options that are None have the command line's default. Inputs, result, progress and errors are as those of
    `extract`.

    >>> import pathlib, tempfile, uzushio
    >>> page = "<p>ここには、やさしい日本語の文章があります。".encode()
    >>> http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
    >>> head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.jp/\r\n"
    >>> record = f"{head}Content-Length: {len(http)}\r\n\r\n".encode() + http + b"\r\n\r\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.warc").write_bytes(record)
    ...     rows = uzushio.index(f"{folder}/a.warc", f"{folder}/index").rows
    ...     documents = uzushio.extract(
    ...         index=f"{folder}/index", index_language="jpn", output=f"{folder}/documents"
    ...     ).documents
    >>> rows, documents
    (1, 1)
    """,
)

robots_txt = stage(
    "robots-txt",
    r"""`uzushio robots-txt`: what robots.txt files in web archives allow, as a table that the filter `OptOut` takes.

    The folder `output` has robots.parquet, a row for each origin. Options that are None have the command line's
    default. Inputs, result, progress and errors are as those of `extract`.

    >>> import pathlib, tempfile, uzushio
    >>> http = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: GPTBot\nDisallow: /\n"
    >>> head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.jp/robots.txt\r\n"
    >>> record = f"{head}Content-Length: {len(http)}\r\n\r\n".encode() + http + b"\r\n\r\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.warc").write_bytes(record)
    ...     origins = uzushio.robots_txt(f"{folder}/a.warc", f"{folder}/robots").origins
    ...     chain = uzushio.FilterChain([uzushio.Filter("OptOut", robots_txt=f"{folder}/robots")])
    >>> origins
    1
    """,
)

stats = stage(
    "stats",
    r"""`uzushio stats`: documents (Parquet, JSON Lines or plain text) to statistics of their paragraphs.

    The folder `output` has a table with the columns hash, reprHash: int64, exactFreq, nearFreq: int32, and the index
    that `Statistics` opens. `intermediate` keeps what merging with others needs. Options that are None have the command
    line's default. `inputs` may be a table in memory, too (pyarrow, pandas, polars, …), several, or a list of
    `Document`s: the same as a Parquet file of these rows, which they are in `tmp` while this runs, so that a second run
    wants `overwrite`. Result, progress and errors are as those of `extract`; so are inputs. For statistics without a
    folder of one's own, see `Statistics.of`.

    >>> import pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("twice\n\ntwice\n\nonce\n")
    ...     summary = uzushio.stats(f"{folder}/a.txt", f"{folder}/statistics")
    >>> summary.paragraphs, summary.distinct_paragraphs, summary.index_entries
    (3, 2, 1)
    """,
)

merge = stage(
    "merge",
    r"""`uzushio merge`: statistics of parts of a corpus to those of the whole.

    `inputs` are folders that `stats` or `merge` wrote (better with `intermediate`), or the original Uzushio's. Options
    that are None have the command line's default. Result, progress and errors are as those of `extract`.

    >>> import pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in "ab":
    ...         _ = pathlib.Path(folder, name + ".txt").write_text("in both\n\nonly in " + name)
    ...         _ = uzushio.stats(f"{folder}/{name}.txt", f"{folder}/{name}", intermediate=True)
    ...     summary = uzushio.merge([f"{folder}/a", f"{folder}/b"], f"{folder}/all")
    ...     uzushio.Statistics(f"{folder}/all").look_up(["in both"])
    [Frequency(exact=2, near=2)]
    """,
)

filter = stage(
    "filter",
    r"""`uzushio filter`: documents (Parquet or JSON Lines) to clean text, by the chain of a configuration file.

    `properties` are values for `${name}` in `config`; `statistics` is a folder of statistics (or a `Statistics`),
    `metrics` one of metrics that need not be computed again. Options that are None have the command line's default.
    Inputs, result, progress and errors are as those of `extract`; a chain that removes everything is warned of. For
    tables in memory, and chains without a file, see `FilterChain.apply`.

    >>> import json, pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = [json.dumps({"docId": str(n), "text": "あ" * n}) for n in range(1, 9)]
    ...     _ = pathlib.Path(folder, "a.jsonl").write_text("\n".join(lines))
    ...     _ = pathlib.Path(folder, "a.conf").write_text('filters: [{"class": "DocLength", "low": ${least}}]')
    ...     summary = uzushio.filter(
    ...         f"{folder}/a.jsonl", f"{folder}/clean", config=f"{folder}/a.conf", properties={"least": 6}
    ...     )
    >>> summary.passed.documents, [(one.reason, one.documents) for one in summary.removed]
    (3, [('DocLength.Low(6)', 5), ('DocLength.High(2147483647)', 0)])
    """,
)

clean = stage(
    "clean",
    r"""`uzushio clean`: text corpora through the stages of the older cleaning jobs.

    `config` is a file with the list `stages`, or "chitra", "rmTemplate", "sudachiDictCorpus" or "warc", which are
    installed; `properties` are values for `${name}` in it, and `sudachi` is the dictionary; `settings` has texts
    "KEY=VALUE", other values of its keys. Documents of text are parted by `input_delimiter`, an empty line by default,
    and an escape (`\n`) is one. Options that are None have the command line's default. Inputs, result, progress and
    errors are as those of `extract`.

    >>> import pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("一つ目の文です\n二つ目\n\n一つ目の文です\n三つ目")
    ...     summary = uzushio.clean(f"{folder}/a.txt", f"{folder}/clean", config="sudachiDictCorpus")
    ...     pathlib.Path(folder, "clean", "part-00000.txt").read_text().split()
    ['一つ目の文です', '二つ目', '三つ目']
    """,
)

metrics = stage(
    "metrics",
    r"""`uzushio metrics`: every metric of a chain for every document, to choose thresholds by.

    The chain is that of `config`, or the filters named by `metric` with their defaults; `tokenizer`, a tokenizer.json
    of Hugging Face, is what `metric=["Tokens"]` counts by. The folder `output` has metrics.parquet: `docId` string, and
    float64 for each metric; with `sorted_by` the documents in that order, too. Options that are None have the command
    line's default. Inputs, result, progress and errors are as those of `extract`; the summary has the quantiles of each
    metric at 0, .01, .05, .25, .5, .75, .95, .99 and 1.

    >>> import json, pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = [json.dumps({"docId": str(n), "text": "あ" * n}) for n in range(1, 9)]
    ...     _ = pathlib.Path(folder, "a.jsonl").write_text("\n".join(lines))
    ...     summary = uzushio.metrics(f"{folder}/a.jsonl", f"{folder}/metrics", metric=["DocLength", "HiraganaRatio"])
    >>> summary.documents, summary.metrics["DocLength"][-1]
    (8, 8.0)
    """,
)

hosts = stage(
    "hosts",
    r"""`uzushio hosts`: documents to statistics of their hosts, by the column of URLs.

    The folder `output` has hosts.parquet, a row for each host in order of bytes: `host`, the numbers of `documents` and
    of `characters`, the share `removed` by the chain of `config`, `removed_NAME` by each filter of documents alone, and
    `mean_METRIC` of each metric. HostFilter takes the folder as its `statistics`. Options that are None have the
    command line's default. Inputs, result, progress and errors are as those of `extract`.

    >>> import json, pathlib, pyarrow.parquet, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pages = [("b.jp", 9), ("a.jp", 5), ("a.jp", 9)]
    ...     lines = [json.dumps({"url": f"http://{host}/", "text": "あ" * n}) for host, n in pages]
    ...     _ = pathlib.Path(folder, "a.jsonl").write_text("\n".join(lines))
    ...     _ = pathlib.Path(folder, "a.conf").write_text('filters: [{"class": "DocLength", "low": 6}]')
    ...     summary = uzushio.hosts(f"{folder}/a.jsonl", f"{folder}/hosts", config=f"{folder}/a.conf")
    ...     rows = pyarrow.parquet.read_table(f"{folder}/hosts/hosts.parquet").to_pylist()
    >>> summary.hosts, rows[0]["host"], rows[0]["documents"], rows[0]["removed"], rows[0]["mean_DocLength"]
    (2, 'a.jp', 2, 0.5, 7.0)
    """,
)

decontaminate = stage(
    "decontaminate",
    r"""`uzushio decontaminate`: documents (Parquet or JSON Lines) to those without items of benchmarks.

    `against` names files or folders of items; `question`, `choices` and `answer` their columns. Documents that have
    more than `high` of the pieces of an item are removed. The folder `output` has the others as they are, and
    .uzushio/contamination.pq, a row for each item that a removed document has: `benchmark`, `file`, `row` and `itemId`
    of the item; `docId` and `url`; `part` (question, answer or choice), `start`, `length` and `text` of the longest run
    that both share; its `longest` characters without what is ignored, and the `covered` of all pieces that are
    `counted`, whose quotient is `share`. Items that cannot be found are a RuntimeWarning. Options that are None have
    the command line's default. Result, progress and errors are as those of `extract`.

    >>> import json, pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     item = {"question": "太郎は林檎を十二個持っています。残りは何個ですか。", "answer": "七個"}
    ...     _ = pathlib.Path(folder, "items.jsonl").write_text(json.dumps(item))
    ...     lines = [json.dumps({"text": text}) for text in ("問：" + item["question"], "別の文章です。")]
    ...     _ = pathlib.Path(folder, "a.jsonl").write_text("\n".join(lines))
    ...     summary = uzushio.decontaminate(f"{folder}/a.jsonl", f"{folder}/kept", against=f"{folder}/items.jsonl")
    >>> summary.documents, summary.kept, summary.contaminated, summary.benchmarks[0]["found"]
    (2, 1, 1, 1)
    """,
)

overlap = stage(
    "overlap",
    r"""`uzushio overlap`: what datasets share, of URLs, documents and paragraphs.

    `inputs` are two or more datasets, each a file, folder, glob or URI: documents, or statistics, whose paragraphs are
    compared. The folder `output` has overlap.parquet, a row for each kind and pair: `kind`, the names `a` and `b`,
    `countA`, `countB`, `both` and `either`, numbers of distinct values, and `shareOfA`, `shareOfB` and `jaccard`.
    Options that are None have the command line's default. Result, progress and errors are as those of `extract`.

    >>> import json, pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, texts in (("a", ["one", "two"]), ("b", ["two", "three", "four"])):
    ...         lines = [json.dumps({"text": text}) for text in texts]
    ...         _ = pathlib.Path(folder, name + ".jsonl").write_text("\n".join(lines))
    ...     summary = uzushio.overlap([f"{folder}/a.jsonl", f"{folder}/b.jsonl"], f"{folder}/overlap")
    >>> [(row.kind, row.both, row.either, row.shareOfA) for row in summary.overlaps]
    [('documents', 1, 4, 0.5), ('paragraphs', 1, 4, 0.5)]
    """,
)

report = stage(
    "report",
    r"""`uzushio report`: a page to look at what stages have made.

    `inputs` are folders that stages wrote, or that `run` wrote; `output` is the page, a file of HTML that needs no
    other. The documents of `against`, other such folders, are compared with theirs. Options that are None have the
    command line's default. Result, progress and errors are as those of `extract`.

    >>> import json, pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = [json.dumps({"docId": str(n), "text": "あ" * n}) for n in range(1, 9)]
    ...     _ = pathlib.Path(folder, "a.jsonl").write_text("\n".join(lines))
    ...     _ = uzushio.metrics(f"{folder}/a.jsonl", f"{folder}/metrics", metric="DocLength")
    ...     summary = uzushio.report(f"{folder}/metrics", f"{folder}/page.html")
    ...     page = pathlib.Path(folder, "page.html").read_text()
    >>> summary.tables, summary.sampled, len(page.encode()) == summary.bytes
    (1, 8, True)
    """,
)

host_lists = stage(
    "host-lists",
    r"""`uzushio host-lists`: lists of hosts to one file, which HostFilter maps into memory.

    `inputs` are folders in the layout of the Blacklists UT1, files of hosts, one a line, and files that this wrote;
    `output` is a file. Lines that are no hosts are left out, and counted. Result and errors are as those of `extract`.

    >>> import pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "bad.txt").write_text("# ours\nexample.com\n.example.net\nexample.jp/folder\n")
    ...     summary = uzushio.host_lists(f"{folder}/bad.txt", f"{folder}/bad.hosts")
    ...     chain = uzushio.FilterChain([uzushio.Filter("HostFilter", lists=f"{folder}/bad.hosts")])
    ...     removed = chain.apply_text("text", url="http://www.example.com/").removed
    >>> summary.lists, removed.reason, removed.detail
    ({'custom': 3}, 'HostFilter(custom)', 'listed: example.com')
    """,
)

minhash = stage(
    "minhash",
    r"""`uzushio minhash`: documents (Parquet or JSON Lines) to those that are no near-duplicates of others.

    Documents that share one of their `buckets` of MinHash values, and have a Jaccard index of `verify` (0.9) or more,
    are duplicates; the one that `keep` names stays. `skip_verify` leaves the comparison out, `edit_similarity` compares
    edits, too, `tokens` names what texts are cut into. The folder `output` has the kept documents,
    `.uzushio/duplicates` in it the others, with the columns `duplicateOf`: string and `similarity`: float64 besides,
    and an index, which later runs name by `against` and `beside`. With `contained`, documents that are contained in
    longer ones are duplicates, too. Options that are None have the command line's default. Inputs are as
    those of `stats`, tables in memory, too; result, progress and errors as those of `extract`.

    >>> import json, pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = "これは、ほかのどこかにもある文章です。"
    ...     lines = [json.dumps({"docId": day, "text": text, "date": f"2024-01-0{day}"}) for day in "123"]
    ...     _ = pathlib.Path(folder, "a.jsonl").write_text("\n".join(lines))
    ...     summary = uzushio.minhash(f"{folder}/a.jsonl", f"{folder}/unique")
    >>> summary.documents, summary.kept, summary.duplicates
    (3, 1, 2)
    """,
)

train_language = stage(
    "train-language",
    r"""`uzushio train-language`: labelled texts to a model that tells Japanese, for `japanese_test` of `extract`.

    `inputs` are Parquet or JSON Lines with texts and their languages, as `extract` writes them with languages="all";
    `output` is a file. Several columns of texts are `"text,title"` or a sequence. Options that are None have the
    command line's default. Inputs, result, progress and errors are as those of `extract`.

    >>> import json, pathlib, tempfile, uzushio
    >>> texts = {"ja": ["これは文です。", "これも文です。"], "en": ["This is a text.", "That is a text."]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = [json.dumps({"text": text, "language": name}) for name in texts for text in texts[name]]
    ...     _ = pathlib.Path(folder, "a.jsonl").write_text("\n".join(lines))
    ...     summary = uzushio.train_language(f"{folder}/a.jsonl", f"{folder}/ja.model")
    ...     page = uzushio.extract_html(
    ...         "<p>これは。", languages="ja", japanese_test="precise", language_model=f"{folder}/ja.model"
    ...     )
    >>> summary.texts, summary.japanese, summary.right, page.language
    (4, 2, 4, 'ja')
    """,
)

train_classifier = stage(
    "train-classifier",
    r"""`uzushio train-classifier`: labelled documents or paragraphs to a classifier for the filter FastText.

    `inputs` are Parquet or JSON Lines with texts and labels, `output` is a file; `with_label` names inputs of one label
    each, as ["high=articles.parquet", "low=crawl"], with or without `inputs`. The filter has to be given the same
    `normalize`, `lowercase`, `max_characters`, `tokens` and `unit`. Options that are None have the command line's
    default. Inputs, result, progress and errors are as those of `extract`.

    >>> import json, pathlib, tempfile, uzushio
    >>> texts = {"news": "新聞は今日の出来事を伝える", "shop": "送料無料の商品を今すぐ買う"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = [json.dumps({"docId": n, "text": texts[one], "label": one}) for n in range(80) for one in texts]
    ...     _ = pathlib.Path(folder, "a.jsonl").write_text("\n".join(lines))
    ...     model = f"{folder}/news.bin"
    ...     summary = uzushio.train_classifier(f"{folder}/a.jsonl", model, tokens="characters", dim=8, epoch=25)
    ...     form = {"tokens": "characters"}
    ...     chain = uzushio.FilterChain([uzushio.Filter("FastText", model=model, label="news", low=0.5, **form)])
    ...     kept = [chain.apply_text(text).removed is None for text in texts.values()]
    >>> summary.held_out["accuracy"], kept
    (1.0, [True, False])
    """,
)

train_lm = stage(
    "train-lm",
    """`uzushio train-lm`: texts to an n-gram language model (KenLM) for the filters by perplexity.

    `output` is a file, `sudachi` Sudachi's system dictionary; `prune` has a number for each order. Options that are
    None have the command line's default. Inputs, result, progress and errors are as those of `extract`.

    >>> import uzushio
    >>> try:
    ...     uzushio.train_lm("texts.parquet", "/tmp/model.bin", sudachi="system.dic", order=9)
    ... except uzushio.UsageError as error:
    ...     print(str(error)[:5])
    order
    """,
)


def explain(doc_id: str, folder: Path) -> str:
    r"""`uzushio explain`: the way of one document through the run of `filter` that wrote `folder`, for a reader.

    Errors: UsageError when there is no such run, or no such document in its inputs.

    >>> import json, pathlib, tempfile, uzushio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = [json.dumps({"docId": str(n), "text": "あ" * n}) for n in (10, 90)]
    ...     _ = pathlib.Path(folder, "a.jsonl").write_text("\n".join(lines))
    ...     _ = pathlib.Path(folder, "a.conf").write_text('filters: [{"class": "DocLength", "low": 50}]')
    ...     _ = uzushio.filter(f"{folder}/a.jsonl", f"{folder}/clean", config=f"{folder}/a.conf")
    ...     print(uzushio.explain("10", f"{folder}/clean").splitlines()[-1].strip()[:28])
    removed by DocLength.Low(50)
    """
    with in_pythons_words("explain"):
        _, printed, _, _ = _core.run(arguments_of("explain", doc_id, {"in": folder}), None)
    return printed
