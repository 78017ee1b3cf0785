"""The last lines of a failed test run say what failed."""

from tests.failures import failures, main

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
    main(tmp_path / "none.xml")
    assert capsys.readouterr().out == "The tests ended without a report.\n"
