"""The demo content's parts that can fail."""

import pytest
from django.core.management.base import CommandError

from benchsite import demo


def test_a_training_that_fails_ends_the_demo_in_one_sentence(monkeypatch):
    monkeypatch.setattr(demo, "TRAINED", "no-such-baseline")
    with pytest.raises(CommandError, match="no-such-baseline could not be trained"), demo.trained_beside(len) as model:
        model()


def test_a_training_is_not_left_behind_when_the_rest_fails(monkeypatch):
    begun = []
    popen = demo.subprocess.Popen

    def remembered(*arguments, **options):
        begun.append(popen(["sleep", "60"]))
        return begun[-1]

    monkeypatch.setattr(demo.subprocess, "Popen", remembered)
    with pytest.raises(OSError, match="no room"), demo.trained_beside(lambda line: None):
        raise OSError("no room")
    assert begun[0].poll() is not None
