"""Human trials under load, each against its target: answers at a fixed rate, and people a minute beside oTree.

Run: python bench/trials.py [offered] [beside] (prints one JSON object a line; data and servers of its own). The client
shares the machine. *offered*: 50 answers a second are posted whether or not the site keeps up, with clips and arrivals,
on SQLite and, where one answers, on PostgreSQL. *beside*: 120 people, 32 at a time, over the same number of plain pages
here and in oTree (in an environment of its own under var/otree), turn by turn.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = {
    "offered": [sys.executable, "-m", "bench.trial_load.offered"],
    "beside": [sys.executable, "-m", "bench.trial_load.beside_otree"],
}


def main(wanted: list[str]) -> int:
    unknown = sorted(set(wanted) - set(PARTS))
    if unknown:
        print(f"no part named {', '.join(unknown)}: there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    codes = [subprocess.run(PARTS[name], cwd=ROOT).returncode for name in wanted or PARTS]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
