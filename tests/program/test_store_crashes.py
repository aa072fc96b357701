"""Each command with an output on an object store, stopped at its requests that change something there.

`--all` tries every case, and without it a sample is tried (docs/reliability.md).
"""

from __future__ import annotations

import json
import random
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from azure_store import AzureContainer, serve_azure
from crash_stages import STAGES, write_inputs
from crashes import Tree, tree
from google_store import GoogleBucket, serve_google
from object_store import ObjectStore, serve_store, serving
from store_crashes import FROM_THEN_ON, KILLED, LEASE, CrashProxy

pytestmark = pytest.mark.once

MANIFEST = ".uzushio/manifest.json"
PLACE = "case"  # for all that is compared: outputs of `run` name it
Objects = dict[str, str]  # checksums by names
SAMPLE = [
    ("s3", "extract", True),
    ("s3", "stats", False),
    ("s3", "filter", True),
    ("s3", "run", False),
    ("gs", "stats", True),
    ("gs", "minhash", False),
    ("abfs", "filter", False),
    ("abfs", "stats", True),
    ("abfs", "run", True),
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Some commands, or all."""
    if "replaces" in metafunc.fixturenames:
        names = [name for name, stage in STAGES.items() if stage.on_store]
        every = [
            (kind, name, replaces) for kind in ("s3", "gs", "abfs") for name in names for replaces in (False, True)
        ]
        some = every if metafunc.config.getoption("--all") else SAMPLE
        ids = [f"{kind}-{command}-{'replaced' if replaces else 'new'}" for kind, command, replaces in some]
        metafunc.parametrize(("kind", "command", "replaces"), some, ids=ids)


@pytest.fixture(name="inputs", scope="session")
def make_inputs(tmp_path_factory: pytest.TempPathFactory, dictionary: Path) -> Path:
    """What the commands read."""
    return write_inputs(tmp_path_factory.mktemp("crashes"), dictionary)


@contextmanager
def serve_crashing(kind: str) -> Iterator[tuple[ObjectStore, CrashProxy]]:
    """A store that is empty, and what is before it."""
    if kind == "gs":
        google = CrashProxy()
        with serve_google(google) as (url, folder):
            yield GoogleBucket(url, google, folder), google
        return
    if kind == "abfs":
        azure = CrashProxy()
        with serve_azure(azure) as (url, folder):
            yield AzureContainer(url, azure, folder), azure
        return
    with serve_store() as store, serving(CrashProxy(store.environment["AWS_ENDPOINT_URL"])) as proxy:
        store.environment["AWS_ENDPOINT_URL"] = proxy.url
        yield store, proxy


@dataclass
class StoreCase:
    """A command, what is there when it begins and when it has ended, and what readers may see of its output."""

    store: ObjectStore
    proxy: CrashProxy
    folder: Path
    arguments: Callable[[str], list[str]]  # with a place for the output
    begin: dict[str, bytes]
    end: Objects = field(default_factory=dict)
    here: Tree = field(default_factory=dict)
    told: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ("",)  # folders of the output that readers look at
    seen: list[dict[str, Objects | None]] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    count: int = 0

    def run(self, at: int = -1, kind: str = "") -> tuple[int, str]:
        """In a folder of its own, which is there already where it was begun before."""
        here = self.folder / "run"
        (here / "tmp").mkdir(parents=True, exist_ok=True)
        command = self.arguments(f"{self.store.uri}/{PLACE}/out")
        environment = self.store.environment | {"TMPDIR": str(here / "tmp")}
        done = self.proxy.run(command, here, at, kind, **environment)
        return done.returncode, done.stderr

    def put(self) -> None:
        """What is there at the beginning."""
        for name, content in self.begin.items():
            self.store.put(f"{PLACE}/{name}", content)

    def remove(self) -> Tree:
        """All of a case; what there was locally."""
        for name in [*self.store.checksums(PLACE), "out/.uzushio/", "out/"]:
            self.store.delete(f"{PLACE}/{name}")
        here = tree(self.folder / "run", self.told)
        shutil.rmtree(self.folder / "run")
        return here

    def objects(self) -> Objects:
        """All that is there, but what tells of the run."""
        found = self.store.checksums(PLACE)
        return {name: checksum for name, checksum in found.items() if name not in self.told}

    def outputs(self) -> dict[str, Objects | None]:
        """What a reader finds in each dataset; None where it finds none that is whole."""
        return {dataset: self._output(f"{PLACE}/out{dataset}") for dataset in self.datasets}

    def _output(self, place: str) -> Objects | None:
        there = self.store.checksums(place)
        if MANIFEST not in there:
            return None
        listed = [file["path"] for file in json.loads(self.store.get(f"{place}/{MANIFEST}"))["files"]]
        return {name: there.get(name, "") for name in (MANIFEST, *listed)}

    def check(self, name: str, is_right: bool, said: object) -> None:
        """Notes a failure."""
        if not is_right:
            self.failures.append(f"{name}: {said}")

    def attempt(self, at: int, kind: str) -> None:
        """The case, what readers see after it, and the same command once more."""
        name = f"{at} {self.changes[at]}, {kind}"
        self.count += 1
        self.put()
        code, said = self.run(at, kind)
        self.check(name, code == -signal.SIGKILL if kind in KILLED else code in (0, 1), f"exit {code}: {said}")
        for dataset, found in self.outputs().items():
            known = [None, *(outputs[dataset] for outputs in self.seen)]
            self.check(name, found in known, f"a reader sees neither the old output nor the new one: {dataset}")
        if code == 0:
            self.check(name, self.objects() == self.end, "is not told of")
        code, said = self.run()
        self.check(name, code == 0, f"exit {code} of the restart: {said}")
        there = self.objects()
        differ = sorted(one for one in there.keys() | self.end.keys() if there.get(one) != self.end.get(one))
        self.check(name, not differ, f"differ after the restart: {differ}")
        uploads = self.store.uploads()
        if uploads is not None:  # the store tells
            self.check(name, not uploads, f"uploads are left: {uploads}")
        here = self.remove()
        differ = sorted(one for one in here.keys() | self.here.keys() if here.get(one, 0) != self.here.get(one, 0))
        self.check(name, not differ, f"differ here after the restart: {differ}")


def cases_of(store: str, command: str, changes: list[str]) -> list[tuple[int, str]]:
    """Where and how a command is stopped. What is killed after a change does not make the next one."""
    kinds = [(at, kind) for at in range(len(changes)) for kind in ("killed after", "500" if at % 2 else "503")]
    if store == "gs":  # asked after a 503 how much of an upload has arrived, its server ends the upload
        kinds = [(at, "403" if changes[at].startswith("PUT") and kind in "503 500" else kind) for at, kind in kinds]
        return [(0, "killed before"), *kinds]
    if store == "abfs" and command != "extract":  # Azure's library waits for a second before it repeats a request
        kinds = [(at, kind if kind in KILLED else "403") for at, kind in kinds]
    if store == "abfs":
        return [(0, "killed before"), *kinds]
    # Each takes seconds, in which requests are repeated, and what becomes of these is the same for all.
    lasting = [(at, FROM_THEN_ON) for at in range(len(changes))] if command == "extract" else []
    return [(0, "killed before"), *kinds, *lasting]


def leaves_lease(changes: list[str], at: int, kind: str) -> bool:
    """Whether the same command waits for 15 s, for a lease that ends."""
    return kind in KILLED and any(change.endswith(LEASE) for change in changes[max(0, at - 1) : at + 1])


def make_case(command: str, replaces: bool, proxy: CrashProxy, store: ObjectStore, folder: Path) -> StoreCase:
    """Its run without faults."""
    stage = STAGES[command]
    others = {"out.txt": b"mine", "other/.uzushio/manifest.json": b"{}"}

    def arguments(old: bool) -> Callable[[str], list[str]]:
        more = ["--overwrite"] if replaces and not old and command != "run" else []
        return lambda output: [*stage.arguments(command, old, output), *more]

    datasets = tuple(f"/{step}" for step in stage.steps) or ("",)
    case = StoreCase(store, proxy, folder, arguments(False), others, told=stage.told, datasets=datasets)
    if replaces:
        before = StoreCase(store, proxy, folder, arguments(True), others, datasets=datasets)
        assert before.run()[0] == 0
        case.seen.append(before.outputs())
        case.begin = others | {f"out/{name}": store.get(f"{PLACE}/out/{name}") for name in store.names(f"{PLACE}/out")}
        before.remove()
    case.put()
    code, said = case.run()
    assert code == 0, said
    case.end = case.objects()
    case.seen.append(case.outputs())
    assert None not in case.seen[-1].values()
    case.changes = proxy.changes
    case.here = case.remove()
    return case


def test_store_crashes(
    kind: str,
    command: str,
    replaces: bool,
    inputs: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, Any], None],
) -> None:
    """Killed, or refused a change: the same command makes the same output, and nothing else is touched."""
    (tmp_path / "in").symlink_to(inputs)
    with serve_crashing(kind) as (store, proxy):
        case = make_case(command, replaces, proxy, store, tmp_path)
        cases = cases_of(kind, command, case.changes)
        if not request.config.getoption("--all"):
            quick = [one for one in cases if one[1] != FROM_THEN_ON and not leaves_lease(case.changes, *one)]
            cases = random.Random(f"{command} {replaces}").sample(quick, 2)
        for at, failure in cases:
            case.attempt(at, failure)
    record_property("cases", case.count)
    if case.failures:
        pytest.fail("\n".join([f"{len(case.failures)} of {case.count} cases:", *case.failures]))
