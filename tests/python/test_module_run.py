"""`uzushio.run`: pipelines from Python."""

from __future__ import annotations

from pathlib import Path

import pytest
import uzushio as uz
from pipeline_pages import write_archive

pytestmark = pytest.mark.module


def test_run(tmp_path: Path) -> None:
    """A preset: its plan, its progress over all stages, its summary; again."""
    archive = write_archive(tmp_path / "a.warc.gz", 30)
    plan = uz.run(None, tmp_path / "out", preset="swallow", inputs=archive, plan=True)
    assert [stage["reasons"] for stage in plan.plan] == [["new"]] * 3
    assert not (tmp_path / "out").exists()
    shares: list[float] = []
    summary = uz.run(
        None, tmp_path / "out", preset="swallow", inputs=[archive], progress=lambda share, _: shares.append(share)
    )
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert [(step.name, step.command, step.was_done) for step in summary.steps] == [
        ("documents", "extract", False),
        ("clean", "filter", False),
        ("unique", "minhash", False),
    ]
    assert [one.filter for one in summary.left_out] == ["NgWordRatio", "HostFilter"]
    assert "run: 3 stages" in str(summary)
    again = uz.run(None, tmp_path / "out", preset="swallow", inputs=[archive])
    assert all(step.was_done for step in again.steps)


def test_errors(tmp_path: Path) -> None:
    """Say the stage."""
    (tmp_path / "p.conf").write_text("stages: [{name: a, command: stats, input: x, window: y}]", encoding="utf-8")
    with pytest.raises(uz.UsageError, match=r"p.conf:1: stages\[0\]: --window y: give a whole number"):
        uz.run(tmp_path / "p.conf", tmp_path / "out")
    with pytest.raises(uz.UsageError, match="give one of pipeline and preset"):
        uz.run(None, tmp_path / "out")
    with pytest.raises(TypeError, match="did you mean preset"):
        uz.run(None, tmp_path / "out", presett="clean")  # type: ignore[call-overload]
