"""The demo's trainings beside its other content."""

import json

import pytest
from django.core.management.base import CommandError

from extensions.training import demo
from extensions.training.core.checkpoints import FACTS
from extensions.training.registry import trainer_for
from tests.factories import make_model

pytestmark = pytest.mark.django_db
POPEN = demo.subprocess.Popen


@pytest.mark.parametrize(("script", "why"), [("exit 2", "why stands above"), ("kill -SEGV $$", "signal 11 ended it")])
def test_a_training_that_fails_ends_the_demo_in_one_sentence(monkeypatch, script, why):
    monkeypatch.setattr(demo.subprocess, "Popen", lambda *arguments, **options: POPEN(["sh", "-c", script]))
    with (
        pytest.raises(CommandError, match=f"grasp-video could not be trained: {why}"),
        demo.trained_beside(len, demo.VIDEO_NETWORK) as model,
    ):
        model()


def test_a_training_is_not_left_behind_when_the_rest_fails(monkeypatch):
    begun = []

    def remembered(*arguments, **options):
        begun.append(POPEN(["sleep", "60"]))
        return begun[-1]

    monkeypatch.setattr(demo.subprocess, "Popen", remembered)
    with pytest.raises(OSError, match="no room"), demo.trained_beside(lambda line: None, demo.VIDEO_NETWORK):
        raise OSError("no room")
    assert begun[0].poll() is not None


@pytest.mark.parametrize("order", [demo.VIDEO_NETWORK, demo.LISTENER, demo.TALKING])
def test_what_stands_is_not_trained_again(monkeypatch, settings, order):
    trainer = trainer_for(order)
    slug = trainer.slug(order)
    weights = settings.VAR_DIR / "models" / slug
    weights.mkdir(parents=True)
    (weights / FACTS).write_text(json.dumps({"key": trainer.key(order)}))
    model = make_model(slug=slug)
    monkeypatch.setattr(demo.subprocess, "Popen", None)
    with demo.trained_beside(lambda line: None, order) as trained:
        assert trained() == model
