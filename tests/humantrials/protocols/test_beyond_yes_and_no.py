"""The protocols of twins, moments and stills: walked through without JavaScript, and their rows."""

from datetime import timedelta

import pytest
from django.test import Client

from humantrials.assignment.viewing_evidence import doubts_of
from humantrials.errors import EmptyPool
from humantrials.judging.exclusion_rules import people_out
from humantrials.models import Trial
from humantrials.participation.media_views import clip_at
from humantrials.planning.preregistration import preregistration_of
from humantrials.results.data_set import Source, files_of, texts_of
from humantrials.results.exports import columns_of, judgment_rows
from humantrials.results.moments import answered_moments, figures_of_trial, presses_at
from humantrials.running.lifecycle import close_trial, create_trial, mark_simulated, open_trial
from humantrials.running.verification import verify
from leaderboard.models import Comparison, Standing
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, expects
from tests.humantrials.fixtures import TESTS, twin_pack
from tests.humantrials.inside_crowd import simulate
from tests.humantrials.plain_client import Walker
from tests.humantrials.results.test_judgments import everybody_answers

pytestmark = pytest.mark.django_db


def opened(protocol: str, pack=None, **settings) -> Trial:
    salt = "5a" * 16  # simulated people draw from it, too
    pack = pack or twin_pack()
    trial = create_trial(slug="beyond", seed=1, salt=salt, protocol=protocol, pack=pack, settings=settings)
    open_trial(trial=trial)
    return trial


# Which of two


def test_both_orders_of_each_pair_are_asked_as_often_and_never_of_one_person():
    trial = opened("grasp-twins", replicates=3)
    assert all(one.holds for one in verify(trial).invariants)
    for sheet in trial.sheets.all():
        items = [slot.item for slot in sheet.slots.select_related("item")]
        first = [answer_to(item) for item in items]  # "no": the first clip is the impossible one
        assert first.count("no") == first.count("yes") == 2
        assert len({item.key.replace("IP_", "P_") for item in items}) == len(items)


def test_the_second_clip_is_the_twins_and_nothing_tells_which_is_impossible(client):
    trial = opened("grasp-twins", replicates=1)
    walker = Walker(client, trial).agree().press(step="instructions")
    page = walker.text
    assert page.count("<video") == 2
    assert 'value="no"' in page
    slot = walker.person.sheet.slots.first()
    twin, place = clip_at(walker.person, slot.item_id, 1)
    assert place == 0
    keys = {trial.pack.items.get(pk=pk).key.replace("IP_", "P_") for pk in (slot.item_id, twin)}
    assert len(keys) == 1
    assert twin != slot.item_id
    assert "violation" not in page
    while walker.reader.positions:
        walker.answer("no")
    assert walker.person.has_finished


def test_packs_whose_twins_are_not_matched_are_refused_for_people_too():
    with pytest.raises(EmptyPool, match=r"those of .* are not matched: only packs made here have such"):
        opened("grasp-twins", twin_pack(profile=""))


def test_people_have_a_row_beside_models_asked_which_of_two_and_both_of_a_pair(client):
    trial = opened("grasp-twins", replicates=1)
    mark_simulated(trial=trial)
    everybody_answers(trial, lambda slot: answer_to(slot.item) if "Gravity" not in slot.item.key else "no")
    close_trial(trial=trial)
    refresh()
    row = Standing.objects.get()
    assert (row.strategy, row.condition, row.kind) == ("twins", "video", "simulated")
    wrong = sum("Gravity" in test for test in TESTS[:4])
    assert row.overall["twins"]["all"]["both"]["score"] == pytest.approx(1 - wrong / 4)
    assert row.overall["twins"]["all"]["single"]["score"] == pytest.approx(1 - wrong / 8)
    assert "Simulated people" in client.get("/leaderboard/grasp/?level=2&strategy=twins").content.decode()
    assert "Simulated people" not in client.get("/leaderboard/grasp/?level=2&strategy=plausibility").content.decode()
    answer = client.get("/api/v1/boards/grasp/twins/").json()
    assert answer["rows"][0]["Pair accuracy, %"] == round(100 * (1 - wrong / 4), 1)
    assert not Comparison.objects.exists()
    assert "Each clip was shown before its twin" in dict(texts_of(Source(trial)))["documentation/methods.md"]


# When did it break?


def test_a_moment_is_typed_without_a_script_and_refused_outside_the_clip(client):
    walker = Walker(client, opened("grasp-moment", replicates=1)).agree().press(step="instructions")
    position = walker.reader.positions[0]
    for moment, stored in (("7", ""), ("", ""), ("nan", ""), ("-1", ""), ("3.50", "3.5")):
        walker.answer("seconds", moment=moment, presses="1.25 3.4")
        assert [one.answer for one in walker.person.judgments.all()] == ([stored] if stored else [])
    walker.answer("nothing")
    assert walker.person.judgments.get(slot__position=position).playback["presses"] == "1.25 3.4"
    assert set(walker.person.judgments.values_list("answer", flat=True)) == {"3.5", "nothing"}


def test_no_page_of_a_participant_tells_a_moment_before_the_answer(client):
    trial = opened("grasp-moment", twin_pack(pairs=2), replicates=1)
    walker = Walker(client, trial)
    pages = [walker.text]
    walker.agree().press(step="instructions")
    while walker.reader.positions:
        pages.append(walker.text)
        walker.answer("nothing")
    pages += [walker.text, *(client.get(one.get_absolute_url()).content.decode() for one in trial.pack.items.all())]
    results = (f"/trials/{trial.slug}/", "/leaderboard/grasp/moments/")
    pages += [client.get(address).content.decode() for address in results]
    for page in pages:
        assert not any(told in page for told in ("2.5", "3.25", "first_violation", "knowable_seconds"))


