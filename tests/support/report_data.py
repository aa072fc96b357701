"""Data for the page of `uzushio report`, made up: the same at every run, of the shapes that real corpora have."""

from __future__ import annotations

import base64
import bisect
import math
import random
import struct
from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

# name, meaning
COLUMNS = [
    ("DocLength", "code points of the text"),
    ("DeduplicateDocumentsPercentile(0.05)", "percentile of nearFreq over the paragraphs"),
    ("HiraganaRatio", "hiragana / code points"),
    ("LinkCharRatio", "code points in links / code points"),
    ("CompressionRate", "compressed bytes / bytes, of at most 1 MiB of the text"),
    ("KenLMDocAvgPerplexity", "perplexity of the document, without outliers"),
    ("WordInstances(words.txt,0.3)", "words of the list that are found, each counted 0.3"),
]
INT_MAX = 2147483647
FIXED = 7  # the place in the chain of the filter without thresholds

SENTENCES = [
    "朝から降り続いた雨は昼過ぎにやみ、港には漁船が戻ってきた。",
    "この地方の酒蔵では、冬のあいだだけ新酒の見学会を開いている。",
    "駅から坂を上ると、古い商店街の入口に小さな本屋がある。",
    "材料を弱火で十分ほど煮て、味噌を溶き入れたら火を止めます。",
    "図書館の郷土資料室には、明治時代の地図が残されている。",
    "設定を変更した後は、装置を一度再起動してください。",
    "祭りの日には、子どもたちが山車を引いて町内を回る。",
    "調査の結果、利用者の半数以上が週末に訪れていることが分かった。",
]
MENUS = ["ホーム | 会社概要 | お問い合わせ", "前の記事へ 次の記事へ", "Copyright 2023 All Rights Reserved."]


def pack(kind: str, values: list[Any]) -> str:
    """Base64 of a little-endian array."""
    return base64.b64encode(array(kind, values).tobytes()).decode()


def to_float32(value: float) -> float:
    """The nearest number of 32 bits."""
    return float(array("f", [value])[0])


def removes(bound: dict[str, Any], metric: float, number: float) -> bool:
    """Whether a threshold removes a document, its number being this one. The metric has 32 bits."""
    if bound["float"] or not (bound["single"] or bound["margin"]):
        number = to_float32(number)
    if not bound["single"]:
        metric += bound["margin"]
    return {"<": metric < number, ">": metric > number, ">=": metric >= number}[bound["removes"]]


def edge_of(bound: dict[str, Any]) -> float:
    """The least 32-bit number on the upper side of a threshold that is above its margin."""
    edge = bound["value"] - bound["margin"]
    (bits,) = struct.unpack("<I", struct.pack("<f", edge))
    near = [float(struct.unpack("<f", struct.pack("<I", max(0, bits + step)))[0]) for step in (-1, 0, 1, 2)]
    return next(one for one in near if removes(bound, one, bound["value"]) == (bound["removes"] != "<"))


@dataclass
class Document:
    """A document of the sample: its metrics, as 32-bit numbers, and sizes."""

    values: list[float]
    random: float
    characters: int
    size: int
    all_characters: int
    all_size: int
    fixed: int | None  # the place of the filter that removes it, whatever is moved


