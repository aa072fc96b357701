"""`MaskPersonalData` through the program and the module: what is masked, what stays, counts, pseudonyms."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import Uzushio

# Paragraphs with their marks, and what becomes of them.
TEXTS = {
    "お問い合わせは\x02taro@uzushio.jp\x03、電話は０３（１２３４）５６７８へ。": (
        "お問い合わせは\x02<EMAIL>\x03、電話は<PHONE>へ。"
    ),
    "〒100-0001 東京都千代田区千代田1-1": "〒<POSTAL_CODE> 東京都千代田区千代田1-1",
    "カード 4111 1111 1111 1111、期限 01/30": "カード <CARD>、期限 01/30",
    "みずほ銀行 普通 1234567 に 12,000 円": "みずほ銀行 普通 <BANK_ACCOUNT> に 12,000 円",
    "サーバー 130.89.148.77 と 192.168.0.1": "サーバー <IP_ADDRESS> と 192.168.0.1",
    "品川 300 さ 12-34 の車": "<LICENSE_PLATE> の車",
    "位置は 35.681236,139.767125 です": "位置は <COORDINATES> です",
    "マイナンバー 1234-5678-9018": "マイナンバー <MY_NUMBER>",
    "登録番号 T7000012050002": "登録番号 T<CORPORATE_NUMBER>",
    "ISBN978-4-06-519981-0、2020-01-02、Ver.4.6.2.0、平成十五年法律第57号、￥1,234,567": None,
}
COUNTS = {
    "email": 1,
    "telephone": 1,
    "postal_code": 1,
    "my_number": 1,
    "corporate_number": 1,
    "card": 1,
    "bank_account": 1,
    "ip_address": 1,
    "license_plate": 1,
    "coordinates": 1,
}


@pytest.fixture(name="documents")
def write_documents(tmp_path: Path) -> Path:
    """One document of all paragraphs, and one of none of it."""
    rows = {"docId": ["a", "b"], "text": ["\n\n".join(f"p\x1e\x1c{text}" for text in TEXTS), "p\x1e\x1c何もない。"]}
    pq.write_table(pa.table(rows), tmp_path / "documents.parquet")
    return tmp_path / "documents.parquet"


def masked(uzushio: Uzushio, documents: Path, *options: str, **parameters: Any) -> list[str]:
    """The texts behind the filter."""
    folder = documents.parent
    (folder / "chain.conf").write_text(json.dumps({"filters": [{"class": "MaskPersonalData", **parameters}]}))
    uzushio("filter", documents, "--config", folder / "chain.conf", "--output", folder / "out", "--overwrite", *options)
    return [str(text) for text in pq.read_table(folder / "out")["text"].to_pylist()]


def test_masks_and_leaves(uzushio: Uzushio, documents: Path) -> None:
    """With markup and without."""
    kept = masked(uzushio, documents, "--keep-markup")[0]
    wanted = [after or before for before, after in TEXTS.items()]
    assert kept.split("\n\n") == [f"p\x1e\x1c{text}" for text in wanted]
    plain = masked(uzushio, documents)
    assert plain[0].split("\n\n") == [text.replace("\x02", "").replace("\x03", "") for text in wanted]
    assert plain[1] == "何もない。"


def test_counts(uzushio: Uzushio, documents: Path) -> None:
    """A column each; of a kind that is off, none is counted."""
    uzushio("metrics", documents, "--metric", "MaskPersonalData", "--output", documents.parent / "metrics")
    first, second = pq.read_table(documents.parent / "metrics" / "metrics.parquet").to_pylist()
    assert {name: first[name] for name in COUNTS} == COUNTS
    assert all(second[name] == 0 for name in COUNTS)


def test_pseudonyms(uzushio: Uzushio, documents: Path) -> None:
    """They are HMACs of plain forms; neither the output nor its mark tells the key."""
    key = documents.parent / "key"
    key.write_text("a secret of enough bytes\n")
    text = masked(uzushio, documents, replacement="pseudonym", key=str(key))[0]
    for value in ("EMAIL:taro@uzushio.jp", "PHONE:0312345678", "CARD:4111111111111111", "IP_ADDRESS:130.89.148.77"):
        token = value.partition(":")[0]
        digest = hmac.new(b"a secret of enough bytes", value.encode(), hashlib.sha256).hexdigest()[:16]
        assert f"<{token}:{digest}>" in text
    assert "a secret" not in (documents.parent / "out" / ".uzushio/manifest.json").read_text()


def test_another_key_is_another_run(uzushio: Uzushio, documents: Path) -> None:
    """The same file with another secret does not pass for what was made."""
    key = documents.parent / "key"
    key.write_text("a secret of enough bytes")
    before = masked(uzushio, documents, replacement="pseudonym", key=str(key))[0]
    key.write_text("another secret of enough bytes")
    common = ["--config", documents.parent / "chain.conf", "--output", documents.parent / "out"]
    assert "another configuration" in uzushio("filter", documents, *common, code=2).stderr
    assert masked(uzushio, documents, replacement="pseudonym", key=str(key))[0] != before


def test_added_to_a_preset(uzushio: Uzushio, documents: Path) -> None:
    """As docs/personal-data.md says."""
    folder = documents.parent
    (folder / "base.conf").write_text('filters: [{"class": "DocLength", "low": 10}]')
    (folder / "own.conf").write_text('include "base.conf"\nfilters += {"class": "MaskPersonalData"}\n')
    uzushio("filter", documents, "--config", folder / "own.conf", "--output", folder / "own")
    texts = pq.read_table(folder / "own")["text"].to_pylist()
    assert len(texts) == 1
    assert "<EMAIL>" in texts[0]
