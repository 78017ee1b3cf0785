"""`python -m extensions.generated.clipsets.seeing_child MEGABYTES SECONDS`: looks at clips in a limited process.

Each JSON line in, {"source", "first"}, gives one line out, {"seen"} or {"problem"}.
"""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.encoding.sandbox_child import serve
from extensions.generated.clipsets.clip_facts import UnseenClipError
from extensions.generated.clipsets.seeing import see


def answer(wanted: dict[str, Any]) -> dict[str, object]:
    try:
        return {"seen": asdict(see(Path(wanted["source"]), Path(wanted["first"]) if wanted["first"] else None))}
    except MemoryError:
        return {"problem": "takes too much memory to read"}
    except UnseenClipError as error:
        return {"problem": str(error)[:200]}


if __name__ == "__main__":
    serve(answer, *(int(word) for word in sys.argv[1:]))
