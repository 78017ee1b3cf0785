"""The page of trainings: running ones, curves of several seeds, and visibility."""

import json
import os
import time

import pytest

from extensions.training.pages.views import MOST_POINTS, LossCurve, curve_charts, loss_chart, thinned
from extensions.training.progress import QUIET, Curve, folder, ongoing, progress_lines
from tests.factories import make_model, make_pack

pytestmark = pytest.mark.django_db
MADE = {"name": "grasp-small", "pack": "", "seed": 1, "makes_clips": True}
ON_A_PACK = {"name": "mac-v", "pack": "secret", "seed": 0, "makes_clips": False}


@pytest.fixture(autouse=True)
def site(settings, tmp_path):
    settings.VAR_DIR = tmp_path


def running(slug, *lines, **order):
    folder().mkdir(exist_ok=True)
    path = folder() / f"{slug}.lines"
    path.write_text("\n".join((json.dumps(order or MADE), *lines)) + "\n", encoding="utf-8")
    return path


def line(done, loss, total=900, part="Training"):
    return f"{part}: {done} of {total}, loss {loss:.4f}, {done} s, about {total - done} s left"


def trained(slug, losses, **values):
    place = folder().parent / "models" / slug
    place.mkdir(parents=True)
    curve = [{"step": step + 1, "loss": loss} for step, loss in enumerate(losses)]
    (place / "curve.json").write_text(json.dumps({"curve": curve}))
    card = {"curve": f"models/{slug}/curve.json", "seed": values.pop("seed", 0)}
    return make_model(slug=slug, made_here=True, card=card, **values)


def page(client):
    return client.get("/trainings/").content.decode()


def test_a_training_that_fails_says_why_and_goes_on_below_it():
    def fails():
        with progress_lines("x", MADE) as lines:
            lines.part("Training")(4, 9, "loss 0.7000")
            raise ValueError("the loss is nan")

    with pytest.raises(ValueError, match="nan"):
        fails()
    (one,) = ongoing()
    assert one.stopped == "the loss is nan"
    with progress_lines("x", MADE) as lines:
        lines.part("Training")(3, 9, "loss 0.8000")  # from the previous checkpoint
        (one,) = ongoing()
        assert (one.stopped, one.now.losses) == ("", [(3, 0.8)])


def test_the_page_shows_progress_and_the_curves_of_seeds_together(client):
    trained("llava-small-here", [0.9, 0.6, 0.4], name="Small model")
    running("llava-small-here-seed-1", line(1, 0.8), line(300, 0.5))
    said = page(client)
    assert "300 of 900" in said
    assert "about 600 s left" in said
    assert said.count('<figure class="plot tile"') == 1
    assert "Small model: loss by step" in said
    assert said.index("Small model</text>") < said.index("llava-small-here-seed-1</text>")
    assert "data-live-part" in said
    assert '<noscript><meta http-equiv="refresh"' in said


def test_settings_of_one_model_are_charts_of_their_own(client):
    lines = [line(5, 0.7, part=f"Training, {setting} setting") for setting in ("easy", "hard")]
    running("craft-lstm", "Clips, easy setting: 3 of 8, 2 s, about 4 s left", *lines, **MADE | {"seed": 0})
    said = page(client)
    assert "craft-lstm, easy setting: loss by step" in said
    assert "craft-lstm, hard setting: loss by step" in said


def test_a_training_on_a_pack_and_the_words_of_an_error_are_for_staff(client, admin_client):
    running("craft-mac-v", line(5, 0.7), "Stopped: /srv/packs/secret is gone", **ON_A_PACK)
    running("llava-small-here", line(5, 0.7), "Stopped: /srv/models is full")
    said, to_staff = page(client), page(admin_client)
    assert "craft-mac-v" not in said
    assert "It stopped." in said
    assert "/srv" not in said
    assert "craft-mac-v" in to_staff
    assert "/srv/packs/secret is gone" in to_staff
    assert "data-live-part" not in to_staff


def test_one_that_was_killed_is_told_by_its_silence(client):
    path = running("llava-small-here", line(5, 0.7))
    os.utime(path, (time.time() - QUIET - 60,) * 2)
    assert "No update for 3 min; it may have stopped" in page(client)


@pytest.mark.parametrize("broken", ["", "[]", "{", "7", "\x00", '{"pack": ""}\nTraining: 3 of'])
def test_a_file_that_can_not_be_read_breaks_nothing(client, broken):
    folder().mkdir()
    (folder() / "broken.lines").write_text(broken)
    assert client.get("/trainings/").status_code == 200


def test_without_trainings_the_page_names_the_command(client):
    assert "train_baseline lstm" in page(client)


def test_a_curve_keeps_its_mean_and_its_last_step():
    losses = [(step, float(step % 2)) for step in range(1, 6001)]
    points = thinned(losses)
    assert len(points) == MOST_POINTS
    assert points[-1] == (6000, 0.5)
    chart = loss_chart("x", [LossCurve("a", losses, 9000)])
    assert chart.x.high >= 9000
    assert [text for _, text in loss_chart("x", [LossCurve("a", [(1, 0.0)], 3)]).x.ticks] == ["0", "1", "2", "3"]
    assert [text for _, text in loss_chart("x", [LossCurve("a", [(1, 0.0)], 12)]).x.ticks] == ["0", "5", "10", "15"]


def test_the_checks_of_a_training_say_what_they_measured():
    curve = Curve("easy", "accuracy on the validation split", ((1, 2.0), (12, 1.0)), ((6, 0.25), (12, 0.5)))
    losses, checks = curve_charts("a", curve)
    assert (losses.y.title, checks.y.title) == ("Loss", "Accuracy on the validation split, %")


def test_boards_and_the_home_page_tell_of_a_training_until_it_ends(client):
    told = "Training the network <b>grasp-video</b>"
    path = running("video-network-here", line(5, 0.7), **MADE | {"name": "grasp-video", "benchmark": "grasp"})
    for address in ("/", "/leaderboard/", "/leaderboard/grasp/"):
        said = client.get(address).content.decode()
        assert told in said
        assert 'http-equiv="refresh"' in said
    assert told not in client.get("/leaderboard/craft/").content.decode()
    path.unlink()
    assert not [
        one for one in ("/", "/leaderboard/", "/leaderboard/grasp/") if told in client.get(one).content.decode()
    ]


@pytest.mark.parametrize(("origin", "is_told"), [("generated", True), ("official", False)])
def test_boards_tell_of_a_training_on_a_pack_if_the_pack_was_made_here(client, origin, is_told):
    make_pack(benchmark="craft", name="secret", origin=origin)
    running("craft-mac-v", line(5, 0.7), **ON_A_PACK | {"benchmark": "craft"})
    assert ("Training the network <b>mac-v</b>" in client.get("/leaderboard/craft/").content.decode()) is is_told
