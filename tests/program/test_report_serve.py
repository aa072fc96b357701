"""`uzushio report --serve`: the page on this machine alone, and exact numbers for thresholds that are moved."""

from __future__ import annotations

import json
import random
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from program import Uzushio, read_json
from report_server import CHAIN, Server, write_measured


@pytest.fixture(name="outputs", scope="module")
def make_outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents, their statistics and metrics."""
    folder = tmp_path_factory.mktemp("serve")
    write_measured(folder)
    return folder


@pytest.fixture(name="server", scope="module")
def start_server(outputs: Path) -> Iterator[Server]:
    """One over the metrics."""
    server = Server(outputs / "metrics")
    yield server
    server.end()


def chain_of(server: Server) -> list[dict[str, Any]]:
    """The chain that the page has."""
    _, page = server.ask("GET", f"/?token={server.token}")
    data = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    read = json.loads(data[1])
    assert read["serve"] == {"token": server.token}
    chain: list[dict[str, Any]] = read["metrics"][0]["chain"]
    return chain


def question_of(chain: list[dict[str, Any]]) -> dict[str, Any]:
    """What the chain itself says."""
    return {
        "metrics": 0,
        "thresholds": [[one["value"] for one in step["thresholds"]] for step in chain],
        "random": [step["random"] and step["random"]["value"] for step in chain],
    }


def test_the_page_is_there(server: Server) -> None:
    """At the URL that is printed, which has a long token; with what it needs to ask."""
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{64}", server.url)
    status, page = server.ask("GET", f"/?token={server.token}")
    assert status == 200
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "connect-src 'self'" in page


def test_what_is_foreign_is_refused(server: Server) -> None:
    """Other tokens, hosts and origins, whatever is asked for."""
    own = f"127.0.0.1:{server.port}"
    page, question = f"/?token={server.token}", f"/kept?token={server.token}"
    for target in ("/", "/?token=", page[:-1], page + "0", "/kept", "/?token=" + "0" * 64):
        assert server.ask("GET", target)[0] == 403, target
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", f"{own}.evil.example"):
        assert server.ask("GET", page, Host=host)[0] == 403, host
        assert server.ask("POST", question, "{}", Host=host)[0] == 403, host
    for origin in ("null", "http://evil.example", f"https://{own}", f"http://evil.example:{server.port}"):
        assert server.ask("POST", question, "{}", Origin=origin)[0] == 403, origin
    for host in (own, f"localhost:{server.port}"):
        assert server.ask("GET", page, Host=host, Origin=f"http://{host}")[0] == 200, host
    assert server.ask("GET", f"/etc/passwd?token={server.token}")[0] == 404


def test_bad_questions_are_told(server: Server) -> None:
    """What is no question says what is wrong with it; the server goes on."""
    good = question_of(chain_of(server))
    assert server.ask("POST", f"/kept?token={server.token}", "no JSON")[0] == 400
    bad: list[tuple[dict[str, Any], str]] = [
        ({"metrics": 1}, "metrics: a number from 0 to 0"),
        ({"metrics": "0"}, "metrics: a number"),
        ({"thresholds": good["thresholds"][1:]}, "the chain has 5"),
        ({"thresholds": [[0.1], *good["thresholds"][1:]]}, "HiraganaRatio has 2"),
        ({"thresholds": [["x", 1], *good["thresholds"][1:]]}, "thresholds[0]: no number"),
        ({"random": [1, *good["random"][1:]]}, "HiraganaRatio removes no documents at random"),
    ]
    for change, told in bad:
        status, text = server.kept(good | change)
        assert status == 400
        assert told in text
    assert server.ask("POST", f"/kept?token={server.token}", " " * 300_000)[0] == 413
    assert server.kept(good)[0] == 200


def test_numbers_are_those_of_filter(server: Server, outputs: Path, tmp_path: Path, uzushio: Uzushio) -> None:
    """Whatever is moved: documents, characters and bytes are what `filter` keeps with the chain that is meant."""
    choose = random.Random(1)
    question = question_of(chain_of(server))
    assert question["thresholds"] == [[0.1, 0.9], [], [20, 2000], [], []]
    seen = set()
    for number in range(4):
        low, high, length = choose.uniform(0, 0.4), choose.uniform(0.5, 0.9), choose.randrange(100)
        expected = choose.uniform(1, 4)
        if number > 0:
            question["thresholds"][0] = [low, high]
            question["thresholds"][2][0] = length
            question["random"][3] = expected
        status, kept = server.kept(question)
        assert status == 200
        chain = [dict(step) for step in CHAIN]
        chain[0] |= dict(zip(("low", "high"), question["thresholds"][0], strict=True))
        chain[2] |= {"low": question["thresholds"][2][0]}
        chain[3] |= {"expected": question["random"][3]}
        (tmp_path / f"{number}.conf").write_text(json.dumps({"filters": chain}), encoding="utf-8")
        output = tmp_path / f"passed-{number}"
        common = ["--config", tmp_path / f"{number}.conf", "--stats", outputs / "statistics"]
        uzushio("filter", outputs / "documents", "--output", output, *common)
        counts = read_json(output / ".uzushio/manifest.json")["counts"]
        passed = counts["passed"]
        found = (kept["documents"], kept["characters"], kept["bytes"])
        assert found == (passed["documents"], passed["characters"], passed["text_bytes"])
        seen.add(found)
        assert len(kept["removed"]) == len(CHAIN)
        removed = sum(step["documents"] for step in kept["removed"])
        assert kept["documents"] + removed + counts["empty"]["documents"] == 500
    assert len(seen) == 4


def test_numbers_are_those_of_the_table(server: Server, outputs: Path) -> None:
    """What one filter alone removes, by its column."""
    chain = chain_of(server)
    table = pq.read_table(outputs / "metrics" / "metrics.parquet")
    question = question_of(chain)
    for low in (0.2, 0.35, 0.5):
        question["thresholds"][0] = [low, 0.8]
        values = table[0 + 1].to_numpy().astype(np.float32)
        removed = (values < np.float32(low)) | (values > np.float32(0.8))
        _, kept = server.kept(question)
        assert kept["removed"][0] == {
            "documents": int(removed.sum()),
            "characters": int(table["keptCharacters"].to_numpy()[removed].sum()),
            "bytes": int(table["keptBytes"].to_numpy()[removed].sum()),
        }


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_told(outputs: Path, how: signal.Signals) -> None:
    """Well, and at once; its port is closed."""
    server = Server(outputs / "metrics")
    assert server.end(how) == (0, "")
    with pytest.raises(ConnectionRefusedError):
        server.ask("GET", "/")


def test_what_can_not_be_served(outputs: Path, tmp_path: Path, uzushio: Uzushio) -> None:
    """Without metrics there is nothing to ask for; and a page is either written or served."""
    assert (
        "there is no output of uzushio metrics" in uzushio("report", outputs / "statistics", "--serve", code=2).stderr
    )
    metrics = outputs / "metrics"
    both = uzushio("report", metrics, "--serve", "--output", tmp_path / "page.html", code=2)
    assert "--output and --serve" in both.stderr
    assert "give a name for the page" in uzushio("report", metrics, code=2).stderr
    assert not list(tmp_path.iterdir())
