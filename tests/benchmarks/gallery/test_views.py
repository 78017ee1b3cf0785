"""Benchmark pages: content, visibility, and a constant number of queries."""

import json
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Clip, Pack, Production, ProductionState
from benchmarks.models.answers import ItemSeal
from benchmarks.packs.import_release import import_release
from tests.benchmarks.grasp_release import write_release
from tests.factories import make_clip, make_item, make_pack

pytestmark = pytest.mark.django_db

PAGES = ("/benchmarks/", "/benchmarks/grasp/", "/benchmarks/grasp/items/")


def fill(pack, count):
    for _ in range(count):
        make_item(clip=make_clip(pack))


@pytest.mark.parametrize("address", PAGES)
def test_a_page_asks_the_database_as_often_for_many_items_as_for_few(
    visitor, address, django_assert_num_queries, django_assert_max_num_queries
):
    pack = make_pack()
    fill(pack, 2)
    with django_assert_max_num_queries(26) as few:  # two for the size of the archive, eight for the version
        visitor.get(address)
    fill(pack, 40)
    cache.clear()
    with django_assert_num_queries(len(few)):
        visitor.get(address)
    with django_assert_max_num_queries(12):
        visitor.get(address)


@pytest.mark.parametrize("address", PAGES)
def test_an_empty_site_says_what_to_do_next(visitor, address):
    text = visitor.get(address).content.decode()
    assert "No pack is here yet" in text or "No clips are here yet" in text


def test_the_benchmark_page_tells_all_that_the_definition_states(visitor, small_pack, grasp):
    text = visitor.get("/benchmarks/grasp/").content.decode()
    assert all(f'<span class="rank">{number}</span>' in text for number in range(1, 17))
    headings = re.findall(r"<h2>\s*(Level [^<]*?)\s*</h2>", text)
    assert headings == [f"Level {level.number}: {level.title}" for level in grasp.levels]
    assert "caution: deflection angle" in text
    assert "jassim2024grasp" in text
    assert "code and prompts: MIT." in text
    assert f"Known issues {len(grasp.defects)}" in text
    assert grasp.defects[0].here not in text  # on a tab of its own
    issues = visitor.get("/benchmarks/grasp/?tab=issues").content.decode()
    assert issues.partition("Known issues")[2].count("<tr>") == 1 + len(grasp.defects)
    assert visitor.get("/benchmarks/grasp/?tab=magic").status_code == 404


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 82),
        ("?level=1", 16),
        ("?test=Ordering", 4),
        ("?test=Gravity&kind=plausibility", 4),
        ("?concept=inertia&kind=plausibility", 2),
        ("?kind=text", 60),
        ("?kind=text&test=Collision", 2),
    ],
)
def test_the_gallery_is_narrowed_by_the_address_and_shows_24_a_page_by_public_id(visitor, small_pack, query, count):
    response = visitor.get(f"/benchmarks/grasp/items/{query}")
    assert response.status_code == 200
    assert response.context["page"].paginator.count == count
    ids = [card.item.public_id for card in response.context["cards"]]
    assert ids == sorted(ids)
    assert len(ids) == min(count, 24)


@pytest.mark.parametrize("address", ["none/", "none/items/", "grasp/?pack=none", "grasp/items/?pack=none"])
def test_what_does_not_exist_is_not_found(visitor, small_pack, address):
    assert visitor.get(f"/benchmarks/{address}").status_code == 404


def test_sealed_items_are_out_of_sight_and_counted(visitor, small_pack):
    item = small_pack.items.filter(kind="plausibility").first()
    ItemSeal.objects.create(item=item, by="trial:one")
    assert visitor.get("/benchmarks/grasp/items/?kind=plausibility").context["page"].paginator.count == 5
    assert item.public_id not in body(visitor.get("/benchmarks/grasp/items.jsonl"))
    assert "1 question is kept out of sight" in visitor.get("/benchmarks/grasp/").content.decode()


def test_withdrawn_and_broken_clips_are_not_shown(visitor, small_pack):
    first, second = Clip.objects.filter(key__contains="Gravity")[:2]
    Clip.objects.filter(pk=first.pk).update(withdrawn_at=timezone.now())
    Clip.objects.filter(pk=second.pk).update(problem="truncated")
    found = visitor.get("/benchmarks/grasp/items/?test=Gravity&kind=plausibility").context["page"].paginator.count
    assert found == 2


def body(response):
    return b"".join(response.streaming_content).decode()


def test_the_download_has_every_prompt_and_no_answer(visitor, small_pack):
    rows = [json.loads(line) for line in body(visitor.get("/benchmarks/grasp/items.jsonl")).splitlines()]
    assert {row["item"] for row in rows} == set(small_pack.items.values_list("public_id", flat=True))
    assert not {"expected", "answer", "polarity", "key", "variant"} & set(rows[0])
    assert all(row["text"] for row in rows)
    clips = {row["clip"] for row in rows if row["clip"]}
    assert len(clips) == 12
    assert visitor.get(clips.pop()).status_code == 200


def test_no_page_says_an_official_key_or_holds_an_inline_script_or_style(visitor, small_pack):
    for address in (*PAGES, "/benchmarks/grasp/items.jsonl"):
        response = visitor.get(address)
        text = body(response) if response.streaming else response.content.decode()
        assert "IP_" not in text
        assert "level2/" not in text
        assert " style=" not in text
        assert "<style" not in text
        assert text.count("<script") == text.count("<script src=")


