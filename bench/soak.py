"""`make soak`: checks that are too slow for every commit, in parts of under ten minutes. `PART=name` runs one part.

Each part is a list of commands; a result line with date and commit is appended to docs/soak.md. A part that passed on
the current commit is skipped, so an interrupted soak continues where it stopped.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from bench.load.fault_injection import FAULTS

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "docs" / "soak.md"
HEAD = """# Soak results

| date (UTC) | commit | part | result | seconds |
|---|---|---|---|---|
"""
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
CRASH = [sys.executable, "-m", "tests.evaluation.crash_rounds"]
SIEGE = [sys.executable, "-m", "tests.humantrials.crash_load", "--database"]
SEALS = ["env", "SEALS=all"]  # every route of access on every pack
POSTGRES = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
ANNOTATION = "tests/humantrials/annotation"
OF_FAMILIES = [f"tests/evaluation/adapters/test_{name}.py" for name in ("families_table", "chat_templates", "hearing")]
ASKED_BY_AXE = [
    str(path)
    for path in sorted(ROOT.glob("tests/**/test_*.py"))
    if "from tests.accessibility import" in path.read_text()
]
PARTS: dict[str, list[list[str]]] = {
    f"crash-{stack}-{first}": [[*CRASH, stack, "10", "--first", str(first)]]
    for stack in ("embedded", "servers")
    for first in (0, 10)
} | {
    "sheets": [[sys.executable, "-m", "tests.humantrials.load"]],
    "siege-sqlite": [[*SIEGE, "sqlite"]],
    "siege-postgres": [[*SIEGE, "postgres"]],
    "coverage": [
        [sys.executable, "-m", "bench.trials.interval_coverage"],
        [sys.executable, "-m", "bench.trials.rank_separation"],
    ],
    "weights": [
        ["env", "REAL_WEIGHTS=1", *PYTEST, "tests/evaluation/adapters/test_families.py", "-k", "real_language_model"]
    ],
    "hearing": [
        ["env", "HEARING=1", *PYTEST, "-s", "tests/evaluation/training/test_hearing_course.py", "-k", "never_heard"]
    ],
    "training": [
        ["env", "KILLS=many", *PYTEST, "tests/evaluation/training", "-k", "killed"],
        ["env", "TRAINED=whole", *PYTEST, "tests/evaluation/training/test_training.py"],
    ],
    "families": [["env", "FAMILIES=all", *PYTEST, *OF_FAMILIES]],
    "odd-requests": [["env", "ODD_REQUESTS=all", *PYTEST, "tests/benchsite/web/test_odd_requests.py"]],
    "surprise": [["env", "SURPRISE_TABLES=1000", *PYTEST, "tests/measures/test_surprise.py", "-k", "formulas"]],
    "properties": [
        [
            "env",
            "EXAMPLES=2000",
            *PYTEST,
            "tests/evaluation/parsing/test_replies.py",
            "tests/evaluation/submissions/lint/test_check.py",
            "tests/evaluation/runs/official/test_official.py",
        ]
    ],
    "controls": [["env", "CONTROLS=all", *PYTEST, "tests/evaluation/runs/test_controls.py"]],
    "fuzz": [["env", "FUZZ_INPUTS=20000", *PYTEST, "tests/evaluation/submissions/test_fuzz.py"]],
    "seals-sqlite": [[*SEALS, *PYTEST, "tests/seals", "-n", "0"]],
    "seals-postgres": [[*SEALS, f"DATABASE_URL={POSTGRES}", *PYTEST, "tests/seals", "-n", "0"]],
    "annotation": [
        [
            "env",
            "ANNOTATION_CLIPS=40",
            *PYTEST,
            "tests/humantrials/protocols/test_annotation_stages.py",
            "-k",
            "promise",
        ]
    ],
    "rounds": [["env", "FRESH_ROUNDS=20000", *PYTEST, "-s", "tests/measures/test_fresh_gap.py", "-k", "honest"]],
    "blind": [["env", "BLIND_PACKS=100", *PYTEST, "-s", "tests/leaderboard/audits/test_blind.py"]],
    "axe": [["env", "AXE=whole", *PYTEST, "-n", "2", "-m", "browser", *ASKED_BY_AXE]],
    "drawing": [["env", "DRAWING=whole", *PYTEST, f"{ANNOTATION}/test_drawing.py"]],
    "walk": [["env", "WALK=whole", *PYTEST, "-s", f"{ANNOTATION}/test_walk.py"]],
    "study": [["env", "STUDIES=100", *PYTEST, "-s", "tests/humantrials/studies/test_whole_study.py"]],
    "large-run": [[sys.executable, "-m", "bench.evaluation.large_run"]],
    "throughput": [[sys.executable, "-m", "bench.evaluation.throughput"]],
    "margins": [[sys.executable, "-m", "bench.board.margins"]],
    "adaptive": [[sys.executable, "-m", "bench.trials.adaptive_sampling"]],
    "pages": [[sys.executable, "-m", "bench.pages.crawl"]],
    "operator": [[sys.executable, "-m", "bench.load.operator_week"]],
    "machines": [[*PYTEST, "tests/deployment/several_machines.py"]],
    "audit": [[sys.executable, "-m", "bench.generation.audit"]],
    "choices": [["env", "CHOICE_ITEMS=288", *PYTEST, "-n", "0", "tests/scenes/giraffe/test_choices.py", "-k", "rule"]],
    "craft": [[sys.executable, "-m", "tests.scenes.craft.rounds"]],
    "sight": [[sys.executable, "-m", "bench.generation.visibility", "corrected"]],
    "sight-faithful": [[sys.executable, "-m", "bench.generation.visibility", "faithful"]],
}
# Mixed load for five minutes on each database, and the same with injected faults.
for database in ("sqlite", "postgres"):
    PARTS[f"load-{database}"] = [[sys.executable, "-m", "bench.load.mixed", "--database", database]]
for fault in FAULTS:
    PARTS[f"faults-{fault}"] = [[sys.executable, "-m", "bench.load.faults", "--faults", fault]]
# Ten million responses, in steps that continue where the last one stopped; the last must find everything done.
TEN_MILLION, STEPS = [sys.executable, "-m", "bench.board.ten_million"], 8
for step in range(1, STEPS + 1):
    PARTS[f"tenmillion-{step}"] = [[*TEN_MILLION, "--within", "420", *(["--more-is-fine"] if step < STEPS else [])]]
SHORTCUTS = [sys.executable, "-m", "bench.shortcuts"]
for profile in ("corrected", "faithful"):
    for stage, tests in (("cells", 3), ("control", 4)):  # number of the sixteen tests in a part
        for first in range(1, 17, tests):
            numbers = ",".join(map(str, range(first, min(first + tests, 17))))
            PARTS[f"shortcuts-{profile}-{stage}-{first}"] = [
                [*SHORTCUTS, "--profile", profile, "--stage", stage, "--tests", numbers]
            ]
PARTS["shortcuts-verdict"] = [[*SHORTCUTS, "--stage", "verdict"]]
LIMIT = 600  # seconds for each part


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
    named = [name for name in PARTS if part in (name, name.split("-")[0])]  # `crash` selects all crash parts
    if part != "all" and not named:
        print(f"no part named {part}: there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    names = named if part in PARTS else [name for name in named or PARTS if not is_done(name)]
    failed = [name for name in names if not soak(name)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "all"))
