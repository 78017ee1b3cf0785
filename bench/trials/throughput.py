"""Human trials under load, with targets: answers at a fixed rate, and people a minute beside oTree.

Run: python -m bench.trials.throughput [offered] [beside] (prints JSON lines; uses its own data and servers). The client
shares the machine. *offered*: 50 answers a second are posted whether or not the site keeps up, with clips and arrivals,
on SQLite and, if available, on PostgreSQL. *beside*: 120 people, 32 at a time, go through the same number of plain
pages here and in oTree (in an environment of its own under var/otree), in alternating rounds.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = {
    "offered": [sys.executable, "-m", "bench.trials.offered_rate"],
    "beside": [sys.executable, "-m", "bench.trials.vs_otree"],
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