def test_official_packs_come_first(visitor, grasp, tmp_path):
    made = make_pack()
    official = import_release(grasp, write_release(tmp_path / "release", ["P_Gravity"], 1)).pack
    assert [card.pack for card in visitor.get("/benchmarks/grasp/").context["packs"]] == [official, made]


def test_problems_of_an_import_are_on_the_page(visitor):
    make_pack(problems=[{"where": "level1/RelationalPosiitionLeft", "what": "misspelt"}])
    assert "level1/RelationalPosiitionLeft" in visitor.get("/benchmarks/grasp/").content.decode()


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (ProductionState.WAITING, "waiting for a worker"),
        (ProductionState.MAKING, "generating clips"),
        (ProductionState.IMPORTING, "being imported"),
        (ProductionState.FAILED, "could not be made"),
    ],
)
def test_a_pack_in_the_making_is_followed(visitor, state, said):
    made = {"clips_done": 3, "clips_total": 9, "note": "disk full"}
    Production.objects.create(benchmark="grasp", pack_name="demo", state=state, **made)
    text = visitor.get("/benchmarks/grasp/").content.decode()
    assert said in text
    assert ('http-equiv="refresh"' in text) == (state != ProductionState.FAILED)
    assert ("disk full" in text) == (state == ProductionState.FAILED)
    answer = visitor.get("/benchmarks/grasp/progress.json").json()["productions"][0]
    assert (answer["pack"], answer["done"], answer["total"]) == ("demo", 3, 9)


def test_a_pack_of_which_nothing_is_heard_says_so_and_a_finished_one_leaves_the_page(visitor):
    Production.objects.create(benchmark="grasp", pack_name="demo", state=ProductionState.MAKING)
    Production.objects.update(updated_at=timezone.now() - timedelta(minutes=3))
    page = visitor.get("/benchmarks/grasp/").content.decode()
    assert ("Nothing has been heard of it" in page, "data-progress" in page) == (True, True)
    Production.objects.update(state=ProductionState.DONE)
    assert "data-progress" not in visitor.get("/benchmarks/grasp/").content.decode()


def test_two_packs_are_told_apart_by_the_address(visitor, small_pack):
    other = make_pack()
    fill(other, 1)
    assert visitor.get(f"/benchmarks/grasp/items/?pack={other.name}").context["page"].paginator.count == 1
    assert Pack.objects.count() == 2


def test_a_pack_that_was_made_here_shows_a_sheet_of_every_test_and_an_official_one_none(visitor):
    fill(make_pack(name="made", origin="generated"), 1)
    assert "sheets/grasp/Gravity" in visitor.get("/benchmarks/grasp/?pack=made").content.decode()
    fill(make_pack(name="official", origin="official"), 1)
    assert "sheets/grasp/" not in visitor.get("/benchmarks/grasp/?pack=official").content.decode()


def test_the_page_shows_how_questions_spread_and_how_long_clips_are(visitor):
    pack = make_pack()
    for number in range(6):
        facets = {"concept": ("gravity",) if number < 4 else ("inertia",)}
        make_item(clip=make_clip(pack, seconds=2.0 + number), facets=facets)
    page = visitor.get("/benchmarks/grasp/")
    (concepts,) = [one for one in page.context["distributions"] if one.title == "Concept"]
    bars = [(bar.label, bar.count, bar.width) for bar in concepts.rows]
    assert bars == [("Gravity", 4, "100.0"), ("Inertia", 2, "50.0")]
    assert "from 2.0 to 7.0 seconds, half of them up to 4.5" in page.content.decode()


@pytest.mark.parametrize("slug", ["grasp", "craft", "pacs", "giraffe"])
def test_the_gallery_is_narrowed_by_every_facet_that_tells_no_answer(visitor, slug):
    pack = make_pack(benchmark=slug)
    names = [one.name for one in visitor.get(f"/benchmarks/{slug}/items/").context["filters"]]
    assert not {"polarity", "caution"} & set(names)
    name = names[1]
    value = BENCHMARKS[slug].facet(name).values[0].value
    for chosen in (value, "another"):
        make_item(clip=make_clip(pack), facets={name: (chosen,)})
    page = visitor.get(f"/benchmarks/{slug}/items/?{name}={value}")
    assert page.context["page"].paginator.count == 1


@pytest.mark.parametrize(
    ("by", "said"), [("trial:other", "Hidden while a study runs"), (WITHHELD, "an answer about this clip is with")]
)
def test_a_clip_that_another_question_closes_says_so_in_place_of_a_black_picture(visitor, small_pack, by, said):
    item = small_pack.items.filter(media__isnull=False).first()
    film = item.clip.renditions.get(kind="original").get_absolute_url()
    ItemSeal.objects.create(item=make_item(small_pack, clip=item.clip, key="other"), by=by)
    query = f"kind={item.kind}&pack={small_pack.name}&test={item.facet_values('test')[0]}"
    page = visitor.get(f"/benchmarks/grasp/items/?{query}").content.decode()
    assert said in page
    assert film not in page
    assert visitor.get(film).status_code == 404
