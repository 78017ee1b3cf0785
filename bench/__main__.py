"""`make bench`: every module of this folder that has a `main`, one after the other; JSON lines, kept in var/bench.json.

`python -m bench board frames` runs the named ones alone.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NOT_A_BENCHMARK = {
    "__init__", "__main__", "million", "million_packs", "shots", "soak", "contact_sheets", "giraffe_sheets",
    "sight_rounds", "gpu",
    "coverage", "new_row", "bulk", "pages", "ten_million",
}  # fmt: skip


def names() -> list[str]:
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NOT_A_BENCHMARK)


def run(name: str) -> tuple[list[dict], int]:
    """The JSON lines that one benchmark prints, and its exit code; what else it prints goes to standard error."""
    done = subprocess.run([sys.executable, str(HERE / f"{name}.py")], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    lines = []
    for line in done.stdout.splitlines():
        try:
            lines.append({"benchmark": name, **json.loads(line)})
        except (json.JSONDecodeError, TypeError):
            print(line, file=sys.stderr)
    return lines, done.returncode


def main(wanted: list[str]) -> int:
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        print(f"no benchmark named {', '.join(unknown)}: there are {', '.join(names())}", file=sys.stderr)
        return 2
    results, failed = [], []
    for name in wanted or names():
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
