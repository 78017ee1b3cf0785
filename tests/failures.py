"""`python -m tests.failures REPORT.xml`: prints failed tests with reason and seconds, in at most 40 lines."""

import sys
from pathlib import Path
from xml.etree import ElementTree

MOST = 38  # failures listed, between one line before and one after them


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


def main(path: Path) -> None:
    """Print the failures, or that there is no report."""
    print("\n".join(failures(path.read_text())) if path.is_file() else "The tests ended without a report.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
