"""The filter Tokens and `uzushio metrics --tokenizer` against the `tokenizers` of Python."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import encode, random_documents, written
from filter_oracle import Paragraph
from program import Uzushio, read_json
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

Documents = dict[str, list[Paragraph]]
DOCUMENTS = random_documents(5, 200) | {
    "none": [],
    "spaces": [Paragraph("", "a" + " \u3000" * 3000 + "b")],
    "lines": [Paragraph("", "一\n二\n三"), Paragraph("", "四\n五")],
    "long": [Paragraph("", "あ" * 20000)],
    "special": [Paragraph("", "これは[UNK]と[SEP]です。~~~a 01234")],
}


def text_of(document: list[Paragraph]) -> str:
    """What is counted."""
    return "\n\n".join(p.text for p in document)


def of_bytes() -> tuple[Tokenizer, Any]:
    """BPE of bytes, as GPT's; its pattern has ends of lines and `{1,3}+`, which other libraries read otherwise."""
    tokenizer = Tokenizer(models.BPE(dropout=0.5))
    words = r"'(?i:s|t)|[0-4]{1,3}+|~{0,2}+a|\p{N}{1,3}|^\S|[^\r\n\p{L}\p{N}]?\p{L}+| ?[^\s\p{L}\p{N}]+"
    split = pre_tokenizers.Split(Regex(words + r"|\s+$|\s*[\r\n]+|\s+(?!\S)|\s+"), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(False, use_regex=False)])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return tokenizer, trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False)


def of_pieces() -> tuple[Tokenizer, Any]:
    """A unigram model, as SentencePiece's."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" +$| {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=500, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
    return tokenizer, trainer


def of_words() -> tuple[Tokenizer, Any]:
    """Pieces of words, as BERT's: it puts tokens around a text, cuts it short and fills it up."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 1), ("[CLS]", 2))
    tokenizer.enable_truncation(7)
    tokenizer.enable_padding(length=50)
    special = ["[UNK]", "[SEP]", "[CLS]", "[PAD]"]
    return tokenizer, trainers.WordPieceTrainer(vocab_size=2500, special_tokens=special, show_progress=False)


MAKERS = {maker.__name__: maker for maker in (of_bytes, of_pieces, of_words)}


@pytest.fixture(name="tokenizers", scope="session")
def train_tokenizers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one of each kind, of texts that are not those which are counted."""
    folder = tmp_path_factory.mktemp("tokenizers")
    for name, make in MAKERS.items():
        tokenizer, trainer = make()
        tokenizer.train_from_iterator([text_of(d) for d in random_documents(6, 60).values()], trainer)
        tokenizer.save(str(folder / f"{name}.json"))
    return folder


def counter_of(path: Path) -> Callable[[str], int]:
    """The tokens of a text, by the library's Python frontend."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if isinstance(tokenizer.model, models.BPE):
        tokenizer.model.dropout = None
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))


@pytest.fixture(name="documents")
def write_documents(tmp_path: Path) -> Path:
    """The documents, a file."""
    table = pa.table({"docId": list(DOCUMENTS), "text": [encode(d) for d in DOCUMENTS.values()]})
    pq.write_table(table, tmp_path / "documents.parquet", row_group_size=50)
    return tmp_path / "documents.parquet"


def measured(folder: Path) -> dict[str, list[Any]]:
    """The columns of metrics, under their names without key."""
    columns = pq.read_table(folder / "metrics.parquet").to_pydict()
    return {name.partition("(")[0]: values for name, values in columns.items()}


@pytest.mark.parametrize("kind", MAKERS)
def test_counts_are_the_librarys(
    uzushio: Uzushio, tokenizers: Path, documents: Path, tmp_path: Path, kind: str
) -> None:
    """Of each kind, with any number of threads; and tokens a byte."""
    path = tokenizers / f"{kind}.json"
    wanted = ["--metric", "Tokens", "--tokenizer", path]
    for threads in (1, 3):
        uzushio("metrics", documents, "--output", tmp_path / f"by{threads}", *wanted, "--threads", threads)
    count = counter_of(path)
    texts = [text_of(document) for document in DOCUMENTS.values()]
    counts = [count(text) for text in texts]
    columns = measured(tmp_path / "by1")
    assert columns["docId"] == list(DOCUMENTS)
    assert columns["Tokens"] == counts
    sizes = [len(text.encode()) for text in texts]
    assert columns["TokensPerByte"] == [n / size if size else 0 for n, size in zip(counts, sizes, strict=True)]
    assert (tmp_path / "by1" / "metrics.parquet").read_bytes() == (tmp_path / "by3" / "metrics.parquet").read_bytes()


