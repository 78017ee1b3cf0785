"""CRAFT's baselines as models of the site: trained by the command, resumed after a stop, run, and their input."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from benchmarks.commands import CallerMistake
from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.registry import open_model
from evaluation.errors import ModelMisused, RunMisused
from evaluation.inputs.frames import frames_of
from evaluation.models import Model, ModelResponse
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from extensions.training.craft import video_ablation
from extensions.training.craft.examples import (
    Answering,
    CraftExamples,
    VideoQuestion,
    clips_of,
    load_video_frames,
    parts_of,
)
from extensions.training.craft.networks import network_of
from extensions.training.craft.recipes import BASELINES, CraftBaseline
from leaderboard.standings.refresh import refresh
from tests.evaluation.craft_pack import END, KIND, craft_pack, put_films
from tests.extensions.training.killing import assert_power_cuts_change_nothing
from tests.factories import answer_to

pytestmark = pytest.mark.django_db


def tiny(name, **changes):
    """A recipe that takes seconds: every part of the network, a few epochs."""
    recipe = BASELINES[name].sizes["small"]
    small = {"edge": 16, "width": 2, "size": 8, "reasoning": 2, "frames": min(recipe.frames, 4), "epochs": 1}
    return replace(recipe, **(small | changes))


@pytest.fixture
def pack(db, own_folders):
    rows = craft_pack()
    put_films(rows)
    return rows


@pytest.fixture
def pack_to_learn_from(db, own_folders):
    rows = craft_pack(times=2)
    put_films(rows)
    return rows


@pytest.fixture
def sized(monkeypatch):
    """Replace the small size of a baseline by a tiny one."""

    def change(name, **changes):
        sizes = {"small": tiny(name, **changes)}
        monkeypatch.setitem(BASELINES, name, CraftBaseline(BASELINES[name].title, sizes))

    return change


def train(name, **options):
    call_command("train_baseline", name, benchmark="craft", **options)
    seed = options.get("seed", 0)
    return Model.objects.get(slug=f"craft-{name}" + (f"-seed-{seed}" if seed else ""))


def asked_here(model, pack, *, split="easy-test", **how):
    run = start_run(model=model, pack=pack, strategy="craft", split=split, **how)
    work_on(run.pk)
    run.refresh_from_db()
    return run


@pytest.mark.parametrize("name", BASELINES)
def test_each_model_trains_answers_and_has_its_row_by_type_split_and_condition(name, pack, sized, client):
    sized(name)
    model = train(name)
    recipe = BASELINES[name].sizes["small"]
    how = {"": {"condition": "question-only"}, "video": {"condition": "video", "sampler": recipe.sampler}}
    how = how.get(recipe.sees, {"condition": f"{recipe.sees}-frame"})
    for split in ("easy-test", "hard-test"):
        run = asked_here(model, pack, split=split, **how)
        assert (run.state, run.reason) == ("finished", "")
    refresh()
    for split in ("easy-test", "hard-test"):
        address = f"/leaderboard/craft/?split={split}&condition={how['condition']}&format=json"
        rows = client.get(address).json()["rows"]
        row = next(row for row in rows if row["name"].startswith(model.name) and row["kind"] == "run")
        assert row["overall"]["n"] == 2 * row["cells"]["Cause"]["n"] == 2 * row["cells"]["Descriptive"]["n"] > 0
    assert model.made_here
    assert "trained here on generated scenes" in model.card["what"]
    assert "pack grey, seed 0" in model.card["what"]


@pytest.mark.parametrize("name", BASELINES)
def test_each_network_resumes_with_the_same_curve_and_weights(name, pack, tmp_path):
    recipe, parts = tiny(name, epochs=2, batch=8), parts_of(pack, "easy")

    def course():
        sights = load_video_frames(clips_of(parts), recipe) if recipe.sees else None
        lessons = CraftExamples(parts, sights)
        network = network_of(recipe, lessons.vocabulary, 0)
        return Answering(network, lessons.vocabulary, lessons, recipe=recipe, seed=0)

    assert_power_cuts_change_nothing(course, tmp_path, after=(3,))


LEARNS = {"width": 4, "size": 16, "epochs": 25, "patience": 25, "rate": 5e-3, "batch": 8}


def test_who_sees_the_first_frame_does_not_learn_how_a_video_ends(pack_to_learn_from, sized):
    sized("lstm-cnn-f", **LEARNS | {"epochs": 6})
    model = train("lstm-cnn-f")
    rows = {row["name"]: row for row in model.card["compared"]["easy"]}
    assert rows["Descriptive"]["low"] <= 0
    assert "In the easy setting it did not learn to use the picture (" in model.card["what"]


def test_who_sees_the_last_frame_learns_how_a_video_ends_and_is_asked_about_that_frame_alone(pack_to_learn_from, sized):
    """Also among the frames of a whole video, and in another order; no other frame replaces it."""
    sized("lstm-cnn-l", **LEARNS)
    model = train("lstm-cnn-l")
    rows = {row["name"]: row for row in model.card["compared"]["easy"]}
    assert rows["Descriptive"]["low"] > 0
    assert rows["Descriptive"]["right"] > 0.9
    assert rows["Cause"]["difference"] == 0.0  # not visible in the picture
    assert "In the easy setting it uses the picture (" in model.card["what"]
    adapter = open_model(model)
    clip = pack_to_learn_from.items.get(key="000001/0").clip  # begins bright, ends dark

    def said(sampler, order=1, split="easy-test"):
        frames = frames_of(clip, sampler)
        frames = replace(frames, pixels=frames.pixels[::order], indices=frames.indices[::order])
        return next(iter(adapter.answer([Request((Turn(END, frames), REPLY), split=split)])))

    assert [said("last").text, said("uniform-8").text, said("uniform-8", order=-1).text] == ["false"] * 3
    assert said("first").error == "was trained on the last frame, which is not shown: --condition last-frame"
    assert "not trained for the split 'all'" in said("last", split="all").error


def test_a_video_network_is_asked_with_as_many_frames_as_it_learnt(pack, sized):
    sized("tvqa")
    model = train("tvqa")
    adapter, item = open_model(model), pack.items.first()
    few = Request((Turn(item.text, frames_of(item.clip, "uniform-3")), REPLY), split="easy-test")
    blind = Request((Turn(item.text), REPLY), split="easy-test")
    errors = [reply.error for reply in adapter.answer([few, blind])]
    assert errors == [
        "was trained on 4 frames and is shown 3: --sampler uniform-4",
        "was trained on the video and is shown nothing",
    ]
    with pytest.raises(RunMisused, match="can't be asked on 'easy-train'"):
        start_run(model=model, pack=pack, strategy="craft", split="easy-train")


def test_what_a_run_says_is_what_the_network_said_after_its_training(pack, sized):
    sized("lstm-cnn-f", epochs=3)
    model = train("lstm-cnn-f")
    run = asked_here(model, pack, condition="first-frame")
    replies = ModelResponse.objects.filter(cell__run=run)
    right = sum(reply.raw == answer_to(reply.cell.item) for reply in replies.select_related("cell__item"))
    assert right / len(replies) == pytest.approx(model.card["compared"]["easy"][0]["right"], abs=1e-4)


def test_the_same_training_stands_and_another_seed_stands_beside_it_under_a_name_of_its_own(
    pack, sized, capsys, tmp_path
):
    sized("lstm")
    first = train("lstm")
    assert train("lstm").revision == first.revision
    said = capsys.readouterr()
    assert "this training exists already" in said.out + said.err
    second = train("lstm", seed=1)
    assert train("lstm").revision == first.revision != second.revision
    assert (first.name, second.name) == ("LSTM", "LSTM, seed 1")
    assert [Path(model.options["path"]).name for model in (first, second)] == ["craft-lstm", "craft-lstm-seed-1"]
    runs = [asked_here(model, pack, condition="question-only", limit=2) for model in (first, second)]
    assert [run.state for run in runs] == ["finished", "finished"]
    train("lstm", weights=tmp_path / "own")
    with pytest.raises(CallerMistake, match="a training with seed 0 exists: give another folder to --weights"):
        train("lstm", seed=1, weights=tmp_path / "own")


def test_its_page_draws_the_curves_and_says_whether_it_uses_the_picture(pack, sized, client, settings):
    sized("mac-f", epochs=2)
    model = train("mac-f")
    page = client.get(model.get_absolute_url()).content.decode()
    assert page.count('<svg class="figure"') == 2 * 4  # the loss and the checks of each setting, wide and for a phone
    curves = ("Loss over the steps of training", "Accuracy on easy-validation", "Numbers of this curve")
    for words in (*curves, "Does it use the picture?", "did not learn to use the picture"):
        assert words in page
    for setting in ("easy", "hard"):  # a page whose curve is gone is whole without it
        (settings.VAR_DIR / model.options["path"] / setting / "curve.json").write_text("{")
    page = client.get(model.get_absolute_url())
    assert page.status_code == 200
    assert '<svg class="figure"' not in page.content.decode()


# --- errors ---


def test_a_clip_that_can_t_be_read_is_named(pack, sized, settings):
    sized("mac-l")
    clip = pack.clips.get(key="000002")
    (settings.MEDIA_ROOT / "clips" / clip.renditions.get().name).write_bytes(b"no film")
    with pytest.raises(CallerMistake, match="clip 000002: the clip can't be opened"):
        train("mac-l")


def test_a_training_that_can_t_be_is_said_so(pack):
    for options, said in (
        ({"size": "huge"}, "lstm has no size 'huge'; there are small, full"),
        ({"pack": "other"}, "there is no pack other; there is: grey"),
        ({"backbones": Path("/nowhere")}, "/nowhere: no such folder"),
    ):
        with pytest.raises(CallerMistake, match=said):
            train("lstm", **options)
    pack.items.all().delete()
    with pytest.raises(CallerMistake, match="craft/grey has no questions in easy-train, easy-validation, easy-test"):
        train("lstm")


def test_a_training_that_diverges_ends_the_command_with_its_sentence(pack, sized, monkeypatch):
    sized("lstm")
    nothing = "extensions.training.craft.examples.functional.cross_entropy"
    monkeypatch.setattr(nothing, lambda told, answers: told.sum() * float("nan"))
    with pytest.raises(CommandError, match="step 1: the loss is nan"):
        train("lstm")
    assert not Model.objects.exists()


def test_a_training_into_a_file_says_steps_loss_and_time_and_a_lost_folder_is_one_sentence(
    pack, sized, capsys, settings
):
    sized("lstm")
    model = train("lstm")
    said = capsys.readouterr().out.splitlines()
    assert "tensorboard --logdir" in said[0]
    line = r"Training, easy setting: \d+ of \d+, loss \d\.\d{4}, \d+ s, about \d+ s left"
    lines = [each for each in said if re.fullmatch(line, each)]
    steps = [[int(number) for number in re.findall(r"(\d+) of (\d+)", each)[0]] for each in lines]
    assert steps[0][0] == 1
    assert steps[-1][0] == steps[-1][1]
    (settings.VAR_DIR / model.options["path"] / "hard" / "model.safetensors").unlink()
    with pytest.raises(ModelMisused, match="the saved model has no weights"):
        open_model(model)


# --- with the right videos and with others ---


def questions(videos, each=4):
    return [
        VideoQuestion(
            f"{video}/{place}", END if place % 2 else KIND, "true", ("Cause", "Prevent")[place % 2], "Boolean", video
        )
        for video in range(videos)
        for place in range(each)
    ]


def test_every_video_is_exchanged_for_another_one():
    other = video_ablation.exchanged(questions(9), seed=3)
    assert sorted(other) == sorted(other.values()) == list(range(9))
    assert all(video != shown for video, shown in other.items())
    assert other == video_ablation.exchanged(questions(9), seed=3) != video_ablation.exchanged(questions(9), seed=4)


def test_the_difference_is_paired_and_its_interval_by_video():
    asked = questions(60)

    def say(asked, shown):
        """Right about Cause only with the right video, and always right about Prevent."""
        return {one.key: "true" if shown is None or one.kind == "Prevent" else "false" for one in asked}

    every, cause, prevent = video_ablation.compared(asked, say, seed=0)
    assert (every.name, every.n, every.difference) == ("All questions", 240, 0.5)
    assert (cause.right, cause.other, cause.summary) == (1.0, 0.0, "uses the picture")
    assert 0.8 < cause.low < 1.0 == cause.high  # no video differs, but 60 videos don't prove that none would
    assert prevent.difference == 0.0
    assert prevent.low == pytest.approx(-prevent.high)
    assert 0.0 < prevent.high < 0.1
    assert replace(prevent, low=-0.2, high=-0.1).summary == "is misled by the picture"
    assert video_ablation.verdict(prevent) == (
        "did not learn to use the picture (+0.0 points with the right videos over those of other questions,"
        " 95 % interval −6.0 to +6.0, 120 held-out questions)"
    )


def test_what_is_kept_of_clips_is_decoded_once(pack, monkeypatch):
    recipe, clips = tiny("tvqa"), list(pack.clips.order_by("pk").prefetch_related("renditions"))
    first = load_video_frames(clips, recipe)
    monkeypatch.setattr("extensions.training.craft.examples.decoded", lambda *told: json.loads("not again"))
    again = load_video_frames(clips, recipe)
    assert first.pictures.shape == (24, 4, 3, 16, 16)
    assert (first.of(clips[1].pk) == again.of(clips[1].pk)).all()
    assert first.of(clips[1].pk)[0].mean() > 200 > 60 > first.of(clips[1].pk)[-1].mean()
