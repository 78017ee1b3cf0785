"""The home page's list of recent changes, and the page of one model."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.models import Origin, Pack
from benchmarks.models.answers import ItemSeal
from evaluation.models import Run
from humantrials.models import Trial, TrialState
from leaderboard.models import Standing
from leaderboard.pages.home import MOST, latest_changes
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_item, make_model, make_pack, make_participant, make_run
from tests.leaderboard.conftest import answer_all, answered, make_people
from tests.markup import compact

pytestmark = pytest.mark.django_db


def run_of(pack, name, **values):
    run = make_run(pack, model=make_model(name=name), finished_at=timezone.now(), **values)
    return answer_all(run, lambda item: "yes")


def test_home_lists_what_is_new_newest_first(visitor, pack):
    for name in ("Earlier", "Later"):
        run_of(pack, name)
    refresh()
    page = visitor.get("/").content.decode()
    listed = re.findall(r"<li><time[^>]*>[^<]*</time>.*?<a [^>]*><bdi>([^<]*)", compact(page))
    assert [line.split(",")[0] for line in listed] == ["Later", "Earlier", "Small"]
    assert "50.0" in page


def test_simulated_people_private_runs_and_more_than_a_list_are_no_news(pack):
    for number in range(MOST + 2):
        run_of(pack, f"Model {number}")
    run = run_of(pack, "Newest")
    refresh()
    make_people(pack, simulated=True)
    assert latest_changes()[0].name.startswith("Newest")
    Run.objects.filter(pk=run.pk).update(listing="private")  # its row remains until the next refresh
    names = [change.name for change in latest_changes()]
    assert not any(name.startswith("Newest") for name in names)
    assert "people" not in {change.what for change in latest_changes()}
    assert len(names) == MOST


def test_a_study_is_as_new_as_its_last_participant(pack):
    """Recomputing its row does not make it a recent change."""
    ended = timezone.now() - timedelta(days=90)
    make_participant(make_people(pack).trial, finished_at=ended)
    Standing.objects.touch()
    found = {change.what: change.at for change in latest_changes()}
    assert found["people"] == ended


def test_a_models_page_has_every_benchmark_way_and_revision_and_its_card(visitor, pack):
    card = {"zeal": "high", "link": "https://example.org/m", "released": "2024-05"}
    card |= {"organisation": "Lab", "parameters": "7B"}
    model = make_model(name="Seven", card=card, revision="b")
    other = make_pack(benchmark="craft", name="craft-pack")
    make_item(other)
    for where, revision, strategy in ((pack, "a", "binary"), (pack, "b", "binary-cot"), (other, "b", "craft")):
        answered(where, "yes", model=model, revision=revision, strategy=strategy)
    page = visitor.get(model.get_absolute_url()).content.decode()
    runs = page[page.index('id="runs"') :]
    assert set(re.findall(r"<td>\s*(CRAFT|GRASP)\b", runs)) == {"CRAFT", "GRASP"}
    assert all(way in page for way in ("chain-of-thought", "direct", "<td>a</td>", "<td>b</td>"))
    assert {"Maker", "Size", "Released", "Link", "Zeal"} <= set(re.findall(r"<dt>(\w+)", page))
    assert '<a href="https://example.org/m"' in page
    assert "/leaderboard/craft/?search=Seven" in page


def test_home_asks_the_same_number_of_queries_for_six_times_the_rows(visitor, pack):
    """Cold: with one and with six models and people; warm: a cached page queries its versions and recent changes."""
    found = []
    for number in range(6):
        run_of(pack, f"Model {number}")
        make_people(pack) if number == 0 else None
        refresh()
        with CaptureQueriesContext(connection) as cold:
            visitor.get("/")
        with CaptureQueriesContext(connection) as warm:
            visitor.get("/")
        found.append((len(cold), len(warm)))
    assert found[5] == found[0]
    assert found[0][0] <= 60
    assert found[0][1] <= 15


def test_an_open_study_neither_empties_home_nor_shows_its_clips(visitor, physics, study):
    run_of(physics, "Yes", strategy="plausibility")
    refresh()
    assert "83.3" in compact(visitor.get("/").content.decode())
    Trial.objects.update(state=TrialState.OPEN)
    Pack.objects.update(origin=Origin.GENERATED)
    for item in physics.items.all():
        ItemSeal.objects.create(item=item, by=f"trial:{study.slug}")
    refresh()
    page = visitor.get("/").content.decode()
    assert "83.3" not in page
    assert 'class="dots"' in page
    assert not any(item.public_id in page for item in physics.items.all())


def sample_on(page):
    """The card of the sample question on the home page."""
    [card] = re.findall(r'<(?:form|div) class="card ask".*?(?=<div class="next">)', compact(page.content.decode()))
    return card


def test_a_visitor_tries_three_clips_without_script_cookie_or_row(visitor, physics, study):
    run_of(physics, "Yes", strategy="plausibility")
    refresh()
    first, *_ = (item.public_id for item in physics.items.order_by("public_id"))
    card = sample_on(visitor.get("/"))
    assert 'name="answer" value="yes">Yes, it could<' in card
    assert "Clip 1 of 3" in card
    assert "controls" in card
    assert 'preload="none"' in card
    assert first not in card  # its page tells the answer
    for number in (1, 2, 3):
        right = answer_to(physics.items.order_by("public_id")[number - 1])
        for answer in ("yes", "no"):
            page = visitor.get(f"/?clip={number}&answer={answer}")
            card = sample_on(page)
            assert ("You’re right: " in card) is (answer == right)
            assert f"{'it could' if right == 'yes' else 'it couldn’t'}</h2>" in card
            assert re.search(r"People</th><td>[02] of 3 right", card)
            assert ('“yes”<span class="right">✓ right' in card) is (right == "yes")
            assert f"?clip={number % 3 + 1}#sample" in card
            assert not page.cookies
    for odd in ("clip=9", "clip=1&answer=maybe", "clip=%00&answer[]=yes", "answer=yes"):
        assert "Clip 1 of 3" in sample_on(visitor.get(f"/?{odd}"))


def test_a_sample_tells_of_people_only_what_their_study_shows(visitor, physics, study):
    Trial.objects.update(state=TrialState.OPEN)
    card = sample_on(visitor.get("/?clip=1&answer=yes"))
    assert "✓" not in card
    assert "People</th>" not in card


def test_without_a_public_clip_home_shows_its_film_and_what_papers_report(visitor):
    page = visitor.get("/?clip=1&answer=yes").content.decode()
    assert "clips/grasp/home.mp4" in page
    assert "Could this happen?" not in page
    page = compact(visitor.get("/").content.decode())
    assert "Not yet: in papers, people lead the best model by 14 to 39 points on all six skills.</h1>" in page
    assert "Reported in the papers" in page
    assert "Measured on this site" not in page
    assert "± 0.0" not in page


def test_a_clip_that_an_open_study_asks_about_is_not_played_with_another_question(visitor, physics):
    clips = [item.clip for item in physics.items.all()]
    for item in physics.items.all():
        make_item(physics, clip=item.clip, kind="binary", variant="true", key=item.key)
        ItemSeal.objects.create(item=item, by="trial:study")
    page = visitor.get("/").content.decode()
    assert not any(rendition.name in page for clip in clips for rendition in clip.renditions.all())
