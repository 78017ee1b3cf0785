"""Effects of sound: rows with and without it, mismatched audio, questions about materials, and changed items."""

import json
from dataclasses import replace

import pytest
from django.test import Client

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import ItemMedia
from benchmarks.models.answers import ItemSeal
from benchmarks.packs.import_release import import_release
from humantrials.results.judgments import answers, by_group
from humantrials.running.lifecycle import close_trial, create_trial, mark_simulated, open_trial
from leaderboard.analyses.sound.effects import audio_effects
from leaderboard.board.query import view_of
from leaderboard.models import Standing
from leaderboard.publications.paper_tables import table_named
from leaderboard.standings.human_rows import judged_items
from leaderboard.standings.refresh import refresh
from measures.shares.majorities import majority_effect
from tests.benchmarks.pacs_releases import FOUR, small
from tests.factories import answer_to, make_answer, make_clip, make_item, make_model, make_pack, make_run
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.protocols.designs.test_crossed import stand_in_clips
from tests.humantrials.results.test_judgments import everybody_answers
from tests.markup import compact

OPTIONS = ["object 1", "object 2"]
N = 8


def pair_item(pack, number, kind):
    """Even items are decided by sound, odd ones by sight; object 1 is always the answer."""
    level, test = {"pair": ("1", "tapped"), "material": ("2", "tapped-material")}[kind]
    facets = {
        "level": (level,),
        "test": (test,),
        "split": ("all", "test"),
        "channel": ("sight" if number % 2 else "sound",),
        "object": (f"object{number:04}", f"object{number + 1:04}"),
    }
    return choice_item(pack, kind, number, facets, text=f"Which object {'rolls' if number % 2 else 'floats'}?")


def choice_item(pack, kind, number, facets, **values):
    own = {"clip": make_clip(pack, key=f"{kind}{number}"), "kind": kind, "key": f"{kind}/{number}", "facets": facets}
    return make_item(pack, **own, answer_kind="choice", options=OPTIONS, expected="object 1", **values)


@pytest.fixture
def pack(db):
    pack = make_pack(benchmark="tapped", name="heard", title="Heard")
    for kind in ("pair", "material"):
        for number in range(N):
            pair_item(pack, number, kind)
    return pack


def answered(pack, model, condition, right, strategy="pair"):
    """A run that is right on these numbers."""
    run = make_run(pack, model=model, condition=condition, strategy=strategy, split="all", parser="pacs-object")
    kind = "material" if strategy.startswith("material") else "pair"
    for item in pack.items.filter(kind=kind):
        make_answer(run, item, OPTIONS[int(item.key.split("/")[1]) not in right])
    return run


@pytest.fixture
def runs(pack):
    """A model that uses sound: 6 of 8 right with it, 3 without, and 2 with swapped sounds."""
    model = make_model(name="Listener", slug="listener")
    found = {
        "audio": answered(pack, model, "audio", {0, 2, 4, 6, 1, 3}),
        "no-audio": answered(pack, model, "no-audio", {1, 3, 5}),
        "flipped-audio": answered(pack, model, "flipped-audio", {1, 3}),
        "material": answered(pack, model, "audio", {0, 1, 2, 3}, strategy="material"),
    }
    answered(pack, make_model(name="Deaf", slug="deaf"), "no-audio", {1})
    refresh()
    return found


def shown(**given):
    return audio_effects(view_of(BENCHMARKS["tapped"], {"condition": "audio"} | given))


