"""Cost of a complete CRAFT video (simulation, variations, noise, questions, frames), measured on one of each scene.

Targets: at most 1.8 core-seconds (10,000 videos in 2.5 hours on two cores) and 0.5 MB on disk, with a share of the
release's files.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from scenes.craft.generate import keys_of, make, write_labels

MOST_SECONDS, MOST_BYTES = 1.8, 500_000


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        out, keys = Path(folder), keys_of(1)
        make("009999", 1, out)  # loads the libraries, once for thousands of videos
        before = time.process_time()
        for key in keys:
            make(key, 0, out)
        write_labels(0, out)
        seconds = (time.process_time() - before) / len(keys)
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / (len(keys) + 1)
    line = {"videos": len(keys), "core_seconds_a_video": round(seconds, 2), "bytes_a_video": round(size)}
    print(json.dumps(line | {"at_most": [MOST_SECONDS, MOST_BYTES], "cores": os.cpu_count()}))
    return int(seconds > MOST_SECONDS or size > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
