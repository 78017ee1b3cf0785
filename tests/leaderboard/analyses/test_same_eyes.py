"""Same eyes: an answerer that is right exactly where a frame decides reaches the ceiling exactly."""

from pathlib import Path

import numpy as np
import pytest
from django.conf import settings

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.packs.truth.telling_frames import has_telling_frame, spans_in, telling_spans, telling_states
from evaluation.inputs.frames import wanted_frames
from evaluation.models import ModelResponse
from humantrials.models import TrialState
from leaderboard.analyses.same_eyes import COUNTS, MOST, ceilings, decidable_rows, frames_chart
from leaderboard.board.query import view_of
from leaderboard.charts.rendering.looks import looks_of
from leaderboard.standings.refresh import refresh
from scenes.physics.mujoco_engine import simulate
from scenes.scene import After, Camera, Hide, Plane, Scene, Show, Sphere, TriggeredAction
from tests.factories import answer_to, make_answers, make_clip, make_item, make_model, make_pack, make_run, make_trial
from tests.leaderboard.conftest import vote

CAMERA = Camera(position=(0.0, -5.0, 0.0), focus=(0.0, 0.0, 0.0), height_angle=45.0)
UPRIGHT = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
BALL = Sphere(name="Ball", size=(0.6,) * 3, position=(0, 0, 0), role="object", motion="guided", colour=(0, 0, 0))
WALL = Plane(name="Wall", size=(9, 9, 0), position=(0, 2, 0), orientation=UPRIGHT, role="room")
FPS, FRAMES = 5, 50
WRONG = {"yes": "no", "no": "yes"}


def staged(*rules):
    return simulate(Scene(test="Color", label="", bodies=(WALL, BALL), camera=CAMERA, rules=rules))


@pytest.fixture(scope="module")
def gone_for():
    """Trajectories in which the ball is always there, or absent from 6 s for 0.3 s, for 1 s, or to the end."""
    there = staged()
    gone = {}
    for seconds in (0.3, 1.0, 9.0):
        rules = [TriggeredAction(After(6), (Hide("Ball"),))]
        rules += [TriggeredAction(After(6 + seconds), (Show("Ball"),))] if seconds < 4 else []
        gone[seconds] = staged(*rules)
    return there, gone


def test_the_telling_states_are_those_in_which_a_body_in_view_differs(gone_for):
    there, gone = gone_for
    ((start, end),) = spans_in(there.time, telling_states(there, gone[1.0]))
    assert (start, end) == (pytest.approx(6.0, abs=0.05), pytest.approx(7.0, abs=0.05))
    assert not telling_states(there, there).any()
    hidden = there.changed(seen=np.zeros(there.visible.shape, np.float16))
    assert not telling_states(hidden, gone[1.0].changed(seen=hidden.seen)).any()


@pytest.fixture
def pack(db, gone_for, tmp_path):
    there, gone = gone_for
    pack = make_pack(name="eyes", title="Eyes")
    for number, trajectory in enumerate(gone.values()):
        for folder, expected, shown in (("P", "yes", there), ("IP", "no", trajectory)):
            key = f"level2/{folder}_ObjectPermanence/{number:03}"
            name = f"trajectories/{folder}{number}.npz"
            place = Path(settings.MEDIA_ROOT) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shown.save(place)
            clip = make_clip(pack, key=key, seconds=10.0, fps=FPS, frames=FRAMES, trajectory=name)
            facets = {"level": ("2",), "test": ("ObjectPermanence",), "split": ("all",)}
            make_item(pack, clip=clip, key=key, kind="plausibility", variant="", expected=expected, facets=facets)
    return pack


def seen_on(pack, count):
    """The times of so many frames, and answers that are right exactly where one of them decides."""
    spans, times = telling_spans(pack), [place / FPS for place in wanted_frames(f"uniform-{count}", range(FRAMES))]
    items = pack.items.prefetch_related("media__clip").order_by("pk")
    right = {item: has_telling_frame(times, spans[item.clip.pk]) for item in items}
    return times, {item: answer_to(item) if right[item] else WRONG[answer_to(item)] for item in items}


def answer_what_can_be_seen(pack, count):
    model = make_model(name="Honest eyes", slug=f"eyes-{count}")
    run = make_run(pack, model=model, strategy="plausibility", sampler=f"uniform-{count}")
    times, answers = seen_on(pack, count)
    make_answers(run, answers)
    ModelResponse.objects.filter(cell__run=run).update(frame_times=times)


