"""`python -m benchmarks.encoding.sandbox_child MEGABYTES SECONDS`: opens untrusted media in a sandboxed process.

Each JSON line in, {"source", "folder", "is_still", "poster"}, gives one line out, {"facts"} or {"problem"}. A clip is
written as original.mp4 and poster.jpg in the folder, a still picture as picture.png and poster.jpg. Without a folder
nothing is written, and the line out is {"changes"} or {"problem"}. The process has no access to database or secrets.
`sandbox.py` starts it.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.encoding.conform import ClipFacts, changes_of, conform
from benchmarks.encoding.limits import lift_time_limit, limit_memory, limit_time
from benchmarks.encoding.probe import MEDIA_ERRORS, probe, reason_of
from benchmarks.encoding.stills import PICTURE_ERRORS, write_poster, write_still

Answer = Callable[[dict[str, Any]], Mapping[str, object]]  # of one line


def answer(wanted: dict[str, Any]) -> dict[str, object]:
    """Do what one line asks for; return the line out."""
    source = Path(wanted["source"])
    try:
        if wanted["folder"] is None:
            return {"changes": changes_of(probe(source))}
        folder = Path(wanted["folder"])
        facts = _still(source, folder) if wanted["is_still"] else _clip(source, folder, wanted["poster"])
    except MemoryError:  # first, because the decoder's memory error is also one of MEDIA_ERRORS
        return {"problem": "takes too much memory to read, or holds too many streams"}
    except (*MEDIA_ERRORS, *PICTURE_ERRORS) as error:
        return {"problem": reason_of(error)[:200]}
    return {"facts": asdict(facts)}


def _clip(source: Path, folder: Path, poster: float) -> ClipFacts:
    original = folder / "original.mp4"
    facts = conform(source, original)
    write_poster(original, folder / "poster.jpg", poster)
    return facts


def _still(source: Path, folder: Path) -> ClipFacts:
    """Write a still picture, described as one frame of zero seconds."""
    width, height = write_still(source, folder / "picture.png", folder / "poster.jpg")
    return ClipFacts(width, height, fps=1.0, frames=1, seconds=0.0)


def serve(answer: Answer, megabytes: int, seconds: int) -> None:
    """Answer each line within this memory and processor time, until there are no more."""
    limit_memory(megabytes)
    for line in sys.stdin:
        limit_time(seconds)
        made = answer(json.loads(line))
        lift_time_limit()
        print(json.dumps(made), flush=True)


if __name__ == "__main__":
    serve(answer, *(int(word) for word in sys.argv[1:]))
