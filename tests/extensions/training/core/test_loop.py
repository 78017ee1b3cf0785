"""The training loop: equal after a kill, early stopping, best weights, logs for TensorBoard."""

import json
import os

import pytest
import torch
from torch import nn

from extensions.training.core import loop
from extensions.training.core.checkpoints import FACTS, LOGS, learnt, places_beside, standing_at
from extensions.training.core.loop import Loop, Reached, TrainingDiverged, TrainingSchedule, write_curve
from extensions.training.progress import CURVE
from tests.extensions.training.killing import assert_ended_alike, killed_after, one_thread, silent
from tests.extensions.training.tiny_training import Tiny, train


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def events_of(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    read = EventAccumulator(str(folder)).Reload()
    return {name: [(one.step, one.value) for one in read.Scalars(name)] for name in read.Tags()["scalars"]}


NEVER = 600  # seconds between checkpoints: the process is killed before the first
# Steps of a round at which the process is killed: twice before any checkpoint, once after one, once on the way to the
# next. MANY_KILLS, for `make soak PART=training`, kills after every second step up to the early stop.
KILLS = [(2, NEVER), (4, NEVER), (6, -1), (9, NEVER), (22, -1)]
MANY_KILLS = [(step, pause) for step in range(2, 40, 2) for pause in (NEVER, -1)]


def train_with(checkpoint_seconds, folder, say):
    """With -1, a checkpoint is written after every step; with more, steps after the last checkpoint are repeated."""
    loop.CHECKPOINT_SECONDS = checkpoint_seconds
    train(folder, pause=0.02, after_each=say)


@one_thread()
def test_a_training_that_is_killed_before_and_after_checkpoints_ends_with_the_same_curve_and_weights(tmp_path):
    _, undisturbed = whole = train(tmp_path / "whole")
    cut = tmp_path / "cut"
    cut.mkdir()
    for step, pause in MANY_KILLS if os.environ.get("KILLS") == "many" else KILLS:
        has_checkpoint = (cut / "checkpoint").exists()
        killed_after(min(step, undisturbed.step - 1), lambda say, pause=pause: train_with(pause, cut, say))
        assert (cut / "checkpoint").exists() == (has_checkpoint or pause < 0)
    assert_ended_alike(whole, train(cut, seed=3))
    # Log entries between the last checkpoint and the kill occur once.
    assert events_of(tmp_path / "cut" / "logs") == events_of(tmp_path / "whole" / "logs")


class SharedVideos(Tiny):
    """Ten times as many questions as videos: gradients are added in the rows of `seen`."""

    def __init__(self):
        super().__init__(pace=TrainingSchedule(steps=20))
        drawn = torch.Generator().manual_seed(1)
        self.network = nn.Embedding(16, 1024)  # a row for each video
        self.seen = torch.randn(16, 1024, generator=drawn)
        self.which = torch.randint(16, (160,), generator=drawn)
        self.asked = torch.randn(160, 1024, generator=drawn)

    def loss(self, step, device):
        return ((self.network.weight * self.seen)[self.which] * self.asked).tanh().mean()


def test_several_threads_add_in_one_order(two_threads):
    ended = []
    for _ in range(5):
        course = SharedVideos()
        nn.init.constant_(course.network.weight, 0.01)
        Loop(course).run(silent)
        ended.append(course.network.weight.detach().clone())
    assert all(torch.equal(ended[0], other) for other in ended)
    assert not torch.are_deterministic_algorithms_enabled()


def test_the_log_holds_every_step_and_every_check(tmp_path):
    _, reached = train(tmp_path)
    events = events_of(tmp_path / "logs")
    assert events["loss"] == [(step + 1, pytest.approx(loss)) for step, loss in enumerate(reached.losses)]
    assert events["measure"] == [(step, pytest.approx(measure)) for step, measure in reached.checks]
    assert len(events["rate"]) == reached.step


def test_it_stops_when_it_gets_no_better_and_keeps_the_weights_that_were_best(tmp_path):
    course, reached = train(tmp_path)
    assert 30 <= reached.step < 100
    assert reached.checks.index(reached.best) == len(reached.checks) - 1 - course.pace.patience
    course.network.eval()
    assert course.measure(torch.device("cpu")) == reached.best[1]


def test_who_watches_sees_the_end_of_a_training_that_stops_early(tmp_path):
    seen: list[tuple[int, int]] = []
    reached = Loop(Tiny(), tmp_path / "checkpoint").run(lambda done, total, _loss: seen.append((done, total)))
    assert seen[-2:] == [(reached.step, 200), (reached.step, reached.step)]


def test_without_patience_it_goes_to_its_end_and_is_checked_there(tmp_path):
    _, reached = train(tmp_path, pace=TrainingSchedule(steps=42, check_every=20))
    assert [step for step, _ in reached.checks] == [20, 40, 42]


def test_a_loss_that_is_no_number_ends_the_training_in_words(tmp_path):
    course = Tiny()
    nn.init.constant_(course.network[0].weight, float("nan"))
    with pytest.raises(TrainingDiverged, match="step 1: the loss is nan"):
        Loop(course, tmp_path / "checkpoint").run(silent)


def test_what_was_trained_stands_whole_with_its_facts_curve_and_logs(tmp_path):
    course, out = Tiny(), tmp_path / "models" / "tiny"

    def write(folder):
        torch.save(course.network.state_dict(), folder / "weights.pt")

    facts = {"key": "ab" * 32}
    trained = learnt(course, out, write=write, facts=facts, measured="minus the loss", progress=silent)
    assert {path.name for path in out.iterdir()} == {"weights.pt", CURVE, FACTS, LOGS}
    assert not any(place.exists() for place in places_beside(out, facts["key"]))
    assert trained.facts["parameters"] == 2 * 16 + 16 + 32 + 32 + 2
    assert trained.facts["best_step"] < trained.facts["steps"]
    assert standing_at(out, facts["key"]) == trained
    assert standing_at(out, "cd" * 32) is None
    assert list(events_of(out / LOGS)) == ["loss", "rate", "measure"]


def test_the_curve_is_a_short_table_of_averages(tmp_path):
    losses = [float(number) for number in range(250)]
    write_curve(Reached(step=250, losses=losses, checks=[[100, 0.5]]), "accuracy", tmp_path / "curve.json")
    told = json.loads((tmp_path / "curve.json").read_text())
    assert len(told["curve"]) == 125
    assert told["curve"][0] == {"step": 2, "loss": 0.5}
    assert told["curve"][-1] == {"step": 250, "loss": 248.5}
    assert (told["measured"], told["checks"]) == ("accuracy", [{"step": 100, "measure": 0.5}])
