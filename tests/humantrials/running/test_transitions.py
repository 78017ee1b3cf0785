"""A trial's life cycle: created by a form, piloted, opened, paused, closed, archived; confirmed and logged."""

from itertools import product

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from benchmarks.models.answers import ItemSeal
from humantrials.models import Judgment, Participant, PilotAnswer, SheetEvent, SheetState, Trial, TrialEvent, TrialState
from humantrials.participation.pilots import pilot_key
from humantrials.running.lifecycle import archive_trial, close_trial, pause_trial
from humantrials.running.transitions import ACTS
from tests.humantrials.fixtures import altered, physics_pack
from tests.humantrials.plain_client import Walker
from tests.humantrials.results.test_judgments import closed_trial

pytestmark = pytest.mark.django_db
NEW = "/trials/new/?protocol=grasp-plausibility"


def fields(pack, **values) -> dict[str, str]:
    return {"title": "Balls", "slug": "balls", "pack": str(pack.pk), "seed": "3", "retention_days": "30", **values}


def test_an_author_makes_a_draft_with_a_form_over_the_protocols_settings(author):
    pack = physics_pack(tests=2)
    page = author.get(NEW).content.decode()
    assert all(f'name="{name}"' in page for name in ("seal", "replicates", "lease_seconds", "contact"))
    page = author.post(NEW, fields(pack, replicates="2"), follow=True)
    trial = Trial.objects.get(slug="balls")
    assert (trial.state, trial.settings, trial.retention_days) == (TrialState.DRAFT, {"replicates": 2}, 30)
    assert (trial.author, trial.slots.count()) == (author.user, 8)
    assert "as a draft" in page.content.decode()
    assert [(event.kind, event.by) for event in trial.events.all()] == [("made", author.user)]