def test_effects_mismatches_and_materials_are_paired_by_item_and_lead_to_their_items(runs, client):
    (effect,) = shown().effects  # a row with one condition has no difference
    assert (effect.row.name, effect.difference.n) == ("Listener", N)
    assert (effect.difference.first, effect.difference.second) == (6 / N, 3 / N)
    assert (effect.mended, effect.spoiled) == (4, 1)
    assert effect.difference.interval.low < 3 / N < effect.difference.interval.high
    assert effect.p_holm == pytest.approx((1 + 5 + 1) / 2**5)  # McNemar of 4 against 1, mid-P
    # spoilt sound is held against the model s own
    (one,) = shown().spoilt
    cell, difference = one.cells["flipped-audio"]
    assert (cell.score, difference.value) == (2 / N, 2 / N - 6 / N)
    assert one.cells["audio"][1] is None
    assert [bool(figure) for figure in one.ordered_cells] == [True, False, True, True]
    # materials stand beside the other questions
    (subset,) = shown().subsets
    assert [cell.score for cell in subset.cells] == [4 / N, 6 / N]
    assert [cell.n for cell in subset.cells] == [N, N]
    # the page leads to the items and to files
    page = client.get("/leaderboard/tapped/sound/").content.decode()
    link = f"items/?a=run-{runs['audio'].pk}&amp;b=run-{runs['no-audio'].pk}&amp;level=1&amp;split=all&amp;show=mended"
    assert f'<a href="{link}">4</a>' in compact(page)
    assert "+37.5" in page
    told = json.loads(client.get("/leaderboard/tapped/sound/?format=json").content)
    assert told["rows"][0]["Right with sound alone"] == 4
    assert "/leaderboard/tapped/sound/" in client.get("/leaderboard/tapped/").content.decode()
    # what a study seals is not listed
    item = runs["audio"].pack.items.get(key="pair/0")
    ItemSeal.objects.create(item=item, by="trial:x")
    address = f"/leaderboard/tapped/sound/items/?a=run-{runs['audio'].pk}&b=run-{runs['no-audio'].pk}"
    assert item.public_id not in client.get(address).content.decode()


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ("", {0, 2, 4, 6, 5}),
        ("&show=mended", {0, 2, 4, 6}),
        ("&show=spoiled", {5}),
        ("&show=neither", set()),
        ("&channel=sight", {5}),
        ("&show=mended&channel=sight", set()),
    ],
)
def test_items_that_sound_changed_can_be_narrowed(runs, client, given, numbers):
    address = f"/leaderboard/tapped/sound/items/?a=run-{runs['audio'].pk}&b=run-{runs['no-audio'].pk}{given}"
    listed = [item for item, *_ in client.get(address).context["page"].object_list]
    assert {int(item.key.split("/")[1]) for item in listed} == numbers
    assert all(f"{item.get_absolute_url()}" in client.get(address).content.decode() for item in listed)


NOWHERE = ["grasp/sound/", "nothing/sound/", "tapped/sound/?pack=gone", "tapped/sound/?format=doc"]
NOWHERE += ["tapped/sound/items/?a=run-1", "tapped/sound/items/?a=run-99999999999999999999&b=x", "tapped/sound/items/"]
NOWHERE += ["tapped/sound/items/?show=loud", "tapped/sound/items/?page=0"]
NOWHERE += ["tapped/by/smell/", "tapped/by/word/?a=run-0"]


def test_what_is_not_there_is_a_404_in_words_and_what_nobody_answered_a_sentence(db, pack, client):
    client = Client(raise_request_exception=False)
    codes = {address: client.get(f"/leaderboard/{address}").status_code for address in NOWHERE}
    assert codes == dict.fromkeys(NOWHERE, 404)
    # nobody has answered both ways
    assert "Nobody has answered both ways yet" in client.get("/leaderboard/tapped/sound/").content.decode()


# --- people ---


@pytest.fixture
def study(db, tmp_path):
    return answered_study(tmp_path)


def answered_study(folder, *, by_a_program=False):
    """Four questions: with sound most people are right, without it on two; a model gives the majority's answers."""
    pack = import_release(BENCHMARKS["pacs"], small(folder, val_data=FOUR, val_data_mat=None, objects=None)).pack
    stand_in_clips(pack)
    trial = create_trial(slug="few", protocol="pacs-audio", pack=pack, settings={"replicates": 3})
    open_trial(trial=trial)
    if by_a_program:
        mark_simulated(trial=trial)
    everybody_answers(trial, lambda slot: said(slot.item, slot.condition, contrary=slot.replicate == 0))
    close_trial(trial=trial)
    model = make_model(name="Echo")
    for condition in ("audio", "no-audio"):
        run = make_run(pack, model=model, strategy="pair", condition=condition, split="val", parser="pacs-object")
        for item in pack.items.all():
            make_answer(run, item, said(item, condition))
    return trial