def test_long_texts_are_counted_part_by_part(uzushio: Uzushio, tokenizers: Path, tmp_path: Path) -> None:
    """At line breaks: no more is lost or won than where a part ends."""
    choose = random.Random(3)
    paragraphs = [d for document in random_documents(7, 300).values() for d in document]
    text = "\n\n".join(p.text for p in choose.choices(paragraphs, k=6000))
    (tmp_path / "long.jsonl").write_text(json.dumps({"docId": "a", "text": text}) + "\n", encoding="utf-8")
    size = len(text.encode())
    assert size > 4 << 16
    for kind in MAKERS:
        path = tokenizers / f"{kind}.json"
        output = tmp_path / kind
        uzushio("metrics", tmp_path / "long.jsonl", "--output", output, "--metric", "Tokens", "--tokenizer", path)
        (tokens,) = measured(output)["Tokens"]
        assert tokens == pytest.approx(counter_of(path)(text), abs=2 * size / (1 << 15))


def test_thresholds_and_known_metrics(uzushio: Uzushio, tokenizers: Path, documents: Path, tmp_path: Path) -> None:
    """In a chain; metrics that were computed serve as long as the tokenizer's file is the same."""
    path = tmp_path / "tokenizer.json"
    path.write_bytes((tokenizers / "of_bytes.json").read_bytes())
    chain = tmp_path / "chain.conf"
    chain.write_text('filters: [{class: Tokens, tokenizer: "' + str(path) + '", low: 20, high: 400}]', encoding="utf-8")
    count = counter_of(path)
    wanted: dict[str, list[str]] = {"none": [], "Tokens.Low(20)": [], "Tokens.High(400)": []}
    for name, document in DOCUMENTS.items():
        tokens = count(text_of(document))
        if document:
            wanted["Tokens.Low(20)" if tokens < 20 else "Tokens.High(400)" if tokens > 400 else "none"].append(name)
    filtering = ["filter", documents, "--config", chain, "--mode", "partitioned"]
    uzushio(*filtering, "--output", tmp_path / "plain")
    found = written(tmp_path / "plain")
    assert {name: sorted(found[name]) for name in wanted} == {name: sorted(wanted[name]) for name in wanted}
    assert all(wanted.values())

    uzushio("metrics", documents, "--output", tmp_path / "metrics", "--metric", "TokensPerByte", "--tokenizer", path)
    uzushio(*filtering, "--output", tmp_path / "known", "--metrics", tmp_path / "metrics")
    assert written(tmp_path / "known") == found
    uzushio("explain", "long", "--in", tmp_path / "plain")
    path.write_bytes((tokenizers / "of_words.json").read_bytes())
    said = uzushio(*filtering, "--output", tmp_path / "stale", "--metrics", tmp_path / "metrics", code=2).stderr
    assert "compute the metrics of this configuration" in said
    uzushio("metrics", documents, "--output", tmp_path / "metrics", "--metric", "Tokens", "--tokenizer", path, code=2)


