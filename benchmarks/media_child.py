"""`python -m benchmarks.media_child MEGABYTES SECONDS`: opens what others sent, in a process that can be lost.

One JSON line in, {"source", "folder"}; one line out, {"facts"} or {"problem"}: the clip probed and written anew as
original.mp4 and poster.jpg in the folder. It knows neither database nor secrets. Who asks is `media_children.py`.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.limits import limit_memory, limit_time
from benchmarks.media_encoding import write_original, write_poster
from benchmarks.media_probing import MEDIA_ERRORS, probe


def made_anew(source: Path, folder: Path) -> dict[str, object]:
    """Probe the clip and write its served forms; what is wrong with it is said in words."""
    original = folder / "original.mp4"
    try:
        facts = probe(source)
        write_original(source, original, facts)
        write_poster(original, folder / "poster.jpg")
    except MemoryError:  # before the others: the decoder's own is one of both
        return {"problem": "takes too much memory to read"}
    except MEDIA_ERRORS as error:
        return {"problem": str(error)[:200] or type(error).__name__}
    return {"facts": asdict(facts)}


def main(megabytes: int, seconds: int) -> None:
    limit_memory(megabytes)
    for line in sys.stdin:
        limit_time(seconds)
        wanted = json.loads(line)
        print(json.dumps(made_anew(Path(wanted["source"]), Path(wanted["folder"]))), flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
