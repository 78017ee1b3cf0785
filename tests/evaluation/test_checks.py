"""A definition with an unknown name stops the start."""

from dataclasses import replace

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.checks import adapters_fit_their_column, definitions_name_what_exists


def test_every_name_in_the_definitions_exists():
    assert definitions_name_what_exists(None) == []
    assert adapters_fit_their_column(None) == []


def test_a_missing_name_is_named(monkeypatch):
    monkeypatch.setitem(BENCHMARKS, "grasp", replace(BENCHMARKS["grasp"], parsers=("wishful-thinking",)))
    (error,) = definitions_name_what_exists(None)
    assert "grasp names the parser 'wishful-thinking'" in error.msg
