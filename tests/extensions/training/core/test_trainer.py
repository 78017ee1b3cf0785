"""A training reports its progress to the site's page, while it runs and when it was stopped."""

import pytest

from extensions.training.core.checkpoints import Trained, learnt
from extensions.training.core.loop import TrainingDiverged
from extensions.training.core.trainer import ProgressReporter, TrainingOrder, carried_out
from extensions.training.progress import OngoingTraining, ongoing
from tests.extensions.training.tiny_training import Tiny

ORDER = TrainingOrder("tiny", "grasp", seed=3)


class TinyTrainer:
    """Trains `Tiny`, and reads the site's progress rows at its last step."""

    makes_clips = True

    def __init__(self, breaks_at: int = 0) -> None:
        self.seen: list[OngoingTraining] = []
        self.breaks_at = breaks_at

    def check(self, order):
        """Accept every order."""

    def slug(self, order):
        return "tiny" + order.suffix

    def key(self, order):
        return "k" * 64

    def register(self, order, trained):
        return None

    def train(self, order, out, watch) -> Trained:
        clips = watch.bar("Clips")
        clips(2, 2)
        steps = watch.steps("Training")

        def look(done, total, loss):
            steps(done, total, loss)
            if done == self.breaks_at:
                raise TrainingDiverged("step 4: the loss is nan")
            self.seen = ongoing()

        return learnt(Tiny(), out, write=lambda folder: None, facts={"key": self.key(order)}, progress=look)


def reporter(said):
    return ProgressReporter(bar=lambda title: None, note=said.append)


@pytest.fixture
def site(settings, tmp_path, monkeypatch):
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr("evaluation.adapters.weights.weights_hash", lambda folder: "w")


def test_lines_of_a_training_are_there_while_it_runs_and_go_with_it(site):
    said, trainer = [], TinyTrainer()
    carried_out(trainer, ORDER, reporter(said))
    (one,) = trainer.seen
    assert (one.slug, one.order["seed"], one.is_public, one.stopped) == ("tiny-seed-3", 3, True, "")
    assert [part.title for part in one.parts] == ["Clips", "Training"]
    assert one.now.losses[0][0] == 1
    assert ongoing() == []
    assert [line for line in said if line.startswith("Training: ")]  # and on the terminal, as before
