"""`make soak`: checks that are too slow for every commit, in parts of under ten minutes. `PART=name` runs one part.

Each part is a list of commands; a result line with date and commit is appended to var/soak.md. A part that passed on
the current commit is skipped, so an interrupted soak continues where it stopped.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from tools.bench.load.fault_injection import FAULTS
from tools.mutation import AREAS, LOCKS

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / "var" / "soak.md"
HEAD = """# Soak results

| date (UTC) | commit | part | result | seconds |
|---|---|---|---|---|
"""
POSTGRES = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
Command = list[str]


def program(name: str, *arguments: str) -> Command:
    return [sys.executable, "-m", name, *arguments]


def checks(paths: str, options: str = "", **environment: str) -> Command:
    """pytest on these paths below tests/; the environment variables let them run in full."""
    given = [f"{name}={value}" for name, value in environment.items()]
    files = (f"tests/{path}" for path in paths.split())
    return ["env", *given, *program("pytest", "-p", "no:cacheprovider", *files, *options.split())]


def asked_by_axe() -> str:
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    found = (path for path in files if "from tests.accessibility import" in path.read_text())
    return " ".join(str(path.relative_to(ROOT / "tests")) for path in found)


FAMILIES = "adapters/test_families_table.py", "adapters/test_chat_templates.py", "adapters/test_hearing.py"
PROPERTIES = "parsing/test_replies.py", "submissions/lint/test_check.py", "runs/official/test_official.py"
PARTS: dict[str, list[Command]] = {
    f"crash-{stack}-{first}": [program("tests.evaluation.crash_rounds", stack, "10", "--first", str(first))]
    for stack in ("embedded", "servers")
    for first in (0, 10)
} | {
    "sheets": [program("tests.humantrials.load")],
    "siege-sqlite": [program("tests.humantrials.crash_load", "--database", "sqlite")],
    "siege-postgres": [program("tests.humantrials.crash_load", "--database", "postgres")],
    "coverage-people": [program("tools.bench.trials.interval_coverage", "people")],
    "coverage-dependence": [program("tools.bench.trials.interval_coverage", "dependence")],
    "coverage-groups": [program("tools.bench.trials.interval_coverage", "groups")],
    "coverage-corners": [program("tools.bench.trials.interval_coverage", "corners")],
    "weights": [checks("evaluation/adapters/test_families.py", "-k real_language_model", REAL_WEIGHTS="1")],
    "hearing": [checks("extensions/training/test_hearing_course.py", "-s -k never_heard", HEARING="1")],
    "training": [
        checks("extensions/training", "-k killed", KILLS="many"),
        checks("extensions/training/test_training.py", TRAINED="whole"),
    ],
    "families": [checks(" ".join(f"evaluation/{path}" for path in FAMILIES), FAMILIES="all")],
    "odd-requests": [checks("benchsite/web/test_odd_requests.py", ODD_REQUESTS="all")],
    "surprise": [checks("measures/test_surprise.py", "-k formulas", SURPRISE_TABLES="1000")],
    "properties": [checks(" ".join(f"evaluation/{path}" for path in PROPERTIES), EXAMPLES="2000")],
    "controls": [checks("evaluation/runs/test_controls.py", CONTROLS="all")],
    "fuzz": [checks("evaluation/submissions/test_fuzz.py", FUZZ_INPUTS="20000")],
    # Every route of access on every pack.
    "seals-sqlite": [checks("seals", "-n 0", SEALS="all"), checks("seals/test_noninterference.py", SEALS="places")],
    "seals-postgres": [
        checks("seals", "-n 0", SEALS="all", DATABASE_URL=POSTGRES),
        checks("seals/test_noninterference.py", SEALS="places", DATABASE_URL=POSTGRES),
    ],
    "annotation": [checks("extensions/annotation/protocol/test_stages.py", "-k promise", ANNOTATION_CLIPS="40")],
    "rounds": [checks("measures/test_fresh_gap.py", "-s -k honest", FRESH_ROUNDS="20000")],
    "blind": [checks("leaderboard/audits/test_blind.py", "-s", BLIND_PACKS="100")],
    "axe": [checks(asked_by_axe(), "-n 2 -m browser", AXE="whole")],
    "drawing": [checks("extensions/annotation/test_drawing.py", DRAWING="whole")],
    "walk": [checks("extensions/annotation/test_walk.py", "-s", WALK="whole")],
    "study": [checks("humantrials/running/test_whole_study.py", "-s", STUDIES="100")],
    "slurm": [checks("deployment/slurm.py")],
    "machines": [checks("deployment/several_machines.py")],
    "choices": [checks("scenes/giraffe/test_choices.py", "-n 0 -k rule", CHOICE_ITEMS="288")],
    "craft": [program("tests.scenes.craft.rounds")],
    # Needs OFFICIAL=DIR with copies of the benchmarks' repositories.
    "official": [checks("evaluation/runs/official/programs.py", "-s")],
}
for fault in ("quarter", "power", "link", "clocks", "broker", "store"):
    PARTS[f"hosts-{fault}"] = [checks("hosts", f"-s -k {fault}", HOSTS="all")]
for tool in ("inspect", "lm_eval", "lmms_eval", "every"):
    PARTS[f"tools-{tool}"] = [checks("evaluation/submissions/test_installed_tools.py", f"-k {tool}", TOOLS="installed")]
for tool in ("inspect", "lmms"):
    PARTS[f"tasks-{tool}"] = [checks("extensions/harnesses/test_installed.py", f"-s -k {tool}", TOOLS="installed")]
for fault in FAULTS:
    PARTS[f"faults-{fault}"] = [program("tools.bench.load.faults", "--faults", fault)]
# Ten million responses, in steps that continue where the last one stopped; the last must find everything done.
STEPS = 8
for step in range(1, STEPS + 1):
    more = ["--more-is-fine"] if step < STEPS else []
    PARTS[f"tenmillion-{step}"] = [program("tools.bench.board.ten_million", "--within", "420", *more)]
# Continues, too: what was noticed is not tried again.
for area in AREAS:
    PARTS[f"mutation-{area}"] = [program("tools.mutation", "--area", area)]
PARTS["mutation-locks"] = [program("tests.postgres_cluster", *program("tools.mutation", "--area", LOCKS))]
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
    LOG.parent.mkdir(exist_ok=True)
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
