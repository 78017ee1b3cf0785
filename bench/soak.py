"""`make soak`: what is too slow for every commit, in parts of under ten minutes. `PART=name` runs one alone.

Each part is a list of commands; a result line with date and commit is appended to docs/soak.md. A part that passed for
the commit in hand is not run again, so an interrupted soak goes on where it stopped.
"""

import subprocess
import sys
import time
from pathlib import Path

from bench.mixed.breaking import FAULTS

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "docs" / "soak.md"
HEAD = """# Soak results

| date (UTC) | commit | part | result | seconds |
|---|---|---|---|---|
"""
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
CRASH = [sys.executable, "-m", "tests.evaluation.crash_rounds"]
SIEGE = [sys.executable, "-m", "tests.humantrials.siege", "--database"]
ANNOTATION = "tests/humantrials/annotation"
PARTS: dict[str, list[list[str]]] = {
    f"crash-{stack}-{first}": [[*CRASH, stack, "10", "--first", str(first)]]
    for stack in ("embedded", "servers")
    for first in (0, 10)
} | {
    "sheets": [[sys.executable, "-m", "tests.humantrials.hammer"]],
    "siege-sqlite": [[*SIEGE, "sqlite"]],
    "siege-postgres": [[*SIEGE, "postgres"]],
    "coverage": [[sys.executable, "-m", "bench.coverage"]],
    "weights": [["env", "REAL_WEIGHTS=1", *PYTEST, "tests/evaluation/test_families.py", "-k", "real_language_model"]],
    "fuzz": [["env", "FUZZ_INPUTS=20000", *PYTEST, "tests/submissions/test_fuzz.py"]],
    "annotation": [
        ["env", "ANNOTATION_CLIPS=40", *PYTEST, "tests/humantrials/annotation/test_stages.py", "-k", "promise"]
    ],
    "pages": [[sys.executable, "-m", "bench.pages"]],
    "machines": [[*PYTEST, "tests/machines/several_machines.py"]],
    "audit": [[sys.executable, "bench/audit_rounds.py"]],
    "craft": [[sys.executable, "-m", "tests.scenes.craft.rounds"]],
    "sight": [[sys.executable, "bench/sight_rounds.py", "corrected"]],
    "sight-faithful": [[sys.executable, "bench/sight_rounds.py", "faithful"]],
}
# Everybody at once for five minutes, on each database, and what happens to them when something breaks.
for database in ("sqlite", "postgres"):
    PARTS[f"load-{database}"] = [[sys.executable, "-m", "bench.mixed.load", "--database", database]]
for fault in FAULTS:
    PARTS[f"faults-{fault}"] = [[sys.executable, "-m", "bench.mixed.faults", "--faults", fault]]
# Ten million responses, in steps that go on where the one before stopped; the last must find all of it done.
TEN_MILLION, STEPS = [sys.executable, "-m", "bench.ten_million"], 8
for step in range(1, STEPS + 1):
    PARTS[f"tenmillion-{step}"] = [[*TEN_MILLION, "--within", "420", *(["--more-is-fine"] if step < STEPS else [])]]
SHORTCUTS = [sys.executable, "-m", "bench.shortcuts"]
for profile in ("corrected", "faithful"):
    for stage, tests in (("cells", 3), ("control", 4)):  # so many of the sixteen tests a part
        for first in range(1, 17, tests):
            numbers = ",".join(map(str, range(first, min(first + tests, 17))))
            PARTS[f"shortcuts-{profile}-{stage}-{first}"] = [
                [*SHORTCUTS, "--profile", profile, "--stage", stage, "--tests", numbers]
            ]
PARTS["shortcuts-verdict"] = [[*SHORTCUTS, "--stage", "verdict"]]
LIMIT = 600  # seconds a part


def commit() -> str:
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()


def soak(name: str) -> bool:
    began = time.monotonic()
    result = "passed"
    for command in PARTS[name]:
        try:
            code = subprocess.run(command, cwd=ROOT, timeout=max(1.0, LIMIT - (time.monotonic() - began))).returncode
        except subprocess.TimeoutExpired:
            result = f"stopped after {LIMIT} s"
            break
        if code:
            result = f"failed (exit code {code})"
            break
    _write(name, result, time.monotonic() - began)
    return result == "passed"


def _write(name: str, result: str, seconds: float) -> None:
    text = LOG.read_text() if LOG.is_file() else HEAD
    date = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    LOG.write_text(text + f"| {date} | {commit()} | {name} | {result} | {seconds:.0f} |\n")


def is_done(name: str) -> bool:
    return LOG.is_file() and f"| {commit()} | {name} | passed |" in LOG.read_text()


def main(part: str) -> int:
    named = [name for name in PARTS if part in (name, name.split("-")[0])]  # `crash` is all of its kind
    if part != "all" and not named:
        print(f"no part named {part}: there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    names = named if part in PARTS else [name for name in named or PARTS if not is_done(name)]
    failed = [name for name in names if not soak(name)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "all"))
