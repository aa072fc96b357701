"""What is special to inputs on Google Cloud Storage: a server of its own on this machine."""

from __future__ import annotations

from pathlib import Path

from google_store import serve_google_store
from program import PROGRAM


def test_a_store_that_gives_no_access(tmp_path: Path) -> None:
    """It is said what to set, as an error of the user's."""
    with serve_google_store() as store:
        store.put("crawl/0.warc.gz", b"x")
        store.proxy.method, store.proxy.pattern = "GET", "crawl"
        place = f"{store.uri}/crawl/0.warc.gz"
        said = store.run(PROGRAM, "extract", place, "--output", tmp_path / "out", code=2)
    assert f"{place}: the store gives no access; set GOOGLE_APPLICATION_CREDENTIALS" in said
