"""`python -m benchmarks.encoding.sandbox_child MEGABYTES SECONDS`: opens untrusted media in a sandboxed process.

Each JSON line in, {"source", "folder", "is_still"}, gives one line out, {"facts"} or {"problem"}. A clip is written as
original.mp4 and poster.jpg in the folder, a still picture as picture.png and poster.jpg. The process has no access to
database or secrets. `sandbox.py` starts it.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.encoding.encode import write_original, write_poster
from benchmarks.encoding.limits import lift_time_limit, limit_memory, limit_time
from benchmarks.encoding.probe import MEDIA_ERRORS, VideoFacts, probe, reason_of
from benchmarks.encoding.stills import PICTURE_ERRORS, write_still


def made_anew(source: Path, folder: Path, *, is_still: bool, poster: float) -> dict[str, object]:
    """Write the served files of a clip or a still picture; return its facts, or the problem as text."""
    try:
        facts = _still(source, folder) if is_still else _clip(source, folder, poster)
    except MemoryError:  # first, because the decoder's memory error is also one of MEDIA_ERRORS
        return {"problem": "takes too much memory to read, or holds too many streams"}
    except (*MEDIA_ERRORS, *PICTURE_ERRORS) as error:
        return {"problem": reason_of(error)[:200]}
    return {"facts": asdict(facts)}


def _clip(source: Path, folder: Path, poster: float) -> VideoFacts:
    original = folder / "original.mp4"
    facts = write_original(source, original, probe(source))
    write_poster(original, folder / "poster.jpg", poster)
    return facts


def _still(source: Path, folder: Path) -> VideoFacts:
    """Write a still picture, described as one frame of zero seconds."""
    width, height = write_still(source, folder / "picture.png", folder / "poster.jpg")
    return VideoFacts(width, height, fps=1.0, frames=1, seconds=0.0, can_be_copied=True)


def main(megabytes: int, seconds: int) -> None:
    limit_memory(megabytes)
    for line in sys.stdin:
        limit_time(seconds)
        wanted = json.loads(line)
        how = {"is_still": wanted["is_still"], "poster": wanted["poster"]}
        made = made_anew(Path(wanted["source"]), Path(wanted["folder"]), **how)
        lift_time_limit()
        print(json.dumps(made), flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