def said(item, condition, *, contrary=False):
    is_right = condition == "audio" or item.key.endswith("1")
    return answer_to(item) if is_right != contrary else next(one for one in OPTIONS if one != answer_to(item))


def effects_of(trial):
    refresh()
    view = view_of(BENCHMARKS["pacs"], {"condition": "audio", "split": "val", "pack": trial.pack.name})
    return {effect.row.kind: effect for effect in audio_effects(view).effects}


def test_the_effect_of_sound_on_people_and_on_models_is_one_estimator_paired_by_item(study, client):
    effects = effects_of(study)
    assert effects.keys() == {"human", "run"}
    assert replace(effects["human"].difference, people=0) == effects["run"].difference
    for effect in effects.values():
        assert (effect.difference.n, effect.difference.value) == (4, 0.5)
        assert (effect.mended, effect.spoiled) == (2, 0)
    # people s row leads to the questions that sound decided for them
    effects_of(study)
    page = client.get("/leaderboard/pacs/sound/?split=val").content.decode()
    link = "items/?a=trial-few~audio&amp;b=trial-few~no-audio&amp;level=1&amp;split=val&amp;show=mended"
    assert f'<a href="{link}">2</a>' in compact(page)
    assert "Simulated people" not in page
    listed = client.get("/leaderboard/pacs/sound/items/?a=trial-few~audio&b=trial-few~no-audio").context["page"]
    assert {item.key.rpartition("/")[2] for item, *_ in listed.object_list} == {"question0002"}
    votes = {(row.with_sound, row.without) for _, _, row in listed.object_list}
    assert votes == {("object 1 2, object 2 1", "object 2 2, object 1 1")}


def test_the_trials_page_and_the_board_have_one_interval_which_knows_both_objects(study):
    for item in study.pack.items.all():  # everybody is right on one pair of objects and wrong on the other
        right = item.key.startswith("object0001")
        answer = answer_to(item) if right else next(one for one in OPTIONS if one != answer_to(item))
        study.judgments.filter(item=item).exclude(slot__replicate=0).update(answer=answer)
    refresh()
    overall = Standing.objects.get(trial=study, condition="audio", split="val").overall
    given = answers(study)
    [result] = by_group(study, given)
    assert (result.interval.low, result.interval.high) == pytest.approx((overall["low"], overall["high"]))
    voted = [one.voted for one in judged_items(study, "audio")]
    assert overall["effect"] == pytest.approx(majority_effect(voted))
    assert overall["effect"] > majority_effect([replace(one, label=place) for place, one in enumerate(voted)]) + 0.1


def test_results_of_people_by_word_have_the_interval_of_their_row(db, client):
    trial = running_trial(physics_pack(tests=8, clips=2), replicates=1)
    yes_and_no = ("no", "yes")
    everybody_answers(trial, lambda slot: yes_and_no[(answer_to(slot.item) == "yes") == bool(slot.sheet.order % 2)])
    close_trial(trial=trial)
    refresh()
    overall = Standing.objects.get(trial=trial, split="all").overall
    row, *_ = client.get("/leaderboard/grasp/by/word/?a=trial-running").context["page"].object_list
    assert (row.n, row.first) == (overall["n"], overall["score"])  # a word of every question
    assert (row.interval.low, row.interval.high) == pytest.approx((overall["low"], overall["high"]))


def test_simulated_people_are_marked_and_no_people(db, tmp_path, client):
    assert effects_of(answered_study(tmp_path, by_a_program=True)).keys() == {"simulated", "run"}
    page = client.get("/leaderboard/pacs/sound/?split=val").content.decode()
    assert '<span class="badge simulated">Simulated</span>' in page
    assert "their rows say nothing about people" in page
    told = json.loads(client.get("/leaderboard/pacs/sound/?split=val&format=json").content)
    assert [row["Kind"] for row in told["rows"]] == ["simulated", "run"]


