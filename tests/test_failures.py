"""The last lines of a failed test run say what failed."""

import pytest

from tests.failures import ANOTHER_DATABASE, failures, main

WHY = '<failure message="no&#10;more">x</failure>'
FAILED = f'<testcase classname="tests.a" name="b[{{number}}]" time="{{number}}.25">{WHY}</testcase>'
PASSED = '<testcase classname="tests.a" name="good" time="1"/>'


def report(count):
    cases = "".join(FAILED.format(number=number) for number in range(count))
    return f"<testsuites><testsuite>{cases}{PASSED}</testsuite></testsuites>"


def test_each_failure_is_a_line_with_its_seconds_and_reason():
    assert failures(report(2)) == [
        "2 of 3 tests failed:",
        "    0.2 s  tests.a::b[0]: no",
        "    1.2 s  tests.a::b[1]: no",
    ]


def test_forty_lines_are_the_most():
    lines = failures(report(60))
    assert len(lines) == 40
    assert lines[-1] == "and 22 more"


def test_a_run_that_broke_off_is_told_as_well(tmp_path, capsys):
    assert main([tmp_path / "none.xml"]) == 1
    assert capsys.readouterr().out == "The tests ended without a report.\n"


LEFT = f'<testcase classname="tests.a" name="left"><skipped message="{ANOTHER_DATABASE}: x"/></testcase>'
RAN = '<testcase classname="tests.a" name="left"/>'
NO_VULKAN = '<testcase classname="tests.a" name="left"><skipped message="NO VULKAN: x"/></testcase>'


@pytest.mark.parametrize(
    ("runs", "code"), [([LEFT, RAN], 0), ([RAN, LEFT], 0), ([LEFT, LEFT], 1), ([LEFT, ""], 1), ([NO_VULKAN, ""], 0)]
)
def test_a_test_that_no_database_has_run_fails_the_build(tmp_path, capsys, runs, code):
    paths = [tmp_path / f"{number}.xml" for number in range(len(runs))]
    for path, case in zip(paths, runs, strict=True):
        path.write_text(f"<testsuites><testsuite>{case}</testsuite></testsuites>")
    assert main(paths) == code
    assert ("ran on no database: tests.a::left" in capsys.readouterr().out) == bool(code)
