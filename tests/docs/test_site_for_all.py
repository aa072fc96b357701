"""The site in Chromium: axe finds nothing in it, of its text or of what its theme adds."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from program import ROOT

pytestmark = pytest.mark.once

SITE = ROOT / "build" / "site"
AXE = ROOT / "build" / "report" / "node_modules" / "axe-core" / "axe.min.js"
PAGES = ["index.html", "ja/index.html", "contributing.html", "reporting.html", "404.html"]
PAGES += [path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")]
# Each kind of content: pictures, large tables, code, generated lists, Japanese.
DARK = ["index.html", "benchmarks.html", "pipeline.html", "filters.html", "ja/tutorial.html"]


class Silent(SimpleHTTPRequestHandler):
    """Serves files and writes nothing about it."""

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture(name="address", scope="module")
def serve() -> Iterator[str]:
    """Where the site is served."""
    if not (SITE / "index.html").exists():
        pytest.skip("build/site is not there: ./dev site makes it")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=str(SITE)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("name", "scheme"), [*((name, "light") for name in sorted(PAGES)), *((name, "dark") for name in DARK)]
)
def test_axe(chromium: Any, address: str, name: str, scheme: str) -> None:
    """axe finds nothing, on any page."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    try:
        page = context.new_page()
        page.goto(f"{address}/{name}", timeout=120_000)
        page.wait_for_load_state("load")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
    finally:
        context.close()
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
