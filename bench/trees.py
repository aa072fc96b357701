"""Whether pages become the trees that html5ever makes of them: texts, in order, with the names of elements around.

Real pages, and others made of them (tags and texts moved, doubled, taken away, put in), are parsed by the program's
parser (lexbor, with its limits) and by html5ever (bench/html5ever), which was written by others from the same
specification. Shows the first pages that differ, and writes the smallest of them to build/bench/trees.
"""

from __future__ import annotations

import json
import subprocess

from framed import ROOT, ask, comparison_arguments

LARGEST = 1 << 18  # bytes of a page that others are made of


def main() -> None:
    """Compares, and says what differs."""
    arguments = comparison_arguments(__doc__.partition("\n")[0], 2000)

    program = ROOT / "build/release/bench_trees"
    crate = ROOT / "build/html5ever"
    manifest = ROOT / "bench/html5ever/Cargo.toml"
    build = [
        "cargo",
        "build",
        "-q",
        "--release",
        "--locked",
        "--target-dir",
        str(crate),
        "--manifest-path",
        str(manifest),
    ]
    subprocess.run(build, check=True)
    html5ever = crate / "release/html5ever_tree"
    counts = dict.fromkeys(("pages", "refused", "differ", "mutants", "mutants_refused", "mutants_differ", "texts"), 0)
    different: list[tuple[bytes, bytes, bytes]] = []
    for number, archive in enumerate(arguments.archives):
        pages = ask([program, "pages", archive], [])
        pages = pages[:: max(1, len(pages) // arguments.pages)][: arguments.pages]
        for start in range(0, len(pages), 50):
            some = pages[start : start + 50]
            small = [page for page in some if len(page) <= LARGEST]
            seed = arguments.seed + (number << 24) + start * arguments.mutants
            mutants = ask([program, "mutants", str(arguments.mutants), str(seed)], small) if arguments.mutants else []
            for kind, asked in (("", some), ("mutants_", mutants)):
                ours, theirs = ask([program, "lines"], asked), ask([html5ever], asked)
                counts["mutants" if kind else "pages"] += len(asked)
                for page, our, their in zip(asked, ours, theirs, strict=True):
                    if not our and their:
                        counts[kind + "refused"] += 1
                    elif our != their:
                        counts[kind + "differ"] += 1
                        different.append((page, our, their))
                    counts["texts"] += their.count(b"\n")
        print(f"{archive.name}: {counts}", flush=True)

    different.sort(key=lambda found: len(found[0]))
    folder = ROOT / "build/bench/trees"
    folder.mkdir(parents=True, exist_ok=True)
    for number, (page, our, their) in enumerate(different[: arguments.show]):
        (folder / f"{number}.html").write_bytes(page)
        ours, theirs = our.split(b"\n"), their.split(b"\n")
        pairs = enumerate(zip(ours, theirs, strict=False))
        at = next((i for i, (a, b) in pairs if a != b), min(len(ours), len(theirs)))
        for name, lines in (("lexbor", ours), ("html5ever", theirs)):
            print(f"{number} {name:9} {b' | '.join(lines[at : at + 2])[:300].decode(errors='replace')}")
    (ROOT / "build/bench/trees.json").write_text(json.dumps(counts, indent=1) + "\n")


if __name__ == "__main__":
    main()
