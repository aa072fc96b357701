"""OptOut and License, against plain Python, and what extract gives them."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uzushio as module
from corpus import written
from program import CASES, SIZES, Uzushio, read_documents, read_json
from warc_builder import build

RULES = ["noindex", "noai", "noimageai", "tdm-reservation:1", "tdm-reservation:0", "max-snippet:0", "none"]
AGENTS = ["", "", "gptbot", "ccbot", "googlebot"]
FAMILIES = ["none", "cc0", "public-domain", "by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd", "other", "mixed"]
PLACES = ["meta", "json-ld", "rel", "footer", "link"]
URLS = {
    "https://creativecommons.org/publicdomain/zero/1.0/": "cc0",
    "https://creativecommons.org/publicdomain/mark/1.0/": "public-domain",
    "http://creativecommons.org/licenses/by/2.1/jp/": "by",
    "//creativecommons.org/licenses/by/4.0/deed.ja": "by",
    "https://creativecommons.org/licenses/by-nc-sa/4.0": "by-nc-sa",
    "https://www.gnu.org/licenses/fdl-1.3.html": "other",
    "/terms.html": "other",
}


def write_config(path: Path, *filters: dict[str, Any]) -> Path:
    """A configuration."""
    path.write_text(json.dumps({"filters": filters}), encoding="utf-8")
    return path


def opt_out(robots: str, directives: list[str], agents: list[str], of_agents: list[str]) -> int:
    """The number of the reason, from 1, or 0."""
    found = []
    for line in robots.splitlines():
        agent, _, directive = line.rpartition(": ")
        if not agent and directive in directives:
            found.append(1 + directives.index(directive))
        if agent in agents and directive in of_agents:
            found.append(1 + len(directives) + agents.index(agent))
    return min(found, default=0)


def family(licenses: str, places: list[str]) -> str:
    """What License says of the column."""
    lines = [line.split(" ") for line in licenses.splitlines()]
    lines = [line for line in lines if line[0] in places]
    of_first = {URLS[url] for place, url in lines if place == lines[0][0]}
    return "none" if not lines else "mixed" if len(of_first) > 1 else of_first.pop()


def columns() -> tuple[list[str], list[str]]:
    """Random values of both columns."""
    choose = random.Random(1)
    robots, licenses = [], []
    for _ in range(400):
        rules = [(choose.choice(AGENTS), choose.choice(RULES)) for _ in range(choose.choice([0, 1, 1, 3]))]
        robots.append("\n".join(f"{agent}: {rule}" if agent else rule for agent, rule in rules))
        named = [(choose.randrange(5), choose.choice(list(URLS))) for _ in range(choose.choice([0, 1, 1, 3]))]
        licenses.append("\n".join(f"{PLACES[place]} {url}" for place, url in sorted(named)))
    return robots, licenses


def write_documents(path: Path, robots: list[str] | None, licenses: list[str] | None) -> None:
    """A document for each value, as Parquet or lines of JSON."""
    count = len(robots or licenses or [""])
    table: dict[str, list[str]] = {"docId": [str(n) for n in range(count)]}
    table["text"] = [f"これは、{n} 番めの文章です。" for n in range(count)]
    table |= {"robots": robots} if robots is not None else {}
    table |= {"license": licenses} if licenses is not None else {}
    if path.suffix == ".parquet":
        pq.write_table(pa.table(table), path, row_group_size=97)
    else:
        rows = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def check(
    uzushio: Uzushio, folder: Path, source: Path, config: Path, wanted: list[str], numbers: dict[str, list[float]]
) -> None:
    """The reason of each document, its metrics, and the same by a table of metrics."""
    common = ["--config", config, "--mode", "partitioned"]
    uzushio("filter", source, "--output", folder / "out", "--threads", 3, *common)
    found = {doc_id: reason for reason, texts in written(folder / "out").items() for doc_id in texts}
    assert found == {str(n): reason for n, reason in enumerate(wanted)}
    uzushio("metrics", source, "--output", folder / "metrics", "--config", config)
    table = pq.read_table(folder / "metrics" / "metrics.parquet")
    assert {re.sub(r"\(.*", "", name) for name in table.column_names} == {"docId", *SIZES, *numbers}
    for name in set(table.column_names) - {"docId", *SIZES}:
        assert table[name].to_pylist() == numbers[re.sub(r"\(.*", "", name)]
    if source.suffix != ".parquet":
        return
    uzushio("filter", source, "--output", folder / "again", "--metrics", folder / "metrics", *common)
    assert written(folder / "again") == written(folder / "out")


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
@pytest.mark.parametrize("given", [False, True])
def test_opt_outs(uzushio: Uzushio, tmp_path: Path, ending: str, given: bool) -> None:
    """With the default rules and others; `tdm-reservation` is the reservation."""
    robots, _ = columns()
    write_documents(tmp_path / f"a.{ending}", robots, None)
    parameters: dict[str, Any] = {}
    directives, agents, of_agents = ["noai", "tdm-reservation:1"], ["ccbot", "gptbot"], ["noai", "noindex", "none"]
    names = ["noai", "tdm-reservation", "ccbot", "gptbot"]
    if given:
        directives, agents, of_agents = ["max-snippet:0", "noindex"], ["googlebot"], ["noai"]
        names = [*directives, "GoogleBot"]
        parameters = {"directives": directives, "agents": ["GoogleBot"], "agent_directives": ["NOAI"]}
    config = write_config(tmp_path / "a.conf", {"class": "OptOut", **parameters})
    numbers = [opt_out(value, directives, agents, of_agents) for value in robots]
    wanted = [f"OptOut({names[number - 1]})" if number else "none" for number in numbers]
    assert len(set(wanted)) == 1 + len(names)
    check(uzushio, tmp_path, tmp_path / f"a.{ending}", config, wanted, {"OptOut": [float(n) for n in numbers]})
    said = uzushio("explain", str(wanted.index(f"OptOut({names[0]})")), "--in", tmp_path / "out").stdout.splitlines()[
        -1
    ]
    assert said.strip() == f"removed by OptOut({names[0]}); rule: {directives[0]}"
    of_several = next(place for place, value in enumerate(robots) if "\n" in value)
    said = uzushio("explain", str(of_several), "--in", tmp_path / "out").stdout
    assert "  robots     " + robots[of_several].replace("\n", "\n" + " " * 13) + "\n" in said


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
@pytest.mark.parametrize(
    ("keep", "places"),
    [(None, None), (["none", "by", "other"], ["rel", "footer", "meta"]), ([], ["link"])],
)
def test_licenses(
    uzushio: Uzushio, tmp_path: Path, ending: str, keep: list[str] | None, places: list[str] | None
) -> None:
    """With the default families and places, and others."""
    _, licenses = columns()
    write_documents(tmp_path / f"a.{ending}", None, licenses)
    given = {name: value for name, value in (("keep", keep), ("places", places)) if value is not None}
    config = write_config(tmp_path / "a.conf", {"class": "License", **given})
    kept = ["cc0", "public-domain", "by", "by-sa"] if keep is None else keep
    removed = [name for name in FAMILIES if name not in kept]
    found = [family(value, PLACES if places is None else places) for value in licenses]
    assert {"none", "mixed", "by", "other"} <= set(found)
    wanted = ["none" if name in kept else f"License({name})" for name in found]
    numbers = {
        "License": [float(FAMILIES.index(name)) for name in found],
        "LicenseReason": [1.0 + removed.index(name) if name in removed else 0.0 for name in found],
    }
    check(uzushio, tmp_path, tmp_path / f"a.{ending}", config, wanted, numbers)


def test_documents_without_the_columns_are_refused(uzushio: Uzushio, tmp_path: Path) -> None:
    """By filter and metrics, before anything is written; a null says nothing."""
    write_documents(tmp_path / "a.parquet", None, None)
    for name, column, what in (("OptOut", "robots", "rules for robots"), ("License", "license", "licences")):
        config = write_config(tmp_path / "a.conf", {"class": name})
        for command in ("filter", "metrics"):
            done = uzushio(command, tmp_path / "a.parquet", "--output", tmp_path / "o", "--config", config, code=2)
            said = f"{name} looks at {what}, and there is no column '{column}', only docId, text; extract writes it"
            assert said in done.stderr
            assert not (tmp_path / "o").exists()
    pq.write_table(pa.table({"text": ["文章"], "robots": pa.nulls(1)}), tmp_path / "b.parquet")
    config = write_config(tmp_path / "b.conf", {"class": "OptOut"})
    uzushio("filter", tmp_path / "b.parquet", "--output", tmp_path / "b", "--config", config)
    assert pq.read_table(tmp_path / "b").num_rows == 1


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"class": "OptOut", "directives": [], "agents": []}, "nothing would be an opt-out"),
        ({"class": "OptOut", "directives": [""]}, "directives: there is an empty text, which is never found"),
        ({"class": "OptOut", "agents": ["gptbot", ""]}, "agents: there is an empty text, which is never found"),
        ({"class": "OptOut", "agent_directives": [""]}, "agent_directives: there is an empty text"),
        ({"class": "License", "keep": ["by-as"]}, "keep: there is no family 'by-as'; did you mean"),
        ({"class": "License", "places": ["foter"]}, "places: there is no place 'foter'; did you mean footer?"),
        ({"class": "License", "keep": FAMILIES}, "keep: these are all families: nothing would be removed"),
    ],
)
def test_parameters_that_are_refused(uzushio: Uzushio, tmp_path: Path, parameters: dict[str, Any], said: str) -> None:
    """With what to do."""
    write_documents(tmp_path / "a.parquet", [""], [""])
    config = write_config(tmp_path / "a.conf", parameters)
    done = uzushio("filter", tmp_path / "a.parquet", "--output", tmp_path / "o", "--config", config, code=2)
    assert said in done.stderr


def test_from_archive_to_corpus(uzushio: Uzushio, tmp_path: Path) -> None:
    """extract and filter pass both columns on; Python decides the same of tables and documents."""
    archive = tmp_path / "a.warc"
    archive.write_bytes(build(read_json(CASES / "rights" / "case.json")["records"], "warc", 0))
    uzushio("extract", archive, "--output", tmp_path / "documents")
    rows = read_documents(tmp_path / "documents")
    filters: list[dict[str, Any]] = [{"class": "OptOut"}, {"class": "License", "keep": ["by", "none"]}]
    config = write_config(tmp_path / "a.conf", *filters)
    uzushio("filter", tmp_path / "documents", "--output", tmp_path / "out", "--config", config)
    passed = pq.read_table(tmp_path / "out").to_pylist()
    names = [row["url"].rsplit("/")[-1] for row in passed]
    assert names == ["nothing", "linked-data", "meta"]
    of_all = {row["docId"]: (row["robots"], row["license"]) for row in rows}
    assert all(of_all[row["docId"]] == (row["robots"], row["license"]) for row in passed)
    uzushio("filter", tmp_path / "documents", "--output", tmp_path / "lines", "--config", config, "--format", "jsonl")
    chain = module.FilterChain([module.Filter("OptOut"), module.Filter("License", keep=["by", "none"])])
    documents = list(module.read_warc(archive))
    assert [document.url for document in documents if chain(document).removed is None] == [row["url"] for row in passed]
    assert chain.apply(module.read_warc(archive)).passed["url"].to_pylist() == [row["url"] for row in passed]
    mapper = chain.mapper()
    batch = {name: [row[name] for row in rows] for name in ("docId", "text", "robots", "license")}
    assert mapper(batch)["docId"] == [row["docId"] for row in passed]
    with pytest.raises(module.UsageError, match="OptOut looks at rules for robots: give the text's as robots"):
        chain("文章")
    assert chain("文章", robots="noai", license="").removed == module.Removal(
        "OptOut", 0, "OptOut(noai)", 1.0, "= 1", "rule: noai"
    )
