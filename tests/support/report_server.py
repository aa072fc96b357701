"""`uzushio report --serve` under work, and documents that it tells of."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from corpus import random_documents, write_corpus
from program import PROGRAM, run_uzushio

CHAIN: list[dict[str, Any]] = [
    {"class": "HiraganaRatio", "low": 0.1, "high": 0.9},
    {"class": "LargeFreqParagraphs", "count": 2, "freq": 30},
    {"class": "DocLength", "low": 20, "high": 2000},
    {"class": "DeduplicateDocumentsPercentile", "percentile": 0.3, "expected": 3.0},
    {"class": "DeduplicateDocuments"},
]


def write_measured(folder: Path) -> None:
    """Puts 500 documents, their statistics, and the metrics of the chain into a folder."""
    write_corpus(run_uzushio, folder, random_documents(5, 500))
    (folder / "chain.conf").write_text(json.dumps({"filters": CHAIN}), encoding="utf-8")
    common = ["--config", folder / "chain.conf", "--stats", folder / "statistics"]
    run_uzushio("metrics", folder / "documents", "--output", folder / "metrics", *common)


class Server:
    """The program, and where it says that it is."""

    def __init__(self, *arguments: str | Path) -> None:
        command = [str(part) for part in [PROGRAM, "report", *arguments, "--serve", "--quiet"]]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError(self.process.communicate(timeout=60)[1])
        self.port = urlsplit(self.url).port
        self.token = urlsplit(self.url).query.removeprefix("token=")

    def ask(self, method: str, target: str, body: str | None = None, **headers: str) -> tuple[int, str]:
        """The status and the text of an answer; headers in which `_` is `-`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, target, body=body, headers=given)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def kept(self, question: Any) -> tuple[int, Any]:
        """The answer to a question about thresholds."""
        status, text = self.ask("POST", f"/kept?token={self.token}", json.dumps(question))
        return status, json.loads(text) if status == 200 else text

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Stops it; its exit code and what it has complained of."""
        self.process.send_signal(how)
        return self.process.wait(timeout=60), self.process.communicate(timeout=60)[1]