# --- the two clips of an item ---


def test_an_item_of_two_shows_both_clips_but_none_that_a_study_shows_as_well(pack, client):
    item = pack.items.get(key="pair/0")
    ItemMedia.objects.create(item=item, clip=(second := make_clip(pack, key="other")), position=1)
    page = client.get(item.get_absolute_url()).content.decode()
    assert [compact(page).count(f"Object {number}</figcaption>") for number in (1, 2)] == [1, 1]
    assert page.count("<video") == 2
    ItemSeal.objects.create(item=make_item(pack, clip=second, key="sealed"), by="trial:x")
    page = client.get(item.get_absolute_url()).content.decode()
    assert (page.count("<video"), "This clip may not be shown now" in page) == (1, True)


# --- by word and by object ---


def test_results_by_word_and_by_object_cover_every_item_that_has_it(runs, client):
    page = client.get(f"/leaderboard/tapped/by/word/?a=run-{runs['audio'].pk}&b=run-{runs['no-audio'].pk}")
    rows = {row.value: row for row in page.context["page"].object_list}
    assert (rows["floats"].n, rows["floats"].first, rows["floats"].difference.value) == (4, 1.0, 1.0)
    assert (rows["rolls"].n, rows["rolls"].first, rows["rolls"].difference.value) == (4, 0.5, -0.25)
    assert "which" not in rows
    assert f"items/?row=run-{runs['audio'].pk}&amp;word=floats" in page.content.decode()
    listed = client.get(f"/leaderboard/tapped/items/?row=run-{runs['audio'].pk}&word=floats").context["page"]
    assert {card.first.item.text for card in listed.object_list} == {"Which object floats?"}
    # results by object count every item that shows it
    page = client.get(f"/leaderboard/tapped/by/object/?a=run-{runs['audio'].pk}")
    rows = {row.value: row for row in page.context["page"].object_list}
    assert (rows["object0001"].n, rows["object0001"].first, rows["object0001"].difference) == (2, 1.0, None)
    assert rows["object0000"].n == 1
    listed = client.get(f"/leaderboard/tapped/items/?row=run-{runs['audio'].pk}&object=object0001").context["page"]
    assert {row.first.item.key for row in listed.object_list} == {"pair/0", "pair/1"}


# --- the papers' tables with own rows ---


@pytest.fixture
def pacs_pack(db):
    pack = make_pack(benchmark="pacs", name="some", title="Some")
    for number in range(4):
        for kind, level, test in (("pair", "1", "pacs"), ("material", "2", "pacs-material")):
            facets = {"level": (level,), "test": (test,), "split": ("all", "val")}
            choice_item(pack, kind, number, facets)
    return pack


def test_own_rows_stand_in_the_forms_of_tables_1_2_and_4(pacs_pack):
    model = make_model(name="Listener")
    shares = {"audio": {0, 1, 2}, "no-audio": {0}, "silent-one": {0, 1}, "flipped-audio": {3}}
    for condition, right in shares.items():
        answered(pacs_pack, model, condition, right)
    answered(pacs_pack, model, "audio", {0, 1, 2, 3}, strategy="material")
    refresh()
    tables = {number: table_named(f"pacs-table-{number}", rows=("run",)) for number in (1, 2, 4)}
    own = ("Listener (direct), val", 75.0, 25.0, 50.0, "this site", 4)
    assert tables[1].rows == (own,)  # test answers are withheld
    (second,) = [row for row in tables[2].rows if row[1] == "Val"]
    assert second == ("Listener (direct, material)", "Val", 100.0, 75.0, "this site", 4)
    (fourth,) = [row for row in tables[4].rows if "val" in row[0]]
    assert fourth == ("Listener (direct), val", 75.0, 50.0, 25.0, "this site", 4)