def chain() -> list[dict[str, Any]]:
    """The filters, with what the page may move of them."""

    def bound(
        parameter: str, column: int, removes: str, value: float, integer: bool = False, margin: float = 0
    ) -> dict[str, Any]:
        most = INT_MAX if integer else None
        return {
            "parameter": parameter,
            "column": column,
            "removes": removes,
            "value": value,
            "least": 0,
            "most": most,
            "integer": integer,
            "float": not integer,
            "single": not integer and not margin,
            "margin": margin,
        }

    def made(name: str, kind: str = "documents", **parts: Any) -> dict[str, Any]:
        of: dict[str, Any] = {"parameters": {}, "thresholds": [], "random": None, "fixed": False}
        return {"class": name, "kind": kind, **of, **parts}

    def bounded(name: str, place: int, parameters: dict[str, float], low: float, high: float) -> dict[str, Any]:
        whole = isinstance(high, int)
        thresholds = [bound("low", place, "<", low, whole), bound("high", place, ">", high, whole)]
        return made(name, parameters=parameters, thresholds=thresholds)

    expected = {"parameter": "expected", "column": 1, "value": 5.0}
    return [
        bounded("DocLength", 0, {"low": 50}, 50, INT_MAX),
        made("DeduplicateDocumentsPercentile", parameters={"expected": 5, "percentile": 0.05}, random=expected),
        bounded("HiraganaRatio", 2, {"low": 0.15}, 0.15, 1.0),
        bounded("LinkCharRatio", 3, {"low": 0, "high": 0.4}, 0, 0.4),
        made("MergeListTag", "rewrites"),
        made("NoContentDOM", "paragraphs"),
        bounded("CompressionRate", 4, {"low": 0.25, "high": 0.75}, 0.25, 0.75),
        made("DeduplicateDocuments", fixed=True),
        made(
            "WordInstances",
            parameters={"list": "words.txt", "full": 0.3},
            thresholds=[bound("threshold", 6, ">=", 3.0, margin=1e-3)],
        ),
    ]


def documents(count: int, seed: int) -> list[Document]:
    """Documents whose metrics hang together a little, as those of real ones do."""
    draw = random.Random(seed)
    made = []
    for _ in range(count):
        boilerplate = draw.random() < 0.25
        length = max(1, int(draw.lognormvariate(5.2 if boilerplate else 6.9, 1.2)))
        copies = int(max(1.0, draw.paretovariate(0.7))) if boilerplate or draw.random() < 0.2 else 1
        hiragana = min(1.0, max(0.0, draw.gauss(0.12 if boilerplate else 0.43, 0.09)))
        links = 0.0 if draw.random() < 0.3 else draw.betavariate(3, 3) if boilerplate else draw.betavariate(1.2, 9)
        packed = min(1.1, max(0.05, draw.gauss(0.62, 0.1) + (0.25 if length < 150 else 0)))
        perplexity = draw.lognormvariate(9 if boilerplate else 7, 0.9)
        kept = 0 if draw.random() < 0.01 else max(1, int(length * draw.uniform(0.75, 1)))
        words = 0.3 * int(draw.expovariate(0.25) if boilerplate else 0)
        all_values = (length, min(copies, 10**6), hiragana, links, packed, perplexity, words)
        values = [to_float32(value) for value in all_values]
        fixed = FIXED if draw.random() < 0.05 else None
        made.append(Document(values, draw.random(), kept, kept * 3, length, length * 3, fixed))
    return made


@dataclass
class Settings:
    """What the page's thresholds stand at."""

    thresholds: list[list[float]]
    random: list[float | None]

    @classmethod
    def of(cls, filters: list[dict[str, Any]]) -> Settings:
        """As the chain has them."""
        values = [[threshold["value"] for threshold in one["thresholds"]] for one in filters]
        return cls(values, [one["random"]["value"] if one["random"] else None for one in filters])