def test_simulated_markers_are_recovered_with_their_lag_and_guessing(client):
    """Eight people notice 90 % of violations 0.2 s late, press 0.3 s later, and guess on 20 % of the rest."""
    trial = opened("grasp-moment", twin_pack(tests=6, pairs=4), replicates=1, seal=False)
    people = trial.sheets.count()
    assert simulate(trial, people=people, seed=3, accuracy=0.9, lag=0.2, guesses=0.2)["finished"] == people
    trial.refresh_from_db()
    found = figures_of_trial(trial)
    assert (found.n, found.violations) == (48, 24)
    assert found.hits_interval.low <= 0.9 <= found.hits_interval.high
    assert found.alarms_interval.low <= 0.2 <= found.alarms_interval.high
    assert found.press == pytest.approx(0.5, abs=0.1)
    refresh()
    row = Standing.objects.get()
    assert (row.strategy, row.overall["moment"]["all"]["n"]) == ("moment", 48)
    assert row.cells == {}
    answer = client.get("/api/v1/boards/grasp/moments/").json()
    assert answer["rows"][0]["Who"] == "Simulated people"
    assert answer["rows"][0]["Hits, %"] == round(100 * found.hits, 1)
    standings = client.get("/api/v1/standings/").json()
    assert [one["strategy"] for one in standings["results"]] == ["moment"]
    item = next(one for one in trial.pack.items.filter(expects("no")) if presses_at(one, [trial], is_simulated=True))
    assert "Simulated people&#x27;s presses" in client.get(item.get_absolute_url()).content.decode()
    (moments,) = client.get(f"/api/v1/items/{item.public_id}/").json()["moments"]
    assert (moments["row"], moments["simulated"]) == (f"trial-{trial.slug}", True)
    assert moments["presses"] == sorted(presses_at(item, [trial], is_simulated=True))
    given = [one.answer.seconds for one in answered_moments(trial, items=[item.pk])]
    assert (moments["seconds"], moments["nothing"]) == (sorted(filter(None, given)), given.count(None))
    results = client.get(f"/trials/{trial.slug}/").content.decode()
    assert "Mean lag of the first press" in results
    assert "were hits" in results


def test_moments_are_exported_registered_and_described():
    trial = opened("grasp-moment", replicates=1)
    everybody_answers(trial, lambda slot: "3.5" if answer_to(slot.item) == "no" else "nothing")
    names = [column.name for column in columns_of(trial)]
    rows = [dict(zip(names, row, strict=True)) for row in list(judgment_rows(trial))[1:]]
    broken = [row for row in rows if row["expected"] == "no"]
    columns = ("violation_seconds", "knowable_seconds", "hit", "correct")
    assert {tuple(row[name] for name in columns) for row in broken} == {(2.5, 3.25, 1, None)}
    close_trial(trial=trial)
    files = files_of(Source(trial))
    assert "documentation/methods.md" in files
    assert not any("lme4" in path for path in files)
    methods = dict(texts_of(Source(trial)))["documentation/methods.md"]
    assert "100.0 % were hits" in methods
    assert "Reports came 0.25 s after that moment" in methods
    assert "they moved a slider to the moment" in methods
    assert "mean lag" in preregistration_of(trial)["analysis"]["outcome"]


# Stills


@pytest.mark.parametrize("layout", ["row", "slides"])
def test_stills_are_shown_as_many_as_the_author_says(client, layout):
    trial = opened("grasp-frames", replicates=1, frames="4", layout=layout)
    walker = Walker(client, trial).agree().press(step="instructions")
    page = walker.text
    assert page.count("<img") == 4
    assert "<video" not in page
    assert ('class="tabs slides"' in page) is (layout == "slides")
    assert ("1 / 4" in page, "4 / 4" in page) == (layout == "slides",) * 2
    assert page.count('href="#still-') == (6 if layout == "slides" else 0)  # forward from three, back from three
    while walker.reader.positions:
        walker.answer("yes")
    assert walker.person.has_finished
    methods = dict(texts_of(Source(trial)))["documentation/methods.md"]
    assert "four stills, evenly spaced, as models get them" in methods


def test_an_answer_about_stills_that_were_not_all_requested_does_not_count():
    trial = opened("grasp-frames", twin_pack(tests=2), replicates=1, frames="4")
    assert trial.registered_rules == [["clip-not-seen", 0.2]]
    walker = Walker(Client(), trial).agree().press(step="instructions")
    person = walker.person
    while walker.reader.positions:
        walker.answer("yes")
    assert doubts_of(trial) == {person.pk: {}}
    first, second = person.judgments.order_by("pk")[:2]
    person.clip_fetches.filter(item=first.item_id, place=3).delete()
    assert doubts_of(trial) == {person.pk: {first.pk: "clip-not-fetched"}}
    assert people_out(trial) == {person.pk}
    person.clip_fetches.filter(item=second.item_id).update(at=second.created_at + timedelta(minutes=1))
    assert set(doubts_of(trial)[person.pk]) == {first.pk, second.pk}


def test_a_still_of_a_clip_without_a_file_is_not_there():
    walker = Walker(Client(), opened("grasp-frames", replicates=1)).agree().press(step="instructions")
    assert walker.client.get(f"{walker.road}m/0/0/picture").status_code == 404
    assert walker.client.get(f"{walker.road}m/0/99/picture").status_code == 404
