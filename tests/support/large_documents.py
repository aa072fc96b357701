"""Documents that hardly compress."""

from __future__ import annotations

import json
import random
from pathlib import Path


def write_large(path: Path) -> None:
    """JSON Lines of which an output has a file of some 40 MB: random ideographs."""
    choose = random.Random(1)
    ideographs = bytes(0x4E + (byte & 0x3F) for byte in range(256))
    with path.open("w", encoding="utf-8") as lines:
        for number in range(300):
            units = bytearray(choose.randbytes(150000))
            units[1::2] = units[1::2].translate(ideographs)
            text = units.decode("utf-16-le")
            lines.write(json.dumps({"docId": str(number), "text": text}, ensure_ascii=False) + "\n")
