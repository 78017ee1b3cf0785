"""Frame controls: the same question with fewer frames or another order, for every strategy with clips."""

import os

import pytest
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from benchmarks.definitions.registry import BUILT_IN
from evaluation.errors import RunMisused
from evaluation.models import ModelResponse
from evaluation.prompting.strategies import STRATEGIES
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.factories import make_model

pytestmark = pytest.mark.django_db

SINGLE = {"first-frame": [0], "middle-frame": [10], "last-frame": [19]}
TAKES_ALL = os.environ.get("CONTROLS") == "all"  # `make soak PART=controls`; else one frame of the three each
ABOUT_CLIPS = [
    strategy for strategy in BUILT_IN["grasp"].strategies if strategy.condition != "text" and not strategy.with_twin
]


def asked(pack, strategy: str, **choice) -> list[ModelResponse]:
    own = STRATEGIES[strategy]
    is_special = own.by_likelihood or own.by_surprise or own.constrained
    model = make_model(kind="scripted") if is_special else make_model()
    run = start_run(model=model, pack=pack, strategy=strategy, **choice)
    work_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.reason) == ("finished", "")
    return list(ModelResponse.objects.filter(cell__run=run).order_by("cell__item__public_id", "cell__seed"))


def frames_for(strategy) -> dict[str, list[int]]:
    """The controls of one frame that this strategy is asked with."""
    turn = ABOUT_CLIPS.index(strategy) % len(SINGLE)
    return SINGLE if TAKES_ALL else dict([list(SINGLE.items())[turn]])


@pytest.mark.parametrize("strategy", ABOUT_CLIPS, ids=lambda strategy: strategy.name)
def test_every_strategy_about_clips_takes_every_control(pack, make_filmed, strategy):
    make_filmed(
        1 + ("oneshot" in strategy.name), kind=strategy.kinds[0], facets={"test": ("Color",), "split": strategy.splits}
    )
    shows = sum(1 for turn in asked(pack, strategy.name)[0].turns if turn.get("frames"))
    for condition, indices in {**frames_for(strategy), "question-only": []}.items():
        for response in asked(pack, strategy.name, condition=condition):
            assert response.frame_indices == indices
            shown = [turn["frames"] for turn in response.turns if turn["role"] == "user" and turn["frames"]]
            assert shown == [1] * (shows if indices else 0)
    for response in asked(pack, strategy.name, condition="shuffled-frames", sampler="uniform-4"):
        assert sorted(response.frame_indices) == [0, 6, 13, 19] != response.frame_indices
        assert [round(10 * seconds) for seconds in response.frame_times] == response.frame_indices


def test_the_order_hangs_on_seed_and_item_and_is_the_same_in_every_run(pack, make_filmed):
    make_filmed(2)
    choice = {"condition": "shuffled-frames", "seeds": (0, 1, 2)}
    first = [tuple(response.frame_indices) for response in asked(pack, "binary", **choice)]
    again = [tuple(response.frame_indices) for response in asked(pack, "binary", **choice)]
    assert first == again
    assert len(set(first)) > 6  # of 12: two items of one clip and three seeds share an order only by chance


def test_a_control_that_makes_no_sense_is_refused(pack, make_filmed):
    make_filmed(1)
    binary, shuffled = {"strategy": "binary"}, {"strategy": "binary", "condition": "shuffled-frames"}
    there = "there is: video, first-frame, middle-frame, last-frame"
    for choice, message in (
        ({"strategy": "text", "condition": "first-frame"}, "no condition 'first-frame' for text; there is: text"),
        (shuffled | {"sampler": "uniform-1"}, "needs two frames or more"),
        (shuffled | {"sampler": "last"}, "needs two frames or more"),
        (binary | {"condition": "question-only", "sampler": "uniform-8"}, "has its own sampler"),
        (binary | {"condition": "best-frame"}, there),
    ):
        with pytest.raises(RunMisused, match=message):
            start_run(model=make_model(), pack=pack, **choice)
        with pytest.raises(CallerMistake, match=message):
            call_command("start_run", model="random", benchmark="grasp", **choice)


def test_each_control_is_a_row_of_its_own(pack, make_filmed):
    make_filmed(1)
    model = make_model()
    runs = [start_run(model=model, pack=pack, strategy="binary", condition=name) for name in ("video", "first-frame")]
    for run in runs:
        work_on(run.pk)
    refresh()
    assert len({run.identity for run in runs}) == 2
    assert sorted(Standing.objects.values_list("condition", flat=True)) == ["first-frame", "video"]