def test_an_honest_answerer_traces_the_ceiling_to_the_item(pack, client):
    for count in COUNTS:
        answer_what_can_be_seen(pack, count)
    refresh()
    view = view_of(BENCHMARKS["grasp"], {"level": "2"})
    found = {one.frames: one.figures for one in decidable_rows(view)}
    ceiling = dict(ceilings(view))
    assert {count: one["all"]["score"] for count, one in found.items()} == pytest.approx(ceiling)
    # Only all frames of the clip show the ball's absence of 0.3 s.
    assert [round(share, 3) for share in ceiling.values()] == [0.667, 0.667, 0.667, 0.667, 1.0]
    assert all(one["told"]["score"] == 1.0 for one in found.values())
    assert found[4]["untold"]["score"] == 0.0
    board = client.get("/leaderboard/grasp/?level=2&format=json").json()
    assert board["rows"][0]["overall"]["decidable"]["all"]["n"] == 6
    page = client.get("/leaderboard/grasp/same-eyes/").content.decode()
    assert "Honest eyes" in page
    assert "Accuracy by number of frames" in page
    answer = client.get("/api/v1/boards/grasp/same-eyes/").json()
    told = [(row["Frames"], row["Decidable only, %"], row["Not decidable, %"]) for row in answer["rows"]]
    assert told == [*((f"uniform-{count}", 100.0, 0.0) for count in COUNTS[:-1]), ("uniform-64", 100.0, None)]


@pytest.mark.parametrize("count", [8, 64])
def test_people_who_see_the_same_stills_trace_it_too(pack, client, count):
    """Three people who are right exactly where one of the stills decides: their row is beside the models' rows."""
    state = {"state": TrialState.CLOSED, "answers_version": 1}
    trial = make_trial(pack, slug="stills", protocol="grasp-frames", settings={"frames": count}, **state)
    for item, answer in seen_on(pack, count)[1].items():
        vote(trial, item, [answer] * 3)
    answer_what_can_be_seen(pack, count)
    refresh()
    view = view_of(BENCHMARKS["grasp"], {"level": "2"})
    found = {one.row.kind: one for one in decidable_rows(view)}
    people = found.pop("human")
    (model,) = found.values()
    assert (people.sampler, people.frames, people.prompting) == (f"uniform-{count}", count, model.prompting)
    of_people = people.figures
    assert of_people["share"] == model.figures["share"] == pytest.approx(dict(ceilings(view))[count], abs=1e-6)
    assert (of_people["n"], of_people["told"]["score"]) == (3 * 6, 1.0)
    assert (of_people["untold"] or {"score": 0.0})["score"] == 0.0
    rows = client.get("/api/v1/boards/grasp/same-eyes/").json()["rows"]
    assert sorted((row["n"], row["Decidable only, %"]) for row in rows) == [(6, 100.0), (18, 100.0)]
    assert "People" in client.get("/leaderboard/grasp/same-eyes/").content.decode()


def test_two_ways_of_asking_the_same_model_are_told_apart(pack, client):
    model = make_model(name="Eyes")
    for strategy in ("plausibility", "plausibility-cot"):
        run = make_run(pack, model=model, strategy=strategy, sampler="uniform-8")
        make_answers(run, dict.fromkeys(pack.items.all(), "yes"))
    ModelResponse.objects.update(frame_times=[1.0])
    refresh()
    rows = client.get("/api/v1/boards/grasp/same-eyes/").json()["rows"]
    assert [(row["Who"], row["Prompting"]) for row in rows] == [("Eyes", "chain-of-thought"), ("Eyes", "zero-shot")]
    page = client.get("/leaderboard/grasp/same-eyes/").content.decode()
    assert "Eyes, chain-of-thought" in page
    assert "Eyes, zero-shot" in page


def test_the_chart_draws_the_best_where_not_all_fit():
    shares = {f"model {number}": [(8, number / 10)] for number in range(9)}
    chart = frames_chart(shares, [(8, 1.0)])
    assert [trace.name for trace in chart.traces] == ["Decidable", *(f"model {at}" for at in range(8, 9 - MOST, -1))]
    assert len({*looks_of(chart)}) == MOST


def test_packs_without_trajectories_say_so(physics, client):
    assert "No run was shown frames of clips" in client.get("/leaderboard/grasp/same-eyes/").content.decode()
