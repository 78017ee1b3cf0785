"""What a video of CRAFT costs, whole: simulation, variations, noise, questions, pictures; one of each scene.

At most 1.8 core-seconds, which is 10,000 videos in 2.5 hours on two cores, and 0.5 MB kept, its share of the release's
files with it.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from scenes.craft.making import keys_of, make, write_labels  # noqa: E402

MOST_SECONDS, MOST_BYTES = 1.8, 500_000


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        out, keys = Path(folder), keys_of(1)
        make("009999", 1, out)  # libraries are loaded once for thousands of videos
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
