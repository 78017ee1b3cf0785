import re
from html import escape
from itertools import pairwise

import pytest
from django.db.models import F
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models.answers import ItemSeal
from evaluation.models import Listing, Model, ModelResponse, Run, Score
from humantrials.models import Judgment, Trial
from leaderboard.items.item_list import list_of
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, expects, make_answer, make_model, make_run
from tests.leaderboard.conftest import answered, text_of
from tests.markup import compact

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(physics, study):
    """A model and people on the same clips."""
    run = answered(physics, "yes", "Yes-man")
    refresh()
    return run


@pytest.fixture
def all_right(asked):
    """A second model, whose answers are the expected ones."""
    model = make_model(name="Knows")
    run = answered(asked.pack, answer_to, model=model)
    refresh()
    return run


def test_lists_of_rows_and_of_people_lead_to_items(visitor, asked):
    board = visitor.get("/leaderboard/grasp/?level=2&group=test").content.decode()
    [link, *_] = re.findall(r'href="(items/\?row=run-[^"]*Gravity)"', board)
    link = link.replace("&amp;", "&")
    page = visitor.get(f"/leaderboard/grasp/{link}")
    assert "Yes-man on Ball on a slope: 2 of 4 right" in text_of(page)
    [item, *_] = re.findall(r'href="(/benchmarks/grasp/items/[^"]+)"', page.content.decode())
    assert visitor.get(item).status_code == 200
    counts = {"all": 6, "right": 3, "wrong": 3, "unread": 0}
    assert {show: len(listed(visitor, f"run-{asked.pk}", show)) for show in counts} == counts
    page = visitor.get(f"/leaderboard/grasp/items/?row=run-{asked.pk}&level=2").content.decode()
    assert (
        sorted(re.findall(r"“(\w+)” <span class=\"(right|wrong)", page))
        == [("yes", "right")] * 3 + [("yes", "wrong")] * 3
    )
    # people have their items with their votes
    page = text_of(visitor.get("/leaderboard/grasp/items/?row=trial-study&level=2&show=wrong"))
    assert "Wrong 1" in page
    assert "0 of 3 right" in page
    # neighbours lead through the pack
    first, second = asked.pack.items.order_by("public_id")[:2]
    pages = [compact(visitor.get(item.get_absolute_url()).content.decode()) for item in (first, second)]
    assert f'rel="next" href="{second.get_absolute_url()}"' in pages[0]
    assert f'rel="prev" href="{first.get_absolute_url()}"' in pages[1]
    # neighbours are those of the list that one came from
    wrong = asked.pack.items.filter(expects("no")).order_by("public_id")
    address = f"/leaderboard/grasp/items/?row=run-{asked.pk}&show=wrong"
    links = links_of(visitor.get(address).content.decode())
    assert [link.split("/")[4] for link in links] == [item.public_id for item in wrong]
    seen, link = [], links[0]
    while link:
        seen.append(link.split("/")[4])
        page = compact(visitor.get(link.replace("&amp;", "&")).content.decode())
        found = re.search(r'rel="next" href="([^"]+)"', page)
        link = found.group(1) if found else ""
    assert seen == [item.public_id for item in wrong]
    # an item that left its list still leads into it
    wrong = [item for item in asked.pack.items.order_by("public_id") if answer_to(item) == "no"]
    query = f"?row=run-{asked.pk}&level=2&show=wrong"
    for item in asked.pack.items.filter(expects("yes")):
        page = compact(visitor.get(f"{item.get_absolute_url()}{query}").content.decode())
        before = [one for one in wrong if one.public_id < item.public_id][-1:]
        after = [one for one in wrong if one.public_id > item.public_id][:1]
        assert re.findall(r'rel="prev" href="([^"?]+)', page) == [one.get_absolute_url() for one in before]
        assert re.findall(r'rel="next" href="([^"?]+)', page) == [one.get_absolute_url() for one in after]


def listed(visitor, row, show):
    """The public ids on this row's list."""
    page = visitor.get(f"/leaderboard/grasp/items/?row={row}&level=2&show={show}").content.decode()
    return [link.split("/")[4] for link in links_of(page)]


