import re

import pytest
from django.utils import timezone

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models.answers import ItemSeal
from evaluation.models import Listing, Run
from leaderboard.items.explorer import explored
from leaderboard.items.outcomes import WHO
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_clip, make_item, make_pack, set_expected
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.django_db
EXPLORE = "/explore/"


@pytest.fixture
def asked(physics, study):
    """Two models that always say yes, and people who are wrong only on the last item, which is plausible."""
    for name in ("Yes-man", "Nodder"):
        answered(physics, "yes", name)
    refresh()
    return physics


def listed(visitor, query=""):
    """Keys of the items on the page."""
    page = visitor.get(EXPLORE + query).content.decode()
    return sorted(re.findall(r'href="/benchmarks/\w+/items/(\w+)/" title', page))


def ids(pack, **wanted):
    return sorted(pack.items.filter(**wanted).values_list("public_id", flat=True))


def refused(visitor, query):
    answer = visitor.get(EXPLORE + query)
    assert answer.status_code == 404, query[:80]
    return answer.content.decode()


def test_an_empty_site_says_so_and_leads_on(visitor):
    page = visitor.get(EXPLORE).content.decode()
    assert "No clips are here yet." in page
    assert 'href="/benchmarks/"' in page


FOUND = {"": "012345", "?test=Gravity": "0123", "?concept=collision&kind=plausibility": "45", "?level=1": ""}
FOUND |= {"?who=both": "13", "?who=people": "024", "?who=models": "5", "?who=neither": ""}
FOUND |= {"?who=people-right&test=Collision": "4", "?who=models-wrong": "024"}


def test_items_are_narrowed_counted_and_shown_with_who_was_right(visitor, asked):
    number_of = {item.public_id: item.key.removeprefix("clip") for item in asked.items.all()}
    assert {query: "".join(sorted(number_of[one] for one in listed(visitor, query))) for query in FOUND} == FOUND
    # a thumbnail says the expected answer and who was right
    page = visitor.get(f"{EXPLORE}?who=models").content.decode()
    assert "expected answer: yes · People 0/3 · models 2/2" in words(page)
    # what the pack lacks is no link and an empty list leads back
    page = visitor.get(f"{EXPLORE}?test=Gravity&who=neither").content.decode()
    assert not re.search(r">\s*16 ", page)
    assert "No results for this view" in page
    assert 'class="reset" href="?benchmark=grasp&amp;pack=physics"' in page
    # counts say what a choice would leave
    page = visitor.get(f"{EXPLORE}?concept=gravity&who=people").content.decode()
    counted = re.findall(r'<a [^>]*>([^<]+?)\s*<small class="n">(\d+)', page)
    left = dict(counted)
    assert (left["9 Ball on a slope"], left.get("14 Ball hits a ball"), left["Collision"]) == ("2", None, "1")
    crossed = [re.search(rf"people right, models {how}: </span>(\d+)", page)[1] for how in ("right", "wrong")]
    assert crossed == ["2", "2"]
    # a page that the list does not have
    for value in ("none", "99", "0", "-1", "%00"):
        assert "page=" in refused(visitor, f"?page={value}"), value


def test_a_models_kinds_of_error_narrow_the_list(visitor, asked):
    said = {"clip0": "yes", "clip1": "no", "clip2": None, "clip3": "yes", "clip4": "maybe", "clip5": "no"}
    run = answered(asked, lambda item: said[item.key], "Errs")
    refresh()
    wanted = f"?model={run.pk}"
    choices = {one.query.rpartition("=")[2]: one.count for one in explored({"model": str(run.pk)})._errors().choices}
    kinds = {"false-yes": ["clip0"], "false-no": ["clip1", "clip5"], "unparsed": ["clip2"], "wrong": ["clip4"]}
    for kind, keys in kinds.items():
        assert listed(visitor, f"{wanted}&error={kind}") == ids(asked, key__in=keys)
        assert choices[kind] == len(keys)
    assert listed(visitor, f"{wanted}&error=false-no&test=Collision") == ids(asked, key="clip5")
    text = words(visitor.get(f"{EXPLORE}{wanted}&error=false-no").content.decode())
    assert "Kind of error" in text
    assert "Choose a model" not in text
    assert "Choose a model to filter by its kind of error" in visitor.get(EXPLORE).content.decode()
    assert "there is: false-yes, false-no" in refused(visitor, f"{wanted}&error=typo")
    assert "there is: none" in refused(visitor, "?error=false-no")


def test_a_model_whose_row_is_not_computed_yet_has_no_results(visitor, asked):
    run = answered(asked, "yes", "New")
    assert "People 2/3" in visitor.get(f"{EXPLORE}?model={run.pk}").content.decode()
    assert listed(visitor, f"?model={run.pk}&who=models-right") == []


