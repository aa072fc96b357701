"""What shells find of an installed program, man pages and completion: `shell_files.py PROGRAM FOLDER`, as share/."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

COMPLETIONS = {
    "bash": "bash-completion/completions/uzushio",
    "zsh": "zsh/site-functions/_uzushio",
    "fish": "fish/vendor_completions.d/uzushio.fish",
}


def said(program: str, *arguments: str) -> str:
    """What the program prints."""
    return subprocess.run([program, *arguments], capture_output=True, text=True, encoding="utf-8", check=True).stdout


def shell_files(program: str) -> dict[str, str]:
    """Texts by their places below share/."""
    names = [command["name"] for command in json.loads(said(program, "options", "--form", "json"))]
    files = {"man/man1/uzushio.1": said(program, "man")}
    files |= {f"man/man1/uzushio-{name}.1": said(program, "man", name) for name in names}
    return files | {place: said(program, "completion", shell) for shell, place in COMPLETIONS.items()}


def main() -> None:
    """Writes them."""
    program, folder = sys.argv[1:]
    for place, text in shell_files(program).items():
        path = Path(folder, place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
