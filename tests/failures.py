"""`python -m tests.failures REPORT.xml …`: prints failed tests with reason and seconds, in at most 40 lines each.

Of several runs, each on its own database, it names the tests that none has run, and then ends with 1.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

MOST = 38  # failures listed, between one line before and one after them
ANOTHER_DATABASE = "ANOTHER DATABASE"  # how the reason begins for which a run leaves a test to another run


def failures(report: str) -> list[str]:
    """A heading, and a line per failed test: its seconds, its name and the first line of the reason."""
    cases = list(ElementTree.fromstring(report).iter("testcase"))
    found = [(case, told) for case in cases for told in case if told.tag in ("failure", "error")]
    lines = [_line(case, told) for case, told in found]
    left_out = [f"and {len(lines) - MOST} more"] if len(lines) > MOST else []
    return [f"{len(found)} of {len(cases)} tests failed:", *lines[:MOST], *left_out]


def _line(case: ElementTree.Element, told: ElementTree.Element) -> str:
    reason = (told.get("message") or told.text or "").strip().splitlines() or [""]
    name = f"{case.get('classname', '')}::{case.get('name', '')}"
    return f"{float(case.get('time', 0)):7.1f} s  {name}: {reason[0]}"[:300]


def unrun(reports: Iterable[str]) -> list[str]:
    """The tests that every run has left to another one."""
    left: dict[str, bool] = {}
    for report in reports:
        for case in ElementTree.fromstring(report).iter("testcase"):
            name = f"{case.get('classname', '')}::{case.get('name', '')}"
            skips = [each.get("message") or "" for each in case.iter("skipped")]
            is_left = any(reason.startswith(ANOTHER_DATABASE) for reason in skips)
            left[name] = is_left and left.get(name, True)
    return [name for name, is_left in left.items() if is_left]


def main(paths: list[Path]) -> int:
    """Print the failures, or that there is no report; 1 if a test has run on no database."""
    reports = [path.read_text() for path in paths if path.is_file()]
    for report in reports:
        print("\n".join(failures(report)))
    if len(reports) < len(paths):
        print("The tests ended without a report.")
    for name in (missed := unrun(reports)):
        print(f"ran on no database: {name}")
    return int(bool(missed) or len(reports) < len(paths))


if __name__ == "__main__":
    sys.exit(main([Path(path) for path in sys.argv[1:]]))
