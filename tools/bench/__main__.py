"""`make bench`: runs every benchmark in turn and stores their JSON lines in var/bench.json.

`python -m tools.bench board_million trials` runs only the named ones.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = {
    "board_million": "tools.bench.board.page_million",
    "evaluation": "tools.bench.evaluation.overhead",
    "generated_round": "tools.bench.board.generated_round",
    "slow_clients": "tools.bench.load.slow_clients",
    "submissions": "tools.bench.submissions.large_upload",
    "trials": "tools.bench.trials.vs_otree",
    "uploads_at_once": "tools.bench.submissions.concurrent_uploads",
}


def run(name: str) -> tuple[list[dict], int]:
    """Run one benchmark; return its JSON lines and exit code, and send its other output to standard error."""
    done = subprocess.run([sys.executable, "-m", BENCHMARKS[name]], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    lines = []
    for line in done.stdout.splitlines():
        try:
            lines.append({"benchmark": name, **json.loads(line)})
        except (json.JSONDecodeError, TypeError):
            print(line, file=sys.stderr)
    return lines, done.returncode


def main(wanted: list[str]) -> int:
    unknown = sorted(set(wanted) - BENCHMARKS.keys())
    if unknown:
        print(f"no benchmark named {', '.join(unknown)}: there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    results, failed = [], []
    for name in wanted or BENCHMARKS:
        lines, code = run(name)
        results += lines
        failed += [name] if code else []
        for line in lines:
            print(json.dumps(line), flush=True)
    target = ROOT / "var" / "bench.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(
        json.dumps({"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "results": results}, indent=1)
    )
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