@pytest.mark.parametrize(
    ("protocol", "offered"),
    [("grasp-plausibility", {"per_test"}), ("craft-five-part", {"items"}), ("pacs-audio", {"items", "qualified"})],
)
def test_the_form_offers_only_the_settings_that_the_protocol_has(author, protocol, offered):
    page = author.get(f"/trials/new/?protocol={protocol}").content.decode()
    assert {name for name in ("per_test", "items", "qualified") if f'name="{name}"' in page} == offered
    assert 'placeholder="None"' not in page
    assert ('placeholder="all of them"' in page) == (offered == {"per_test"})  # the others ask about some of them
    assert 'placeholder="False"' not in page


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("replicates", "many", "“many” is not valid. Expected: a number from 1."),
        ("completion_url", "javascript:1", "Expected: an https:// address"),
        ("slug", "new", "choose another name"),
        ("slug", "running", "choose another name"),
        ("slug", "Bad name!", "Use small letters, digits and hyphens alone."),
        ("split", "nowhere", "no plausibility items in the split"),
        ("seed", "-1", "greater than or equal to 0"),
        ("seed", "2147483648", "less than or equal to 2147483647"),
        ("title", "", "required"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_made(author, trial, name, value, said):
    page = author.post(NEW, fields(trial.pack, **{name: value}))
    assert page.status_code == 400
    assert said in " ".join(page.context["form"].errors[name])
    assert Trial.objects.count() == 1


def test_other_people_are_kept_out_and_authors_of_other_studies(author, submitter, trial):
    for address in (NEW, f"/trials/{trial.slug}/manage/", f"/trials/{trial.slug}/manage/close/"):
        assert submitter.get(address).status_code == 403
        assert submitter.post(address).status_code in (403, 405)
        assert Client().get(address).status_code == 302
    assert author.get(f"/trials/{trial.slug}/manage/").status_code == 403
    Trial.objects.update(author=author.user)
    assert author.get(f"/trials/{trial.slug}/manage/").status_code == 200
    assert Trial.objects.get().state == TrialState.OPEN


def test_a_draft_is_there_for_its_author_and_the_staff_alone(author, submitter, trial):
    Trial.objects.update(state=TrialState.DRAFT, title="Quiet title")
    places = ["/t/{}/", "/t/{}/?preview=1", "/t/{}/?pilot=x", "/t/{}/?participant=p"]
    places += ["/trials/{}/", "/trials/{}/manage/", "/trials/{}/people/"]
    places += ["/api/v1/trials/{}/", "/api/v1/trials/{}/votes/"]
    for place in [*places, "/compare/?a=trial-{}", "/compare/points/?a=trial-{}&b=trial-x"]:
        for client in (Client(), submitter, Client(headers={"X-Benchsite-Simulator": "x"})):
            pages = [client.get(place.format(slug)) for slug in (trial.slug, "no-such-trial")]
            assert pages[0].status_code == pages[1].status_code != 200, place
            said = [page.content.decode().replace("no-such-trial", trial.slug) for page in pages]
            assert said[0] == said[1], place
    for path in ("/", "/trials/", "/api/v1/trials/"):
        assert "Quiet title" not in Client().get(path).content.decode(), path
    Trial.objects.update(author=author.user)
    submitter.user.user_permissions.add(Permission.objects.get(codename="change_trial"))
    for client, place in product((author, submitter), ("t/{}/", "trials/{}/", "trials/{}/manage/", "trials/")):
        assert "Quiet title" in client.get(f"/{place.format(trial.slug)}").content.decode(), place


def test_a_setting_may_have_the_name_of_a_method(staff, trial):
    """`items` is one: `.items` of the settings in a template would be this setting's number."""
    Trial.objects.update(settings={"items": 4, "keys": 1})
    assert "<code>items=4</code>" in staff.get(f"/trials/{trial.slug}/manage/").content.decode()


@pytest.mark.parametrize(
    ("state", "act", "says", "then"),
    [
        ("draft", "open", "leave gallery", "open"),
        ("open", "pause", "Nobody is at work now", "paused"),
        ("open", "close", "0 of 2 sheets are filled", "closed"),
        ("paused", "open", "People can enter", "open"),
        ("closed", "archive", "can never be opened again", "archived"),
        ("closed", "open", "2 sheets can still be taken", "open"),
    ],
)
def test_an_act_says_what_will_happen_and_needs_a_second_press(staff, trial, state, act, says, then):
    Trial.objects.update(state=state)
    address = f"/trials/{trial.slug}/manage/{act}/"
    assert says in staff.get(address).content.decode()
    trial.refresh_from_db()
    assert trial.state == state
    page = staff.post(address, follow=True).content.decode()
    trial.refresh_from_db()
    assert trial.state == then
    assert f"is {then}." in page
    event = TrialEvent.objects.order_by("-pk").first()
    assert (event.kind, event.note, event.by) == (then, f"was {state}", staff.user)


@pytest.mark.parametrize("state", TrialState.values)
def test_only_acts_that_fit_the_state_are_offered_and_others_change_nothing(staff, trial, state):
    altered(trial, state=state)
    page = staff.get(f"/trials/{trial.slug}/manage/").content.decode()
    offered = [name for name in ACTS if f"/manage/{name}/" in page]
    assert offered == [name for name, act in ACTS.items() if state in act.of and act.is_possible(trial)]
    for name in (name for name, act in ACTS.items() if state not in act.of):
        assert staff.post(f"/trials/{trial.slug}/manage/{name}/", follow=True).status_code == 200
        assert (Trial.objects.get().state, TrialEvent.objects.count()) == (state, 1), name  # that it was opened, before
    assert staff.get(f"/trials/{trial.slug}/manage/burn/").status_code == 404


def test_closing_shows_the_items_again_and_archiving_leaves_the_list(staff, trial):
    assert ItemSeal.objects.exists()
    close_trial(trial=trial)
    assert not ItemSeal.objects.exists()
    assert trial.title in Client().get("/trials/").content.decode()
    archive_trial(trial=trial)
    page = Client().get("/trials/").content.decode()
    assert f"/trials/{trial.slug}/" not in page
    assert "1 archived study" in page
    page = Client().get("/trials/?archived=1").content.decode()
    assert (f"/trials/{trial.slug}/" in page, "archived stud" in page) == (True, False)
    assert Client().get(f"/trials/{trial.slug}/").status_code == 200


@pytest.mark.parametrize(
    ("change", "said"),
    [((pause_trial,), "paused"), ((close_trial,), "is over"), ((close_trial, archive_trial), "is over")],
)
@pytest.mark.parametrize("name", ["", "somebody"])
def test_an_entry_that_lets_nobody_in_says_so_kindly_and_stores_nobody(client, trial, change, said, name):
    for act in change:
        act(trial=trial)
    page = client.get(f"/t/{trial.slug}/", {"participant": name})
    assert page.status_code == 200
    assert said in page.content.decode()
    assert not Participant.objects.exists()


def piloting(client, trial) -> Walker:
    return Walker.at(client, f"/t/{trial.slug}/?pilot={pilot_key(trial)}")


@pytest.mark.requirement("P11")
def test_a_pilot_walks_the_whole_road_and_never_touches_the_slots(client, staff, trial):
    Trial.objects.update(state=TrialState.DRAFT)
    walker = piloting(Client(), trial)
    assert "answers are kept apart" in walker.text
    walker.reach_trials().answer("yes", seconds="4", watched="1").answer("no", seconds="6", watched="1")
    assert "PILOT" in walker.text
    assert "PILOT" in walker.look().text
    assert [one.answer for one in PilotAnswer.objects.all()] == ["yes", "no"]
    assert not Judgment.objects.exists()
    assert not SheetEvent.objects.exists()
    assert set(trial.sheets.values_list("state", "epoch", "holder")) == {(SheetState.OPEN, 0, None)}
    page = staff.get(f"/trials/{trial.slug}/manage/").content.decode()
    assert "1 pilot participant, 1 finished; 2 answers, 0 flagged." in " ".join(page.split())
    assert walker.person.code in staff.get(f"/trials/{trial.slug}/manage/pilot/").content.decode()


def test_a_pilot_beats_reports_and_answers_twice_without_a_trace_on_the_sheets(client, trial):
    walker = piloting(client, trial).reach_trials()
    assert client.post(f"{walker.road}beat/").json() == {"kept": True}
    client.post(f"{walker.road}problem/", {"position": "0"})
    for value in ("yes", "no"):
        assert walker.send("answer/", position="0", answer=value).json()["answer"] == "yes"
    assert client.post(f"{walker.road}answer/", {"position": "77", "answer": "yes"}).status_code == 302
    assert PilotAnswer.objects.count() == 1
    assert not SheetEvent.objects.exists()


def test_pilots_try_the_sheets_in_turn(trial):
    assert [piloting(Client(), trial).agree().person.sheet.order for _ in range(3)] == [0, 1, 0]


def test_a_pilot_link_waits_for_a_press_and_must_be_whole(client, trial):
    key = pilot_key(trial)
    assert "I agree" in client.get(f"/t/{trial.slug}/?pilot={key}").content.decode()
    assert client.post(f"/t/{trial.slug}/?pilot={key[:-1]}").status_code == 403
    assert client.post(f"/t/{trial.slug}/?pilot=%C3%A4").status_code == 403
    close_trial(trial=trial)
    assert "is over" in client.post(f"/t/{trial.slug}/?pilot={key}").content.decode()
    assert not Participant.objects.exists()


def test_events_can_only_be_appended(trial):
    event = trial.events.get()
    event.note = "nothing of the kind"
    for change in (event.save, event.delete, trial.events.all().delete, lambda: TrialEvent.objects.update(note="")):
        with pytest.raises(TypeError, match="appended"):
            change()
    assert trial.events.get().note.startswith("was draft")


def test_the_design_is_checked_while_it_is_typed_and_nothing_is_made(author):
    typed = fields(physics_pack(tests=2), replicates="2") | {"check": "1"}
    page = author.post(NEW, typed)
    design = page.context["design"]
    assert (page.status_code, design["people"] * design["questions"], design["answers"]) == (200, 8, 8)
    assert "can tie" in design["warning"]
    assert design["checks"]
    assert all(check.holds for check in design["checks"])
    assert "People needed" in page.content.decode()
    wrong = author.post(NEW, typed | {"rules": "too-slow", "title": ""})
    assert (wrong.status_code, wrong.context["design"]) == (200, None)  # no error in the console of who types
    assert set(wrong.context["form"].errors) == {"rules", "title"}
    assert '<details class="fold" open>' in wrong.content.decode()
    assert not Trial.objects.exists()


def test_a_study_without_a_name_is_named_after_its_title(author):
    pack = physics_pack(tests=1)
    for name in ("kleine-balle", "kleine-balle-2"):
        author.post(NEW, fields(pack, title="Kleine Bälle!", slug=""))
        assert Trial.objects.latest("pk").slug == name
    author.post(NEW, fields(pack, title="كرات", slug=""))
    assert Trial.objects.latest("pk").slug == "grasp-plausibility"


def test_rules_are_boxes_with_limits_and_what_they_cost_before(author):
    over = closed_trial(pack=physics_pack(tests=1), slug="over")
    pack = physics_pack(tests=1, name="fresh")
    page = author.get(NEW).content.decode()
    people = over.judgments.filter(counts=True).values("participant").distinct().count()
    assert f"of {people} people in studies here" in page
    typed = {"rules": ["too-even", "alternation"], "rules-left-the-page": "0.4", "rules-too-even": "0.02"}
    author.post(NEW, fields(pack) | typed)
    rules = dict(Trial.objects.get(slug="balls").settings["rules"])
    assert rules == {"alternation": None, "left-the-page": 0.4, "too-even": 0.02}
    again = author.post(NEW, fields(pack) | {"rules-left-the-page": "much"})
    assert "left-the-page=much" in again.context["form"].errors["rules"][0]
    assert 'value="much"' in again.content.decode()
