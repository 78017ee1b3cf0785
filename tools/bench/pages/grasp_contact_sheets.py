"""Draws contact sheets of every test into static/sheets/grasp/ for the benchmark's page: a wide one, and a narrow one
for phones.

`python -m tools.bench.pages.grasp_contact_sheets [TEST ...]` draws only the named tests, in look `cinema` where this
machine has Vulkan (`make cinema`), else in `classic`. Nothing is measured here.
"""

import sys
from pathlib import Path

from scenes.contact_sheet import contact_sheets
from scenes.registry import TESTS
from scenes.rendering.cinema import CinemaUnavailable, check_cinema
from scenes.scene import Look

OUT = Path(__file__).resolve().parents[3] / "static" / "sheets" / "grasp"


def best_look() -> Look:
    try:
        check_cinema()
    except CinemaUnavailable as why:
        print(f"{why}; drawn in classic", file=sys.stderr)
        return "classic"
    return "cinema"


def main(names: list[str], out: Path = OUT) -> int:
    known = [test.name for test in TESTS]
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"no test is called {', '.join(unknown)}: there are {', '.join(known)}", file=sys.stderr)
        return 2
    out.mkdir(parents=True, exist_ok=True)
    look = best_look()
    for name in names or known:
        sheets = contact_sheets(name, look=look)
        for path, sheet in ((out / f"{name}.webp", sheets.wide), (out / f"{name}-narrow.webp", sheets.narrow)):
            sheet.save(path, quality=72, method=6)
            print(f"{path.relative_to(out.parents[1])} {path.stat().st_size} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
