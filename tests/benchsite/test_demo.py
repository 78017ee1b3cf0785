"""The demo content's parts that can fail."""

import json

import pytest
from django.core.management.base import CommandError

from benchsite import demo
from evaluation.training.core.checkpoints import FACTS
from evaluation.training.video_language.train import key_of
from tests.factories import make_model

pytestmark = pytest.mark.django_db


def test_a_training_that_fails_ends_the_demo_in_one_sentence(monkeypatch):
    monkeypatch.setattr(demo, "BENCHMARK", "pacs")
    with pytest.raises(CommandError, match="grasp-small could not be trained"), demo.trained_beside(len) as model:
        model()


def test_a_training_that_crashes_without_a_word_is_told_by_its_signal(monkeypatch):
    popen = demo.subprocess.Popen
    monkeypatch.setattr(demo.subprocess, "Popen", lambda *arguments, **options: popen(["sh", "-c", "kill -SEGV $$"]))
    with pytest.raises(CommandError, match="signal 11 ended it"), demo.trained_beside(len) as model:
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


def test_what_stands_is_not_trained_again(monkeypatch, settings):
    weights = settings.VAR_DIR / "models" / "llava-small-here"
    weights.mkdir(parents=True)
    (weights / FACTS).write_text(json.dumps({"key": key_of("grasp-small", "small", 0)}))
    model = make_model(slug="llava-small-here")
    monkeypatch.setattr(demo.subprocess, "Popen", None)
    with demo.trained_beside(lambda line: None) as trained:
        assert trained() == model