def links_of(page):
    """The addresses of the items of a list, each once."""
    return list(dict.fromkeys(re.findall(r'href="(/benchmarks/grasp/items/[^"]+)"', page)))


@pytest.mark.parametrize("row", ["run-{}", "trial-study"])
@pytest.mark.parametrize("show", ["all", "right", "wrong"])
def test_a_list_leads_to_the_thumbnails_of_its_items(visitor, asked, row, show):
    address = f"/leaderboard/grasp/items/?row={row.format(asked.pk)}&test=Gravity&show={show}"
    page = visitor.get(address).content.decode()
    on_the_list = {link.split("/")[4] for link in links_of(page)}
    [link] = re.findall(r'href="(/explore/\?[^"]+)"', page)
    thumbnails = visitor.get(link.replace("&amp;", "&"))
    assert set(re.findall(r'/items/(\w+)/" title', thumbnails.content.decode())) == on_the_list


@pytest.mark.parametrize("row", ["run-{}", "trial-study"])
def test_a_list_asks_nothing_for_each_of_its_lines(visitor, asked, django_assert_max_num_queries, row):
    address = f"/leaderboard/grasp/items/?row={row.format(asked.pk)}"
    for test in ("Gravity", "Collision"):
        visitor.get(f"{address}&test={test}")  # the board behind the sentence is cached
    with django_assert_max_num_queries(26) as few:
        assert len(links_of(visitor.get(f"{address}&test=Collision").content.decode())) == 2
    with django_assert_max_num_queries(len(few)):
        assert len(links_of(visitor.get(f"{address}&test=Gravity").content.decode())) == 4


def test_an_item_shows_its_replies_and_votes_and_nothing_of_simulated_people(visitor, asked):
    item = asked.pack.items.get(key="clip1")
    page = visitor.get(item.get_absolute_url())
    for words in (item.text, "Yes-man", "grasp-paper", "majority: yes", "yes: 2", "Right answer"):
        assert words in text_of(page)
    assert item.key not in page.content.decode().replace(item.public_id, "")
    assert item.clip.key not in page.content.decode()
    # a reply from outside is shown as text
    ModelResponse.objects.update(raw="<img src=x onerror=alert(1)>", turns=[])
    page = visitor.get(asked.pack.items.first().get_absolute_url()).content.decode()
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page
    # an item says how hard it was and nothing of simulated people
    item = asked.pack.items.get(key="clip1")
    Judgment.objects.filter(item=item).update(seconds=4.25)
    page = text_of(visitor.get(item.get_absolute_url()))
    assert "2 of 3 people, 1 of 1 replies of models" in page
    assert "median 4.2 s to answer" in page or "median 4.3 s to answer" in page
    Trial.objects.update(is_simulated=True)
    assert "of 3 people" not in text_of(visitor.get(item.get_absolute_url()))


def test_a_sealed_item_is_kept_out_of_sight(visitor, django_user_model, asked):
    item = asked.pack.items.get(key="clip1")
    ItemSeal.objects.create(item=item, by="trial:open")
    page, never = visitor.get(item.get_absolute_url()), visitor.get("/benchmarks/grasp/items/neverwas/")
    assert page.status_code == never.status_code == 404
    assert text_of(page) == text_of(never).replace("neverwas", item.public_id)
    assert dict(page.headers).keys() == dict(never.headers).keys()
    staff = Client()
    staff.force_login(django_user_model.objects.create_superuser("staff", "staff@example.org", "a long password 1"))
    page = text_of(staff.get(item.get_absolute_url()))
    assert "This question is in an open study It is hidden while a study runs, back when it closes" in page
    assert item.public_id not in visitor.get(f"/leaderboard/grasp/items/?row=run-{asked.pk}").content.decode()
    assert visitor.get(f"/api/v1/items/{item.public_id}/").status_code == 404
    for other in asked.pack.items.exclude(pk=item.pk):
        assert item.public_id not in visitor.get(other.get_absolute_url()).content.decode()