@dataclass
class Oracle:
    """What stays, worked out plainly."""

    sample: list[Document]
    filters: list[dict[str, Any]]
    settings: Settings = field(init=False)

    def __post_init__(self) -> None:
        self.settings = Settings.of(self.filters)

    def remover(self, document: Document) -> int | None:
        """The place of the first filter that removes a document."""
        for place, one in enumerate(self.filters):
            if document.fixed == place:
                return place
            for at, threshold in enumerate(one["thresholds"]):
                if removes(threshold, document.values[threshold["column"]], self.settings.thresholds[place][at]):
                    return place
            expected = self.settings.random[place]
            if expected is not None:
                metric = document.values[one["random"]["column"]]
                if metric > 0 and document.random > expected / metric:
                    return place
        return None

    def removed(self) -> list[int]:
        """How many documents each filter removes first."""
        places = Counter(self.remover(document) for document in self.sample)
        return [places[place] for place in range(len(self.filters))]

    def kept(self) -> dict[str, int]:
        """Documents, characters and bytes that stay."""
        staying = [document for document in self.sample if self.remover(document) is None and document.characters > 0]
        return {
            "documents": len(staying),
            "characters": sum(document.characters for document in staying),
            "bytes": sum(document.size for document in staying),
        }

    def margins(self, of: int) -> dict[str, float]:
        """How far the shares may be from those of all `of` documents: the interval of 95 % of a ratio estimator."""
        stays = [self.remover(document) is None and document.characters > 0 for document in self.sample]
        weights = {
            "documents": [(1, 1) for _ in self.sample],
            "characters": [(document.characters, document.all_characters) for document in self.sample],
            "bytes": [(document.size, document.all_size) for document in self.sample],
        }
        if all(stays) or not any(stays):
            return dict.fromkeys(weights, 3 / len(stays))
        left = math.sqrt(1 - len(stays) / of)
        margins = {}
        for measure, pairs in weights.items():
            share = self.shares()[measure]
            squares = [(stay * kept - share * whole) ** 2 for stay, (kept, whole) in zip(stays, pairs, strict=True)]
            margins[measure] = 1.96 * math.sqrt(math.fsum(squares)) / sum(whole for _, whole in pairs) * left
        return margins

    def shares(self) -> dict[str, float]:
        """The same, as shares of the input."""
        kept = self.kept()
        return {
            "documents": kept["documents"] / len(self.sample),
            "characters": kept["characters"] / sum(document.all_characters for document in self.sample),
            "bytes": kept["bytes"] / sum(document.all_size for document in self.sample),
        }