def test_an_even_split_is_neither_right_nor_wrong(visitor, asked):
    Run.objects.filter(model__name="Nodder").update(listing=Listing.PRIVATE)
    answered(asked, "no", "No-man")
    refresh()
    assert [listed(visitor, f"?who=models-{how}") for how in ("right", "wrong")] == [[], []]


def words(page):
    """The text of a page without tags, with single blanks."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_one_model_may_be_chosen_in_place_of_most(visitor, asked):
    answered(asked, answer_to, "Knows")
    refresh()
    item = asked.items.get(key="clip0")
    thumbnail = next(one for one in explored({}).cards([item.pk]))
    assert (thumbnail.result.models.right, thumbnail.result.models.n) == (1, 3)
    knowing = answered(asked, answer_to, "Knows")
    refresh()
    assert listed(visitor, f"?who=models&model={knowing.pk}") == ids(asked, key="clip5")
    assert listed(visitor, f"?who=people&model={knowing.pk}") == []
    Run.objects.filter(pk=knowing.pk).update(listing=Listing.PRIVATE)
    refresh()
    assert "there is: " in refused(visitor, f"?model={knowing.pk}")


def test_questions_in_words_alone_come_last_and_apart(visitor, asked):
    item = make_item(asked, kind="plausibility", key="words", variant="", facets={"test": ("Gravity",)})
    page = visitor.get(EXPLORE).content.decode()
    assert page.index("Questions in words alone") < page.index(item.public_id)
    assert page.count("<figure", page.index("Questions in words alone")) == 1
    assert listed(visitor, "?media=words") == [item.public_id]
    assert item.public_id not in listed(visitor, "?media=clips")


def test_sealed_withheld_and_withdrawn_items_are_not_shown(visitor, asked):
    clip = asked.items.get(key="clip0").clip
    film = clip.renditions.get().get_absolute_url()
    assert film in visitor.get(EXPLORE).content.decode()
    ItemSeal.objects.create(item=make_item(clip=clip, key="other"), by="trial:other")
    assert film not in visitor.get(EXPLORE).content.decode()
    # sealed withheld and withdrawn items are not shown
    sealed, withheld, withdrawn, *_ = asked.items.order_by("pk")
    ItemSeal.objects.create(item=sealed, by="trial:other")
    set_expected(asked.items.filter(pk=withheld.pk), None)
    asked.clips.filter(pk=withdrawn.clip.pk).update(withdrawn_at=timezone.now())
    for query in ("", *(f"?who={who}" for who in WHO)):
        assert not {sealed.public_id, withheld.public_id, withdrawn.public_id} & {*listed(visitor, query)}
    assert len(listed(visitor)) == 3


@pytest.mark.parametrize("change", [{"state": "open"}, {"is_simulated": True}])
def test_neither_an_open_study_nor_simulated_people_say_who_was_right(visitor, asked, study, change):
    assert "People 2/3" in visitor.get(EXPLORE).content.decode()
    for name, value in change.items():
        setattr(study, name, value)
    study.save()
    assert "People 2/3" not in visitor.get(EXPLORE).content.decode()
    assert listed(visitor, "?who=people-right") == []


@pytest.mark.parametrize("name", ["benchmark", "pack", "level", "test", "concept", "kind", "who", "model"])
def test_an_unknown_choice_names_the_known_ones(visitor, asked, name):
    for value in ("magic", "%00", "x" * 3000, "9" * 30):
        page = refused(visitor, f"?{name}={value}")
        assert "there is: " in page, value
        assert f'class="button main" href="{EXPLORE}"' in page, value


def test_every_benchmark_opens(visitor, asked):
    for slug, benchmark in BENCHMARKS.items():
        pack = make_pack(benchmark=slug)
        kind = benchmark.kinds[0].value
        make_item(pack, clip=make_clip(pack), kind=kind, facets={"test": (benchmark.facet("test").values[0].value,)})
        assert len(listed(visitor, f"?benchmark={slug}&pack={pack.name}&kind={kind}")) == 1


def test_the_number_of_queries_is_the_same_for_many_items_and_models(visitor, asked, django_assert_max_num_queries):
    for number in range(30):
        clip = make_clip(asked, key=f"more{number}")
        make_item(clip=clip, key=clip.key, kind="plausibility", variant="", facets={"test": ("Gravity",)})
    for number in range(5):
        answered(asked, "no", f"Other {number}")
    refresh()
    with django_assert_max_num_queries(32):  # one counts the study's people
        page = visitor.get(f"{EXPLORE}?who=models-right")
    assert page.status_code == 200
    with django_assert_max_num_queries(32):
        assert len(listed(visitor)) == 24