def test_a_list_that_was_kept_follows_new_answers_and_seals_at_once(visitor, asked, django_assert_num_queries):
    address = f"/leaderboard/grasp/items/?row=run-{asked.pk}&level=2&show=wrong"
    assert len(links_of(visitor.get(address).content.decode())) == 3
    with django_assert_num_queries(20):  # none for each card
        assert len(links_of(visitor.get(address).content.decode())) == 3
    sealed, read_anew = Score.objects.filter(value=0).values_list("pk", "reading__response__cell__item")[:2]
    ItemSeal.objects.create(item_id=sealed[1], by="trial:open")
    assert len(links_of(visitor.get(address).content.decode())) == 2
    Score.objects.filter(pk=read_anew[0]).update(value=1)
    Run.objects.update(answers_version=F("answers_version") + 1)
    assert len(links_of(visitor.get(address).content.decode())) == 1


def test_replies_that_were_kept_follow_new_answers_listings_and_names_at_once(
    visitor, asked, django_assert_max_num_queries
):
    item = asked.pack.items.get(key="clip1")
    assert "Yes-man" in text_of(visitor.get(item.get_absolute_url()))
    with django_assert_max_num_queries(16):  # one for each study, and none for each reply
        assert "1 of 1 replies of models" in text_of(visitor.get(item.get_absolute_url()))
    Score.objects.filter(reading__response__cell__item=item).update(value=0)
    Run.objects.update(answers_version=F("answers_version") + 1)
    assert "0 of 1 replies of models" in text_of(visitor.get(item.get_absolute_url()))
    Model.objects.filter(pk=asked.model_id).update(name="Nay-man")
    assert "Nay-man" in text_of(visitor.get(item.get_absolute_url()))
    Run.objects.update(listing=Listing.PRIVATE)
    assert "No model on the board was asked this yet" in text_of(visitor.get(item.get_absolute_url()))


def test_a_film_strip_stands_once_and_a_withdrawn_clip_leaves_a_note_and_no_file(visitor, asked):
    item = asked.pack.items.get(key="clip1")
    for number, sampler in enumerate(("uniform-8", "uniform-8", "uniform-2")):
        run = make_run(asked.pack, strategy="plausibility", sampler=sampler, model=make_model(name=f"Seer {number}"))
        make_answer(run, item)
        seen = {"frame_indices": [0, 249] if sampler == "uniform-2" else [15, 46], "frame_times": [0.0, 1.0]}
        ModelResponse.objects.filter(cell__run=run).update(**seen)
    page = visitor.get(item.get_absolute_url())
    assert page.content.decode().count('class="film"') == 2
    assert "Frames shown (uniform-8): Seer 0, Seer 1" in text_of(page)
    assert "Other frames (uniform-2): Seer 2" in text_of(page)
    replies = page.content.decode().partition('id="replies"')[2]
    names = re.findall(r'<th scope="row">\s*<a[^>]*>([^<]+)', replies)
    assert names == ["Seer 0", "Seer 1", "Seer 2", "Yes-man"]
    # a withdrawn clip leaves a note and no address of a file or of a kept reply s frames
    item = asked.pack.items.get(key="clip1")
    replies = ModelResponse.objects.filter(cell__item=item)
    replies.update(frame_indices=[0, 5], frame_times=[0.0, 0.1])
    assert "/frames/" in visitor.get(item.get_absolute_url()).content.decode()
    gone = {"withdrawn_at": timezone.now(), "withdrawal_note": "The owner asked for it."}
    item.pack.clips.filter(pk=item.clip.pk).update(**gone)
    page = visitor.get(item.get_absolute_url()).content.decode()
    assert ("The owner asked for it." in page, "/frames/" in page, "<video" in page) == (True, False, False)


def test_items_on_which_models_or_people_are_at_odds(visitor, asked, all_right, study):
    row = f"run-{all_right.pk}"
    assert len(listed(visitor, row, "disputed")) == 3  # where "yes" is wrong
    assert len(listed(visitor, row, "split")) == 5  # on the last all three agree
    assert len(listed(visitor, "trial-study", "split")) == 5
    # an open study tells nobody where people are at odds
    study.state = "open"
    study.save()
    assert listed(visitor, f"run-{asked.pk}", "split") == []


@pytest.mark.parametrize("query", ["row=run-99999999", "row=trial-study&show=everything", "row=trial-study&test=Magic"])
def test_a_list_that_does_not_exist_is_named_and_leads_back_to_the_item(visitor, asked, query):
    item = asked.pack.items.first()
    answer = visitor.get(f"{item.get_absolute_url()}?{query}")
    assert answer.status_code == 404
    assert item.get_absolute_url() in answer.content.decode()


