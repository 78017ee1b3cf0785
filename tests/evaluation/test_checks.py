"""A definition with an unknown name stops the start."""

from dataclasses import replace

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.checks import adapters_fit_their_column, definitions_name_what_exists


def test_all_names_in_the_definitions_exist_and_a_missing_one_is_named(monkeypatch):
    assert (definitions_name_what_exists(None), adapters_fit_their_column(None)) == ([], [])
    monkeypatch.setitem(BENCHMARKS, "grasp", replace(BENCHMARKS["grasp"], parsers=("wishful-thinking",)))
    (error,) = definitions_name_what_exists(None)
    assert "grasp names the parser 'wishful-thinking'" in error.msg