def column(place: int, sample: list[Document], filters: list[dict[str, Any]], factor: int) -> dict[str, Any]:
    """The distribution of a metric, in bins at quantiles and at thresholds."""
    name, meaning = COLUMNS[place]
    values = sorted(document.values[place] for document in sample)
    edges = {values[len(values) * step // 64] for step in range(64)} | {values[-1]}
    for one in filters:
        edges |= {edge_of(bound) for bound in one["thresholds"] if bound["column"] == place}
    inside = [*sorted(edge for edge in edges if values[0] <= edge <= values[-1]), values[-1]]
    bins = len(inside) - 1
    counts: dict[str, list[int]] = {counted: [0] * bins for counted in ("documents", "characters", "bytes")}
    for document in sample:
        at = min(bins - 1, bisect.bisect_right(inside, document.values[place]) - 1)
        counts["documents"][at] += factor
        counts["characters"][at] += factor * document.characters
        counts["bytes"][at] += factor * document.size
    at_shares = [step / 100 for step in range(101)]
    quantiles = [values[min(len(values) - 1, int(share * len(values)))] for share in at_shares]
    distribution = {"sum": math.fsum(values) * factor, "nan": 0, "quantiles": {"at": at_shares, "values": quantiles}}
    return {"name": name, "meaning": meaning, **distribution, "edges": inside, **counts}


def extracts(sample: list[Document], count: int, seed: int) -> list[dict[str, Any]]:
    """Texts of some documents of the sample."""
    draw = random.Random(seed)
    made = []
    for row in sorted(draw.sample(range(len(sample)), count)):
        texts = draw.sample(SENTENCES, 4)
        paragraphs: list[dict[str, Any]] = [{"path": "body>nav>ul>li", "text": draw.choice(MENUS), "removedBy": 5}]
        paragraphs += [{"path": "body>main>p", "text": text, "removedBy": None} for text in texts * (1 + row % 4)]
        url = f"https://example-{row % 37}.jp/articles/{row}.html"
        title = None if row % 9 == 0 else f"{texts[0][:12]}（第{row}回）"
        of = {"row": row, "docId": f"{row:032x}", "url": url, "title": title, "cut": row % 3 == 0}
        made.append({**of, "paragraphs": paragraphs})
    return made


def metrics(name: str, count: int, seed: int, factor: int = 1) -> tuple[dict[str, Any], Oracle]:
    """A table of metrics whose sample is one of `factor` of its documents, and what tells what stays of the sample."""
    sample = documents(count, seed)
    filters = chain()
    total = {
        "documents": count * factor,
        "characters": sum(document.all_characters for document in sample) * factor,
        "bytes": sum(document.all_size for document in sample) * factor,
    }
    packed = {
        "documents": count,
        "of": count * factor,
        "characters": pack("I", [document.characters for document in sample]),
        "bytes": pack("I", [document.size for document in sample]),
        "allCharacters": pack("I", [document.all_characters for document in sample]),
        "allBytes": pack("I", [document.all_size for document in sample]),
        "random": pack("d", [document.random for document in sample]),
        "fixedRemoved": pack("B", [255 if document.fixed is None else document.fixed for document in sample]),
        "values": [pack("f", [document.values[place] for document in sample]) for place in range(len(COLUMNS))],
    }
    columns = [column(place, sample, filters, factor) for place in range(len(COLUMNS))]
    made = {"name": name, "documents": count * factor, "total": total, "columns": columns}
    return {**made, "chain": filters, "sample": packed, "extracts": extracts(sample, min(200, count), seed)}, Oracle(
        sample, filters
    )


def funnel() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Stages and what each takes away."""
    minute = {"seconds": None, "threads": 8, "peakMemory": 1 << 30}
    stages = [
        {"name": "run/documents", "stage": "extract", **minute, "seconds": 312.4, "peakMemory": 734003200},
        {"name": "run/statistics", "stage": "stats", **minute, "seconds": 187.9},
        {"name": "run/clean", "stage": "filter", **minute, "seconds": 96.1, "peakMemory": 412000000},
    ]
    unknown = {"records": None, "documents": None, "paragraphs": None, "characters": None, "bytes": None}
    rows = [{**unknown, "label": "WARC records", "stage": 0, "kind": "input", "records": 190432, "bytes": 4815162342}]
    for label, records in [("language-rapid", 91204), ("language-precise", 12877), ("parse", 13), ("quarantined", 2)]:
        rows.append({**unknown, "label": label, "stage": 0, "kind": "rejected", "records": records})
    left = {"documents": 86336, "paragraphs": 3412876, "characters": 181234567, "bytes": 512345678}
    rows.append({**unknown, "label": "documents", "stage": 0, "kind": "output", **left})
    rows.append({**unknown, "label": "documents", "stage": 2, "kind": "input", **left})
    taken = [
        ("DocLength.Low(50)", 0.04),
        ("DeduplicateDocumentsPercentile(5.0)", 0.23),
        ("HiraganaRatio.Low(0.15)", 0.11),
        ("LinkCharRatio.High(0.4)", 0.09),
        ("NoContentDOM", 0.0),
        ("CompressionRate.Low(0.25)", 0.015),
        ("CompressionRate.High(0.75)", 0.05),
        ("quarantined", 0.00005),
    ]
    for step, (label, share) in enumerate(taken):
        gone = {measure: int(count * share * (1 if measure == "documents" else 0.6)) for measure, count in left.items()}
        left = {measure: count - gone[measure] for measure, count in left.items()}
        kind = "rejected" if label == "quarantined" else "removed"
        name = label.partition("(")[0].partition(".")[0]
        rows.append({**unknown, "label": label, "stage": 2, "kind": kind, "step": step, "class": name, **gone})
    rows.append({**unknown, "label": "passed", "stage": 2, "kind": "output", **left})
    return stages, rows


def groups(seed: int) -> list[dict[str, Any]]:
    """Groups of near-duplicates, a few of them with their variants, and frequent paragraphs."""
    draw = random.Random(seed)
    sizes = [(1, 1, 801234), (2, 2, 64210), (3, 4, 21034), (5, 8, 6011), (9, 16, 902), (17, 32, 77), (33, 64, 4)]
    largest = []
    for place in range(20):
        base = SENTENCES[place % len(SENTENCES)]
        variants = [{"text": base, "exactFreq": 900 - 40 * place, "nearFreq": 1000 - 40 * place}]
        for more in range(4):
            at = draw.randrange(len(base))
            text = base[:at] + draw.choice(["本日", "2023年", "、", "また"]) + base[at + more % 2 :]
            variants.append({"text": text, "exactFreq": 40 - more * 7, "nearFreq": 1000 - 40 * place})
        of = {
            "hash": str(draw.getrandbits(63)),
            "occurrences": 1200 - 40 * place,
            "members": 5 + place % 7,
            "hosts": None,
        }
        largest.append({**of, "variants": variants})
    frequent: list[dict[str, Any]] = [
        {
            "text": text,
            "exactFreq": 9000 - 300 * at,
            "nearFreq": 12000 - 350 * at,
            "hosts": 90 - 3 * at,
            "documents": None,
        }
        for at, text in enumerate([*MENUS, *SENTENCES, *MENUS, *SENTENCES])
    ]
    frequent.append({"text": None, "exactFreq": 12, "nearFreq": 2147483647, "hosts": None, "documents": None})
    of_sizes = [
        {"least": least, "most": most, "groups": count, "occurrences": count * most} for least, most, count in sizes
    ]
    counts = {"groups": sum(count for _, _, count in sizes), "paragraphs": 1043210}
    return [{"name": "run/statistics", **counts, "sizes": of_sizes, "largest": largest, "frequent": frequent}]


def corpus() -> dict[str, Any]:
    """A corpus's languages, encodings, hosts and dates."""

    def named(*pairs: tuple[str, int]) -> list[dict[str, Any]]:
        return [{"name": name, "documents": count} for name, count in pairs]

    hosts = [(f"host-{place:02}.example.jp", 9000 // (place + 1)) for place in range(40)]
    dates = [
        (f"20{year}-{month:02}", 700 + 37 * month * (year % 5)) for year in range(20, 24) for month in range(1, 13)
    ]
    del dates[7:9]  # months without documents
    return {
        "name": "run/documents",
        "documents": 86336,
        "characters": 181234567,
        "bytes": 512345678,
        "languages": named(("ja", 84210), ("en", 1800), ("zh", 300), ("", 26)),
        "charsets": named(("utf-8", 79877), ("shift_jis", 4120), ("euc-jp", 2211), ("iso-2022-jp", 128)),
        "hosts": named(*hosts),
        "distinctHosts": 20412,
        "dates": named(*dates),
    }


def overlap() -> dict[str, Any]:
    """Three datasets that share some of what they have."""
    names = ["corpora/uzushio", "corpora/swallow", "corpora/chitra"]
    kinds = []
    for kind, scale in [("urls", 1.0), ("documents", 0.6), ("paragraphs", 9.5)]:
        counts = [int(count * scale) for count in (86336, 71204, 1204)]
        shared = [[1.0, 0.41, 0.002], [0.41, 1.0, 0.01], [0.002, 0.01, 1.0]]
        both = [[int(min(counts[a], counts[b]) * shared[a][b]) for b in range(3)] for a in range(3)]
        kinds.append({"kind": kind, "counts": counts, "both": both})
    return {"name": "run/overlap", "datasets": names, "kinds": kinds}


def diff() -> dict[str, Any]:
    """Two corpora document by document."""
    draw = random.Random(9)
    hosts = [f"site{number}.example.jp" for number in range(12)]

    def why(output: str | None, stage: str | None, reason: str | None, **more: Any) -> dict[str, Any]:
        return {"output": output, "stage": stage, "reason": reason, "filter": None, **more}

    filtered = why("earlier/graded", "filter", "HiraganaRatio.Low(0.15)", filter="HiraganaRatio")
    lost = why("run/graded", "filter", None)
    duplicate = why("run/unique", "minhash", "duplicate")
    nowhere = why(None, None, None)

    def document(number: int, lines: list[dict[str, Any]], reason: dict[str, Any] | None) -> dict[str, Any]:
        return {
            "id": f"id-{number}",
            "url": f"https://{draw.choice(hosts)}/articles/{number}",
            "title": draw.choice([None, "雨の港"]),
            "documents": 1 if number % 3 else 12_000,
            "why": reason,
            "lines": lines,
            "cut": number % 5 == 0,
        }

    def lines(kind: str) -> list[dict[str, Any]]:
        return [{"kind": kind, "text": text} for text in draw.sample(SENTENCES, 3)]

    changed: list[dict[str, Any]] = [
        {"skipped": 3},
        {"kind": "both", "text": SENTENCES[0]},
        {"kind": "b", "text": MENUS[0]},
        {"kind": "b", "text": MENUS[2]},
        {"kind": "both", "text": SENTENCES[1]},
        {"kind": "b", "text": "お問い合わせは山田まで。"},
        {"kind": "a", "text": "お問い合わせは担当まで。"},
        {"kind": "both", "text": SENTENCES[2]},
        {"kind": "a", "text": SENTENCES[3]},
    ]
    found = {**duplicate, "duplicateOf": "id-7", "similarity": 0.93}
    within = {**found, "duplicateReason": "contained"}
    older = {**found, "duplicateReason": "url"}
    kinds = {"equal": 9000, "changed": 700, "onlyA": 260, "onlyB": 40}
    return {
        "a": "run/graded",
        "b": "earlier/graded",
        "matchedBy": "docId",
        **{
            kind: {
                "documents": documents,
                "charactersA": 0 if kind == "onlyB" else 1400 * documents,
                "charactersB": 0 if kind == "onlyA" else 1500 * documents,
            }
            for kind, documents in kinds.items()
        },
        "reasons": [
            {**filtered, "missingIn": "b", "documents": 180, "characters": 252000},
            {**nowhere, "missingIn": "b", "documents": 80, "characters": 112000},
            {**duplicate, "missingIn": "a", "documents": 22, "characters": 33000},
            {**lost, "missingIn": "a", "documents": 18, "characters": 27000},
        ],
        "hosts": [
            {"name": host, "equal": 700, "changed": 50, "onlyA": 20 - at, "onlyB": 3} for at, host in enumerate(hosts)
        ],
        "distinctHosts": 3000,
        "shown": {
            "changed": [document(number, changed, None) for number in range(25)],
            "onlyA": [document(100 + number, lines("a"), [filtered, nowhere][number % 2]) for number in range(14)],
            "onlyB": [
                document(200 + number, lines("b"), why) for number, why in enumerate([found, lost, within, older, lost])
            ],
        },
    }


def report(count: int = 2500, factor: int = 40) -> tuple[dict[str, Any], Oracle]:
    """All that the page can show, and the oracle of its first table of metrics."""
    stages, rows = funnel()
    first, oracle = metrics("run/metrics", count, 1, factor)
    second, _ = metrics("run/clean-metrics", count, 2, factor)
    grades = [
        ("run/graded/filter=none", 40000, 52),
        ("run/graded/filter=DeduplicateDocumentsPercentile(2.5)", 12000, 31),
    ]
    tokens = [
        {"name": name, "documents": documents, "tokens": of * 10**6, "characters": of * 1610000, "bytes": of * 4720000}
        for name, documents, of in grades
    ]
    data = {
        "version": 1,
        "generator": "uzushio 0.1.0",
        "title": "run",
        "serve": None,
        "stages": stages,
        "funnel": rows,
        "metrics": [first, second],
        "groups": groups(3),
        "corpora": [corpus()],
        "overlap": [overlap()],
        "tokens": tokens,
        "diff": diff(),
    }
    return data, oracle
