"""Makes a prompt pack and the clip sets of twelve generators with known faults, which `import_benchmark` takes.

`python -m tools.bench.pages.clip_sets OUT [PROMPTS [TAKES]]` writes OUT/prompts and OUT/sets: 24 prompts and 2 takes
unless they are given. The same numbers give the same bytes. Scenes stay in var/made-scenes.
"""

import os
import sys
from pathlib import Path

from benchmarks.progress_bar import progress_bar
from extensions.generated.made.clips import MadeOrder
from extensions.generated.made.generators import GENERATORS, LEADS

SCENES = Path("var") / "made-scenes"


def main(arguments: list[str]) -> int:
    out, *numbers = arguments or [""]
    if not out or Path(out).exists() or len(numbers) > 2 or not all(number.isdigit() for number in numbers):
        print(f"{out!r} must be a new folder, and {numbers} up to two numbers: prompts and takes")
        return 2
    prompts, takes = [*map(int, numbers), *(MadeOrder.prompts, MadeOrder.takes)[len(numbers) :]]
    order = MadeOrder(prompts, takes)
    if not (order.prompts and 1 <= order.takes <= LEADS):
        print(f"1 prompt or more, and 1 to {LEADS} takes")
        return 2
    from extensions.generated.made.folders import make_folders  # not in the processes that it starts: no Django there

    bar = progress_bar(sys.stderr, "Prompts")
    make_folders(order, SCENES, Path(out), jobs=os.cpu_count() or 1, progress=bar)
    print(f"{order.prompts * order.takes * len(GENERATORS)} clips of {len(GENERATORS)} generators in {out}")
    return 0


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    django.setup()
    sys.exit(main(sys.argv[1:]))
