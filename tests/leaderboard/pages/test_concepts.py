"""Pages of concepts: the list, one concept, example clips, and unknown concepts."""

import re

import pytest

from benchmarks.definitions.concepts import CONCEPTS
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models.answers import ItemSeal
from leaderboard.standings.refresh import refresh
from tests.factories import make_model, sealed, set_expected
from tests.leaderboard.conftest import answered, make_people, text_of

pytestmark = pytest.mark.django_db
GRAVITY = "/concepts/gravity/"


def test_the_list_and_each_concept_say_what_is_known(visitor):
    page = visitor.get("/concepts/")
    assert '<a href="/concepts/" aria-current="page">' in page.content.decode()
    assert "Not yet: in papers, people lead the best model by 14 to 28 points on all four skills." in text_of(page)
    text = text_of(page)
    assert all(f'href="/concepts/{slug}/"' in page.content.decode() for slug in CONCEPTS)
    assert "Gravity GRASP – – – 50.0" in text
    assert "Causality CRAFT: Cause 83.00 reported – 54.73 MAC-V –" in text
    # a concept has its sentences sources and boards
    text = text_of(visitor.get(GRAVITY))
    assert "Objects without support move downward." in text
    assert (
        "Kim and Spelke (1992) studied how sensitive infants are to effects of gravity on motion that they see." in text
    )
    assert "Psychological Review 99(4), 605–632." in text
    assert "As cited in GRASP, Sections 2 and 3.2." in text
    assert "No results yet" in text
    assert 'href="/leaderboard/grasp/?level=2&amp;strategy=plausibility' in visitor.get(GRAVITY).content.decode()
    # an unknown concept is told what exists
    page = visitor.get("/concepts/magic/")
    assert page.status_code == 404
    assert "there is no concept 'magic'; there is: continuity, solidity" in page.content.decode().replace("&#x27;", "'")


@pytest.mark.parametrize("slug", CONCEPTS)
def test_every_link_of_a_concept_opens(visitor, slug):
    page = visitor.get(f"/concepts/{slug}/").content.decode()
    found = {link.replace("&amp;", "&") for link in re.findall(r'href="(/leaderboard/[^"]+)"', page)}
    assert {visitor.get(link).status_code for link in found} == {200}


def test_people_stand_above_chance_and_models_and_boards_lead_here(visitor, physics, study):
    answered(physics, str, model=make_model(name="Yes-man", kind="scripted"))
    refresh()
    body = visitor.get(GRAVITY).content.decode().partition("<table")[2]
    places = [body.index(word) for word in (">People<", ">Chance<", "Yes-man")]
    assert places == sorted(places)
    assert re.search(r'<a href="/leaderboard/grasp/items/\?row=trial-study&amp;split=all&amp;concept=gravity"', body)
    # the board by concept and the navigation lead here
    refresh()
    board = visitor.get("/leaderboard/grasp/?level=2&group=concept").content.decode()
    assert 'href="/concepts/gravity/"' in board
    assert 'href="/concepts/"' in visitor.get("/leaderboard/").content.decode()
    assert 'href="/concepts/gravity/"' not in visitor.get("/leaderboard/grasp/?level=2&group=test").content.decode()


def test_a_kept_page_asks_little_and_is_made_anew_when_a_board_changes(visitor, physics, django_assert_max_num_queries):
    visitor.get(GRAVITY)
    visitor.get("/concepts/")
    with django_assert_max_num_queries(10):
        visitor.get(GRAVITY)
    with django_assert_max_num_queries(6):
        visitor.get("/concepts/")
    assert "People" not in text_of(visitor.get(GRAVITY)).partition("People, then models")[2]
    trial = make_people(physics, level="2", strategy="plausibility")
    trial.cells["concept"] = {"gravity": trial.cells["level"]["2"]}
    trial.save()
    assert "80" in text_of(visitor.get(GRAVITY)).partition("People, then models")[2]


def test_the_number_of_queries_does_not_grow_with_rows(visitor, physics, django_assert_max_num_queries):
    for number in range(6):
        answered(physics, str, f"Model {number}")
    refresh()
    with django_assert_max_num_queries(20):
        visitor.get(GRAVITY)
    with django_assert_max_num_queries(26):
        visitor.get("/concepts/")


@pytest.mark.parametrize("by", ["trial:open", WITHHELD])
def test_what_is_sealed_is_never_an_example(visitor, physics, by):
    shown = re.findall(r'href="(/benchmarks/grasp/items/[^"]+)"', visitor.get(GRAVITY).content.decode())
    assert len(shown) == 2
    for item in physics.items.all():
        if item.get_absolute_url() in shown:
            ItemSeal.objects.create(item=item, by=by)
    page = visitor.get(GRAVITY).content.decode()
    assert not [link for link in shown if link in page]
    for item in physics.items.filter(~sealed()):
        ItemSeal.objects.create(item=item, by=by)
    assert "/benchmarks/grasp/items/" not in visitor.get(GRAVITY).content.decode()


def test_examples_show_their_concept_with_different_answers(visitor, physics):
    shown = re.findall(r'href="(/benchmarks/grasp/items/[^"]+)"', visitor.get("/concepts/collision/").content.decode())
    of_it = {item.get_absolute_url() for item in physics.items.with_facet("concept", "collision")}
    assert set(shown) == of_it
    # examples have different answers where there are several
    set_expected(physics.items.filter(key__in=["clip0", "clip2"]), "no")
    set_expected(physics.items.filter(key="clip3"), "yes")
    set_expected(physics.items.filter(key="clip1"), "no")
    page = visitor.get(GRAVITY).content.decode()
    shown = [item.key for item in physics.items.order_by("public_id") if item.get_absolute_url() in page]
    assert shown == ["clip0", "clip3"]
