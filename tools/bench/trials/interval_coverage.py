"""`python -m tools.bench.trials.interval_coverage`: coverage of the intervals of scores, in simulated studies.

Prints the tables that docs/how-we-checked.md sums up, and which rows are off the target; exit 1 if the interval of one
person's answers in a study like GRASP's is. The seeds are fixed, so the tables are always the same. With `people`,
`dependence`, `groups` or `corners` it prints one part.
"""

import os
import sys
import time

if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    django.setup()

from tools.bench.trials import corner_coverage, dependence_coverage, group_coverage
from tools.bench.trials.dependence_coverage import TARGET, Held, exceptions, table

DRAWS = 1_000
PARTS = {
    "people": dependence_coverage.measured_panels,
    "dependence": dependence_coverage.measured,
    "groups": group_coverage.measured,
    "corners": corner_coverage.measured,
}


def main(wanted: str) -> int:
    began, off = time.monotonic(), list[Held]()
    for name, part in PARTS.items():
        for heading, what, rows in part(DRAWS) if wanted in ("", name) else ():
            _say(heading, f"{table(rows, what)}\n\n{exceptions(rows)}")
            off += [one for one in rows if one.world.must_hold and not TARGET[0] <= one.share <= TARGET[1]]
    if wanted in ("", "corners"):
        _say("Ranks of equal models", corner_coverage.ranks_table())
    print(f"{len(off)} rows off target, {time.monotonic() - began:.0f} s", file=sys.stderr)
    for one in off:
        print(f"{one.world.design}, at {100 * one.world.truth:.0f} %", file=sys.stderr)
    return 1 if off else 0


def _say(heading: str, text: str) -> None:
    print(f"## {heading}\n\n{text}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or [""]))
