"""`make bench`: runs every benchmark in turn and stores their JSON lines in var/bench.json.

`python -m bench board frames` runs only the named ones.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = {
    "audit_rounds": "bench.generation.audit",
    "board": "bench.board.page",
    "board_million": "bench.board.page_million",
    "every_page": "bench.board.every_page",
    "craft": "bench.generation.craft",
    "craft_text": "bench.generation.craft_text_only",
    "evaluation": "bench.evaluation.overhead",
    "generation": "bench.generation.grasp_release",
    "first_pages": "bench.pages.first_call",
    "giraffe": "bench.generation.giraffe",
    "giraffe_referees": "bench.evaluation.referee_parsing",
    "gpu_training": "bench.evaluation.gpu_training",
    "http_servers": "bench.load.http_servers",
    "likelihood": "bench.evaluation.likelihood",
    "likelihood_boards": "bench.board.margins",
    "lighthouse": "bench.pages.lighthouse",
    "lint_shapes": "bench.submissions.lint_shapes",
    "pacs_baselines": "bench.evaluation.pacs_baselines",
    "runs": "bench.evaluation.large_run",
    "scenes": "bench.generation.scenes",
    "slow_clients": "bench.load.slow_clients",
    "socket_memory": "bench.load.websocket_memory",
    "submissions": "bench.submissions.large_upload",
    "tapped_channels": "bench.generation.tapped_channels",
    "tapped_proof": "bench.generation.tapped_audibility",
    "throughput": "bench.evaluation.throughput",
    "training": "bench.evaluation.training",
    "trials": "bench.trials.throughput",
    "upgrade_gap": "bench.load.upgrade_gap",
    "uploads_at_once": "bench.submissions.concurrent_uploads",
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
