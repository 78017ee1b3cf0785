"""`python -m bench.shortcuts [--profile P] [--tests A,B] [--stage STAGE]`: measures shortcuts and writes the page.

Stages: `cells` measures classifiers that see a part of a clip, `control` the one that sees all, `all` both, `verdict`
neither.

Exit codes: 0 measured (and with `verdict`: the corrected profile meets its target); 1 something failed or missed; 2 bad
arguments.
"""

import argparse
import sys
from pathlib import Path

from bench.shortcuts.jobs import STAGES, Job, measured
from bench.shortcuts.page import PAGE, RESULTS, write
from bench.shortcuts.studies import Study, level2_tests
from scenes.scene import PROFILES

FEWEST = 10  # clips a class: two for each fold


def main(words: list[str]) -> int:
    chosen = arguments(words)
    studies = [
        Study(test, profile, chosen.clips, min(chosen.frames, chosen.clips))
        for profile in PROFILES
        for test in level2_tests()
    ]
    failed = False
    if chosen.stage != "verdict":
        stages = STAGES if chosen.stage == "all" else (chosen.stage,)
        wanted = [study for study in studies if study.profile in chosen.profiles and study.test in chosen.tests]
        jobs = [Job(study, stage, chosen.out) for stage in stages for study in wanted]
        failed = not measured(jobs, chosen.jobs, lambda: write(studies, chosen.out, chosen.page))
    missed = write(studies, chosen.out, chosen.page)
    if chosen.stage == "verdict":
        for line in missed:
            print(f"misses the target: {line}", file=sys.stderr)
        return 1 if missed else 0
    return 1 if failed else 0


def arguments(words: list[str]) -> argparse.Namespace:
    """The parsed arguments; invalid ones end the program with one line and exit code 2."""
    parser = argparse.ArgumentParser(prog="bench.shortcuts", description=__doc__)
    parser.add_argument("--profile", choices=PROFILES, help="both when left out")
    parser.add_argument("--tests", default="", help="names or paper numbers, by comma; all when left out")
    parser.add_argument("--stage", choices=[*STAGES, "all", "verdict"], default="all")
    parser.add_argument("--clips", type=int, default=256, help="a class")
    parser.add_argument("--frames", type=int, default=128, help="clips a class whose frames are classified")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    chosen = parser.parse_args(words)
    if min(chosen.clips, chosen.frames) < FEWEST:
        parser.error(f"at least {FEWEST} clips a class, or the folds are empty")
    if chosen.jobs < 1:
        parser.error("at least one process")
    numbers = {str(test.number): name for name, test in level2_tests().items()}
    named = chosen.tests.split(",") if chosen.tests else list(level2_tests())
    chosen.tests = [numbers.get(word, word) for word in named]
    if unknown := [name for name in chosen.tests if name not in level2_tests()]:
        parser.error(f"no test {', '.join(unknown)}: there are {', '.join(level2_tests())}")
    chosen.profiles = [chosen.profile] if chosen.profile else list(PROFILES)
    chosen.out.mkdir(parents=True, exist_ok=True)
    return chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