def test_special_tokens_and_options_are_of_use_or_errors(uzushio: Uzushio, tokenizers: Path, tmp_path: Path) -> None:
    """What is missing, or not looked at, is said."""
    source, output = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_text('{"docId": "first", "text": "a"}\n{"docId": "second", "text": "a b"}\n', encoding="utf-8")

    def said(*options: object, code: int = 2) -> str:
        stderr = uzushio("metrics", source, "--output", output, *options, code=code).stderr
        assert not output.exists()
        return stderr

    assert "--metric Tokens needs a tokenizer: --tokenizer FILE" in said("--metric", "Tokens")
    path = tokenizers / "of_bytes.json"
    assert "is for --metric Tokens" in said("--metric", "DocLength", "--tokenizer", path)
    assert "there is no tokenizer 'none.json'" in said("--metric", "Tokens", "--tokenizer", "none.json")
    assert "can not be opened as a tokenizer (" in said("--metric", "Tokens", "--tokenizer", source)
    chain = tmp_path / "chain.conf"
    chain.write_text("filters: [{class: Tokens}]", encoding="utf-8")
    assert "filters[0].tokenizer: missing" in said("--config", chain)
    assert "is for --metric Tokens" in said("--config", chain, "--tokenizer", path)

    bare = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"}
    words = read_json(tokenizers / "of_words.json") | {"model": bare, "added_tokens": [], "post_processor": None}
    (tmp_path / "words.json").write_text(json.dumps(words), encoding="utf-8")
    failed = said("--metric", "Tokens", "--tokenizer", tmp_path / "words.json", code=2)
    assert "document second: '" in failed
    assert "words.json' can not cut it into tokens: " in failed


# Patterns of Split, which PyPI's library gives to Oniguruma. Those that it reads otherwise are refused.
REFUSED = r"""
    [^[:alpha:]]+ [_[:alpha:]] [,[:punct:]] [^[:^alpha:]]+ (?m:.+) (?i:ss) (?i:aß) \w+ [\w] \bあ a(?i)b|c
    (?i:S+s) (?i:s{2}) a{2}? a{2,3}+ a{,3} [a-z--b] \h (?<word>a) (?#a)b \K (?x:a)
"""
# What random patterns are made of.
PIECES = r"""
    \\w \p{L} \P{L} \p{Han} \d \s \S . ss \n \x{3042} \( a{2}x [あ-ん] [^a-z] []a] [^]b] [a\]b] [\p{L}&&[^a-z]]
    [[a-c][0-9]] [:x] [^\s\p{L}\p{N}] [-a] (?i:se|k[sf]) (?i:'s|'ll) (a|ab) (?:b|ba) (?=a) (?!\S) (?<=a) (?<!あ)
    (?>a+) ^ $
"""
REPEATS = ["", "", "", "?", "*", "+", "+?", "++", "?+", "{1,2}", "{2}", "{0,2}+", "{1,3}+", "{1,}", "{1,2}?"]
SPLIT_TEXTS = [
    "日本語abcカタカナ漢字 ß sS ſt Kelvin K ﬁ ﬀ\na b c\n],[-:x\\\\wa(\\w 012 x{2} 三三３ ʼn aabab'S'LL",
    'ああ\nいa\n"b',
]


def write_splitter(path: Path, pattern: str) -> Tokenizer:
    """A tokenizer of which each piece that a pattern cuts is a token."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(pattern), "isolated")
    tokenizer.save(str(path))
    return tokenizer


@pytest.mark.once
def test_patterns_cut_as_onigurumas(uzushio: Uzushio, tmp_path: Path) -> None:
    """Random ones; those that it reads otherwise are errors that name what it is."""
    source, path = tmp_path / "texts.jsonl", tmp_path / "tokenizer.json"
    lines = [json.dumps({"docId": str(i), "text": text}) for i, text in enumerate(SPLIT_TEXTS)]
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    common = ["metrics", source, "--metric", "Tokens", "--tokenizer", path]
    for pattern in REFUSED.split():
        write_splitter(path, pattern)
        said = uzushio(*common, "--output", tmp_path / "refused", code=2).stderr
        assert "which other libraries read otherwise" in said, pattern
    choose, pieces = random.Random(8), PIECES.split()
    for number in range(120):
        parts = [choose.choice(pieces) + choose.choice(REPEATS) for _ in range(choose.randrange(1, 4))]
        pattern = "".join(part + choose.choice(["", "", "|"]) for part in parts)
        try:
            tokenizer = write_splitter(path, pattern)
        except Exception:  # it can not be repeated; the library raises nothing more exact
            continue
        uzushio(*common, "--output", tmp_path / str(number))
        wanted = [len(tokenizer.encode(text).ids) for text in SPLIT_TEXTS]
        assert measured(tmp_path / str(number))["Tokens"] == wanted, pattern
