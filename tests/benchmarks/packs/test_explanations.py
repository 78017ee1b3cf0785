"""Explanations of answers: steps, causal links, and the clip without the thing that the question removes."""

import re
from dataclasses import replace
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.core.management import call_command

from benchmarks.models import Clip, Item
from benchmarks.packs.truth.explanations import case_of, why
from benchmarks.storage.access import withdraw
from tests.factories import answer_to
from tests.scenes.craft import rounds

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="session")
def videos(tmp_path_factory):
    """Four small videos of one scene."""
    return rounds.made(tmp_path_factory.mktemp("craft-why"), 4, 5, ["1"])


@pytest.fixture
def items(videos):
    call_command("import_benchmark", "craft", videos, verbosity=0)
    return list(Item.objects.order_by("key"))


def thinking_away(items):
    return next(item for item in items if item.facet_values("template")[0].startswith(("prevent", "cause", "enable")))


def test_the_last_step_of_every_question_is_its_answer(items):
    for item in items:
        shown, case = why(item), case_of(item.clip)
        last = {"yes": "true", "no": "false"}.get(shown.steps[-1].result, shown.steps[-1].result)
        assert last == answer_to(item)
        assert len(shown.drawing.rows) == len(case.original.dynamic)
        assert all(170 <= dot.x <= 708 for dot in shown.drawing.dots)
        assert [step for _, step in shown.drawing.ticks] == [0, 100, 200, 300, 400, 500, 600]
        assert (shown.drawing.ticks[0][0], shown.drawing.ticks[-1][0]) == (170, 708)
        assert [y for *_, y, _ in shown.drawing.rows] == [34 * row + 17 for row in range(len(shown.drawing.rows))]
        assert shown.drawing.height == 34 * len(shown.drawing.rows) + 34


def test_what_led_to_what_is_drawn_and_said_in_words(client, items):
    item = next(item for item in items if any(causes for _, causes in why(item).events))
    shown = why(item)
    assert len(shown.drawing.leads) == sum(len(causes) for _, causes in shown.events)
    for number, (_, causes) in enumerate(shown.events, 1):
        assert all(0 < cause < number for cause in causes)
    page = client.get(f"{item.get_absolute_url()}?answer=1").content.decode()
    assert page.count('class="lead"') == len(shown.drawing.leads)
    assert page.count('<small class="quiet">after ') == sum(bool(causes) for _, causes in shown.events)


def test_the_page_tells_nothing_until_it_is_asked(client, items):
    item = thinking_away(items)
    page = client.get(item.get_absolute_url()).content.decode()
    assert 'class="why"' not in page
    asked = client.get(f"{item.get_absolute_url()}?answer=1").content.decode()
    assert 'class="why"' in asked
    assert "What would have happened" in asked
    assert not re.search(r"<[^>]+ style=", asked)


def test_the_clip_without_a_thing_is_made_when_asked_for_and_goes_with_the_clip(client, items):
    item = thinking_away(items)
    uid = why(item).gone[0][0]
    address = f"/benchmarks/craft/items/{item.public_id}/without/{uid}.mp4"
    assert client.get(address).status_code == 404
    answer = client.get(f"{address}?answer=1", headers={"range": "bytes=0-99"})
    assert (answer.status_code, answer["Content-Type"]) == (206, "video/mp4")
    assert client.get(f"/benchmarks/craft/items/{item.public_id}/without/99.mp4?answer=1").status_code == 404
    clip = Clip.objects.get(pk=item.clip.pk)
    assert case_of(clip).without[uid]
    withdraw(clip=clip, why="asked to")
    assert client.get(f"{address}?answer=1").status_code == 404


def test_circles_of_more_corners_than_box2d_takes_are_not_found(client, items, monkeypatch):
    item = thinking_away(items)
    known = case_of(item.clip)
    start = tuple(replace(one, corners=128 if one.shape == "circle" else 0) for one in known.original.start)
    if not any(one.corners for one in start):
        start = (replace(start[0], shape="static_ball", corners=128), *start[1:])
    changed = replace(known, original=replace(known.original, start=start))
    monkeypatch.setattr("benchmarks.packs.truth.explanations.case_of", lambda clip: changed)
    uid = why(item).gone[0][0]
    assert client.get(f"/benchmarks/craft/items/{item.public_id}/without/{uid}.mp4?answer=1").status_code == 404


def test_what_is_recorded_can_be_downloaded(client, items):
    answer = client.get(f"/benchmarks/craft/items/{items[0].public_id}/ground-truth.zip?answer=1")
    with ZipFile(BytesIO(answer.content)) as archive:
        assert archive.namelist() == ["trajectory.json", "scene.json"]
        assert {file.date_time for file in archive.infolist()} == {(2020, 1, 1, 0, 0, 0)}  # true ones tell the order


def test_a_clip_of_which_nothing_is_known_has_no_why(items):
    Clip.objects.update(facts={})
    assert why(Item.objects.get(pk=items[0].pk)) is None