def disputed(visitor, run):
    return len(listed(visitor, f"run-{run.pk}", "disputed"))


def test_models_are_at_odds_only_as_long_as_both_are_on_the_board(visitor, asked):
    assert disputed(visitor, asked) == 0
    other = answered(asked.pack, "no", "No-man")
    refresh()
    assert disputed(visitor, asked) == 6
    Run.objects.filter(pk=other.pk).update(listing=Listing.PRIVATE)
    refresh()
    assert disputed(visitor, asked) == 0


def test_a_model_that_changes_its_mind_from_seed_to_seed_is_at_odds_with_itself(visitor, asked):
    first = asked.pack.items.first()
    wavering = make_run(asked.pack, strategy="plausibility", model=make_model(name="Wavering"), seeds=[0, 1])
    for item in asked.pack.items.all():
        for seed in wavering.seeds:
            make_answer(wavering, item, "no" if item == first and seed else "yes", seed=seed)
    refresh()
    assert disputed(visitor, wavering) == 1  # that one item
    assert disputed(visitor, asked) == 1


@pytest.mark.parametrize("row", ["run-{}", "trial-study"])
@pytest.mark.parametrize("show", ["all", "wrong", "right", "split", "disputed"])
def test_neighbours_follow_the_list_as_it_is_narrowed(visitor, asked, all_right, row, show):
    query, ids = f"row={row.format(all_right.pk)}&level=2&show={show}", listed(visitor, row.format(all_right.pk), show)
    whole = list_of(BENCHMARKS["grasp"], QueryDict(query))
    beside = {one: whole.beside(asked.pack.items.get(public_id=one)) for one in ids}
    for before, after in pairwise(ids):
        assert (beside[before][1].public_id, beside[after][0].public_id) == (after, before)
    if ids:
        assert (beside[ids[0]][0], beside[ids[-1]][1]) == (None, None)
    for end in {*ids[:1], *ids[-1:]}:
        page = visitor.get(f"/benchmarks/grasp/items/{end}/?{query}").content.decode()
        links = [re.findall(rf'rel="{way}" href="([^"]+)"', compact(page)) for way in ("prev", "next")]
        assert links == [[f"{one.get_absolute_url()}?{escape(query)}"] if one else [] for one in beside[end]]


def test_a_list_that_a_study_hides_says_so_and_a_private_run_has_none(visitor, asked, physics):
    address = f"/leaderboard/grasp/items/?row=run-{asked.pk}"
    for item in physics.items.all():
        ItemSeal.objects.create(item=item, by="trial:open")
    page = text_of(visitor.get(address))
    assert "hidden while a study runs, back when it closes" in page
    assert "0 answers" not in page
    ItemSeal.objects.all().delete()
    assert "hidden" not in text_of(visitor.get(address))
    # a private run is not listed
    Run.objects.update(listing=Listing.PRIVATE)
    assert visitor.get(f"/leaderboard/grasp/items/?row=run-{asked.pk}").status_code == 404
    item = asked.pack.items.first()
    assert "Yes-man" not in text_of(visitor.get(item.get_absolute_url()))


def test_pages_of_replies_keep_the_row_and_the_answer(visitor, asked, monkeypatch):
    monkeypatch.setattr("leaderboard.items.item_detail.PAGE", 1)
    answered(asked.pack, "no", "No-man")
    refresh()
    address = f"{asked.pack.items.first().get_absolute_url()}?row=run-{asked.pk}&level=2&show=all"
    for query in ("&answer=1", ""):  # the second page uses the replies cached by the first one
        page = visitor.get(f"{address}{query}").content.decode()
        [link] = re.findall(r'rel="next" href="(\?[^"]*page=2)"', page)
        assert link.replace("&amp;", "&") == f"?row=run-{asked.pk}&level=2&show=all{query}&page=2"
    last = visitor.get(f"{address}&page=2").content.decode()
    assert f"row=run-{asked.pk}&amp;level=2&amp;show=all&amp;page=1" in last
